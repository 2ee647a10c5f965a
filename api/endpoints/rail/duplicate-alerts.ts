import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import type { AlertRow, AlertTrain } from './alert.ts'
import type { TripUpdate } from './live-trips.ts'
import type { DayTrip, TimetableDay } from './timetable-day.ts'
import { trainIdOf } from './train-id.ts'

/** An alert of a train, with its trips in the timetable. */
export interface TrainAlert {
  readonly row: AlertRow
  readonly day: TimetableDay
  readonly trips: readonly DayTrip[]
  /** For a running train: stops due at this time or later are ahead of it, ms since the epoch. */
  readonly due: number | null
}

/** Timetable data of an alert's train, and whether lists contain the alert. */
interface ReportedAlert {
  readonly day: TimetableDay
  readonly alertTrain: AlertTrain
  readonly isListed: boolean
}

/**
 * Returns the timetable data of alerts about trains. If two networks report a train, one alert of each kind is listed, with the
 * lines and stations of both. A cancellation is dropped at stations where the duplicate runs, and not listed if none is left.
 */
export function alertsOfTrains(
  alerts: readonly TrainAlert[],
  updateOf: (trip: DayTrip) => TripUpdate | null,
): ReadonlyMap<AlertRow, ReportedAlert> {
  const byTrip = Map.groupBy(
    alerts.flatMap((alert) => alert.trips.map((trip) => ({ alert, trip }))),
    ({ trip }) => trip,
  )
  const runs = (trip: DayTrip): boolean => {
    const update = updateOf(trip)
    return update !== null && !isCancelled(update)
  }
  const reported = new Map<AlertRow, ReportedAlert>()
  for (const alert of alerts) {
    const { row, day } = alert
    const twins = twinsOf(alert)
    if (twins.length === 0) {
      reported.set(row, { day, alertTrain: alertTrainOf(alert, { trips: alert.trips, twins, except: NOWHERE }), isListed: true })
      continue
    }
    const same = sameAlerts(alert, (trip) => (byTrip.get(trip) ?? []).map((one) => one.alert))
    const running = row.kind === 'CANCELLED' ? twins.filter(runs) : []
    const except = new Set(running.flatMap((trip) => stopIdsOf(trip, day, null)))
    const alertTrain = alertTrainOf(alert, {
      trips: [...new Set(same.flatMap(({ trips }) => trips))],
      twins: twins.filter((trip) => !running.includes(trip)),
      except,
    })
    const isFirst = same.every((other) => other === alert || comesFirst(row, other.row))
    reported.set(row, { day, alertTrain, isListed: isFirst && (running.length === 0 || alertTrain.stop_ids.length > 0) })
  }
  return reported
}

const NOWHERE: ReadonlySet<string> = new Set()

/** The trips in other networks that are the same train. */
function twinsOf({ day, trips }: TrainAlert): DayTrip[] {
  return [...new Set(trips.flatMap((trip) => day.twinsOf(trip)))]
}

/** All alerts of the same kind about the same train, including this one. */
function sameAlerts(alert: TrainAlert, alertsOf: (trip: DayTrip) => readonly TrainAlert[]): TrainAlert[] {
  const same = new Set([alert])
  for (const one of same)
    for (const trip of twinsOf(one)) for (const other of alertsOf(trip)) if (other.row.kind === alert.row.kind) same.add(other)
  return [...same]
}

/**
 * True if the first alert is the one to list. Alerts whose núcleo is missing may be out of date and come last; then the first
 * published comes first.
 */
function comesFirst(one: AlertRow, other: AlertRow): boolean {
  if ((one.is_stale ?? false) !== (other.is_stale ?? false)) return !one.is_stale
  return one.first_seen_at === other.first_seen_at ? one.alert_id < other.alert_id : one.first_seen_at < other.first_seen_at
}

function alertTrainOf(
  { day, due }: TrainAlert,
  about: { readonly trips: readonly DayTrip[]; readonly twins: readonly DayTrip[]; readonly except: ReadonlySet<string> },
): AlertTrain {
  const { trips, twins, except } = about
  const both = [...trips, ...twins]
  const longest = both.reduce((most, trip) => (trip.end - trip.first > most.end - most.first ? trip : most))
  const isWhole = longest.end - longest.first > 1
  const [origin_id, destination_id] = isWhole ? [day.stops.stopId(longest.first), day.stops.stopId(longest.end - 1)] : [null, null]
  const routes = both.map(({ route }) => route)
  // Only the train itself is late. For a cancelled train the other timetable may list more stops.
  const stopping = due === null ? trips : both
  return {
    route_ids: sorted(routes.map(({ route_id }) => route_id)),
    stop_ids: sorted(stopping.flatMap((trip) => stopIdsOf(trip, day, due))).filter((stop_id) => !except.has(stop_id)),
    lines: sorted(routes.flatMap(({ nucleo_code, short_name }) => (nucleo_code !== null && short_name !== null ? [short_name] : []))),
    nucleo_codes: sorted(routes.flatMap(({ nucleo_code }) => nucleo_code ?? [])),
    products: sorted(routes.flatMap(({ nucleo_code, short_name }) => (nucleo_code === null && short_name !== null ? [short_name] : []))),
    other_train_id: twins[0] ? trainIdOf(twins[0]) : null,
    origin_id,
    origin: origin_id === null ? null : day.stops.nameOf(origin_id),
    destination_id,
    destination: destination_id === null ? null : day.stops.nameOf(destination_id),
  }
}

/** The stations of a trip, or only those due at an instant (ms) or later. */
function stopIdsOf({ first, end }: DayTrip, { stops }: TimetableDay, due: number | null): string[] {
  const rows = Array.from({ length: end - first }, (_, at) => first + at)
  const isAhead = (row: number): boolean => due === null || (stops.departureAt(row) ?? stops.arrivalAt(row) ?? due) >= due
  return rows.filter(isAhead).map((row) => stops.stopId(row))
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort()
}
