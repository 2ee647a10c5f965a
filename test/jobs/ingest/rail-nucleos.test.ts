import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { renfeAlerts } from '../../../jobs/feeds/rail/renfe-alerts.ts'
import { renfePositions } from '../../../jobs/feeds/rail/renfe-positions.ts'
import { renfeTripUpdates } from '../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { capture, NOON, realtimeJson, tripUpdate } from '../feeds/rail-messages.ts'
import { withoutCheckpoints } from './stage.ts'

const shared = sharedFolder()
const never = new AbortController().signal
const WITHOUT = 'renfe-gtfsrt/vehicle_positions_20260526T093603Z.json'
const WITH = 'renfe-gtfsrt/vehicle_positions_20260526T093644Z.json'
const APART_S = 41

let redis: TestRedis
let server: Server
let document: Buffer
let context: TestContext
let runner: Runner
let clock: number

beforeAll(async () => {
  redis = await startTestRedis()
  server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(document))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await redis.stop()
})
beforeEach(async () => {
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => clock })
  await opened.redis.flushall()
  context = { ...opened, origin: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  runner = makeRunner(context)
})
afterEach(() => context.close())

async function publish(feed: Feed, bytes: Buffer, at: number) {
  document = bytes
  clock = at + 2000
  return runner.fetch(feed, never)
}

async function live(dataset: string, feed: Feed): Promise<AnyRow[]> {
  const { bytes } = await readPart(context.redis, dataset, feed.id)
  return bytes ? [...(await decodeSnapshot(bytes)).rows] : []
}

const inNucleo = (rows: readonly AnyRow[], code: string): AnyRow[] =>
  rows.filter((row) => row['nucleo_code'] === code || (row['nucleo_codes'] as string[] | undefined)?.includes(code))

