import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { Cursors } from '../../engine/request/cursor.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { FILES_PATH } from './served-files.ts'
import { decodedChunks } from './signed-chunks.ts'

/** A reply of S3: its status, headers, and body as XML if it has one. */
export interface S3Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly xml?: string
}

/** A signed request that changes files of a table. */
export interface UploadRequest {
  readonly raw: IncomingMessage
  /** The parameters of the URL. */
  readonly query: URLSearchParams
  /** Keys of the table that the credentials are for, and of the file. */
  readonly table: string
  readonly key: string
}

/** Largest file, and largest part of one, in bytes. */
const MAX_FILE_BYTES = 1024 ** 3
const MAX_PART_BYTES = 128 * 1024 ** 2
const MAX_PARTS = 1000
const MAX_LIST_BYTES = 1024 ** 2
/** What is left of an upload is removed at this age, in ms. */
const MAX_UPLOAD_AGE_MS = 24 * 3_600_000
/** How often a process looks for such, in ms: each look lists the uploads of a day. */
const LOOK_EVERY_MS = 3_600_000
const PARTS = 'uploads/'
/** Name, beside the parts of an upload, of the list with which it was completed. */
const COMPLETED = 'completed'

/**
 * Answers PutObject, CreateMultipartUpload, UploadPart, CompleteMultipartUpload and AbortMultipartUpload of S3 for new data files
 * and manifests of a table. No file is replaced. DeleteObject is taken: clients clean up after a failed commit, and give up if
 * they cannot. Throws the problem of any other request, and of bodies that are not as stated.
 */
export async function answerUpload(
  { raw, query, table, key }: UploadRequest,
  { store, stamps, isOwn }: { readonly store: ObjectStore; readonly stamps: Pick<Cursors, 'stamp' | 'stamped'>; readonly isOwn: boolean },
): Promise<S3Reply> {
  const { method } = raw
  if (method === 'PUT' && raw.headers['content-length'] === '0' && new URL(raw.url ?? '', 'http://localhost').pathname.endsWith('/')) {
    // Clients of pyarrow make the folder of a file that they delete.
    return { status: 200, headers: { ETag: `"${createHash('md5').digest('hex')}"` } }
  }
  if (!isWritable(key.slice(table.length + 1)))
    throw s3Problem('AccessDenied', `Writers put data/….parquet and metadata/….avro, not ${key}.`)
  const upload = query.get('uploadId')
  if (upload === null && method === 'PUT') return putWhole(store, key, raw)
  if (method === 'POST' && query.has('uploads')) {
    // An upload can begin all the same; the next look removes them.
    await removeOld(store).catch(() => {})
    const id = Buffer.from(stamps.stamp(`lake-upload ${randomUUID()} ${key}`)).toString('base64url')
    return replyXml('InitiateMultipartUploadResult', { ...placeOf(key), UploadId: id })
  }
  if (upload === null && method === 'DELETE') {
    // In tables of datasets the clean-up of orphans knows what is in use; it deletes what is not, three days later.
    if (isOwn) await store.delete(key)
    return { status: 204 }
  }
  if (upload === null) throw s3Problem('MethodNotAllowed', `Files of the lake are written once: there is no ${method} of them.`)
  if (!stamps.stamped(Buffer.from(upload, 'base64url').toString())?.endsWith(` ${key}`))
    throw s3Problem('NoSuchUpload', 'There is no such upload of this file.')
  const folder = `${PARTS}${createHash('sha256').update(upload).digest('hex').slice(0, 40)}/`
  if (method === 'PUT') {
    const number = Number(query.get('partNumber'))
    if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) throw s3Problem('InvalidArgument', `partNumber: 1 to ${MAX_PARTS}.`)
    const { body, digest } = bodyOf(raw, MAX_PART_BYTES)
    await store.put(partKey(folder, number), body)
    return { status: 200, headers: { ETag: `"${digest('md5')}"` } }
  }
  if (method === 'POST') return completed(store, { key, folder, raw })
  await removeParts(store, folder)
  return { status: 204 }
}

/** The problem of a request that S3 answers with this code. */
function s3Problem(
  type: 'AccessDenied' | 'MethodNotAllowed' | 'NoSuchUpload' | 'InvalidArgument' | 'PreconditionFailed',
  detail: string,
): Problem {
  const codes = {
    AccessDenied: 'plan-required',
    MethodNotAllowed: 'method-not-allowed',
    NoSuchUpload: 'not-found',
    InvalidArgument: 'invalid-parameter',
    PreconditionFailed: 'conflict',
  } as const
  return problem(codes[type], detail, { extensions: { type } })
}

/** True for files that a commit may name: the service alone writes versions and the hint of the newest. */
function isWritable(path: string): boolean {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part.startsWith('.'))) return false
  return path.startsWith('data/') ? path.endsWith('.parquet') : parts.length === 2 && parts[0] === 'metadata' && path.endsWith('.avro')
}

async function putWhole(store: ObjectStore, key: string, raw: IncomingMessage): Promise<S3Reply> {
  const { body, digest } = bodyOf(raw, MAX_PART_BYTES)
  if (!(await store.putIfAbsent(key, body))) await checkSame(store, key, digest('sha256'))
  return { status: 200, headers: { ETag: `"${digest('md5')}"` } }
}

/** A client that has lost a reply sends the same bytes again. Throws the problem of a file with others. */
async function checkSame(store: ObjectStore, key: string, sha256: string): Promise<void> {
  const found = createHash('sha256')
  for await (const chunk of (await store.getStream(key)) ?? []) found.update(chunk)
  if (found.digest('hex') !== sha256) throw s3Problem('PreconditionFailed', `There is a file ${key} already, and files are not replaced.`)
}

