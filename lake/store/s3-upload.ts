import { randomUUID } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StoreError } from './errors.ts'
import { httpStatus } from './s3-client.ts'

/** Larger bodies are uploaded in parts. */
const WHOLE_BYTES = 16 << 20
// All parts but the last have the same size, as some servers require: 10,000 parts of 8 MB are 80 GB.
const PART_BYTES = 8 << 20
const MAX_PARTS = 10_000
// Parts in flight; one more is being filled, so an upload uses 32 MB.
const PARALLEL_PARTS = 3

/** The metadata field that identifies the call that wrote an object, so that a call with a lost reply can recognize its own. */
export const PUT_ID = 'put-id'

/** The store's part of an upload; `key` is the bucket's, including the store's prefix. */
export interface UploadTarget {
  readonly client: S3Client
  readonly bucket: string
  readonly key: string
}

/** How `upload` writes: by default it replaces an object. */
interface UploadHow {
  /** Writes a body of up to 16 MB. */
  readonly whole?: (body: Buffer) => Promise<void>
  /** True if a larger body must not replace an object: the server then answers 412. */
  readonly isConditional?: boolean
}

/**
 * Writes an object of any size, whole or not at all: up to 16 MB in one request, else in parts of 8 MB, three at a time. A failed
 * upload is aborted; parts of a killed process remain until the bucket's lifecycle rule removes them. Throws the SDK's or the
 * body's errors.
 */
export async function upload(target: UploadTarget, body: Buffer | AsyncIterable<Buffer>, how: UploadHow = {}): Promise<void> {
  const { whole = (bytes: Buffer) => putWhole(target, bytes), isConditional = false } = how
  if (Buffer.isBuffer(body) && body.length <= WHOLE_BYTES) return whole(body)
  const parts = Buffer.isBuffer(body) ? slices(body) : gathered(body)
  const first: Buffer[] = []
  let bytes = 0
  let done = false
  try {
    while (!done && bytes <= WHOLE_BYTES) {
      const next = await parts.next()
      done = next.done === true
      if (!next.done) {
        first.push(next.value)
        bytes += next.value.length
      }
    }
    if (bytes <= WHOLE_BYTES) await whole(first.length === 1 ? (first[0] as Buffer) : Buffer.concat(first))
    else await putParts(target, chain(first, parts), isConditional)
  } finally {
    // Also closes the body's source after a failed upload.
    await parts.return(undefined)
  }
}

async function putWhole({ client, bucket, key }: UploadTarget, body: Buffer): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
}

async function putParts(target: UploadTarget, parts: AsyncIterable<Buffer>, isConditional: boolean): Promise<void> {
  const { client, bucket, key } = target
  const id = randomUUID()
  const created = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, Metadata: { [PUT_ID]: id } }))
  const uploadId = created.UploadId
  if (!uploadId) throw new StoreError(`the server gave no upload id for ${JSON.stringify(key)}`, { code: 'no-upload-id' })
  try {
    const sent = await sendParts(target, { uploadId, parts })
    await complete(target, { uploadId, parts: sent, id, isConditional })
  } catch (error) {
    await abort(target, { uploadId, error })
    throw error
  }
}

async function sendParts(
  { client, bucket, key }: UploadTarget,
  { uploadId, parts }: { readonly uploadId: string; readonly parts: AsyncIterable<Buffer> },
): Promise<CompletedPart[]> {
  const sent: CompletedPart[] = []
  const underway = new Set<Promise<void>>()
  let failed: { readonly error: unknown } | null = null
  try {
    let number = 0
    for await (const part of parts) {
      number++
      if (number > MAX_PARTS) {
        throw new StoreError(`object ${JSON.stringify(key)} is above ${MAX_PARTS * PART_BYTES} bytes, the most that goes in parts`, {
          code: 'too-large',
        })
      }
      const PartNumber = number
      const task = client
        .send(new UploadPartCommand({ Bucket: bucket, Key: key, UploadId: uploadId, PartNumber, Body: part }))
        .then(({ ETag }) => {
          if (!ETag) throw new StoreError(`the server gave no ETag for part ${PartNumber} of ${JSON.stringify(key)}`, { code: 'no-etag' })
          sent.push({ PartNumber, ETag })
        })
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .finally(() => underway.delete(task))
      underway.add(task)
      if (underway.size >= PARALLEL_PARTS) await Promise.race(underway)
      if (failed) break
    }
  } finally {
    // An upload is aborted only once none of its parts is in flight.
    await Promise.all(underway)
  }
  if (failed) throw (failed as { readonly error: unknown }).error
  return sent.sort((a, b) => (a.PartNumber as number) - (b.PartNumber as number))
}

async function complete(
  { client, bucket, key }: UploadTarget,
  {
    uploadId,
    parts,
    id,
    isConditional,
  }: { readonly uploadId: string; readonly parts: CompletedPart[]; readonly id: string; readonly isConditional: boolean },
): Promise<void> {
  const named = { Bucket: bucket, Key: key, UploadId: uploadId, ...(isConditional ? { IfNoneMatch: '*' } : {}) }
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...named, MultipartUpload: { Parts: parts } }))
  } catch (error) {
    // Servers forget a completed upload: if a reply was lost, the repeated request gets "no such upload", or finds its object.
    const status = httpStatus(error)
    if (status !== null && status < 500 && status !== 404 && status !== 412) throw error
    const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })).catch(() => null)
    if (found?.Metadata?.[PUT_ID] !== id) throw error
  }
}

async function abort({ client, bucket, key }: UploadTarget, { uploadId, error }: { uploadId: string; error: unknown }): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId }))
  } catch (cause) {
    if (httpStatus(cause) === 404) return
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${reason}; its abort failed too, so that parts of upload ${uploadId} of ${JSON.stringify(key)} stay until the bucket's lifecycle removes them`
    throw new StoreError(message, { code: 'not-aborted', cause: new AggregateError([error, cause], message) })
  }
}

async function* slices(body: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES)
}

async function* gathered(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    let rest = chunk
    while (bytes + rest.length >= PART_BYTES) {
      const cut = PART_BYTES - bytes
      held.push(rest.subarray(0, cut))
      yield Buffer.concat(held)
      held = []
      bytes = 0
      rest = rest.subarray(cut)
    }
    if (rest.length > 0) held.push(rest)
    bytes += rest.length
  }
  if (bytes > 0) yield Buffer.concat(held)
}

async function* chain(first: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  // Emptied while uploading, so that sent parts can be garbage-collected.
  for (let part = first.shift(); part; part = first.shift()) yield part
  yield* rest
}
