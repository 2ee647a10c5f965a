import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const MINUTE = 60_000
const MONTH = Date.UTC(2026, 1, 3)
let now = T0
let service: TestService
let key: Record<string, string>
beforeAll(async () => {
  service = await startService({ clock: () => now })
  key = { 'X-API-Key': await service.key('ENTERPRISE') }
  await land('a', T0)
})
afterAll(() => service?.close())

const land = (id: string, at: number): Promise<void> =>
  service.land(incidents, [exampleTableRow(incidents, { source_id: id, observed_at: at, updated_at: at })], at + MINUTE)
const manifest = async (query = ''): Promise<Reply> => (await service.get(`/api/export/incidents${query}`, key)).json()
/** The manifest once the API has seen a table that changed. */
const seen = async (files: number, query = ''): Promise<Reply> => {
  for (;;) {
    const found = await manifest(query)
    if (found.total === files) return found
    now += 300_000
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const sha256 = (bytes: ArrayBuffer): string => createHash('sha256').update(Buffer.from(bytes)).digest('hex')

test('datasets are listed with formats, sizes and the path of their manifest', async () => {
  const response = await service.get('/api/export?domain=road', key)
  expect(response.status).toBe(200)
  const { datasets } = (await response.json()) as Reply
  const [listed] = datasets.filter((one: Reply) => one.id === 'incidents')
  expect(listed).toMatchObject({ formats: ['parquet'], rows: 1, files: 1, partitions: 1, manifest: '/api/export/incidents' })
  expect(listed.bytes).toBeGreaterThan(1000)
  expect((await service.get('/api/export', { 'X-API-Key': await service.key('PRO') })).status).toBe(403)
  expect((await fetch(`${service.url}/api/export/incidents`)).status).toBe(401)
  expect((await service.get('/api/export/incident', key)).status).toBe(404)
})

test('a file of the manifest has its stated size and checksum, by its signed URL without a key', async () => {
  const { files, meta } = await manifest()
  const [file] = files
  expect(file).toMatchObject({ status: 'CURRENT', rows: 1, partition: 'observed_at_month=2026-01' })
  expect(file.earliest_row_at).toBe('2026-01-02T12:00:00.000Z')
  expect(meta.sources.map((source: Reply) => source.id)).toContain('dgt')
  const response = await fetch(file.url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/vnd.apache.parquet'])
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="incidents-[\w.-]+\.parquet"$/)
  const bytes = await response.arrayBuffer()
  expect([bytes.byteLength, sha256(bytes)]).toEqual([file.bytes, file.sha256])
  expect(response.headers.get('etag')).toBe(`"${file.sha256}"`)
  expect(Date.parse(file.url_expires_at) - now).toBeGreaterThanOrEqual(900_000)
})

describe('a download', () => {
  let path: string
  let whole: ArrayBuffer
  beforeAll(async () => {
    const { files } = await manifest()
    path = `/api/export/incidents/${files[0].file}`
    whole = await (await service.get(path, key)).arrayBuffer()
  })
  const get = (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
    fetch(`${service.url}${path}`, { method, headers: { ...key, ...headers } })

  test('resumes by a range, if it is still the same file', async () => {
    const size = whole.byteLength
    const rest = await get({ Range: 'bytes=100-' })
    expect([rest.status, rest.headers.get('content-range')]).toEqual([206, `bytes 100-${size - 1}/${size}`])
    expect(Buffer.from(await rest.arrayBuffer())).toEqual(Buffer.from(whole).subarray(100))
    const etag = rest.headers.get('etag') as string
    expect((await get({ Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206)
    expect((await get({ Range: 'bytes=0-9', 'If-Range': '"other"' })).status).toBe(200)
    expect(await (await get({ Range: 'bytes=-4' })).text()).toBe('PAR1')
    // Several ranges, and unknown units, get the whole file.
    for (const range of ['bytes=0-1,5-6', 'lines=1-2']) expect((await get({ Range: range })).status).toBe(200)
    const outside = await get({ Range: `bytes=${size}-` })
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    expect((await outside.json()) as Reply).toMatchObject({ code: 'range-not-satisfiable' })
  })

  test('is not repeated for a copy that is still good, and HEAD has no body', async () => {
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.byteLength)])
    expect((await get({ 'If-None-Match': head.headers.get('etag') as string })).status).toBe(304)
    expect((await get({}, 'POST')).status).toBe(405)
  })

  test('needs the plan, or an unexpired signature of this file', async () => {
    expect((await fetch(`${service.url}${path}`)).status).toBe(401)
    expect((await service.get(path, { 'X-API-Key': await service.key('PRO') })).status).toBe(403)
    const { url } = (await manifest()).files[0]
    expect((await fetch(url)).status).toBe(200)
    const other = url.replace('/incidents/', '/fuel_prices/')
    expect((await fetch(other)).status).toBe(410)
    now += 1_200_000
    const late = await fetch(url)
    expect([late.status, ((await late.json()) as Reply).code]).toEqual([410, 'signature-expired'])
  })

  test('a path that is no file of the dataset is not found', async () => {
    for (const name of ['none.parquet', '..%2F..%2Fmetadata%2Fv1.metadata.json', 'v1.metadata.json'])
      expect((await service.get(`/api/export/incidents/${name}`, key)).status).toBe(404)
    expect((await service.get(`/api/export/nothing/${path.split('/').at(-1)}`, key)).status).toBe(404)
  })
})

test('a later manifest lists the additions and removals since a snapshot', async () => {
  const before = await manifest()
  const [first] = before.files
  await land('b', MONTH)
  const added = await seen(1, `?updated_since=${first.snapshot}`)
  expect(added.files[0]).toMatchObject({ status: 'CURRENT', partition: 'observed_at_month=2026-02' })
  expect(added.files[0].snapshot).not.toBe(first.snapshot)
  expect((await manifest()).total).toBe(2)
  const inJanuary = await manifest('?from=2026-01-01&to=2026-02-01')
  expect(inJanuary.files.map((one: Reply) => one.file)).toEqual([first.file])
  const unknown = await service.get('/api/export/incidents?updated_since=17', key)
  expect([unknown.status, ((await unknown.json()) as Reply).errors[0].parameter]).toEqual([400, 'updated_since'])
})

test('the pages of a manifest belong to one snapshot: the cursor ends when the table changes', async () => {
  const { files, next_cursor } = await manifest('?limit=1')
  const path = `/api/export/incidents?limit=1&cursor=${encodeURIComponent(next_cursor)}`
  const second = (await (await service.get(path, key)).json()) as Reply
  expect([second.files.length, second.files[0].snapshot]).toEqual([1, files[0].snapshot])
  await land('c', MONTH)
  await seen(3)
  const later = await service.get(path, key)
  expect([later.status, ((await later.json()) as Reply).code]).toEqual([400, 'invalid-cursor'])
})

test('a dataset without data has an empty manifest', async () => {
  expect(await (await service.get(`/api/export/${fuelPrices.id}`, key)).json()).toMatchObject({ total: 0, files: [] })
})
