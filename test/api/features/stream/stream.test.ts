import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MAX_BODY } from '../../../../api/events/shown.ts'
import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import type { LoggedEvent } from '../../../../lake/events/log.ts'
import type { EventType } from '../../../../lake/events/types.ts'
import type { LiveRow } from '../../../../lake/live/types.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { type ReadStream, readStream } from '../../../helpers/stream.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const START = Date.UTC(2026, 0, 2, 12)
let now = START
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
})
afterAll(() => service?.close())

let count = 0
const event = (type: EventType, dataset: Dataset, values: AnyRow = {}, kind: 'CREATED' | 'UPDATED' | 'ENDED' = 'CREATED'): LoggedEvent => {
  const row = exampleRow(dataset, values) as LiveRow
  const changed = kind === 'UPDATED' ? ['severity'] : []
  return { id: `evt_${++count}`, type, thing: `${dataset.id} ${count}`, at: START, change: { dataset: dataset.id, kind, row, changed } }
}
const record = async (...events: LoggedEvent[]): Promise<number> =>
  (await service.events.log.record(`test ${++count}`, events, { since: Date.now() })) as number

async function open(query = '', headers: Record<string, string> = {}): Promise<ReadStream> {
  const stream = await readStream(`${service.url}/api/stream${query}`, await service.keyed('PRO', headers))
  onTestFinished(() => stream.close())
  return stream
}
const bodies = ({ messages }: ReadStream): Reply[] => messages.map(({ data }) => JSON.parse(data))
const idsOf = (stream: ReadStream): string[] => bodies(stream).map(({ id }) => id)

test('an event is sent at once, as the object of the API with its changes', async () => {
  const stream = await open()
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
  await until('the place is known', () => stream.lastId() !== null)
  const updated = event('incident.updated', incidents, {}, 'UPDATED')
  const offset = await record(updated)
  const took = await until('the event', () => stream.messages.length > 0)
  expect(took).toBeLessThan(1000)
  expect(stream.messages[0]).toMatchObject({ id: `${offset}-1`, event: 'incident.updated' })
  const [sent] = bodies(stream)
  expect(sent).toMatchObject({ id: updated.id, type: 'incident.updated', timestamp: new Date(START).toISOString() })
  expect(sent.data).toMatchObject({
    id: incidents.columns.incident_id.example,
    province: 'Granada',
    changed: ['severity', 'observed_at', 'updated_at'],
  })
})

test('filters choose, and events of an account are for that account alone', async () => {
  const { account } = (await service.access.keys.lookUp(await service.key('PRO'))).key ?? { account: '' }
  const [all, roads, dear, box, service_] = await Promise.all([
    open(''),
    service.keyed('ENTERPRISE').then((headers) => readStream(`${service.url}/api/stream?road=a7&topics=incident,v16.activated`, headers)),
    service.keyed('ENTERPRISE').then((headers) => readStream(`${service.url}/api/stream?fuel=DIESEL_A&price_below=1.4`, headers)),
    service.keyed('ENTERPRISE').then((headers) => readStream(`${service.url}/api/stream?bbox=-10,35,5,44&severity=HIGH`, headers)),
    service.keyed('ENTERPRISE').then((headers) => readStream(`${service.url}/api/stream?topics=feed,export`, headers)),
  ])
  for (const one of [roads, dear, box, service_]) onTestFinished(() => one.close())
  await until('all are open', () => [all, roads, dear, box, service_].every((one) => one.lastId() !== null))
  const wanted = {
    onRoad: event('incident.created', incidents, { road: 'A-7', severity: 'HIGH', position: { lat: 40, lon: -3 } }),
    other: event('incident.created', incidents, { road: 'A-8', severity: 'LOW', position: { lat: 40, lon: -3 } }),
    beacon: event('v16.activated', v16Beacons, { road: 'A-7' }),
    gone: event('v16.ended', v16Beacons, { road: 'A-7' }, 'ENDED'),
    cheap: event('fuel_price.changed', fuelPrices, { product: 'DIESEL_A', price: 1.399 }, 'UPDATED'),
    dear: event('fuel_price.changed', fuelPrices, { product: 'DIESEL_A', price: 1.4 }, 'UPDATED'),
    feed: { id: 'evt_feed', type: 'feed.stale', thing: 'feed x', at: START, data: { id: 'x' } } as LoggedEvent,
    mine: { id: 'evt_mine', type: 'export.ready', thing: 'export 1', at: START, data: {}, account } as LoggedEvent,
    others: { id: 'evt_others', type: 'export.ready', thing: 'export 2', at: START, data: {}, account: 'somebody' } as LoggedEvent,
  }
  await record(...Object.values(wanted))
  await until('the last one', () => idsOf(all).includes('evt_mine') && idsOf(box).length > 0 && idsOf(service_).length > 0)
  expect(idsOf(all)).toEqual(
    Object.values(wanted)
      .map(({ id }) => id)
      .filter((id) => id !== 'evt_others'),
  )
  expect(idsOf(roads)).toEqual([wanted.onRoad.id, wanted.beacon.id, 'evt_feed'].slice(0, 2))
  expect(idsOf(dear)).toEqual([wanted.cheap.id, 'evt_feed'])
  expect(idsOf(box)).toEqual([wanted.onRoad.id, 'evt_feed'])
  expect(idsOf(service_)).toEqual(['evt_feed'])
})

