import { expect, test } from 'vitest'
import { batch, defineFeed } from '../../../jobs/feeds/define.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { ferryCalendar, ferryStopTimes } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { nap } from '../../../lake/datasets/maritime/sources.ts'

const VERSION = { network: 'BALEARIA', timetable_version: 'balearia-2026-11-01', valid_from: Date.UTC(2026, 10, 1) } as const
const AT = Date.UTC(2026, 10, 2)
const REPEATED = 'key comes twice in one publication'

/** Kept keys of both datasets, and the number of repeated ones. */
async function parsed(stops: readonly (readonly [trip: string, sequence: number])[], days: readonly (readonly [string, string])[]) {
  const feed = defineFeed({
    id: 'little',
    source: nap,
    into: [ferryStopTimes, ferryCalendar],
    every_s: 3600,
    get: { name: 'file', url: 'https://publisher.example/', maxBytes: 1000, expects: 'csv' },
    bands: {},
    *rows() {
      const rest = { stop_id: 'P', arrival: 60, departure: 60, pickup_type: null, drop_off_type: null }
      for (const [trip_id, stop_sequence] of stops) yield batch(ferryStopTimes, [{ ...VERSION, trip_id, stop_sequence, ...rest }])
      for (const [service_id, service_date] of days) yield batch(ferryCalendar, [{ ...VERSION, service_id, service_date }])
    },
  })
  const { rows, report } = await parsePublication(feed, [], AT, { keeps: () => true })
  const kept = rows.get('ferry_stop_times')?.map(({ trip_id, stop_sequence }) => [trip_id, stop_sequence])
  const keptDays = rows.get('ferry_calendar')?.map(({ service_id, service_date }) => [service_id, service_date])
  return { kept, keptDays, repeated: Object.values(report.quarantined).map((reasons) => reasons[REPEATED]) }
}

test('a key counts once, wherever it comes again: numbers of every size, and texts', async () => {
  const trips = ['10S1C1', '10S1C11', '1', '11']
  const stops = trips.flatMap((trip) => [0, 1, 5, 11, 31, 32, 33, 63, 64, 1023, 10_000].map((sequence) => [trip, sequence] as const))
  const days = ['A', 'B'].flatMap((service) => ['2026-11-01', '2026-11-02'].map((day) => [service, day] as const))
  expect(await parsed(stops, days)).toEqual({ kept: stops, keptDays: days, repeated: [] })
  const twice = await parsed([...stops, ...stops.toReversed()], [...days, ...days])
  expect(twice).toEqual({ kept: stops, keptDays: days, repeated: [stops.length, days.length] })
})
