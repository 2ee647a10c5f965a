import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import { railFleet, railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { exampleRow, exampleTableRow, type TestService } from '../../service.ts'

/** A Tuesday noon in November, in Madrid. */
export const NOON = Date.parse('2026-11-17T11:00:00Z')

/** A trip of a timetable. */
export interface Run {
  readonly trip_id: string
  readonly train_number: string
  readonly service_id: string
  /** Stations with the hour (h) of arrival and departure. */
  readonly stops: readonly (readonly [stop_id: string, arrival: number, departure: number])[]
}

/** Lands a version of a timetable: runs on the dates of their services. */
export async function landTimetable(
  service: TestService,
  version: { network: string; from: string; route: AnyRow },
  dates: Readonly<Record<string, readonly string[]>>,
  runs: readonly Run[],
) {
  const { network, from, route } = version
  const { start } = dayBounds(from)
  const { route_id = 'R', nucleo_code = '10' } = route
  const head = { network, timetable_version: `${network.toLowerCase()}-${from}`, valid_from: start }
  const stations = [...new Set(runs.flatMap(({ stops }) => stops.map(([stop_id]) => stop_id)))]
  const tables: [Parameters<TestService['land']>[0], AnyRow[]][] = [
    [railStations, stations.map((stop_id) => ({ stop_id, name: `Station ${stop_id}` }))],
    [railRoutes, [{ ...route, route_id, nucleo_code }]],
    [railShapes, [{ shape_id: `${network} ${from}` }]],
    [railTrips, runs.map(({ stops: _stops, ...run }) => ({ nucleo_code, ...run, route_id }))],
    [
      railStopTimes,
      runs.flatMap(({ trip_id, stops }) =>
        stops.map(([stop_id, arrival, departure], at) => ({
          trip_id,
          stop_id,
          stop_sequence: at + 1,
          arrival: arrival * 3600,
          departure: departure * 3600,
        })),
      ),
    ],
    [railCalendar, Object.entries(dates).flatMap(([service_id, days]) => days.map((service_date) => ({ service_id, service_date })))],
  ]
  for (const [dataset, rows] of tables)
    await service.land(
      dataset,
      rows.map((row) => exampleTableRow(dataset, { ...head, ...row })),
      start,
    )
}

/** A commuter train. */
export const position = (train: string, values: AnyRow = {}): AnyRow =>
  exampleRow(railPositions, {
    source_id: `VP_C3-${train}`,
    vehicle_id: train,
    train_number: train,
    trip_id: `1041M${train}C3`,
    line: 'C3',
    nucleo_code: '10',
    stop_id: '00002',
    observed_at: NOON,
    updated_at: NOON,
    ...values,
  })
/** A long-distance train. */
export const longDistance = (train: string, values: AnyRow = {}): AnyRow =>
  position(train, { network: 'AVLDMD', source_id: `VP_${train}`, line: null, nucleo_code: null, platform: null, ...values })
/** The live data of a trip. */
export const update = (trip_id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(railTripUpdates, { trip_id, next_stop_id: null, expected_arrival_at: null, observed_at: NOON, updated_at: NOON, ...values })
/** A train of the map. */
export const mapped = (train: string, values: AnyRow = {}): AnyRow =>
  exampleRow(railFleet, {
    source_id: train,
    train_number: train,
    observed_at: NOON,
    updated_at: NOON,
    fixed_at: NOON - 5000,
    ...values,
  })
