import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { type Publication, parsePublication } from '../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { type EntityJson, gtfsRealtime } from '../../scripts/stand-in/formats/gtfs-realtime.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { noticesAt } from '../../scripts/stand-in/world/rail-notices.ts'
import { type Train, trainsAt } from '../../scripts/stand-in/world/rail-traffic.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, PATHS, RUSH_HOUR, standIn } from './helpers.ts'

const shared = sharedFolder()
const MINUTE = 60_000
const DAY = 86_400_000
const NIGHT = Date.parse('2026-03-11T02:30:00Z')
const world = makeWorld(1)
const REALTIME = ['renfe_alerts', 'renfe_trip_updates', 'renfe_trip_updates_ld', 'renfe_positions', 'renfe_positions_ld']

async function read(publishers: Publishers, id: string, plan = 0): Promise<Publication> {
  const feed = feedById(id)
  const request = feed.plans[plan]?.requests[0]
  const bytes = await bytesOf(publishers, `/${request?.url.replace('https://', '')}`)
  return parsePublication(feed, [{ name: request?.name as string, bytes }], publishers.now())
}

const rows = (publication: Publication, dataset: string): readonly AnyRow[] => publication.rows.get(dataset) as readonly AnyRow[]

test('protobuf and JSON of each publication give the same rows', async () => {
  await using publishers = await standIn()
  for (const id of REALTIME) {
    const [json, protobuf] = [await read(publishers, id, 0), await read(publishers, id, 1)]
    expect([id, [...protobuf.rows], protobuf.data_time]).toEqual([id, [...json.rows], json.data_time])
  }
})

test.skipIf(!shared)('JSON has the format of the captures, byte for byte', () => {
  for (const stamp of ['20260502T112416Z', '20260526T093603Z', '20260526T093644Z', '20260613T080842Z']) {
    const recorded = readFileSync(join(shared as string, 'feeds/renfe-gtfsrt', `vehicle_positions_${stamp}.json`), 'utf8')
    const { header, entity } = JSON.parse(recorded) as { header: { timestamp: string }; entity: EntityJson[] }
    expect(gtfsRealtime(entity, 'json', Number(header.timestamp) * 1000)).toBe(recorded)
  }
})

test('by day as many trains as in full publications, few by night', () => {
  const commuter = trainsAt(world, 'CERCANIAS', RUSH_HOUR)
  expect(commuter.length).toSatisfy((count: number) => count > 250 && count < 420)
  expect(new Set(commuter.map(({ trip }) => trip.nucleo)).size).toBe(15)
  expect(trainsAt(world, 'AVLDMD', RUSH_HOUR).length).toSatisfy((count: number) => count > 60 && count < 200)
  for (const network of ['CERCANIAS', 'AVLDMD'] as const)
    expect(trainsAt(world, network, NIGHT).length).toSatisfy((count: number) => count >= 1 && count < 20)
})

test.each(['full', 'small'] as const)('at every hour each network has a late train: %s', (scale) => {
  const country = makeWorld(2, scale)
  // A weekday, a Sunday, and the days of 23 and 25 hours with the days before them.
  for (const date of ['2026-03-11', '2026-03-15', '2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25'])
    for (let at = Date.parse(`${date}T00:00:00Z`), end = at + DAY; at < end; at += 10 * MINUTE)
      for (const network of ['CERCANIAS', 'AVLDMD'] as const) {
        const late = trainsAt(country, network, at).filter(({ delay_s, isCancelled }) => !isCancelled && delay_s > 300)
        if (late.length === 0) throw new Error(`${network}: no late train at ${new Date(at).toISOString()}`)
      }
})

test('trains are early, punctual, late, very late or cancelled; a stuck one stands while its delay grows', () => {
  const seen = new Map<string, Train[]>()
  for (let at = RUSH_HOUR; at < RUSH_HOUR + 180 * MINUTE; at += MINUTE)
    for (const train of trainsAt(world, 'CERCANIAS', at)) {
      const id = train.trip.tripIds[0]
      seen.set(id, [...(seen.get(id) ?? []), train])
    }
  const all = [...seen.values()].flat()
  const share = (is: (train: Train) => boolean): number => all.filter(is).length / all.length
  expect(share(({ isCancelled }) => isCancelled)).toSatisfy((part: number) => part > 0.002 && part < 0.04)
  expect(share(({ delay_s }) => delay_s > 300)).toSatisfy((part: number) => part > 0.03 && part < 0.2)
  expect(share(({ delay_s }) => delay_s < 0)).toSatisfy((part: number) => part > 0 && part < 0.05)
  expect(share(({ skipped }) => skipped.length > 0)).toSatisfy((part: number) => part > 0 && part < 0.05)
  expect(Math.max(...[...seen.values()].map(longestStand))).toBeGreaterThanOrEqual(15)
})

/** The longest time (min) for which a train stands at one stop while its delay grows. */
function longestStand(states: readonly Train[]): number {
  let longest = 0
  let length = 0
  for (const [at, state] of states.entries()) {
    const before = states[at - 1]
    const goesOn = before?.status === 'STOPPED_AT' && state.status === 'STOPPED_AT' && before.next.stopId === state.next.stopId
    length = goesOn && state.delay_s > before.delay_s ? length + 1 : 0
    longest = Math.max(longest, length)
  }
  return longest
}

