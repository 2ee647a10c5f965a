import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSample } from '../../../../api/kernel/sample.ts'
import { datasets } from '../../../../lake/catalog.ts'
import { fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { vmsDevices } from '../../../../lake/datasets/road/vms.ts'
import { versionKey } from '../../../../lake/iceberg/table.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const ROOT = '/lake/iceberg/v1'
const INCIDENTS = `${ROOT}/namespaces/road/tables/incidents`
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
  for (const dataset of [incidents, fuelStations, vmsDevices]) await service.land(dataset, [exampleTableRow(dataset)], T0)
})
afterAll(() => service?.close())

type Plan = Parameters<TestService['key']>[0]
const ask = async (path: string, init: RequestInit & { readonly plan?: Plan } = {}): Promise<Response> => {
  const { plan = 'ENTERPRISE', headers, ...rest } = init
  return fetch(`${service.url}${path}`, { ...rest, headers: { Authorization: `Bearer ${await service.key(plan)}`, ...headers } })
}
const json = async (path: string, plan: Plan = 'ENTERPRISE'): Promise<Reply> => (await ask(path, { plan })).json()
const refusal = async (response: Response): Promise<unknown> => [response.status, ((await response.json()) as Reply).error]

describe('what is served', () => {
  test('is listed by config, and nothing else: 501 in the form of the protocol', async () => {
    const { endpoints } = await json(`${ROOT}/config?warehouse=anything`)
    expect(endpoints.length).toBeGreaterThan(6)
    for (const one of endpoints as string[]) {
      const [method = '', path = ''] = one.split(' ')
      const filled = path.replace('/v1/{prefix}', ROOT).replace('{namespace}', 'road').replace('{table}', 'incidents')
      const response = await ask(filled, {
        method,
        ...(method === 'POST' ? { body: '{}', headers: { 'Content-Type': 'application/json' } } : {}),
      })
      expect([one, response.status]).toEqual([one, ['HEAD', 'POST'].includes(method) ? 204 : 200])
    }
    const others: [string, string][] = [
      ['POST', `${ROOT}/namespaces`],
      ['GET', `${ROOT}/namespaces/road/views`],
      ['POST', `${ROOT}/oauth/tokens`],
      // Only a bucket's requests are signed.
      ['POST', `${INCIDENTS}/sign`],
      ['POST', `${ROOT}/transactions/commit`],
    ]
    for (const [method, path] of others) {
      expect(await refusal(await ask(path, { method }))).toEqual([
        501,
        { code: 501, type: 'UnsupportedOperationException', message: expect.stringContaining(`${method} ${path}`) },
      ])
    }
  })

  test('answers what is not served whatever its body, also without a key', async () => {
    const [path, body] = [`${ROOT}/oauth/tokens`, new URLSearchParams({ grant_type: 'client_credentials' })]
    for (const headers of [{}, { Authorization: `Bearer ${await service.key('FREE')}` }])
      expect(await refusal(await fetch(`${service.url}${path}`, { method: 'POST', headers, body }))).toEqual([
        501,
        { code: 501, type: 'UnsupportedOperationException', message: expect.stringContaining('the token is an API key') },
      ])
    expect(await refusal(await ask(`${INCIDENTS}/metrics`, { method: 'POST', body }))).toMatchObject([415, { type: 'BadRequestException' }])
  })

  test('has namespaces and tables with data, all at once or in pages', async () => {
    const { namespaces } = await json(`${ROOT}/namespaces`)
    expect(namespaces).toEqual(expect.arrayContaining([['road'], ['fuel'], ['adsb_lol'], ['sample']]))
    expect(await json(`${ROOT}/namespaces?parent=road`)).toEqual({ namespaces: [] })
    expect(await json(`${ROOT}/namespaces/road`)).toEqual({ namespace: ['road'], properties: {} })
    const whole = await json(`${ROOT}/namespaces/road/tables`)
    expect(whole).toEqual({
      identifiers: ['incidents', 'vms_devices'].map((name) => ({ namespace: ['road'], name })),
    })
    const seen: unknown[] = []
    for (let token: string | null = ''; token !== null; ) {
      const page: Reply = await json(`${ROOT}/namespaces?pageSize=5&pageToken=${encodeURIComponent(token)}`)
      expect(page.namespaces.length).toBeLessThanOrEqual(5)
      seen.push(...page.namespaces)
      token = page['next-page-token'] ?? null
    }
    expect(seen).toEqual(namespaces)
    expect(await refusal(await ask(`${ROOT}/namespaces?pageSize=0&pageToken=`))).toMatchObject([400, { type: 'BadRequestException' }])
  })

  test('answers 404 by the names of the protocol', async () => {
    const cases = {
      nothing: 'NoSuchNamespaceException',
      'nothing/tables': 'NoSuchNamespaceException',
      'road/tables/nothing': 'NoSuchTableException',
    }
    for (const [path, type] of Object.entries(cases)) {
      expect(await refusal(await ask(`${ROOT}/namespaces/${path}`))).toMatchObject([404, { type, code: 404 }])
      if (!path.endsWith('tables')) expect((await ask(`${ROOT}/namespaces/${path}`, { method: 'HEAD' })).status).toBe(404)
    }
    // It is declared, and nothing has arrived yet.
    expect(await refusal(await ask(`${ROOT}/namespaces/road/tables/cameras`))).toMatchObject([404, { type: 'NoSuchTableException' }])
  })
})

