import { randomBytes } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { commit } from '../../../../lake/iceberg/commit.ts'
import { liveFiles } from '../../../../lake/iceberg/files.ts'
import type { TableState } from '../../../../lake/iceberg/table.ts'
import { scan } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'
import { type ReaderAccess, readerAccess } from '../../../../lake/store/reader-access.ts'
import { s3Store } from '../../../../lake/store/s3.ts'
import { startS3 } from '../../../helpers/s3-server.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { openWriter, required } from './writer.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

const INCIDENTS = '/lake/iceberg/v1/namespaces/road/tables/incidents'
const READER = { accessKeyId: 'reader', secretAccessKey: 'reader-secret' }

describe.skipIf(!s3)('a lake in a bucket', () => {
  const options = s3?.options as NonNullable<typeof s3>['options'] & { region: string }
  let services: Record<'served' | 'keys', TestService>
  let file: string
  beforeAll(async () => {
    await s3?.keys?.add(READER)
    const start = (bucket: ReaderAccess) => startService({ store: s3Store(options), bucket })
    services = {
      served: await start(readerAccess(options, { keys: null, role: null })),
      keys: await start(readerAccess(options, { keys: `${READER.accessKeyId}:${READER.secretAccessKey}`, role: null })),
    }
    await services.served.land(incidents, [exampleTableRow(incidents)], Date.now())
    const [only] = await liveFiles((await services.served.lake.table(incidents).load()) as TableState)
    file = only?.key as string
  })
  afterAll(async () => {
    for (const service of Object.values(services ?? {})) await service.close()
  })

  const load = async (service: TestService, delegation = 'vended-credentials'): Promise<Reply> =>
    (await service.ask(INCIDENTS, { headers: { 'X-Iceberg-Access-Delegation': delegation } })).json()
  const read = async (url: string, config: Record<string, string>): Promise<Buffer> => {
    const { host, pathname } = new URL(url)
    const token = config['s3.session-token']
    const client = new S3Client({
      endpoint: config['s3.endpoint'] as string,
      region: config['s3.region'] as string,
      forcePathStyle: config['s3.path-style-access'] === 'true',
      credentials: {
        accessKeyId: config['s3.access-key-id'] as string,
        secretAccessKey: config['s3.secret-access-key'] as string,
        ...(token === undefined ? {} : { sessionToken: token }),
      },
    })
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: host, Key: pathname.slice(1) }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    } finally {
      client.destroy()
    }
  }
  const stored = async (): Promise<Buffer> => (await services.served.lake.store.get(file)) as Buffer

  test('is read through the API, without settings', async () => {
    const { metadata, config } = await load(services.served)
    expect(metadata.location).toBe('s3://lake/files/road/incidents')
    expect((await read(`s3://lake/files/${file.slice('lake/'.length)}`, config)).equals(await stored())).toBe(true)
    expect((await read(metadata.snapshots.at(-1)['manifest-list'], config)).subarray(0, 3).toString()).toBe('Obj')
  })

  test('is read from the bucket by the keys of the operator', async () => {
    const { metadata, config } = await load(services.keys)
    expect(config['s3.endpoint']).toBe(options.endpoint)
    expect(metadata.location).toBe(`${options.url}/lake/road/incidents`)
    expect((await read(`${options.url}/${file}`, config)).equals(await stored())).toBe(true)
    expect((await read(metadata.snapshots.at(-1)['manifest-list'], config)).subarray(0, 3).toString()).toBe('Obj')
  })

  test('is read from the bucket by requests that the API signs', async () => {
    const { config } = await load(services.served, 'remote-signing')
    const sign = async (uri: string, method = 'GET'): Promise<Response> => {
      const body = JSON.stringify({ method, region: config['s3.region'], uri, headers: { Range: ['bytes=0-3'] } })
      const signed = await services.served.ask(`/lake/iceberg/${config['s3.signer.endpoint']}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
      const { uri: url, headers } = (await signed.json()) as { uri: string; headers: Record<string, string[]> }
      return fetch(url, {
        method,
        headers: { ...Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join()])), Range: 'bytes=0-3' },
      })
    }
    const url = `${options.endpoint}/${options.url.slice('s3://'.length)}/${file}`
    const response = await sign(url)
    expect([response.status, await response.text()]).toEqual([206, 'PAR1'])
    expect((await sign(url, 'HEAD')).status).toBe(206)
  })

  test.each(['served', 'keys'] as const)('is written through the API, if readers use it as well: %s', async (by) => {
    const service = services[by]
    const table = service.lake.table(incidents)
    const writer = await openWriter(service)
    const state = (await table.load({ isFresh: true })) as TableState
    // One of 20 MB is put in parts, and so it is in the bucket.
    const s3 = await writer.storage('/namespaces/road/tables/incidents')
    const large = randomBytes(20 * 1024 ** 2)
    const Key = `files/road/incidents/data/${by}.parquet`
    await s3.send(new PutObjectCommand({ Bucket: 'lake', Key, Body: large }))
    expect((await service.lake.store.get(Key.replace('files', 'lake')))?.equals(large)).toBe(true)
    const again = s3.send(new PutObjectCommand({ Bucket: 'lake', Key, Body: randomBytes(20 * 1024 ** 2) }))
    await expect(again).rejects.toMatchObject({ name: 'PreconditionFailed' })
    const made = await writer.snapshot(state, incidents, { add: [exampleTableRow(incidents, { source_id: by, fetch_id: 'mine' })] })
    await commit({ table, operation: 'append', properties: () => ({ 'landed.dgt_incidents': '1' }) })
    const { error } = await writer.send('POST', '/namespaces/road/tables/incidents', {
      requirements: required(state),
      updates: made.updates,
    })
    expect(error).toBeUndefined()
    const after = (await table.load({ isFresh: true })) as TableState
    expect(after.snapshot?.['manifest-list']).toContain(`${options.url}/lake/road/incidents/metadata/s`)
    expect(await service.lake.query(sql`SELECT 1 AS one FROM ${scan(incidents)} WHERE source_id = ${by}`)).toHaveLength(1)
    const { metadata } = await writer.send('POST', '/namespaces/own/tables', {
      name: by,
      schema: { fields: [{ id: 1, name: 'a', type: 'int' }] },
    })
    expect(metadata.location).toContain(`s3://lake/files/own/${by}-`)
    expect(await writer.send('DELETE', `/namespaces/own/tables/${by}?purgeRequested=true`)).toEqual({ status: 204 })
    writer.close()
  })
})
