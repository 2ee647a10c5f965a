import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServedFiles } from '../../../../api/features/lake/served-files.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { decodeContainer } from '../../../../lake/iceberg/avro.ts'
import { liveFiles } from '../../../../lake/iceberg/files.ts'
import { decodeManifestList, encodeManifestList } from '../../../../lake/iceberg/manifest-list.ts'
import { listedManifests } from '../../../../lake/iceberg/moved.ts'
import { pathsOf, type TableState } from '../../../../lake/iceberg/table.ts'
import { updateTable } from '../../../../lake/iceberg/update.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const LOCATION = 's3://lake/files/road/incidents'
const MINUTE = 60_000
// S3 clients sign with the time of their machine.
let ahead = 0
let service: TestService
let config: Record<string, string>
let metadata: Reply
let client: S3Client
beforeAll(async () => {
  service = await startService({ clock: () => Date.now() + ahead })
  for (const id of ['a', 'b']) await service.land(incidents, [exampleTableRow(incidents, { source_id: id })], Date.now())
  const loaded = (await (await service.get('/lake/iceberg/v1/namespaces/road/tables/incidents')).json()) as Reply
  ;({ config, metadata } = loaded)
  client = clientOf({})
})
afterAll(async () => {
  client?.destroy()
  await service?.close()
})

/** A client of S3 with the settings that the catalogue gave, and others. */
const clientOf = (other: Record<string, string>): S3Client => {
  const all = { ...config, ...other }
  return new S3Client({
    endpoint: all['s3.endpoint'] as string,
    region: all['s3.region'] as string,
    forcePathStyle: all['s3.path-style-access'] === 'true',
    maxAttempts: 1,
    credentials: {
      accessKeyId: all['s3.access-key-id'] as string,
      secretAccessKey: all['s3.secret-access-key'] as string,
      sessionToken: all['s3.session-token'] as string,
    },
  })
}
const placeOf = (url: string): { Bucket: string; Key: string } => {
  const { host, pathname } = new URL(url)
  return { Bucket: host, Key: decodeURIComponent(pathname.slice(1)) }
}
const get = async (url: string, range?: string): Promise<Buffer> => {
  const { Body } = await client.send(new GetObjectCommand({ ...placeOf(url), ...(range ? { Range: range } : {}) }))
  return Buffer.from(await (Body as NonNullable<typeof Body>).transformToByteArray())
}
const refusalOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'answered',
    (error: { name: string; $metadata: { httpStatusCode: number } }) => [error.$metadata.httpStatusCode, error.name],
  )
const listOf = (): string => metadata.snapshots.at(-1)['manifest-list']

