import { createHash, randomBytes } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import * as s3 from '@aws-sdk/client-s3'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPlans } from '../../../../api/auth/plans.ts'
import { signedHeaders } from '../../../../api/features/lake/signature.ts'
import { answerUpload } from '../../../../api/features/lake/uploads.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { exampleTableRow, startService, type TestService } from '../../service.ts'
import { openWriter, type Writer } from './writer.ts'

const PATH = '/namespaces/road/tables/incidents'
const FOLDER = 'files/road/incidents'
const MB = 1024 ** 2

let service: TestService
let writer: Writer
let client: S3Client
beforeAll(async () => {
  service = await startService({ plans: readPlans('{}') })
  await service.land(incidents, [exampleTableRow(incidents)], Date.now())
  writer = await openWriter(service)
  client = await writer.storage(PATH)
})
afterAll(async () => {
  writer?.close()
  await service?.close()
})
const put = (Key: string, Body: Buffer | string, by = client): Promise<unknown> =>
  by.send(new PutObjectCommand({ Bucket: 'lake', Key, Body }))
const stored = async (key: string): Promise<Buffer | null> => service.lake.store.get(key.replace('files', 'lake'))
const refusalOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'answered',
    (error: { name: string; $metadata: { httpStatusCode: number } }) => [error.$metadata.httpStatusCode, error.name],
  )

