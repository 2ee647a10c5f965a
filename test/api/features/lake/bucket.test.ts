import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { type ReaderAccess, readerAccess } from '../../../../lake/store/reader-access.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** A bucket as a setting would name it. What is chosen does not depend on where the files are; they are in a folder here. */
const OPTIONS = {
  url: 's3://bucket/prefix',
  endpoint: 'http://127.0.0.1:9',
  publicEndpoint: 'https://s3.example.org',
  region: 'eu-south-2',
  pathStyle: true,
  credentials: { accessKeyId: 'own', secretAccessKey: 'own-secret' },
}
const ROLE = 'arn:aws:iam::123456789012:role/readers'
const INCIDENTS = '/lake/iceberg/v1/namespaces/road/tables/incidents'
const STATIONS = '/lake/iceberg/v1/namespaces/sample/tables/fuel_stations'

let now = Date.UTC(2026, 0, 2, 12)
const services: TestService[] = []
afterAll(async () => {
  for (const service of services) await service.close()
})
const serve = async (bucket: ReaderAccess): Promise<TestService> => {
  const service = await startService({ clock: () => now, bucket })
  services.push(service)
  for (const dataset of [incidents, fuelStations]) await service.land(dataset, [exampleTableRow(dataset)], now)
  return service
}
const load = async (
  service: TestService,
  path = INCIDENTS,
  plan: 'FREE' | 'ENTERPRISE' = 'ENTERPRISE',
  delegation = '',
): Promise<Reply> => {
  const headers = { 'X-API-Key': await service.key(plan), ...(delegation === '' ? {} : { 'X-Iceberg-Access-Delegation': delegation }) }
  return (await fetch(`${service.url}${path}`, { headers })).json()
}

let service: TestService
beforeAll(async () => {
  service = await serve(readerAccess(OPTIONS, { keys: 'reader:reader-secret', role: null }))
})

describe('keys of the operator', () => {
  test('are for plans that read all tables, with places as they are in the bucket', async () => {
    const { config, metadata, 'storage-credentials': given, 'metadata-location': at } = await load(service)
    expect(config).toEqual({
      ...{
        's3.endpoint': 'https://s3.example.org',
        's3.region': 'eu-south-2',
        'client.region': 'eu-south-2',
        's3.path-style-access': 'true',
      },
      ...{ 's3.access-key-id': 'reader', 's3.secret-access-key': 'reader-secret' },
    })
    expect(metadata.location).toBe(`file://${service.lake.store.location('lake/road/incidents')}`)
    expect(at).toMatch(`${metadata.location}/metadata/v`)
    expect(given).toEqual([{ prefix: metadata.location, config }])
  })

  test('are not for the sample, whose files the API serves', async () => {
    const { config, metadata } = await load(service, STATIONS, 'FREE')
    expect(config['s3.endpoint']).toBe(service.url)
    expect(metadata.location).toBe('s3://lake/files/fuel/fuel_stations')
    expect(JSON.stringify(config)).not.toContain('reader')
  })
})

describe('a role', () => {
  let sts: Server
  const asked: URLSearchParams[] = []
  let answer = 200
  beforeAll(async () => {
    sts = createServer(async (request, response) => {
      asked.push(new URLSearchParams(await text(request)))
      const end = new Date(now + 3_600_000).toISOString()
      const keys = `<AccessKeyId>ASIA${asked.length}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${end}</Expiration>`
      const given = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`
      const refused = '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>'
      response.writeHead(answer, { 'Content-Type': 'text/xml' }).end(answer === 200 ? given : refused)
    }).listen(0, '127.0.0.1')
    await once(sts, 'listening')
  })
  afterAll(() => sts.close())
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('is assumed for each table, limited to its prefix, and again before its keys end', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${(sts.address() as AddressInfo).port}`)
    const service = await serve(readerAccess(OPTIONS, { keys: null, role: ROLE }))
    const { config, metadata } = await load(service)
    expect(metadata.location).toBe(`file://${service.lake.store.location('lake/road/incidents')}`)
    expect(config).toMatchObject({
      ...{ 's3.access-key-id': 'ASIA1', 's3.secret-access-key': 's', 's3.session-token': 't' },
      's3.session-token-expires-at-ms': String(now + 3_600_000),
    })
    const [sent] = asked
    expect(Object.fromEntries(sent ?? [])).toMatchObject({ Action: 'AssumeRole', RoleArn: ROLE, DurationSeconds: '3600' })
    const { Statement: rules } = JSON.parse(sent?.get('Policy') ?? '') as { Statement: Record<string, unknown>[] }
    expect(rules.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      ['s3:GetObject', 'arn:aws:s3:::bucket/prefix/lake/road/incidents/*'],
      ['s3:ListBucket', 'arn:aws:s3:::bucket'],
    ])
    expect(rules[1]?.['Condition']).toEqual({ StringLike: { 's3:prefix': 'prefix/lake/road/incidents/*' } })
    await load(service)
    expect(asked).toHaveLength(1)
    expect((await load(service, STATIONS, 'FREE')).config['s3.access-key-id']).toBe('ASIA2')
    now += 1_860_000
    expect((await load(service)).config['s3.access-key-id']).toBe('ASIA3')
    now += 3_600_000
    answer = 403
    expect((await load(service)).error).toMatchObject({ code: 503, type: 'ServiceUnavailableException' })
  })
})