describe('who may read', () => {
  test('is known by an API key, as bearer token or in X-API-Key', async () => {
    const none = await fetch(`${service.url}${ROOT}/config`)
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="lake"')
    expect(await refusal(none)).toMatchObject([401, { type: 'NotAuthorizedException', code: 401 }])
    const wrong = await fetch(`${service.url}${ROOT}/config`, { headers: { Authorization: 'Bearer tia_nothing' } })
    const message = expect.stringMatching(/^Authorization: Bearer contains no key: a key is tia_/)
    expect(await refusal(wrong)).toMatchObject([401, { code: 401, message }])
    const other = await fetch(`${service.url}${ROOT}/config`, { headers: { 'X-API-Key': 'tia_nothing' } })
    expect(await refusal(other)).toMatchObject([401, { message: expect.stringMatching(/^X-API-Key contains no key: /) }])
    expect((await service.get(`${ROOT}/config`)).status).toBe(200)
  })

  test.each(['FREE', 'PRO'] as const)('%s: the sample alone, and a refusal names the plan', async (plan) => {
    expect(await json(`${ROOT}/namespaces`, plan)).toEqual({ namespaces: [['sample']] })
    expect(await json(`${ROOT}/namespaces/sample/tables`, plan)).toEqual({
      identifiers: [{ namespace: ['sample'], name: 'fuel_stations' }],
    })
    const { metadata } = await json(`${ROOT}/namespaces/sample/tables/fuel_stations`, plan)
    expect(metadata.location).toBe('s3://lake/files/fuel/fuel_stations')
    for (const path of [INCIDENTS, `${INCIDENTS}/credentials`, `${ROOT}/namespaces/fuel`, `${ROOT}/namespaces/fuel/tables/fuel_stations`])
      expect(await refusal(await ask(path, { plan }))).toEqual([
        403,
        { code: 403, type: 'ForbiddenException', message: expect.stringMatching(new RegExp(`plan ENTERPRISE.*${plan}.*sample`)) },
      ])
  })

  test('the sample is free as a list, openly licensed, and not empty', () => {
    const sample = datasets.filter(isSample)
    expect(sample.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['fuel_stations', 'weather_stations', 'ports', 'municipality_register']),
    )
    for (const { id, plan, sources, visibility } of sample)
      expect([id, plan.live, visibility, ...new Set(sources.map((source) => source.commercial_use))]).toEqual([id, 'FREE', 'public', 'yes'])
  })

  test('is charged as for any other request', async () => {
    const response = await ask(INCIDENTS)
    expect(response.headers.get('ratelimit')).toMatch(/"minute";r=\d+/)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })
})