/** The checked body of a request, and its digests once it was read. */
interface Body {
  readonly body: AsyncIterable<Buffer>
  readonly digest: (algorithm: 'md5' | 'sha256') => string
}

function bodyOf(raw: IncomingMessage, most: number): Body {
  const hashes = { md5: createHash('md5'), sha256: createHash('sha256') }
  const found = new Map<string, string>()
  const { 'x-amz-content-sha256': signed = '', 'x-amz-decoded-content-length': decodedLength, 'content-length': length } = raw.headers
  const isChunked = String(signed).startsWith('STREAMING-')
  const stated = Number(isChunked ? decodedLength : length)
  if (!Number.isSafeInteger(stated)) throw s3Problem('InvalidArgument', 'The size of the body must be stated.')
  if (stated > most) throw problem('payload-too-large', `${stated} bytes at once are too many; at most ${most} are allowed.`)
  async function* checked(): AsyncGenerator<Buffer> {
    let bytes = 0
    // A refused body is not cut off, so that its client gets the reply.
    const pieces: AsyncIterable<Buffer> = raw.iterator({ destroyOnReturn: false })
    for await (const chunk of isChunked ? decodedChunks(pieces) : pieces) {
      bytes += chunk.length
      if (bytes > stated) break
      for (const hash of Object.values(hashes)) hash.update(chunk)
      yield chunk
    }
    if (bytes !== stated) throw s3Problem('InvalidArgument', `The body does not have the ${stated} bytes that were stated.`)
    for (const [name, hash] of Object.entries(hashes)) found.set(name, hash.digest('hex'))
    if (/^[0-9a-f]{64}$/.test(String(signed)) && signed !== found.get('sha256'))
      throw s3Problem('InvalidArgument', 'The body does not have the signed SHA-256.')
  }
  return { body: checked(), digest: (algorithm) => found.get(algorithm) ?? '' }
}

const partKey = (folder: string, number: number): string => `${folder}${String(number).padStart(5, '0')}`

/**
 * Puts the parts of an upload together, in the order of the client's list. The list is kept until its upload is removed as old:
 * a client that has lost the reply sends it again, and gets the same one.
 */
async function completed(
  store: ObjectStore,
  { key, folder, raw }: { readonly key: string; readonly folder: string; readonly raw: IncomingMessage },
): Promise<S3Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of bodyOf(raw, MAX_LIST_BYTES).body) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const numbers = Array.from(body.matchAll(/<PartNumber>(\d{1,5})<\/PartNumber>/g), ([, number]) => Number(number))
  const list = Array.from(body.matchAll(/<(?:PartNumber|ETag)>([^<]*)</g), ([, value]) => value).join(' ')
  const isCompleted = async (): Promise<boolean> => (await store.get(`${folder}${COMPLETED}`))?.toString() === list
  if (!(await isCompleted())) {
    try {
      const parts = numbers.map((number) => partKey(folder, number))
      await joinParts(store, key, parts)
      await store.put(`${folder}${COMPLETED}`, Buffer.from(list))
    } catch (error) {
      // The same request, at the same time, has removed the parts.
      if (!(await isCompleted())) throw error
    }
  }
  await removeParts(store, folder)
  return replyXml('CompleteMultipartUploadResult', { ...placeOf(key), ETag: `"${folder.slice(PARTS.length, -9)}-${numbers.length}"` })
}

async function joinParts(store: ObjectStore, key: string, parts: readonly string[]): Promise<void> {
  const wrong = s3Problem('InvalidArgument', 'The list of parts is not that of the upload.')
  let bytes = 0
  for (const part of parts) bytes += (await store.head(part))?.bytes ?? Number.NaN
  const isAscending = parts.every((part, at) => at === 0 || part > (parts[at - 1] as string))
  if (parts.length === 0 || !isAscending || Number.isNaN(bytes)) throw wrong
  if (bytes > MAX_FILE_BYTES) throw problem('payload-too-large', `A file has at most ${MAX_FILE_BYTES} bytes, not ${bytes}.`)
  const hash = createHash('sha256')
  async function* whole(): AsyncGenerator<Buffer> {
    for (const part of parts) {
      const stream = await store.getStream(part)
      if (!stream) throw wrong
      for await (const chunk of stream) {
        hash.update(chunk)
        yield chunk
      }
    }
  }
  if (!(await store.putIfAbsent(key, whole()))) await checkSame(store, key, hash.digest('hex'))
}

async function removeParts(store: ObjectStore, folder: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(folder)) if (key !== `${folder}${COMPLETED}`) keys.push(key)
  await store.deleteMany(keys)
}

const lookedAt = new WeakMap<ObjectStore, number>()

/** Removes what is left of old uploads, now and then. */
async function removeOld(store: ObjectStore): Promise<void> {
  if (performance.now() - (lookedAt.get(store) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY_MS) return
  lookedAt.set(store, performance.now())
  const before = (await store.now()) - MAX_UPLOAD_AGE_MS
  const keys: string[] = []
  for await (const part of store.list(PARTS)) if (part.modified_at < before) keys.push(part.key)
  if (keys.length > 0) await store.deleteMany(keys)
}

/** Bucket and key as clients know a file. */
function placeOf(key: string): { readonly Bucket: string; readonly Key: string } {
  const [, bucket = '', ...path] = `${FILES_PATH}${key.slice(key.indexOf('/'))}`.split('/')
  return { Bucket: bucket, Key: path.join('/') }
}

function replyXml(name: string, values: Readonly<Record<string, string>>): S3Reply {
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const inner = Object.entries(values).map(([field, value]) => `<${field}>${escaped(value)}</${field}>`)
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner.join('')}</${name}>`
  return { status: 200, headers: { 'Content-Type': 'application/xml' }, xml }
}
