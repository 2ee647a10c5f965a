import type { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import type { KeptAsk, State } from '../../define/endpoint.ts'
import { type AlertRow, type AlertTrain, toAlert } from './alert.ts'
import { RENAMED, VARIANT_AT } from './live-trips.ts'
import { type DayTrip, type TimetableDay, timetableDay } from './timetable-day.ts'

/** A current alert: its row, with what the timetable tells of the train that it is about, and as lists show it. */
export interface CurrentAlert {
  readonly row: AlertRow
  readonly shown: ReturnType<typeof toAlert>
}

type AlertState = State<typeof railAlerts>

/** Service days that are looked up: yesterday, today and tomorrow. A train of another day stays without what its timetable tells. */
const DAYS_MOST = 3

const made = new WeakMap<AlertState, { readonly days: readonly TimetableDay[]; readonly alerts: readonly CurrentAlert[] }>()

/**
 * The current alerts; those of trains with the route, stations and product of the train by the timetable of its service day, as the live
 * feeds state a trip and its delay or end only. Made once for each publication and timetable.
 *
 * Of the 496 long-distance trains that were late or cancelled on 2026-03-28 the timetable of the day has 491; five ran that it does not
 * let run that day.
 */
export async function currentAlerts(state: AlertState, slice: KeptAsk<readonly []>['slice']): Promise<readonly CurrentAlert[]> {
  const dates = new Set(state.rows.flatMap(({ derived, service_date }) => (derived && service_date !== null ? [service_date] : [])))
  const newest = [...dates].sort().slice(-DAYS_MOST)
  const days = await Promise.all(newest.map((date) => slice(timetableDay, date)))
  const last = made.get(state)
  if (last && last.days.length === days.length && last.days.every((day, at) => day === days[at])) return last.alerts
  const byDate = new Map(days.map((day) => [day.date, day]))
  const alerts = state.rows.map((row): CurrentAlert => {
    const day = row.derived ? byDate.get(row.service_date ?? '') : undefined
    const train = day ? trainOf(row, day) : null
    const told = train ? { ...row, train } : row
    return { row: told, shown: toAlert(told) }
  })
  made.set(state, { days, alerts })
  return alerts
}

/** What the timetable tells of the train of an alert; null where it has none. */
function trainOf(row: AlertRow, day: TimetableDay): AlertTrain | null {
  const trips = tripsOf(row, day)
  const [first] = trips
  if (!first) return null
  const longest = trips.reduce((most, trip) => (trip.end - trip.first > most.end - most.first ? trip : most), first)
  const isWhole = longest.end - longest.first > 1
  const [origin_id, destination_id] = isWhole ? [day.stops.stopId(longest.first), day.stops.stopId(longest.end - 1)] : [null, null]
  return {
    route_ids: sorted(trips.map(({ route }) => route.route_id)),
    stop_ids: sorted(trips.flatMap((trip) => stopIdsOf(trip, day))),
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
  if (named.length === trip_ids.length || train_number === null || network !== RENAMED) return named
  const parts = day.tripsOfTrain(network, train_number)
  const own = parts.filter(({ variant }) => trip_ids.some((id) => id[VARIANT_AT] === variant))
  return own.length > 0 ? own : parts
}

function stopIdsOf({ first, end }: DayTrip, { stops }: TimetableDay): string[] {
  return Array.from({ length: end - first }, (_, at) => stops.stopId(first + at))
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}
