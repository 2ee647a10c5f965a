import { expect, test } from 'vitest'
import { expectedNucleos } from '../../../jobs/feeds/rail/expected-nucleos.ts'
import { renfeFlota } from '../../../jobs/feeds/rail/renfe-flota.ts'
import { renfePositions } from '../../../jobs/feeds/rail/renfe-positions.ts'
import { renfeTripUpdates } from '../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { missingAfter, ruleOf } from '../../../jobs/ingest/completeness-groups.ts'
import { railCalendar, railRoutes, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { exampleTableRow } from '../../api/service.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows, openTestLake } from '../../lake/query/fixtures.ts'

test('one expected train of a núcleo is enough for it to be missing; of the trains before there have to be two', () => {
  const [counts, said] = [{ '10': 5 }, []]
  const before = { counts: { '10': 6, '62': 1, '61': 2 }, missing: [] }
  for (const [feed, dataset] of [
    [renfePositions, 'rail_positions'],
    [renfeTripUpdates, 'rail_trip_updates'],
    // Late or not, its trains are those of the trip updates.
    [renfeTripUpdates, 'rail_alerts'],
    [renfeFlota, 'rail_fleet'],
  ] as const) {
    const rule = ruleOf(feed, dataset)
    expect([feed.id, missingAfter(rule, before, { counts, said, expected: { '10': 40, '70': 1, '41': 0 } })]).toEqual([
      feed.id,
      ['61', '70'],
    ])
    // The map never has some.
    const never = feed === renfeFlota ? [] : ['46']
    expect(missingAfter(rule, { counts, missing: [] }, { counts, said, expected: { '46': 1 } })).toEqual(never)
  }
})

test('buses are not expected, and a short trip is for half of its duration', async () => {
  const lake = await openTestLake(tempFolder())
  try {
    // On 61 buses alone run. 70 has a trip of 20 minutes, 60 one of two hours. 62 has no known route. 40 runs past midnight, 41
    // on some days.
    const trips = [
      ['61', 'BUS', 28_800, 36_000],
      ['70', 'RAIL', 30_000, 31_200],
      ['60', 'RAIL', 28_800, 36_000],
      ['62', null, 28_800, 36_000],
      ['40', 'RAIL', 84_600, 97_200],
      ['41', 'RAIL', 0, 7200],
    ] as const
    const days = ['2026-03-10', '2026-03-11', '2026-03-18', '2026-03-19']
    const version = { network: 'CERCANIAS', timetable_version: 'cercanias-2026-03-10', valid_from: Date.parse('2026-03-09T23:00:00Z') }
    const land = (dataset: Dataset, rows: readonly AnyRow[]) =>
      landRows(
        lake,
        dataset,
        rows.map((row) => exampleTableRow(dataset, { ...version, ...row })),
      )
    const services = trips.flatMap(([nucleo_code]) =>
      days.slice(nucleo_code === '41' ? 1 : 0).map((service_date) => ({ service_id: nucleo_code, service_date, nucleo_code })),
    )
    await land(railCalendar, services)
    await land(
      railRoutes,
      trips.flatMap(([nucleo_code, route_type]) => (route_type ? [{ route_id: nucleo_code, nucleo_code, route_type }] : [])),
    )
    await land(
      railTrips,
      trips.map(([code]) => ({ trip_id: code, route_id: code, service_id: code, nucleo_code: code })),
    )
    const stop = (trip_id: string, stop_sequence: number, at: number) => ({ trip_id, stop_sequence, arrival: at, departure: at })
    await land(
      railStopTimes,
      trips.flatMap(([code, , leaves, arrives]) => [stop(code, 1, leaves), stop(code, 2, arrives)]),
    )
    const expectedAt = async (time: string, date = '2026-03-11'): Promise<unknown> => {
      const rows = await lake.query(expectedNucleos.query(Date.parse(`${date}T${time}+01:00`)), { timeout_ms: 10_000, maxRows: 20 })
      return Object.fromEntries(rows.map(({ block, count }) => [block, count]))
    }
    const rest = { '40': 0, '41': 0 }
    // From 08:25, five minutes after it left at 08:20, to 08:35, five before it arrives, for the whole of a step.
    expect(await expectedAt('08:20:00')).toEqual({ ...rest, '60': 1, '61': 0, '62': 1, '70': 0 })
    expect(await expectedAt('08:25:00')).toEqual({ ...rest, '60': 1, '61': 0, '62': 1, '70': 1 })
    expect(await expectedAt('08:30:00')).toEqual({ ...rest, '60': 1, '61': 0, '62': 1, '70': 1 })
    expect(await expectedAt('08:35:00')).toEqual({ ...rest, '60': 1, '61': 0, '62': 1, '70': 0 })
    expect(await expectedAt('08:05:00')).toEqual({ ...rest, '60': 0, '61': 0, '62': 0, '70': 0 })
    expect(await expectedAt('09:50:00')).toEqual({ ...rest, '60': 0, '61': 0, '62': 0, '70': 0 })
    // Until 04:00 trains of the day before count; a núcleo that has none on one of the two days is not known.
    const night = { '60': 0, '61': 0, '62': 0, '70': 0 }
    expect(await expectedAt('00:30:00')).toEqual({ ...night, '40': 1 })
    expect(await expectedAt('03:30:00')).toEqual({ ...night, '40': 0 })
    expect(await expectedAt('00:30:00', '2026-03-19')).toEqual({ ...night, '40': 1, '41': 1 })
    // A timetable counts for eight days.
    expect(await expectedAt('08:30:00', '2026-03-18')).toMatchObject({ '60': 1 })
    expect(await expectedAt('08:30:00', '2026-03-19')).toEqual({})
  } finally {
    await lake.close()
  }
})
