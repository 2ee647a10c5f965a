import { tripParts } from '../../../../jobs/feeds/rail/ids.ts'
import { railCalendar, railRoutes, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import { railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { instantOf } from '../../../../lake/schema/time.ts'
import { exampleTableRow } from '../../service.ts'

/** A state of a trip: the time of its statement (in Madrid), and its content. */
export interface State {
  readonly at: string
  readonly stop?: string
  readonly delay?: number
  readonly more?: AnyRow
}

/** The trip updates of a trip on a service day; after the last state it ends. */
export function told(trip_id: string, service_date: string, states: readonly State[]): AnyRow[] {
  const { train_number, line, nucleo_code } = tripParts(trip_id)
  const rows = states.map(({ at, stop = null, delay = null, more }) => {
    const [date = '', time = ''] = at.split(' ')
    const observed_at = instantOf(date, time)
    return exampleTableRow(railTripUpdates, {
      ...{ network: /^\d{6}20/.test(trip_id) ? 'AVLDMD' : 'CERCANIAS', trip_id, train_number, line, nucleo_code, service_date },
      ...{ observed_at, updated_at: observed_at, schedule_relationship: 'SCHEDULED', skipped_stop_ids: [] },
      ...{ next_stop_id: stop, delay_s: delay, delay_quality: delay === null ? null : delay > 21_600 ? 'DOUBTFUL' : 'OK', ...more },
    })
  })
  const last = rows.at(-1) as AnyRow
  const at = last['observed_at'] as number
  return [...rows, { ...last, observed_at: at + 120_000, updated_at: at + 120_000, last_seen_at: at + 60_000, status: 'ENDED' }]
}

/** A trip of a timetable: stops with their times, in seconds of the service day. */
export interface Trip {
  readonly id: string
  readonly service: string
  readonly stops: readonly (readonly [stop: string, seconds: number])[]
  /** True for a replacement bus of a train line. */
  readonly isBus?: boolean
}

/** Rows of a timetable: the days of its services, and its trips. */
export function timetable(
  first: string,
  days: Readonly<Record<string, readonly string[]>>,
  trips: readonly Trip[],
): Map<Dataset, AnyRow[]> {
  const isLong = trips.some(({ id }) => /^\d{6}20/.test(id))
  const network = isLong ? 'AVLDMD' : 'CERCANIAS'
  const version = { network, timetable_version: `${network.toLowerCase()}-${first}`, valid_from: instantOf(first, '00:00') }
  const nucleo = (id: string): string | null => (isLong ? null : id.slice(0, 2))
  const row = (dataset: Dataset, values: AnyRow): AnyRow => exampleTableRow(dataset, { ...version, ...values })
  return new Map<Dataset, AnyRow[]>([
    [
      railRoutes,
      [
        ...(isLong ? ['AVE', 'ALVIA'] : ['C0', 'C1', 'C2', 'C3']).map((name) => row(railRoutes, { route_id: name, short_name: name })),
        ...(isLong ? [] : [row(railRoutes, { route_id: 'BUS C1', short_name: 'C1', route_type: 'BUS' })]),
      ],
    ],
    [
      railCalendar,
      Object.entries(days).flatMap(([service_id, dates]) =>
        dates.map((service_date) => row(railCalendar, { service_id, service_date, nucleo_code: nucleo(service_id) })),
      ),
    ],
    [
      railTrips,
      trips.map(({ id, service, isBus = false }) => {
        const { train_number, line } = tripParts(id)
        const route_id = isBus ? `BUS ${line}` : (line ?? (train_number === '09003' ? 'ALVIA' : 'AVE'))
        return row(railTrips, { trip_id: id, service_id: service, nucleo_code: nucleo(id), train_number, route_id })
      }),
    ],
    [
      railStopTimes,
      trips.flatMap(({ id, stops }) =>
        stops.map(([stop_id, at], n) =>
          row(railStopTimes, { trip_id: id, stop_id, stop_sequence: n + 5, arrival: at, departure: at + 30 }),
        ),
      ),
    ],
  ])
}

/** A trip that leaves at a time of its service day, s, and stops every ten minutes. */
export function trip(id: string, at: number, stops: readonly string[] = ['18000', '18001', '18002'], isBus = false): Trip {
  return {
    id,
    service: /^\d{6}20/.test(id) ? id : id.slice(0, 5),
    stops: stops.map((stop, n) => [stop, at + n * 600] as const),
    isBus,
  }
}