/** A capture's bytes, with all times later by the given seconds. */
function later(path: string, by_s: number): Buffer {
  return Buffer.from(
    capture(path)
      .toString('utf8')
      .replaceAll(/("timestamp": ")(\d+)"/g, (_, name, at) => `${name}${Number(at) + by_s}"`),
  )
}

test.skipIf(!shared)('the pair of 2026-05-26, 41 s apart: 24 trains of Asturias come', async () => {
  const [first, second] = [Date.parse('2026-05-26T09:36:03Z'), Date.parse('2026-05-26T09:36:44Z')]
  expect(await publish(renfePositions, capture(WITHOUT), first)).toMatchObject({ outcome: 'accepted', rows: { rail_positions: 152 } })
  expect(inNucleo(await live('rail_positions', renfePositions), '20')).toEqual([])
  const outcome = await publish(renfePositions, capture(WITH), second)
  expect(outcome).toMatchObject({ outcome: 'accepted', rows: { rail_positions: 177 }, missing_blocks: [] })
  expect(inNucleo(await live('rail_positions', renfePositions), '20')).toHaveLength(24)
})

test.skipIf(!shared)(
  'the pair in reverse: the 24 trains of Asturias stay where they were seen, marked stale, and none of their rows land',
  async () => {
    const [first, second] = [Date.parse('2026-05-26T09:36:03Z'), Date.parse('2026-05-26T09:36:44Z')]
    expect(await publish(renfePositions, later(WITH, -APART_S), first)).toMatchObject({
      outcome: 'accepted',
      rows: { rail_positions: 177 },
    })
    const outcome = await publish(renfePositions, later(WITHOUT, APART_S), second)
    expect(outcome).toMatchObject({ outcome: 'accepted', rows: { rail_positions: 152 }, missing_blocks: ['rail_positions/20'] })
    const asturias = inNucleo(await live('rail_positions', renfePositions), '20')
    expect([asturias.length, asturias.filter((row) => row['is_stale'] === true).length]).toEqual([24, 24])
    await runner.land(renfePositions, never)
    const landed = await tableRows(context, railPositions)
    expect([landed.length, inNucleo(landed, '20').length]).toEqual([177 + 152, 24])
  },
)

test.skipIf(!shared)(
  'trips and alerts of a núcleo that is missing go on, those of others end; when it is back, so do its own',
  async () => {
    const tripIds = (path: string): string[] =>
      (JSON.parse(capture(path).toString('utf8')) as { entity: { vehicle: { trip: { tripId: string } } }[] }).entity.map(
        ({ vehicle }) => vehicle.trip.tripId,
      )
    const asturias = tripIds(WITH).filter((id) => id.startsWith('20'))
    const others = tripIds(WITHOUT).filter((id) => !asturias.includes(id))
    // Every second train of Asturias is late. One of Madrid's trains ends.
    const late = asturias.filter((_, at) => at % 2 === 0)
    const updates = (ids: readonly string[]): object[] => ids.map((id) => tripUpdate(id, late.includes(id) ? 600 : 0))
    const madrid = others.find((id) => id.startsWith('10')) as string
    const left = others.filter((id) => id !== madrid)
    const steps = [[...others, ...asturias], left, left, left, left]
    let at = NOON
    for (const ids of steps) {
      const outcome = await publish(renfeTripUpdates, realtimeJson(updates(ids), at), at)
      const missing = ids === left ? ['rail_trip_updates/20', 'rail_alerts/20'] : []
      expect(outcome).toMatchObject({ outcome: 'accepted', missing_blocks: missing })
      at += 20_000
    }
    const trips = await live('rail_trip_updates', renfeTripUpdates)
    expect(trips).toHaveLength(others.length - 1 + 24)
    expect(inNucleo(trips, '20').filter((row) => row['status'] === 'ACTIVE' && row['is_stale'] === true)).toHaveLength(24)
    expect(trips.some((row) => row['trip_id'] === madrid)).toBe(false)
    expect(inNucleo(await live('rail_alerts', renfeTripUpdates), '20')).toHaveLength(12)
    // It is back with ten trains, none of them late: now absence counts.
    const back = asturias.filter((id) => !late.includes(id)).slice(0, 10)
    for (let nth = 0; nth < 3; nth++) {
      expect(await publish(renfeTripUpdates, realtimeJson(updates([...left, ...back]), at), at)).toMatchObject({ missing_blocks: [] })
      at += 20_000
    }
    expect(inNucleo(await live('rail_trip_updates', renfeTripUpdates), '20')).toHaveLength(10)
    expect(await live('rail_alerts', renfeTripUpdates)).toEqual([])
  },
)

/** Standing trains; each is seen at the time of publication. */
const vehicles = (tripIds: readonly string[], at: number): Buffer =>
  realtimeJson(
    tripIds.map((tripId) => ({
      id: `VP_${tripId}`,
      vehicle: {
        trip: { tripId },
        position: { latitude: 41.4, longitude: 2.1 },
        currentStatus: 'STOPPED_AT',
        timestamp: String(at / 1000),
        stopId: '78805',
        vehicle: { id: tripId.slice(5, 10), label: `R4-${tripId.slice(5, 10)}` },
      },
    })),
    at,
  )

test.each([null, 'checkpoints', 'tables'] as const)(
  'trains of a missing núcleo are held for an hour, those that had ended before are not (new process: %s)',
  async (from) => {
    const madrid = [1, 2, 3, 4].map((nr) => `1041M9000${nr}C3`)
    const rodalies = [1, 2, 3].map((nr) => `5141M7000${nr}R4`)
    const ended = '5141M70009R4'
    const none = { held: 0, stale: 0, missing: [] as string[] }
    /** How many trains of the núcleo are held and how many stale, and the missing blocks of live state. */
    const nucleoState = async (): Promise<typeof none> => {
      const rows = inNucleo(await live('rail_positions', renfePositions), '51')
      const count = (name: string): number => rows.filter((row) => row[name] === true).length
      const { part } = await readPart(context.redis, 'rail_positions', renfePositions.id)
      return { held: count('is_held'), stale: count('is_stale'), missing: [...(part?.missing ?? [])] }
    }
    const at = async (seconds: number, ids: readonly string[]): Promise<typeof none> => {
      const time = NOON + seconds * 1000
      expect(await publish(renfePositions, vehicles(ids, time), time)).toMatchObject({ outcome: 'accepted' })
      if (from) {
        const before = await live('rail_positions', renfePositions)
        await runner.land(renfePositions, never)
        await context.redis.flushall()
        runner = makeRunner(from === 'tables' ? withoutCheckpoints(context) : context)
        await runner.heal([renfePositions])
        const byKey = (rows: readonly AnyRow[]): AnyRow[] =>
          rows.toSorted((a, b) => (String(a['source_id']) < String(b['source_id']) ? -1 : 1))
        expect(byKey(await live('rail_positions', renfePositions))).toEqual(byKey(before))
      }
      return nucleoState()
    }
    expect(await at(0, [...madrid, ...rodalies, ended])).toEqual(none)
    expect(await at(20, [...madrid, ...rodalies])).toEqual({ ...none, stale: 1 })
    const gone = { held: 3, missing: ['51'] }
    expect(await at(40, madrid)).toEqual({ ...gone, stale: 4 })
    expect(await at(9 * 60, madrid)).toEqual({ ...gone, stale: 4 })
    expect(await at(11 * 60, madrid)).toEqual({ ...gone, stale: 3 })
    expect(await at(59 * 60, madrid)).toEqual({ ...gone, stale: 3 })
    expect(await at(61 * 60, madrid)).toEqual({ ...none, missing: ['51'] })
    // It is back with one train of those before and a new one; both are all there is.
    expect(await at(62 * 60, [...madrid, rodalies[0] as string, '5141M70004R4'])).toEqual(none)
    expect(inNucleo(await live('rail_positions', renfePositions), '51')).toHaveLength(2)
    // Missing again, and back soon: the train that is not in it is gone as any other.
    expect(await at(62 * 60 + 20, madrid)).toEqual({ held: 2, stale: 2, missing: ['51'] })
    expect(await at(62 * 60 + 40, [...madrid, rodalies[0] as string])).toEqual({ ...none, stale: 1 })
  },
)

test('a notice that names only a station goes on while a núcleo is missing that it may be of', async () => {
  const notice = (id: string, informed: object): object => ({
    id,
    alert: { informedEntity: [informed], descriptionText: { translation: [{ text: id, language: 'es' }] } },
  })
  const madrid = [1, 2, 3, 4].map((id) => notice(`AVISO_${id}`, { routeId: '10T0001C1' }))
  const asturias = [5, 6, 7].map((id) => notice(`AVISO_${id}`, { routeId: '20T0001C1' }))
  const station = notice('INFO_8', { stopId: '15211' })
  const steps = [
    [...madrid, ...asturias, station],
    madrid,
    madrid,
    madrid,
    madrid,
    ...Array(3).fill([...madrid, ...asturias]),
  ] as object[][]
  const left: number[] = []
  for (const [nth, entities] of steps.entries()) {
    const at = NOON + nth * 120_000
    expect(await publish(renfeAlerts, realtimeJson(entities, at), at)).toMatchObject({ outcome: 'accepted' })
    left.push((await live('rail_alerts', renfeAlerts)).length)
  }
  expect(left).toEqual([8, 8, 8, 8, 8, 8, 8, 7])
})

test.each([null, 'checkpoints', 'tables'] as const)(
  'notices go on while their núcleo is missing, though one of it and another stays (new process: %s)',
  async (from) => {
    const notice = (id: string, ...routes: string[]): object => ({
      id,
      alert: { informedEntity: routes.map((routeId) => ({ routeId })), descriptionText: { translation: [{ text: id, language: 'es' }] } },
    })
    const madrid = Array.from({ length: 20 }, (_, at) => notice(`AVISO_1${at}`, '10T0001C1'))
    const rodalies = Array.from({ length: 15 }, (_, at) => notice(`AVISO_5${at}`, '51T0001R1'))
    const both = notice('AVISO_9', '46T0001C1', '51T0001R1')
    const steps = [[...madrid, ...rodalies, both], ...Array(4).fill([...madrid, both]), ...Array(4).fill(madrid)] as object[][]
    for (const [nth, entities] of [...steps, ...(Array(3).fill([...madrid, ...rodalies]) as object[][])].entries()) {
      const at = NOON + nth * 120_000
      const missing = nth > 0 && nth < steps.length ? ['rail_alerts/51'] : []
      expect(await publish(renfeAlerts, realtimeJson(entities, at), at)).toMatchObject({ outcome: 'accepted', missing_blocks: missing })
      // A train of both goes on as well, until that one is back and the train is not.
      expect(await live('rail_alerts', renfeAlerts)).toHaveLength(nth < steps.length + 2 ? 36 : 35)
      if (!from) continue
      await runner.land(renfeAlerts, never)
      await context.redis.flushall()
      runner = makeRunner(from === 'tables' ? withoutCheckpoints(context) : context)
      await runner.heal([renfeAlerts])
      expect(await live('rail_alerts', renfeAlerts)).toHaveLength(nth < steps.length + 2 ? 36 : 35)
    }
  },
)

test('the one notice of a núcleo ends after three publications without it, and within half an hour it comes back as it was', async () => {
  const notice = (id: string, routeId: string): object => ({
    id,
    alert: { informedEntity: [{ routeId }], descriptionText: { translation: [{ text: id, language: 'es' }] } },
  })
  const madrid = [1, 2, 3, 4, 5].map((id) => notice(`AVISO_${id}`, '10T0001C1'))
  const ferrol = notice('AVISO_9', '46T0001C1')
  const idAfter = async (minutes: number, entities: readonly object[]): Promise<unknown> => {
    const at = NOON + minutes * 60_000
    expect(await publish(renfeAlerts, realtimeJson(entities, at), at)).toMatchObject({ outcome: 'accepted', missing_blocks: [] })
    return inNucleo(await live('rail_alerts', renfeAlerts), '46')[0]?.['alert_id']
  }
  const id = await idAfter(0, [...madrid, ferrol])
  expect(id).toMatch(/^ral_/)
  // A gap of two publications ends nothing, one of three does.
  expect([await idAfter(2, madrid), await idAfter(4, madrid), await idAfter(6, [...madrid, ferrol])]).toEqual([id, id, id])
  expect([await idAfter(8, madrid), await idAfter(10, madrid), await idAfter(12, madrid)]).toEqual([id, id, undefined])
  expect(await idAfter(30, [...madrid, ferrol])).toBe(id)
  for (const minutes of [32, 34, 36]) await idAfter(minutes, madrid)
  // Later than that it is another.
  const other = await idAfter(90, [...madrid, ferrol])
  expect([typeof other, other === id]).toEqual(['string', false])
})

test('the last trains of a night leave one by one, and no núcleo is missing for it', async () => {
  const trips = ['1041M90001C3', '1041M90002C3', '2041M90003C1', '2041M90004C1']
  let at = NOON
  for (let count = trips.length; count >= 0; count--) {
    const updates = trips.slice(0, count).map((id) => tripUpdate(id, 600))
    expect(await publish(renfeTripUpdates, realtimeJson(updates, at), at)).toMatchObject({ outcome: 'accepted', missing_blocks: [] })
    at += 20_000
  }
  for (let nth = 0; nth < 2; nth++) {
    await publish(renfeTripUpdates, realtimeJson([], at), at)
    at += 20_000
  }
  expect([await live('rail_trip_updates', renfeTripUpdates), await live('rail_alerts', renfeTripUpdates)]).toEqual([[], []])
})