describe('a table', () => {
  test('has its metadata with places that only the API knows, and settings to read them', async () => {
    const { metadata, config, ...loaded } = await json(INCIDENTS)
    const { version } = (await service.lake.table(incidents).load()) as { version: number }
    expect(loaded['metadata-location']).toBe(`s3://lake/files/road/incidents/metadata/v${version}.metadata.json`)
    expect(JSON.stringify(metadata)).not.toContain(service.lake.store.location('lake'))
    expect(metadata.snapshots[0]['manifest-list']).toMatch(/^s3:\/\/lake\/files\/road\/incidents\/metadata\/.+\.avro$/)
    expect(config).toMatchObject({ 's3.endpoint': service.url, 's3.path-style-access': 'true' })
    expect(loaded['storage-credentials']).toEqual([{ prefix: 's3://lake/files/road/incidents', config }])
    for (const query of ['', '?planId=1'])
      expect(await json(`${INCIDENTS}/credentials${query}`)).toEqual({ 'storage-credentials': loaded['storage-credentials'] })
  })

  test('is not sent again to a client that has it, until it or its credentials change', async () => {
    const etag = (await ask(INCIDENTS)).headers.get('etag') as string
    const again = async (path = INCIDENTS): Promise<number> => (await ask(path, { headers: { 'If-None-Match': etag } })).status
    expect(await again()).toBe(304)
    expect(await again(`${INCIDENTS}?snapshots=refs`)).toBe(200)
    await service.land(incidents, [exampleTableRow(incidents, { source_id: 'next' })], T0)
    expect(await again()).toBe(200)
    const later = (await ask(INCIDENTS)).headers.get('etag') as string
    now += 1_800_000
    expect((await ask(INCIDENTS, { headers: { 'If-None-Match': later } })).status).toBe(200)
  })

  test('has all snapshots, or those of branches and tags', async () => {
    const ids = async (query: string): Promise<unknown[]> =>
      (await json(`${INCIDENTS}${query}`)).metadata.snapshots.map((one: Reply) => one['snapshot-id'])
    const all = await ids('?snapshots=all')
    expect(all.length).toBeGreaterThan(1)
    expect(await ids('')).toEqual(all)
    expect(await ids('?snapshots=refs')).toEqual(all.slice(-1))
    expect((await ask(`${INCIDENTS}?snapshots=some`)).status).toBe(400)
  })

  test('keeps ids of 64 bits exactly', async () => {
    const { store } = service.lake
    const { version, metadata } = (await service.lake.table(vmsDevices).load()) as never as Reply
    const key = `lake/road/vms_devices`
    const text = ((await store.get(versionKey(key, version))) as Buffer).toString()
    const [id, part] = [
      '6631317463498318433',
      '"partition-statistics":[{"snapshot-id":6631317463498318435,"statistics-path":"PATH","file-size-in-bytes":1}]',
    ]
    const foreign = text
      .replaceAll(/(snapshot-id":)\d+/g, `$1${id}`)
      .replace(/}$/, `,${part.replace('PATH', `${metadata.location}/metadata/a.stats`)}}`)
    expect(foreign).not.toBe(text)
    await store.put(versionKey(key, version + 1), Buffer.from(foreign))
    await expect
      .poll(async () => (await ask(`${ROOT}/namespaces/road/tables/vms_devices`)).text(), { timeout: 5000 })
      .toContain(`"current-snapshot-id":${id}`)
    const body = await (await ask(`${ROOT}/namespaces/road/tables/vms_devices?snapshots=refs`)).text()
    expect(body).toContain(`"snapshot-id":${id}`)
    expect(body).toContain('{"snapshot-id":6631317463498318435,"statistics-path":"s3://lake/files/road/vms_devices/metadata/a.stats"')
  })
})