describe('remote signing', () => {
  const sign = async (body: object, path = INCIDENTS): Promise<Response> =>
    service.ask(`${path}/sign`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })

  test('is offered to a client that asks for nothing else', async () => {
    const { config } = await load(service, INCIDENTS, 'ENTERPRISE', 'remote-signing')
    expect(config).toMatchObject({
      's3.remote-signing-enabled': 'true',
      's3.signer.uri': `${service.url}/lake/iceberg`,
      's3.signer.endpoint': 'v1/namespaces/road/tables/incidents/sign',
    })
    expect(config['s3.secret-access-key']).toBeUndefined()
    expect((await load(service, '/lake/iceberg/v1/config')).endpoints.at(-1)).toMatch(/^POST .*sign$/)
    for (const asked of ['', 'vended-credentials', 'vended-credentials,remote-signing'])
      expect((await load(service, INCIDENTS, 'ENTERPRISE', asked)).config['s3.access-key-id'], asked).toBe('reader')
  })

  test('signs reads of the files of the table, and nothing else', async () => {
    const file = 'https://s3.example.org/bucket/prefix/lake/road/incidents/data/a%20b.parquet'
    const signed = (await (
      await sign({ method: 'GET', region: 'eu-south-2', uri: file, headers: { Range: ['bytes=0-3'] } })
    ).json()) as Reply
    expect(signed.uri).toBe(file)
    expect(signed.headers).toEqual({
      ...{ 'x-amz-date': [new Date(now).toISOString().replaceAll(/[:-]|\.000/g, '')], 'x-amz-content-sha256': ['UNSIGNED-PAYLOAD'] },
      authorization: [
        expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=own\/20260102\/eu-south-2\/s3\/aws4_request, SignedHeaders=host;x-amz-.+, Signature=[0-9a-f]{64}$/,
        ),
      ],
    })
    const others = [
      { method: 'PUT', uri: file },
      { method: 'DELETE', uri: file },
      { method: 'GET', uri: 'nothing' },
      { method: 'GET', uri: 'https://s3.example.org/bucket/prefix/lake/road/incidents/%zz' },
      { method: 'GET', uri: 'https://s3.example.org/bucket/?list-type=2' },
      { method: 'GET', uri: 'https://s3.example.org/bucket/prefix/lake/road/incidents2/x' },
      { method: 'GET', uri: 'https://s3.example.org/bucket/prefix/lake/road/incidents/../../../keys/x' },
      { method: 'GET', uri: 'https://s3.example.org/bucket/prefix/lake/road/incidents/..%2f..%2f..%2fkeys/x' },
      { method: 'GET', uri: 'https://other.example.org/bucket/prefix/lake/road/incidents/x' },
      { method: 'GET', uri: 'https://other.s3.example.org/prefix/lake/road/incidents/x' },
    ]
    for (const other of others) expect((await sign(other)).status, JSON.stringify(other)).toBe(400)
    const free = await fetch(`${service.url}${INCIDENTS}/sign`, { method: 'POST', headers: await service.keyed('FREE') })
    expect(free.status).toBe(403)
  })
})
