import { expect, test } from 'vitest'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { serviceDate, tripParts } from '../../jobs/feeds/rail/ids.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { instantOf } from '../../lake/schema/time.ts'
import { bytesOf, standIn } from './helpers.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** Night, noon, half past midnight in Madrid, before and after the change of long-distance ids, and the days of clock changes. */
const MOMENTS = [
  '2026-03-11T02:40:00Z',
  '2026-03-11T12:00:00Z',
  '2026-03-11T23:30:00Z',
  '2026-07-15T04:50:00Z',
  '2026-07-15T05:10:00Z',
  '2026-03-28T22:30:00Z',
  '2026-03-29T00:30:00Z',
  '2026-03-29T10:00:00Z',
  '2026-10-24T22:40:00Z',
  '2026-10-25T01:30:00Z',
  '2026-10-25T18:00:00Z',
]

/** Rows of a feed at an instant, by dataset. */
async function rowsAt(id: string, at: number): Promise<ReadonlyMap<string, readonly AnyRow[]>> {
  await using publishers = await standIn({ at, scale: 'small' })
  const feed = feedById(id)
  const request = feed.plans[0]?.requests[0]
  const bytes = await bytesOf(publishers, `/${request?.url.replace('https://', '')}`)
  const keeps = { keeps: () => true }
  return (await parsePublication(feed, [{ name: request?.name as string, bytes }], at, keeps)).rows
}

/**
 * Planned arrivals in a night's timetable by trip and stop, in seconds of the service day, without trips of fewer than two stops.
 */
async function timetable(id: string, at: number): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const rows = await rowsAt(id, at)
  const trips = new Map((rows.get('rail_trips') ?? []).map((row) => [row['trip_id'] as string, new Map<string, number>()]))
  for (const row of rows.get('rail_stop_times') ?? [])
    trips.get(row['trip_id'] as string)?.set(row['stop_id'] as string, row['arrival'] as number)
  return trips
}

/** The arrivals in the timetables of the last two nights, the newer one first. */
async function twoNights(id: string, at: number): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  return new Map([...(await timetable(id, at - DAY)), ...(await timetable(id, at))])
}

test.each(MOMENTS)('live trains at %s run trips of the timetable', async (moment) => {
  const at = Date.parse(moment)
  const commuter = await twoNights('renfe_gtfs_cercanias', at)
  const positions = (await rowsAt('renfe_positions', at)).get('rail_positions') ?? []
  const updates = (await rowsAt('renfe_trip_updates', at)).get('rail_trip_updates') ?? []
  const onTheMap = (await rowsAt('renfe_flota', at)).get('rail_fleet') ?? []
  expect(positions.length).toBeGreaterThan(0)
  for (const row of [...positions, ...updates, ...onTheMap]) {
    const stops = commuter.get(row['trip_id'] as string)
    if (String(row['trip_id']).startsWith('SPECIAL_')) continue
    expect([row['trip_id'], (stops?.size ?? 0) > 1]).toEqual([row['trip_id'], true])
    const stopId = row['stop_id'] ?? row['next_stop_id']
    if (stopId !== null && stopId !== undefined)
      expect([row['trip_id'], stopId, stops?.has(stopId as string)]).toEqual([row['trip_id'], stopId, true])
  }
  // The delay of a running train is relative to the timetable, to the minute.
  for (const { trip_id, delay_s, next_stop_id, expected_arrival_at } of updates) {
    const planned = commuter.get(trip_id as string)?.get(next_stop_id as string)
    if (planned === undefined || (expected_arrival_at as number) < at) continue
    const day = instantOf(serviceDate(tripParts(trip_id as string).weekday, at), '12:00') - DAY / 2
    const late = (expected_arrival_at as number) - (day + planned * 1000)
    expect([trip_id, Math.abs(late - (delay_s as number) * 1000) < MINUTE]).toEqual([trip_id, true])
  }

  const longDistance = await twoNights('renfe_gtfs_avldmd', at)
  const far = (await rowsAt('renfe_positions_ld', at)).get('rail_positions') ?? []
  const delays = (await rowsAt('renfe_trip_updates_ld', at)).get('rail_trip_updates') ?? []
  expect(Math.min(far.length, delays.length)).toBeGreaterThan(0)
  for (const { trip_id } of delays) expect([trip_id, longDistance.has(trip_id as string)]).toEqual([trip_id, true])
  for (const { trip_id, stop_id } of far)
    expect([trip_id, stop_id, longDistance.get(trip_id as string)?.has(stop_id as string)]).toEqual([trip_id, stop_id, true])
  const numbers = new Set([...longDistance.keys()].map((id) => id.slice(0, 5)))
  for (const { train_number } of (await rowsAt('renfe_flota_ld', at)).get('rail_fleet') ?? [])
    expect([train_number, numbers.has(train_number as string)]).toEqual([train_number, true])
})

test('one commuter train in two hundred is not in the timetable, and some long-distance trains have two parts', async () => {
  await using publishers = await standIn()
  const special = new Set<string>()
  const all = new Set<string>()
  for (let turn = 0; turn < 6; turn++, publishers.advance(60 * MINUTE)) {
    const text = (await bytesOf(publishers, '/gtfsrt.renfe.com/vehicle_positions.json')).toString('utf8')
    for (const [, id = ''] of text.matchAll(/"tripId": "([^"]+)"/g)) (id.startsWith('SPECIAL_') ? special : all).add(id)
  }
  expect(special.size / all.size).toSatisfy((share: number) => share > 0.001 && share < 0.015)
  const text = (await bytesOf(publishers, '/gtfsrt.renfe.com/trip_updates_LD.json')).toString('utf8')
  const ids = [...text.matchAll(/"tripId": "(\d{5})\d/g)].map(([, number]) => number)
  expect(1 - new Set(ids).size / ids.length).toSatisfy((share: number) => share > 0.1 && share < 0.3)
})
