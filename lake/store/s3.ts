import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { StoreError } from './errors.ts'
import { checkKey, checkPrefix, checkRange, compareKeys, isKey } from './keys.ts'
import { httpStatus, parseS3Url, type S3Options, S3RequestError, s3Client, s3Failure } from './s3-client.ts'
import { PUT_ID, upload } from './s3-upload.ts'
import type { ObjectInfo, ObjectStore } from './store.ts'

/** Keys of one request (DeleteObjects). */
const MOST_DELETED = 1000

type Range = { readonly start: number; readonly end: number }

/**
 * Opens a bucket or prefix as an object store. Servers need conditional puts (`If-None-Match: *`, see `selfTest`), user metadata,
 * ListObjectsV2 in byte order, a Date header, and multipart above 16 MB. Five attempts; broken reads resume. Errors are
 * `StoreError` with the server's error name. Lazy.
 */
export function s3Store(options: S3Options): ObjectStore {
  const { bucket, prefix } = parseS3Url(options.url)
  if (prefix) checkKey(prefix.slice(0, -1))
  const url = options.url.replace(/\/$/, '')
  const client = s3Client(options)
  const signer = options.publicEndpoint === undefined ? client : s3Client({ ...options, endpoint: options.publicEndpoint })
  const attempts = options.attempts ?? 5
  const named = (key: string): string => {
    checkKey(key)
    return prefix + key
  }

  async function doing<T>(what: string, key: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task()
    } catch (error) {
      throw s3Failure(what, { url, key, error })
    }
  }

  /** Starts a read; null if there is no object, `body: null` if it ends before the range. */
  async function request(key: string, range?: Range, etag?: string): Promise<Reply | null> {
    // On the wire, a range's end is its last byte.
    const wanted = range && `bytes=${range.start}-${Number.isFinite(range.end) ? range.end - 1 : ''}`
    try {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: named(key),
        ...(wanted === undefined ? {} : { Range: wanted }),
        ...(etag === undefined ? {} : { IfMatch: etag }),
      })
      const output = await client.send(command)
      const body = output.Body as unknown as Readable
      if (range && range.start > 0 && !output.ContentRange) {
        body.destroy()
        throw new Error('the server ignores byte ranges')
      }
      return { body, bytes: output.ContentLength ?? null, etag: output.ETag ?? null }
    } catch (error) {
      if (httpStatus(error) === 416) return { body: null, bytes: 0, etag: null }
      if (isAbsence(error)) return null
      throw error
    }
  }

  /** Yields the bytes of a reply; if it breaks, requests the rest of the same version. */
  async function* flow(key: string, first: Reply, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
    let reply = first
    let at = start
    const stop = first.bytes === null ? null : start + first.bytes
    for (let tries = 1; ; tries++) {
      let broken: unknown = null
      try {
        if (reply.body) {
          for await (const chunk of reply.body) {
            at += chunk.length
            yield chunk
          }
        }
        if (stop === null) return
        broken = new Error(`the reply ended at byte ${at} of ${stop}`)
      } catch (error) {
        broken = error
      }
      if (at === stop) return
      if (tries >= attempts || first.etag === null) throw s3Failure('read', { url, key, error: broken })
      await delay(pause(tries))
      const next = await doing('read on', key, () => request(key, { start: at, end: stop ?? end }, first.etag ?? undefined))
      if (!next) throw s3Failure('read', { url, key, error: new Error('it was deleted meanwhile', { cause: broken }) })
      reply = next
    }
  }

  async function get(key: string, range?: Range): Promise<Buffer | null> {
    if (range) checkRange(range)
    if (range && range.start === range.end) return (await head(key)) && Buffer.alloc(0)
    const reply = await doing('read', key, () => request(key, range))
    if (!reply) return null
    const chunks: Buffer[] = []
    for await (const chunk of flow(key, reply, range?.start ?? 0, range?.end ?? Number.POSITIVE_INFINITY)) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    // A server that ignores ranges may return the whole object instead of its beginning.
    return range ? bytes.subarray(0, range.end - range.start) : bytes
  }

  async function head(key: string): Promise<(ObjectInfo & { readonly putId: string | null }) | null> {
    return doing('look at', key, async () => {
      try {
        const output = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: named(key) }))
        const { ContentLength: bytes = 0, LastModified: modified, Metadata: metadata } = output
        return { key, bytes, modified_at: modified?.getTime() ?? 0, putId: metadata?.[PUT_ID] ?? null }
      } catch (error) {
        if (isAbsence(error)) return null
        throw error
      }
    })
  }

  async function put(key: string, body: Buffer | AsyncIterable<Buffer>, how: Parameters<typeof upload>[2] = {}): Promise<void> {
    const name = named(key)
    let source: { readonly error: unknown } | null = null
    async function* watched(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
      try {
        yield* chunks
      } catch (error) {
        source = { error }
        throw error
      }
    }
    try {
      await upload({ client, bucket, key: name }, Buffer.isBuffer(body) ? body : watched(body), how)
    } catch (error) {
      // Errors of the body's own source are the caller's, not the store's.
      if (source) throw (source as { readonly error: unknown }).error
      throw s3Failure('write', { url, key, error })
    }
  }

  /** Determines whose object exists after a put that was rejected or has an unknown outcome. */
  async function settle(
    key: string,
    { body, id, error }: { readonly body: Buffer; readonly id: string; readonly error: unknown },
  ): Promise<boolean> {
    const unknown = (why: string, cause: unknown): StoreError =>
      new StoreError(`whether ${JSON.stringify(key)} was written in the store ${url} is not known: ${why}`, {
        code: 'unknown-outcome',
        cause,
      })
    const found = await head(key).catch((cause: unknown) => {
      throw unknown(s3Failure('write', { url, key, error }).message, new AggregateError([error, cause], 'neither written nor looked at'))
    })
    if (found?.putId) return found.putId === id
    // For a server without metadata: callers' bodies are unique, so equal bytes are ours.
    if (found) return found.bytes === body.length && (await get(key))?.equals(body) === true
    if (httpStatus(error) === 412 && sentOnce(error)) return false
    throw unknown(`there is none now, but the request may still arrive: ${s3Failure('write', { url, key, error }).message}`, error)
  }

  /** As `putIfAbsent`, for a body whose size is not known. */
  async function streamIfAbsent(key: string, body: AsyncIterable<Buffer>): Promise<boolean> {
    let isNew = true
    const whole = async (bytes: Buffer): Promise<void> => {
      isNew = await putIfAbsent(key, bytes)
    }
    try {
      await put(key, body, { whole, isConditional: true })
      return isNew
    } catch (error) {
      if (error instanceof StoreError && httpStatus(error.cause) === 412) return false
      throw error
    }
  }

  async function putIfAbsent(key: string, body: Buffer | AsyncIterable<Buffer>): Promise<boolean> {
    if (!Buffer.isBuffer(body)) return streamIfAbsent(key, body)
    const id = randomUUID()
    const input = { Bucket: bucket, Key: named(key), Body: body, IfNoneMatch: '*', Metadata: { [PUT_ID]: id } }
    for (let tries = 1; ; tries++) {
      try {
        await client.send(new PutObjectCommand(input))
        return true
      } catch (error) {
        const status = httpStatus(error)
        if (status === 501) {
          throw new StoreError(`the store ${url} has no conditional put (If-None-Match: *)`, { code: 'no-conditional-put', cause: error })
        }
        // 409: another conditional put of the key was in progress. Nothing was written, and the next attempt decides.
        if (status === 409 && tries < attempts) {
          await delay(pause(tries))
          continue
        }
        if (isRefusal(status) && sentOnce(error)) throw s3Failure('write', { url, key, error })
        return settle(key, { body, id, error })
      }
    }
  }

  async function* list(under: string, { startAfter = '' }: { readonly startAfter?: string } = {}): AsyncGenerator<ObjectInfo> {
    checkPrefix(under)
    let token: string | undefined
    let previous: string | null = null
    do {
      const from = token === undefined ? startAfter && { StartAfter: prefix + startAfter } : { ContinuationToken: token }
      const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + under, ...(from || {}) })
      const page = await doing('list', under, () => client.send(command))
      for (const { Key: name = '', Size: bytes = 0, LastModified: modified } of page.Contents ?? []) {
        const key = name.slice(prefix.length)
        if (!isKey(key) || compareKeys(key, startAfter) <= 0) continue
        if (previous !== null && compareKeys(key, previous) <= 0) throw disorder(key, previous)
        previous = key
        yield { key, bytes, modified_at: modified?.getTime() ?? 0 }
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined
      if (page.IsTruncated && !token)
        throw s3Failure('list', { url, key: under, error: new Error('a page was cut without a token for the next') })
    } while (token !== undefined)
  }

  function disorder(key: string, previous: string): StoreError {
    const message = `${JSON.stringify(key)} came after ${JSON.stringify(previous)}: listings in byte order are needed`
    return s3Failure('list', { url, key: '', error: new Error(message) })
  }

  async function now(): Promise<number> {
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })
    let date: string | undefined
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        date = (result.response as { readonly headers?: Readonly<Record<string, string>> }).headers?.['date']
        return result
      },
      { step: 'deserialize', priority: 'low', name: 'serverDate' },
    )
    await doing('read the time of', '', () => client.send(command))
    const instant = Date.parse(date ?? '')
    if (Number.isNaN(instant))
      throw new StoreError(`the store ${url} reports no time: its replies have no Date header`, { code: 'no-clock' })
    return instant
  }

  const deleteOne = async (key: string): Promise<void> => {
    await doing('delete', key, () => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: named(key) })))
  }

  async function deleteMany(keys: readonly string[]): Promise<void> {
    const objects = keys.map((key) => ({ Key: named(key) }))
    for (let from = 0; from < keys.length; from += MOST_DELETED) {
      const Objects = objects.slice(from, from + MOST_DELETED)
      const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })
      const first = keys[from] as string
      const reply = await client.send(command).catch(async (error: unknown) => {
        // Some servers have no such request.
        if (![400, 405, 501].includes(httpStatus(error) ?? 0)) throw s3Failure('delete', { url, key: first, error })
        for (const key of keys.slice(from, from + MOST_DELETED)) await deleteOne(key)
      })
      const [failed] = reply?.Errors ?? []
      if (failed)
        throw s3Failure('delete', { url, key: (failed.Key ?? '').slice(prefix.length), error: `${failed.Code}: ${failed.Message}` })
    }
  }

  return Object.freeze({
    url,
    get,
    getStream: async (key) => {
      const reply = await doing('read', key, () => request(key))
      return reply && flow(key, reply, 0, Number.POSITIVE_INFINITY)
    },
    head: async (key) => {
      const found = await head(key)
      return found && { key, bytes: found.bytes, modified_at: found.modified_at }
    },
    put: (key, body) => put(key, body),
    putFile: async (key, path) => {
      await put(key, createReadStream(path, { highWaterMark: 1 << 20 }))
      await rm(path, { force: true })
    },
    putIfAbsent,
    list,
    delete: deleteOne,
    deleteMany,
    location: (key) => `s3://${bucket}/${named(key)}`,
    signedUrl: async (key, { expires_s, name }) => {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: named(key),
        ResponseContentDisposition: `attachment; filename="${name}"`,
      })
      return doing('sign a URL of', key, () => getSignedUrl(signer, command, { expiresIn: expires_s }))
    },
    now,
    close: async () => {
      client.destroy()
      signer.destroy()
    },
  } satisfies ObjectStore)
}

interface Reply {
  readonly body: AsyncIterable<Buffer> | null
  readonly bytes: number | null
  readonly etag: string | null
}

/**
 * True if the server reports that the object does not exist, by its error name: 404 alone may also mean a missing bucket or
 * account. HEAD replies have no name.
 */
function isAbsence(error: unknown): boolean {
  return httpStatus(error) === 404 && error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)
}

/** A 4xx that means that nothing was written: wrong credentials, no such bucket, a bad request. */
function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 412
}

function sentOnce(error: unknown): boolean {
  return error instanceof S3RequestError && error.tries === 1
}

function pause(tries: number): number {
  return Math.random() * Math.min(100 * 2 ** tries, 5000)
}