describe('a file', () => {
  test('is put once: the same bytes again are no error, others are refused', async () => {
    const Key = `${FOLDER}/data/part=a%20b/one.parquet`
    await put(Key, 'first')
    expect((await stored(Key))?.toString()).toBe('first')
    await put(Key, 'first')
    expect(await refusalOf(put(Key, 'other'))).toEqual([412, 'PreconditionFailed'])
    expect((await stored(Key))?.toString()).toBe('first')
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'lake', Key }))
    expect(await Body?.transformToString()).toBe('first')
  })

  test.each([
    'metadata/v99.metadata.json',
    'metadata/version-hint.text',
    'metadata/deep/a.avro',
    'metadata/a.stats',
    'data/a.orc',
    'checksums/a.sha256',
    'other.parquet',
  ])('is refused as %s', async (name) => {
    const before = await stored(`${FOLDER}/${name}`)
    expect(await refusalOf(put(`${FOLDER}/${name}`, 'x'))).toEqual([403, 'AccessDenied'])
    expect(await stored(`${FOLDER}/${name}`)).toEqual(before)
  })

  test('of a folder, as clients of pyarrow make before they delete a file, is answered and not stored', async () => {
    for (const folder of ['metadata/', 'data/part=a/', 'data/']) await put(`${FOLDER}/${folder}`, '')
    expect(await refusalOf(put(`${FOLDER}/data/part=a/`, 'x'))).toEqual([403, 'AccessDenied'])
    for await (const { key } of service.lake.store.list('lake/road/incidents/')) expect(key).not.toMatch(/\/$|part=a$/)
  })

  test('that is refused is no guess of a key, however often', async () => {
    for (let nth = 0; nth < 40; nth++) expect(await refusalOf(put(`${FOLDER}/other.parquet`, 'x'))).toEqual([403, 'AccessDenied'])
  })

  test('is refused in another table, and with the credentials of a reader', async () => {
    expect(await refusalOf(put('files/road/cameras/data/a.parquet', 'x'))).toEqual([403, 'AccessDenied'])
    const reader = await writer.storage(PATH, await service.key('ENTERPRISE'))
    expect(await refusalOf(put(`${FOLDER}/data/a.parquet`, 'x', reader))).toEqual([403, 'AccessDenied'])
    expect(await stored(`${FOLDER}/data/a.parquet`)).toBeNull()
  })

  test('is left to the clean-up of orphans if its client deletes it, except in a table of its own', async () => {
    const Key = `${FOLDER}/data/kept.parquet`
    await put(Key, 'x')
    await client.send(new s3.DeleteObjectCommand({ Bucket: 'lake', Key }))
    expect(await stored(Key)).not.toBeNull()
    const { metadata } = await writer.send('POST', '/namespaces/own/tables', {
      name: 'mine',
      schema: { fields: [{ id: 1, name: 'a', type: 'int', required: false }] },
    })
    const own = await writer.storage('/namespaces/own/tables/mine')
    const mine = `${metadata.location.slice('s3://lake/'.length)}/data/a.parquet`
    await put(mine, 'x', own)
    expect(await stored(mine)).not.toBeNull()
    await own.send(new s3.DeleteObjectCommand({ Bucket: 'lake', Key: mine }))
    expect(await stored(mine)).toBeNull()
    const post = own.send(new s3.DeleteObjectCommand({ Bucket: 'lake', Key: mine.replace('data/a.parquet', 'metadata/v1.metadata.json') }))
    expect(await refusalOf(post)).toEqual([403, 'AccessDenied'])
  })

  test('is put in parts, whole or not at all', async () => {
    const place = { Bucket: 'lake', Key: `${FOLDER}/data/large.parquet` }
    const parts = [randomBytes(6 * MB), randomBytes(5 * MB), Buffer.from('end')]
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(place))
    const sent: s3.CompletedPart[] = []
    for (const [at, Body] of parts.entries()) {
      const { ETag } = await client.send(new s3.UploadPartCommand({ ...place, UploadId, PartNumber: at + 1, Body }))
      expect(ETag).toBe(`"${createHash('md5').update(Body).digest('hex')}"`)
      sent.push({ PartNumber: at + 1, ETag })
    }
    const whole = (Parts: typeof sent) =>
      client.send(new s3.CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
    expect(await refusalOf(whole(sent.toReversed()))).toEqual([400, 'InvalidArgument'])
    expect(await refusalOf(whole([...sent, { PartNumber: 4, ETag: '"x"' }]))).toEqual([400, 'InvalidArgument'])
    expect(await stored(place.Key)).toBeNull()
    const answer = await whole(sent)
    expect((await stored(place.Key))?.equals(Buffer.concat(parts))).toBe(true)
    const left = async (): Promise<string[]> => {
      const keys: string[] = []
      for await (const { key } of service.lake.store.list('uploads/')) if (!key.endsWith('/completed')) keys.push(key)
      return keys
    }
    expect(await left()).toEqual([])
    // As after a lost reply.
    const { ETag, Bucket, Key } = await whole(sent)
    expect({ ETag, Bucket, Key }).toEqual({ ETag: answer.ETag, Bucket: 'lake', Key: place.Key })
    for (const others of [sent.slice(1), sent.map((one) => ({ ...one, ETag: '"x"' })), []])
      expect(await refusalOf(whole(others))).toEqual([400, 'InvalidArgument'])
    await Promise.all(Array.from({ length: 3 }, () => whole(sent)))
    expect(await left()).toEqual([])
    const again = await client.send(new s3.CreateMultipartUploadCommand(place))
    await client.send(new s3.UploadPartCommand({ ...place, UploadId: again.UploadId, PartNumber: 1, Body: 'other' }))
    const replaced = { ...place, UploadId: again.UploadId, MultipartUpload: { Parts: [{ PartNumber: 1 }] } }
    expect(await refusalOf(client.send(new s3.CompleteMultipartUploadCommand(replaced)))).toEqual([412, 'PreconditionFailed'])
    expect(await left()).toHaveLength(1)
    await client.send(new s3.AbortMultipartUploadCommand({ ...place, UploadId: again.UploadId }))
    expect(await left()).toEqual([])
    const elsewhere = { ...place, Key: `${FOLDER}/data/elsewhere.parquet`, UploadId: again.UploadId, PartNumber: 1, Body: 'x' }
    expect(await refusalOf(client.send(new s3.UploadPartCommand(elsewhere)))).toEqual([404, 'NoSuchUpload'])
  })
})