test('trains move along their stops, and a trip keeps its id from one publication to the next', () => {
  const before = new Map(trainsAt(world, 'CERCANIAS', RUSH_HOUR).map((train) => [train.trip.tripIds[0], train]))
  const after = trainsAt(world, 'CERCANIAS', RUSH_HOUR + 5 * MINUTE).filter(({ trip }) => before.has(trip.tripIds[0]))
  expect(after.length / before.size).toBeGreaterThan(0.8)
  const index = ({ trip, next }: Train): number => trip.stops.findIndex(({ stopId }) => stopId === next.stopId)
  const back = after.filter((train) => index(train) < index(before.get(train.trip.tripIds[0]) as Train))
  const on = after.filter((train) => index(train) > index(before.get(train.trip.tripIds[0]) as Train))
  expect([back.length, on.length / after.length > 0.5]).toEqual([0, true])
})

test('on working days regional trains are in both networks, and only long distance states their cancellation', () => {
  const seen = { both: 0, running: 0, cancelled: 0 }
  const begin = Date.parse('2026-03-11T05:00:00Z')
  for (let at = begin; at < begin + DAY / 2; at += 30 * MINUTE) {
    const commuters = new Map(trainsAt(world, 'CERCANIAS', at).map((train) => [train.trip.trainNumber, train]))
    for (const long of trainsAt(world, 'AVLDMD', at).filter(({ trip }) => trip.isRegional)) {
      seen.both += 1
      const commuter = commuters.get(long.trip.trainNumber)
      if (commuter) expect(commuter.isCancelled || long.isCancelled).toBe(false)
      if (long.isCancelled) seen.cancelled += 1
      else if (commuter) seen.running += 1
    }
  }
  expect(seen.both).toBeGreaterThan(100)
  expect(seen.cancelled / seen.both).toSatisfy((share: number) => share > 0.03 && share < 0.4)
  expect(seen.running / seen.both).toBeGreaterThan(0.4)
  const sunday = Date.parse('2026-03-15T09:00:00Z')
  expect(trainsAt(world, 'AVLDMD', sunday).filter(({ trip }) => trip.isRegional)).toEqual([])
})

test('long-distance ids are those of the newest night except for one day, and change at 06:05 in Madrid', () => {
  const first = (at: string): string | undefined =>
    trainsAt(world, 'AVLDMD', Date.parse(at))
      .flatMap(({ trip }) => trip.tripIds.map((id) => id.slice(6)))
      .sort()[0]
  expect(first('2026-03-11T05:04:00Z')).toBe('2026-03-09')
  expect(first('2026-03-11T05:06:00Z')).toBe('2026-03-10')
  expect(first('2026-07-01T04:04:00Z')).toBe('2026-06-29')
  expect(first('2026-07-01T04:06:00Z')).toBe('2026-06-30')
})

test('some cancelled long-distance trains stay in the feed until 05:05 on the next day', () => {
  const over = (at: string): number =>
    trainsAt(world, 'AVLDMD', Date.parse(at)).filter(({ trip }) => (trip.stops.at(-1)?.arrivesAt ?? 0) < Date.parse(at) - 2 * 60 * MINUTE)
      .length
  expect(over('2026-03-11T04:04:00Z')).toBeGreaterThan(0)
  expect(over('2026-03-11T04:06:00Z')).toBe(0)
  expect(over('2026-07-01T03:04:00Z')).toBeGreaterThan(0)
  expect(over('2026-07-01T03:06:00Z')).toBe(0)
})

test('alerts last for weeks, some in several languages in changing order, and give the same rows', async () => {
  expect(noticesAt(world, RUSH_HOUR)).toHaveLength(70)
  const [one, other] = [await alertsAt(RUSH_HOUR), await alertsAt(RUSH_HOUR + 20_000)]
  expect(one.bytes.equals(other.bytes)).toBe(false)
  const strip = (text: string): string => text.replace(/"timestamp": "\d+"/, '')
  expect(strip(one.bytes.toString('utf8'))).not.toBe(strip(other.bytes.toString('utf8')))
  expect(one.rows).toEqual(other.rows)
})

async function alertsAt(at: number): Promise<{ bytes: Buffer; rows: readonly AnyRow[] }> {
  await using publishers = await standIn({ at: at + 10_000 })
  return { bytes: await bytesOf(publishers, PATHS.alerts), rows: rows(await read(publishers, 'renfe_alerts'), 'rail_alerts') }
}

test('the fault removes a núcleo from positions, trip updates, alerts and the map', async () => {
  await using publishers = await standIn()
  const inNucleo = async (id: string, dataset: string, code: string): Promise<number> =>
    rows(await read(publishers, id), dataset).filter(
      (row) => row['nucleo_code'] === code || (row['nucleo_codes'] as string[] | undefined)?.join() === code,
    ).length
  const feeds = [
    ['renfe_positions', 'rail_positions'],
    ['renfe_trip_updates', 'rail_trip_updates'],
    ['renfe_alerts', 'rail_alerts'],
    ['renfe_flota', 'rail_fleet'],
  ] as const
  for (const [id, dataset] of feeds) {
    expect([id, (await inNucleo(id, dataset, '20')) > 0]).toEqual([id, true])
    const madrid = await inNucleo(id, dataset, '10')
    publishers.setFault({ feed: id, fault: 'block_missing' })
    expect([id, await inNucleo(id, dataset, '20'), await inNucleo(id, dataset, '10')]).toEqual([id, 0, madrid])
  }
})

test('positions and trip updates of one publication have one time, and vehicles are up to 8 s behind it', async () => {
  await using publishers = await standIn()
  const positions = await read(publishers, 'renfe_positions')
  expect((await read(publishers, 'renfe_trip_updates')).data_time).toBe(positions.data_time)
  const behind = rows(positions, 'rail_positions').map((row) => positions.data_time - (row['observed_at'] as number))
  expect([Math.min(...behind) >= 0, Math.max(...behind) <= 8000, new Set(behind).size > 2]).toEqual([true, true, true])
})
