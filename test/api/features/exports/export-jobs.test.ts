import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningExports, startExportWorker } from '../../../../jobs/exports/worker.ts'
import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { createJob, expireJobs, KEEP_FILES_MS, putOutcome } from '../../../../lake/exports/jobs.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { until } from '../../../helpers/until.ts'
import { openTestLake } from '../../../lake/query/fixtures.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const DAY = 86_400_000
let now = T0
let service: TestService
let redis: TestRedis
let key: string
let other: string
let worker: RunningExports | null = null
beforeAll(async () => {
  service = await startService({ clock: () => now })
  redis = await startTestRedis()
  key = await service.key('ENTERPRISE')
  other = (await service.access.accounts.create({ email: 'other@example.org', label: null, language: 'en', plan: 'ENTERPRISE' })).key
  const row = (id: string, at: number, province_code: string) =>
    exampleTableRow(incidents, { source_id: id, observed_at: at, updated_at: at, province_code })
  await service.land(incidents, [row('a', T0, '28'), row('b', T0 + 60_000, '08'), row('c', T0 + 40 * DAY, '28')], T0)
})
afterAll(async () => {
  await worker?.close()
  await redis?.stop()
  await service?.close()
})

const work = async (): Promise<void> => {
  worker ??= await startExportWorker({
    redisUrl: redis.url,
    store: service.lake.store,
    openLake: () => openTestLake(tempFolder(), { store: service.lake.store, slots: 1 }),
    datasets: [incidents, fuelPrices],
    events: service.events.log,
    log: pino({ level: 'silent' }),
    now: () => now,
    times: { poll: 20, progress: 20, busy: 20, retry: 20 },
  })
}
const send = (path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}): Promise<Response> =>
  fetch(`${service.url}/api/export-jobs${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } })
const post = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  send('', { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } })
const read = async (id: string): Promise<Reply> => (await send(`/${id}`)).json()
/** Creates a job and waits until it has ended. */
const exported = async (body: object): Promise<Reply> => {
  await work()
  const response = await post(body)
  expect(response.status).toBe(202)
  const { id } = (await response.json()) as Reply
  let job: Reply
  await until(`${id} ends`, async () => !['QUEUED', 'RUNNING'].includes((job = await read(id)).status))
  return job
}
const bytesOf = async ({ url, sha256, bytes }: Reply): Promise<Buffer> => {
  const body = Buffer.from(await (await fetch(url)).arrayBuffer())
  expect([body.length, createHash('sha256').update(body).digest('hex')]).toEqual([bytes, sha256])
  return body
}

test('a job waits until a worker takes it, may be cancelled, and is its key’s alone', async () => {
  const response = await post({ dataset: 'incidents' })
  expect(response.status).toBe(202)
  const job = (await response.json()) as Reply
  expect(response.headers.get('location')).toBe(`/api/export-jobs/${job.id}`)
  expect(job).toMatchObject({ status: 'QUEUED', format: 'parquet', split: 'none', decimals: 'exact', files: [], rows: null })
  expect((await send(`/${job.id}`, { headers: { 'X-API-Key': other } })).status).toBe(404)
  expect((await (await send('', { headers: { 'X-API-Key': other } })).json()) as Reply).toEqual({ total: 0, jobs: [] })
  expect((await (await send('')).json()) as Reply).toMatchObject({ total: 1, jobs: [{ id: job.id }] })
  const cancelled = await send(`/${job.id}`, { method: 'DELETE' })
  expect([cancelled.status, ((await cancelled.json()) as Reply).status]).toEqual([200, 'CANCELLED'])
  await work()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await read(job.id)).toMatchObject({ status: 'CANCELLED', files: [] })
})

test('an Idempotency-Key makes one job; with another body it is refused', async () => {
  const headers = { 'Idempotency-Key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' }
  const body = { dataset: 'incidents', format: 'csv.gz' }
  const first = await post(body, headers)
  const again = await post({ format: 'csv.gz', dataset: 'incidents' }, headers)
  const [one, two] = [(await first.json()) as Reply, (await again.json()) as Reply]
  expect([again.status, two.id]).toEqual([202, one.id])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const reused = await post({ ...body, split: 'day' }, headers)
  expect([reused.status, ((await reused.json()) as Reply).code]).toEqual([422, 'idempotency-key-reused'])
  const foreign = await post({ dataset: 'fuel_prices' }, { ...headers, 'X-API-Key': other })
  expect(foreign.status).toBe(202)
})

describe('an impossible export is refused by name', () => {
  test.each([
    [{ dataset: 'incident' }, '/dataset', 'did you mean incidents'],
    [{ dataset: 'incidents', filter: { columns: ['rod'] } }, '/filter/columns', 'did you mean road'],
    [{ dataset: 'incidents', filter: { from: '2026-02-01', to: '2026-01-01' } }, '/filter/from', 'before `to`'],
    [{ dataset: 'incidents', filter: { province: 'Nowhere' } }, '/filter/province', 'a province'],
    [{ dataset: 'fuel_bulletin', filter: { province: 'Madrid' } }, '/filter/province', 'province_code'],
    [{ dataset: 'fuel_prices', format: 'geoparquet' }, '/format', 'no geometry'],
    [{ dataset: 'incidents', filter: { colums: [] } }, '/filter/colums', 'did you mean columns'],
    [{ dataset: 'incidents', split: 'year' }, '/split', 'one of none, month, day'],
    [{ dataset: 'incidents', decimals: 'float' }, '/decimals', 'one of exact, double'],
    [{ dataset: 'incidents', decimals: 'double', format: 'csv.gz' }, '/decimals', 'exact with format csv.gz'],
    [{}, '/dataset', 'missing'],
  ])('%j', async (body, pointer, words) => {
    const response = await post(body)
    const { errors } = (await response.json()) as Reply
    expect([response.status, errors[0].pointer]).toEqual([400, pointer])
    expect(errors[0].detail).toContain(words)
  })

  test('and so is a caller without the plan', async () => {
    expect((await fetch(`${service.url}/api/export-jobs`)).status).toBe(401)
    expect((await send('', { headers: { 'X-API-Key': await service.key('PRO') } })).status).toBe(403)
    expect((await send('', { method: 'PUT' })).status).toBe(405)
    expect((await send('/exp_00000000000000000000')).status).toBe(404)
    expect((await send('?status=READY')).status).toBe(400)
  })
})

test('CSV has the chosen rows and columns, and licences and schema go along', async () => {
  const filter = { from: '2026-01-01', to: '2026-02-01', province: 'Madrid', columns: ['source_id', 'observed_at', 'position'] }
  const job = await exported({ dataset: 'incidents', filter, format: 'csv.gz' })
  expect(job).toMatchObject({ status: 'READY', rows: 1, progress: 1, reason: null })
  expect(Date.parse(job.expires_at) - Date.parse(job.ended_at)).toBe(KEEP_FILES_MS)
  expect(job.files.map((one: Reply) => one.file)).toEqual(['incidents.csv.gz', 'ATTRIBUTION.md', 'datapackage.json'])
  const [csv, attribution, about] = await Promise.all(job.files.map(bytesOf))
  const rows = parse(gunzipSync(csv as Buffer), { columns: true }) as Record<string, string>[]
  expect(rows).toEqual([{ source_id: 'a', observed_at: '2026-01-02T12:00:00.000Z', lat: expect.any(String), lon: expect.any(String) }])
  expect(String(attribution)).toContain('Dirección General de Tráfico')
  const { resources, licenses } = JSON.parse(String(about)) as Reply
  expect(resources[0]).toMatchObject({ path: 'incidents.csv.gz', hash: `sha256:${job.files[0].sha256}` })
  expect(resources[0].schema.fields.map((one: Reply) => one.name)).toEqual(Object.keys(rows[0] ?? {}))
  expect(licenses.length).toBeGreaterThan(0)
})

test('a file resumes by a range, with the key or the signature, and never with another key', async () => {
  const job = await exported({ dataset: 'incidents', split: 'month' })
  expect(job.files.map((one: Reply) => [one.file, one.rows])).toEqual([
    ['incidents-2026-01.parquet', 2],
    ['incidents-2026-02.parquet', 1],
    ['ATTRIBUTION.md', null],
    ['datapackage.json', null],
  ])
  const [{ file, url, bytes }] = job.files
  const path = `/${job.id}/files/${file}`
  const end = await send(path, { headers: { Range: 'bytes=-4' } })
  expect([end.status, await end.text(), end.headers.get('content-range')]).toEqual([
    206,
    'PAR1',
    `bytes ${bytes - 4}-${bytes - 1}/${bytes}`,
  ])
  expect((await send(path, { headers: { 'X-API-Key': other } })).status).toBe(404)
  expect((await fetch(url.replace('2026-01', '2026-02'))).status).toBe(410)
  expect((await send(`/${job.id}/files/..%2F..%2Fjobs`)).status).toBe(404)
  now += 1_800_000
  expect((await fetch(url)).status).toBe(410)
})

test('a file that an earlier version stored can still be downloaded', async () => {
  const { store } = service.lake
  const { slot } = (await service.access.keys.lookUp(key)).key as { readonly slot: string }
  const [id, name, bytes] = ['exp_0123456789abcdef0123', 'incidents.parquet', Buffer.from('PAR1')]
  await store.put(`exports/files/${id}/${name}`, bytes)
  const filter = { from: null, to: null, province: null, columns: null }
  const request = { id, slot, created_at: now, dataset: 'incidents', ...filter, format: 'parquet', split: 'none' } as const
  const file = { name, bytes: 4, sha256: createHash('sha256').update(bytes).digest('hex'), rows: 0 }
  await putOutcome(store, request, { ended_at: now, snapshot: null, rows: 0, files: [file], reason: null })
  await createJob(store, request)
  const { files } = await read(id)
  await bytesOf(files[0])
  expect(await (await send(`/${id}/files/${name}`)).text()).toBe('PAR1')
  await expireJobs(store, now, new AbortController().signal)
  await bytesOf(files[0])
})

test('files go after seven days, and the record after thirty more', async () => {
  const job = await exported({ dataset: 'incidents', format: 'ndjson.gz' })
  const count = async (): Promise<number> => {
    let files = 0
    for await (const _ of service.lake.store.list(`exports/files/${job.id}/`)) files++
    return files
  }
  expect(await count()).toBe(3)
  now += KEEP_FILES_MS
  expect(await read(job.id)).toMatchObject({ status: 'EXPIRED', files: [], expires_at: null, rows: 3 })
  expect((await send(`/${job.id}/files/incidents.ndjson.gz`)).status).toBe(404)
  const { signal } = new AbortController()
  expect((await expireJobs(service.lake.store, now, signal)).files).toBeGreaterThan(0)
  expect(await count()).toBe(0)
  now += 30 * DAY
  await expireJobs(service.lake.store, now, signal)
  expect((await send(`/${job.id}`)).status).toBe(404)
})

test('a job that is ready is an event of its account, once', async () => {
  const job = await exported({ dataset: 'incidents', format: 'csv.gz' })
  const recorded = async () => {
    const read = await service.events.log.read(0)
    const events = read.reset ? [] : read.batches.flatMap((batch) => batch.events)
    return events.filter(({ data }) => data?.['id'] === job.id)
  }
  // It is announced after its outcome is stored.
  await until('the event', async () => (await recorded()).length > 0)
  const found = await recorded()
  const { account } = (await service.access.keys.lookUp(key)).key as Reply
  expect(found).toMatchObject([{ type: 'export.ready', account, data: { rows: job.rows, url: `/api/export-jobs/${job.id}` } }])
})