test('a stream goes on after Last-Event-ID, also when Redis was emptied, and resets after a day', async () => {
  now = START
  const ids = Array.from({ length: 5 }, (_, at) => `r${at}`)
  const events = ids.map((id) => ({ ...event('incident.created', incidents), id }))
  const first = await record(...events.slice(0, 2))
  for (const one of events.slice(2)) await record(one)
  await service.emptyRedis()
  const inside = await open('', { 'Last-Event-ID': `${first}-1` })
  await until('the rest', () => idsOf(inside).length === 4)
  expect(idsOf(inside)).toEqual(ids.slice(1))
  const byQuery = await open(`?last_event_id=${first + 2}-1`)
  await until('the rest', () => idsOf(byQuery).length === 1)
  await Promise.all([inside.close(), byQuery.close()])
  now = START + 3_600_000
  await record({ ...event('incident.created', incidents), id: 'later' })
  // The log's clock is the machine's, so that all of this is of one moment to it.
  const since = await until('a place', async () => {
    const stream = await open(`?since=${encodeURIComponent(new Date(Date.now() - 60_000).toISOString())}`)
    await until('the events', () => idsOf(stream).includes('later'))
    await stream.close()
    return true
  })
  expect(since).toBeGreaterThan(0)
  now = Date.now() + 86_400_000 + 1000
  const late = await open('', { 'Last-Event-ID': `${first}-1` })
  await until('the reset', () => late.messages.length > 0)
  expect(late.messages.map(({ event: name }) => name)).toEqual(['reset'])
  await record({ ...event('incident.created', incidents), id: 'after' })
  await until('what follows', () => late.messages.length === 2)
  await late.close()
  const future = await open('', { 'Last-Event-ID': '999999-1' })
  await until('the reset', () => future.messages.length > 0)
  expect(future.messages[0]?.event).toBe('reset')
  now = START
})

test('a body that would be too long lacks its largest members, and names them', async () => {
  const stream = await open('?topics=weather_alert')
  await until('it is open', () => stream.lastId() !== null)
  const ring = Array.from({ length: 2000 }, (_, at) => [-3 + at / 10_000, 40.123456])
  await record(event('weather_alert.issued', weatherAlerts, { area: [[[...ring, ring[0]]]] }))
  await until('the event', () => stream.messages.length > 0)
  const [sent] = bodies(stream)
  expect(sent).toMatchObject({ omitted: ['geometry'], url: expect.stringMatching(/^\/api\/weather\/alerts\/./) })
  expect(sent.data.geometry).toBeUndefined()
  expect(Buffer.byteLength(stream.messages[0]?.data ?? '')).toBeLessThan(MAX_BODY)
})

test('a caller without access to streams learns why', async () => {
  const refused = async (headers: Record<string, string>, query = ''): Promise<[number, string]> => {
    const response = await service.open(`/api/stream${query}`, headers)
    return [response.status, ((await response.json()) as Reply).code]
  }
  expect(await refused({})).toEqual([401, 'key-required'])
  expect(await refused(await service.keyed('FREE'))).toEqual([403, 'plan-required'])
  const pro = await service.keyed('PRO')
  expect(await refused(pro, '?topics=incidents')).toEqual([400, 'invalid-parameter'])
  expect(await refused(pro, '?topic=incident')).toEqual([400, 'unknown-parameter'])
  expect(await refused({ ...pro, 'Last-Event-ID': 'x' })).toEqual([400, 'invalid-parameter'])
  expect(await refused({ ...pro, Accept: 'application/json' })).toEqual([406, 'not-acceptable'])
  const head = await fetch(`${service.url}/api/stream`, { method: 'HEAD', headers: pro })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const [one, two] = [await open(), await open()]
  expect(await refused(pro)).toEqual([429, 'concurrency'])
  await one.close()
  await until('the place is free', async () => {
    const stream = await open()
    return stream.response.status === 200
  })
  await two.close()
})

test('a stream ends when its key is revoked', async () => {
  const made = await service.access.accounts.create({ email: 'ends@example.org', label: null, language: 'es', plan: 'PRO' })
  const stream = await readStream(`${service.url}/api/stream`, { 'X-API-Key': made.key })
  onTestFinished(() => stream.close())
  await until('it is open', () => stream.lastId() !== null)
  await service.access.accounts.revoke(made)
  await until('it is over', () => stream.isOver())
  expect(stream.messages.at(-1)?.event).toBe('key-changed')
})

test('an event that this version cannot show is left out; its stream goes on, and so does one that resumes', async () => {
  const stream = await open()
  await until('the place is known', () => stream.lastId() !== null)
  const shown = event('incident.created', incidents)
  const gone = { ...shown, id: `evt_${++count}`, change: { ...(shown.change as NonNullable<LoggedEvent['change']>), dataset: 'gone' } }
  const offset = await record(gone, shown)
  const next = event('incident.created', incidents)
  await record(gone)
  await record(next)
  await until('both are there', () => stream.messages.length === 2)
  expect(idsOf(stream)).toEqual([shown.id, next.id])
  expect(stream.messages[0]?.id).toBe(`${offset}-2`)
  const resumed = await open('', { 'Last-Event-ID': `${offset}-0` })
  await until('both are there again', () => resumed.messages.length === 2)
  expect(idsOf(resumed)).toEqual([shown.id, next.id])
})
