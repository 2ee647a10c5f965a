import type { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { KeptAsk, State } from '../../define/endpoint.ts'
import { type AlertRow, type AlertTrain, toAlert } from './alert.ts'
import { VARIANT_AT } from './live-trips.ts'
import { runDate } from './run-date.ts'
import { type DayTrip, type TimetableDay, timetableDay } from './timetable-day.ts'

/** A current alert: its row, with what the timetable tells of the train that it is about, and as lists show it. */
export interface CurrentAlert {
  readonly row: AlertRow
  readonly shown: ReturnType<typeof toAlert>
}

const DAY_MS = 86_400_000

type AlertState = State<typeof railAlerts>

/** Service days that are looked up. A train of another day stays without what its timetable tells. */
const DAYS_MOST = 3

const made = new WeakMap<AlertState, { readonly days: readonly TimetableDay[]; readonly alerts: readonly CurrentAlert[] }>()

/**
 * The current alerts; those of trains with the route, stations and product of the train by the timetable of its service day, as the live
 * feeds state a trip and its delay or end only. Made once for each publication and timetable. Where a timetable cannot be read, what it would
 * tell is left out.
 *
 * Of the 496 long-distance trains that were late or cancelled on 2026-03-28 the timetable of the day has 491; five ran that it does not
 * let run that day.
 */
export async function currentAlerts(state: AlertState, extra: KeptAsk<readonly []>['extra']): Promise<readonly CurrentAlert[]> {
  const read = await Promise.all(datesOf(state).map((date) => extra(timetableDay, date)))
  const days = read.filter((day) => day !== null)
  const last = made.get(state)
  if (last && last.days.length === days.length && last.days.every((day, at) => day === days[at])) return last.alerts
  const at = Math.max(0, ...state.parts.map(({ data_time }) => data_time))
  const alerts = state.rows.map((row): CurrentAlert => {
    // What is kept although its block is missing is of when it was published last.
    const told = row.derived ? withTrain(row, days, row.is_stale ? row.updated_at : at) : row
    return { row: told, shown: toAlert(told) }
  })
  made.set(state, { days, alerts })
  return alerts
}

/** The service dates that trains of alerts may be of, in order: those stated, and the day before the newest, of which trains run in the morning. */
function datesOf({ rows }: AlertState): string[] {
  const stated = rows.flatMap(({ derived, service_date }) => (derived && service_date !== null ? [service_date] : []))
  const newest = stated.reduce((last, date) => (date > last ? date : last), '')
  if (newest === '') return []
  const before = new Date(Date.parse(newest) - DAY_MS).toISOString().slice(0, 10)
  return [...new Set([...stated, before])].sort().slice(-DAYS_MOST)
}

/** The alert of a train as of an instant (ms), with what the timetable tells of it. */
function withTrain(row: AlertRow, days: readonly TimetableDay[], at: number): AlertRow {
  const { network, train_number, delay_s } = row
  const stated = row.service_date ?? ''
  const late_ms = 1000 * (delay_s ?? 0)
  const runs = row.kind === 'DELAY'
  const service_date = runs ? runDate({ network, train_number, service_date: stated, due_at: at - late_ms }, days) : stated
  const day = days.find(({ date }) => date === service_date)
  const train = day ? trainOf(row, day, runs ? at - late_ms : null) : null
  return train ? { ...row, service_date, train } : row
}

/** What the timetable tells of the train of an alert, of its stops those that are due at an instant (ms) or later; null where it has none. */
function trainOf(row: AlertRow, day: TimetableDay, due: number | null): AlertTrain | null {
  const trips = tripsOf(row, day)
  const [first] = trips
  if (!first) return null
  const longest = trips.reduce((most, trip) => (trip.end - trip.first > most.end - most.first ? trip : most), first)
  const isWhole = longest.end - longest.first > 1
  const [origin_id, destination_id] = isWhole ? [day.stops.stopId(longest.first), day.stops.stopId(longest.end - 1)] : [null, null]
  return {
    route_ids: sorted(trips.map(({ route }) => route.route_id)),
    stop_ids: sorted(trips.flatMap((trip) => stopIdsOf(trip, day, due))),
    products: sorted(trips.flatMap(({ route }) => (route.nucleo_code === null && route.short_name !== null ? [route.short_name] : []))),
    origin_id,
    origin: origin_id === null ? null : day.stops.nameOf(origin_id),
    destination_id,
    destination: destination_id === null ? null : day.stops.nameOf(destination_id),
  }
}

/**
 * The trips of the day that an alert is about: by id, else by the number of the train, whose ids are new every night; of its parts those
 * that the alert names, if the timetable has them.
 */
function tripsOf({ network, trip_ids, train_number }: AlertRow, day: TimetableDay): readonly DayTrip[] {
  const named = trip_ids.flatMap((id) => day.tripOf(network, id) ?? [])
  if (named.length === trip_ids.length || train_number === null || network !== LONG_DISTANCE) return named
  const parts = day.tripsOfTrain(network, train_number)
  const own = parts.filter(({ variant }) => trip_ids.some((id) => id[VARIANT_AT] === variant))
  return own.length > 0 ? own : parts
}

function stopIdsOf({ first, end }: DayTrip, { stops }: TimetableDay, due: number | null): string[] {
  const rows = Array.from({ length: end - first }, (_, at) => first + at)
  const isAhead = (row: number): boolean => due === null || (stops.departureAt(row) ?? stops.arrivalAt(row) ?? due) >= due
  return rows.filter(isAhead).map((row) => stops.stopId(row))
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}