describe('the files of a table', () => {
  test('lead from the metadata to the rows: each names the place and the size of the next', async () => {
    expect(JSON.parse((await get(`${LOCATION}/metadata/v3.metadata.json`)).toString()).location).toBe(LOCATION)
    const state = (await service.lake.table(incidents).load()) as TableState
    const list = await get(listOf())
    const manifests = decodeManifestList(list, { toKey: (path) => path, toLocation: (key) => key })
    const found: string[] = []
    for (const { key, bytes } of manifests) {
      const manifest = await get(key)
      expect(manifest.length).toBe(bytes)
      for (const entry of decodeContainer(manifest).records as Reply[]) found.push(entry.data_file.file_path)
    }
    const stored = await liveFiles(state)
    expect(found.sort()).toEqual(stored.map(({ key }) => `s3://lake/files/${key.slice('lake/'.length)}`).sort())
    for (const { key } of stored) {
      const bytes = await get(`s3://lake/files/${key.slice('lake/'.length)}`)
      expect(bytes.equals((await service.lake.store.get(key)) as Buffer)).toBe(true)
    }
  })

  test('that are rewritten keep no more memory than their bytes: small buffers are slices of a pool', async () => {
    const table = service.lake.table(incidents)
    const state = (await table.load()) as TableState
    const found = await openServedFiles().find(table, pathsOf(state).toKey(state.snapshot?.['manifest-list'] as string))
    for await (const chunk of (await found?.read(0, 1e9)) ?? []) expect(chunk.buffer.byteLength).toBe(found?.bytes)
    expect.assertions(1)
  })

  test('have the same bytes by ranges, also if another process made them', async () => {
    const beside = await startService({ beside: service.shared, clock: () => Date.now() + ahead })
    try {
      const other = clientOf({ 's3.endpoint': beside.url })
      for (const url of [listOf(), listedManifests(await get(listOf()))[0]?.path as string]) {
        const whole = await get(url)
        const { ContentLength: size, ETag: tag } = await client.send(new HeadObjectCommand(placeOf(url)))
        expect(size).toBe(whole.length)
        const half = whole.length >> 1
        const rest = await other.send(new GetObjectCommand({ ...placeOf(url), Range: `bytes=${half}-`, IfMatch: tag }))
        expect([rest.ContentRange, rest.ETag]).toEqual([`bytes ${half}-${whole.length - 1}/${whole.length}`, tag])
        const parts = [await get(url, `bytes=0-${half - 1}`), Buffer.from((await rest.Body?.transformToByteArray()) ?? [])]
        expect(Buffer.concat(parts).equals(whole)).toBe(true)
        expect((await get(url, 'bytes=-16')).equals(whole.subarray(-16))).toBe(true)
      }
      other.destroy()
    } finally {
      await beside.close()
    }
  })

  test('are refused by the codes of S3', async () => {
    const [file] = await liveFiles((await service.lake.table(incidents).load()) as TableState)
    const url = `s3://lake/files/${file?.key.slice('lake/'.length)}`
    const read = (other: Record<string, string>, of = url, range?: string) => {
      const { Bucket, Key } = placeOf(of)
      return refusalOf(clientOf(other).send(new GetObjectCommand({ Bucket, Key, ...(range ? { Range: range } : {}) })))
    }
    expect(await read({})).toBe('answered')
    expect(await read({}, url, `bytes=${file?.bytes}-`)).toEqual([416, 'InvalidRange'])
    expect(await read({}, `${LOCATION}/data/nothing.parquet`)).toEqual([404, 'NoSuchKey'])
    expect(await read({}, `${LOCATION}/metadata/nothing.avro`)).toEqual([404, 'NoSuchKey'])
    expect(await read({ 's3.secret-access-key': 'guessed' })).toEqual([403, 'SignatureDoesNotMatch'])
    expect(await read({ 's3.session-token': 'guessed' })).toEqual([403, 'AccessDenied'])
    for (const other of [
      's3://lake/files/road/vms_devices/metadata/v1.metadata.json',
      's3://lake/files/service/api_usage/x',
      's3://lake/files/road/incidents2/x',
    ])
      expect(await read({}, other), other).toEqual([403, 'AccessDenied'])
    const plain = await fetch(`${service.url}/lake/files/road/incidents/metadata/v1.metadata.json`)
    expect([plain.status, plain.headers.get('content-type'), await plain.text()]).toEqual([
      403,
      'application/xml',
      expect.stringContaining('<Code>AccessDenied</Code>'),
    ])
    const headers = {
      'X-Amz-Security-Token': config['s3.session-token'] as string,
      'X-Amz-Date': new Date().toISOString().replaceAll(/[:-]|\.\d+/g, ''),
      Authorization: `AWS4-HMAC-SHA256 Credential=a/20260102/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    }
    const undecodable = await fetch(`${service.url}/lake/files/road/incidents/metadata/v1.metadata.json?%zz`, { headers })
    expect([undecodable.status, await undecodable.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
    const outside = await fetch(`${service.url}/lake/files/road/incidents/..%2f..%2f..%2fkeys/x`)
    expect(outside.status).toBe(403)
  })

  test('need credentials that have not expired, and a clock that is right', async () => {
    const read = () => refusalOf(get(listOf()))
    ahead = 14 * MINUTE
    expect(await read()).toBe('answered')
    ahead = 16 * MINUTE
    expect(await read()).toEqual([403, 'RequestTimeTooSkewed'])
    ahead = 60 * MINUTE
    const late = clientOf({})
    late.config.systemClockOffset = 60 * MINUTE
    expect(await refusalOf(late.send(new GetObjectCommand(placeOf(listOf()))))).toEqual([400, 'ExpiredToken'])
    const { config: renewed } = (
      (await (await service.get('/lake/iceberg/v1/namespaces/road/tables/incidents/credentials')).json()) as Reply
    )['storage-credentials'][0]
    const after = clientOf(renewed)
    after.config.systemClockOffset = 60 * MINUTE
    expect(await refusalOf(after.send(new GetObjectCommand(placeOf(listOf()))))).toBe('answered')
    ahead = 0
  })

  test('are not served while rows are deleted by position: the deleted rows would be back', async () => {
    const base = (await service.lake.table(incidents).load()) as TableState
    const { table, metadata: before } = base
    const deletes = (await table.manifests(base)).slice(0, 1).map((one) => ({ ...one, content: 'deletes' as const }))
    const list = `${table.key}/metadata/snap-deletes.avro`
    const sequenceNumber = before['last-sequence-number'] + 1
    const of = { snapshotId: 77, parentId: base.snapshot?.['snapshot-id'] ?? null, sequenceNumber, paths: pathsOf(base) }
    await table.store.put(list, encodeManifestList({ manifests: [...(await table.manifests(base)), ...deletes], ...of }))
    const snapshot = {
      ...{ 'snapshot-id': 77, 'sequence-number': sequenceNumber, 'timestamp-ms': Date.now(), 'schema-id': 0 },
      ...{ 'manifest-list': pathsOf(base).toLocation(list), summary: { operation: 'overwrite' as const } },
    }
    await updateTable({
      table,
      attempt: async ({ metadata: now }) => ({
        kind: 'change',
        metadata: { ...now, snapshots: [...now.snapshots, snapshot], 'current-snapshot-id': 77, 'last-sequence-number': sequenceNumber },
      }),
    })
    const loaded = await service.get('/lake/iceberg/v1/namespaces/road/tables/incidents')
    expect([loaded.status, ((await loaded.json()) as Reply).error.message]).toEqual([503, expect.stringContaining('by position')])
    const read = get(`${LOCATION}/metadata/snap-deletes.avro`)
    expect(await refusalOf(read)).toEqual([503, 'ServiceUnavailable'])
  })
})