test('what is left of old uploads is looked for once an hour, not at each upload', async () => {
  const service = await startService({ plans: readPlans('{}') })
  const writer = await openWriter(service)
  try {
    await service.land(incidents, [exampleTableRow(incidents)], Date.now())
    const client = await writer.storage(PATH)
    const { store } = service.lake
    const leave = async (key: string): Promise<void> => {
      await store.put(key, Buffer.from('x'))
      const at = Date.now() / 1000 - (key.includes('old') ? 25 : 23) * 3600
      await utimes(new URL(key, `${store.url}/`), at, at)
    }
    const begin = () => client.send(new s3.CreateMultipartUploadCommand({ Bucket: 'lake', Key: `${FOLDER}/data/large.parquet` }))
    await leave('uploads/old/00001')
    await leave('uploads/young/00001')
    await begin()
    expect([await store.head('uploads/old/00001'), (await store.head('uploads/young/00001'))?.bytes]).toEqual([null, 1])
    await leave('uploads/old/00002')
    await begin()
    expect((await store.head('uploads/old/00002'))?.bytes).toBe(1)
  } finally {
    writer.close()
    await service.close()
  }
})

test('an upload begins even if what is left of others cannot be removed', async () => {
  const store = { ...service.lake.store, now: () => Promise.reject(new Error('no')) }
  const raw = { method: 'POST', headers: {}, url: '/x?uploads' } as IncomingMessage
  const stamps = { stamp: (text: string) => text, stamped: (text: string) => text }
  const request = { raw, query: new URLSearchParams('uploads'), table: 'lake/own/t-1', key: 'lake/own/t-1/data/a.parquet' }
  expect((await answerUpload(request, { store, stamps, isOwn: true })).status).toBe(200)
})

describe('a body', () => {
  const send = async (name: string, body: string, more: Record<string, string>): Promise<[number, boolean]> => {
    const { config } = await writer.send('GET', PATH)
    const key = `${FOLDER}/data/${name}.parquet`
    const url = new URL(`${service.url}/lake/${key}`)
    const [accessKeyId, secretAccessKey, sessionToken] = ['access-key-id', 'secret-access-key', 'session-token'].map(
      (one) => config[`s3.${one}`],
    )
    const headers = signedHeaders(
      { method: 'PUT', url, headers: more },
      { region: 'us-east-1', now: Date.now(), keys: { accessKeyId, secretAccessKey, sessionToken } },
    )
    const { status } = await fetch(url, { method: 'PUT', headers, body })
    return [status, (await stored(key)) !== null]
  }
  const chunked = (length: number) => ({
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-decoded-content-length': String(length),
  })

  test('in chunks is stored without their lines', async () => {
    const text = `5;chunk-signature=${'0'.repeat(64)}\r\nhello\r\n6\r\n world\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n`
    expect(await send('chunked', text, chunked(11))).toEqual([200, true])
    expect((await stored(`${FOLDER}/data/chunked.parquet`))?.toString()).toBe('hello world')
  })

  test.each([
    ['cut', '5\r\nhello\r\n', chunked(5)],
    ['without-lines', 'hello', chunked(5)],
    ['other-length', '5\r\nhello\r\n0\r\n\r\n', chunked(6)],
    ['bad-line', 'zz\r\nhello\r\n0\r\n\r\n', chunked(5)],
    ['no-end', '5\r\nhelloo\r\n0\r\n\r\n', chunked(5)],
    ['other-hash', 'hello', { 'x-amz-content-sha256': createHash('sha256').update('other').digest('hex') }],
  ])('is refused, and nothing is stored: %s', async (name, body, headers) => {
    expect(await send(name, body, headers)).toEqual([400, false])
  })

  test('of too many bytes is refused before it is read', async () => {
    expect(await send('too-large', 'x', chunked(200 * MB))).toEqual([413, false])
  })
})
