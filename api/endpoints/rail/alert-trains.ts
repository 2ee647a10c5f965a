import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { isCancelled, LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import type { MemoryAsk, State, StatesOf } from '../../kernel/endpoint.ts'
import { field, LANGS, type Lang, nested, pick, type ValueOf } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type AlertRow, type AlertTrain, alert, localise, toAlert } from './alert.ts'
import { ALERT_SCOPES } from './codes.ts'
import { type TripUpdate, tripUpdatesIn, VARIANT_AT } from './live-trips.ts'
import type { RailNetwork } from './network.ts'
import { type DayTrip, runDate, type TimetableDay, timetableDay } from './timetable-day.ts'
import { trainIdOf } from './train.ts'

/** A current alert: its row, completed with timetable data of its train, and as lists show it. */
export interface CurrentAlert {
  readonly row: AlertRow
  readonly shown: ReturnType<typeof toAlert>
}

const DAY_MS = 86_400_000

type AlertState = State<typeof railAlerts>
type AlertStates = StatesOf<typeof ALERT_STATES>

/** Maximum service days to look up. A train of another day gets no timetable data. */
const MAX_DAYS = 3

/** The states that current alerts are computed from. */
export const ALERT_STATES = [railAlerts, railTripUpdates] as const

/** Current alerts: those in lists, and all. */
interface CurrentAlerts {
  readonly listed: readonly CurrentAlert[]
  readonly all: readonly CurrentAlert[]
}

/**
 * The current alerts, cached per publication and timetable. Alerts about trains get route, stations and product from the
 * timetable of their service day, which has 491 of 496 late or cancelled long-distance trains of 2026-03-28; without it these
 * stay empty. `alertsOfTrains` handles trains of two networks.
 */
export async function currentAlerts(states: AlertStates, extra: MemoryAsk<readonly []>['optional']): Promise<CurrentAlerts> {
  const [state, updates] = states
  const read = await Promise.all(datesOf(state).map((date) => extra(timetableDay, date)))
  const days = read.filter((day) => day !== null)
  return alertsOfDays(state, updates, ...days)
}

const alertsOfDays = memo((state: AlertState, updates: AlertStates[1], ...days: readonly TimetableDay[]): CurrentAlerts => {
  const at = Math.max(0, ...state.parts.map(({ data_time }) => data_time))
  const trains = alertsOfTrains(
    // An alert that is only kept because its núcleo is missing is dated by its last publication.
    state.rows.flatMap((row) => (row.derived ? trainAlert(row, days, row.is_stale ? row.updated_at : at) : [])),
    tripUpdatesIn(updates, days, at),
  )
  const all: CurrentAlert[] = []
  const listed: CurrentAlert[] = []
  for (const row of state.rows) {
    const train = trains.get(row)
    const completed = train ? { ...row, service_date: train.day.date, train: train.alertTrain } : row
    const alert = { row: completed, shown: toAlert(completed) }
    all.push(alert)
    if (!train || train.isListed) listed.push(alert)
  }
  return { listed, all }
})

/**
 * Possible service dates of trains with alerts, in order: the stated ones and the day before the newest, for trains past
 * midnight.
 */
function datesOf({ rows }: AlertState): string[] {
  const stated = rows.flatMap(({ derived, service_date }) => (derived && service_date !== null ? [service_date] : []))
  const newest = stated.reduce((last, date) => (date > last ? date : last), '')
  if (newest === '') return []
  const before = new Date(Date.parse(newest) - DAY_MS).toISOString().slice(0, 10)
  return [...new Set([...stated, before])].sort().slice(-MAX_DAYS)
}

/** The alert of a train at an instant (ms), with its timetable trips; empty if no timetable has the train. */
function trainAlert(row: AlertRow, days: readonly TimetableDay[], at: number): TrainAlert[] {
  const { network, train_number, delay_s } = row
  const stated = row.service_date ?? ''
  const late_ms = 1000 * (delay_s ?? 0)
  const runs = row.kind === 'DELAY'
  const service_date = runs ? runDate({ network, train_number, service_date: stated, due_at: at - late_ms }, days) : stated
  const day = days.find(({ date }) => date === service_date)
  const trips = day ? tripsOf(row, day) : []
  return day && trips.length > 0 ? [{ row, day, trips, due: runs ? at - late_ms : null }] : []
}

/**
 * The trips of the day that an alert is about: by id, else by train number, because ids change every night. If the timetable
 * has trips that the alert names, only those parts.
 */
function tripsOf({ network, trip_ids, train_number }: AlertRow, day: TimetableDay): readonly DayTrip[] {
  const named = trip_ids.flatMap((id) => day.tripOf(network, id) ?? [])
  if (named.length === trip_ids.length || train_number === null || network !== LONG_DISTANCE) return named
  const parts = day.tripsOfTrain(network, train_number)
  const own = parts.filter(({ variant }) => trip_ids.some((id) => id[VARIANT_AT] === variant))
  return own.length > 0 ? own : parts
}

/** An alert of a train, with its trips in the timetable. */
interface TrainAlert {
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
function alertsOfTrains(
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
    const duplicates = duplicatesOf(alert)
    if (duplicates.length === 0) {
      reported.set(row, { day, alertTrain: alertTrainOf(alert, { trips: alert.trips, duplicates, except: NOWHERE }), isListed: true })
      continue
    }
    const same = sameAlerts(alert, (trip) => (byTrip.get(trip) ?? []).map((one) => one.alert))
    const running = row.kind === 'CANCELLED' ? duplicates.filter(runs) : []
    const except = new Set(running.flatMap((trip) => stopIdsOf(trip, day, null)))
    const alertTrain = alertTrainOf(alert, {
      trips: [...new Set(same.flatMap(({ trips }) => trips))],
      duplicates: duplicates.filter((trip) => !running.includes(trip)),
      except,
    })
    const isFirst = same.every((other) => other === alert || comesFirst(row, other.row))
    reported.set(row, { day, alertTrain, isListed: isFirst && (running.length === 0 || alertTrain.stop_ids.length > 0) })
  }
  return reported
}

const NOWHERE: ReadonlySet<string> = new Set()

/** The trips in other networks that are the same train. */
function duplicatesOf({ day, trips }: TrainAlert): DayTrip[] {
  return [...new Set(trips.flatMap((trip) => day.duplicatesOf(trip)))]
}

/** All alerts of the same kind about the same train, including this one. */
function sameAlerts(alert: TrainAlert, alertsOf: (trip: DayTrip) => readonly TrainAlert[]): TrainAlert[] {
  const same = new Set([alert])
  for (const one of same)
    for (const trip of duplicatesOf(one)) for (const other of alertsOf(trip)) if (other.row.kind === alert.row.kind) same.add(other)
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
  about: { readonly trips: readonly DayTrip[]; readonly duplicates: readonly DayTrip[]; readonly except: ReadonlySet<string> },
): AlertTrain {
  const { trips, duplicates, except } = about
  const both = [...trips, ...duplicates]
  const longest = both.reduce((most, trip) => (trip.end - trip.first > most.end - most.first ? trip : most))
  const routes = both.map(({ route }) => route)
  // Only the train itself is late. For a cancelled train the other timetable may list more stops.
  const stopping = due === null ? trips : both
  return {
    route_ids: sorted(routes.map(({ route_id }) => route_id)),
    stop_ids: sorted(stopping.flatMap((trip) => stopIdsOf(trip, day, due))).filter((stop_id) => !except.has(stop_id)),
    lines: sorted(routes.flatMap(({ nucleo_code, short_name }) => (nucleo_code !== null && short_name !== null ? [short_name] : []))),
    nucleo_codes: sorted(routes.flatMap(({ nucleo_code }) => nucleo_code ?? [])),
    products: sorted(routes.flatMap(({ nucleo_code, short_name }) => (nucleo_code === null && short_name !== null ? [short_name] : []))),
    other_train_id: duplicates[0] ? trainIdOf(duplicates[0]) : null,
    ...day.terminiOf(longest),
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

const { fields } = alert

const alertFields = {
  id: fields.id,
  scope: field.code('Scope of the alert.', ALERT_SCOPES, 'STATION'),
  ...pick(fields, 'kind', 'derived', 'lines', 'products', 'nucleo_codes', 'text', 'text_language', 'translations', 'effect', 'cause'),
  ...pick(fields, 'train_number', 'service_date', 'delay_s', 'origin', 'destination', 'active_from', 'active_until', 'updated_at'),
  is_stale: fields.is_stale,
} as const

type Alert = ValueOf<typeof alertFields>

/** Current alerts that concern a station or route. */
export const alertsField = nested.objects(
  'Current notices that name it or one of its lines, those that name it first; then its trains that are cancelled or more than 5 minutes late, by the timetable of their service day. A late train is listed until it has left the station.',
  alertFields,
)

/** Translation of a record with such alerts: the alerts are translated. */
export const inLanguages = Object.freeze({
  languages: LANGS,
  localise: <R extends { readonly alerts: readonly Alert[] }>(thing: R, lang: Lang): R => ({
    ...thing,
    alerts: thing.alerts.map((one) => localise(one, lang)),
  }),
})

/** Identifiers by which alerts may name a thing: a station or a route, and lines. */
interface Concerned {
  readonly stop_id?: string
  readonly route_id?: string
  readonly lines: readonly { readonly line: string | null; readonly nucleo_code: string | null }[]
}

/** The current alerts that concern a thing: notices by scope, then trains; each group by id. */
export function alertsOf(alerts: readonly CurrentAlert[], thing: Concerned, network: Pick<RailNetwork, 'routes'>): Alert[] {
  const lines = new Set(thing.lines.map(({ nucleo_code, line }) => keyOf(nucleo_code, line)))
  return alerts
    .flatMap(({ shown }) => {
      const scope = scopeOf(shown, { ...thing, lines }, network)
      return scope === null ? [] : [{ ...shown, scope }]
    })
    .sort((one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1))
}

/** True if an alert concerns one of some stations, by the rules of the station endpoints. */
export function concernsStations(
  stop_ids: readonly string[],
  network: Pick<RailNetwork, 'routes' | 'stations'>,
): (shown: CurrentAlert['shown']) => boolean {
  const things = stop_ids.map((stop_id) => ({ stop_id, lines: linesAt(stop_id, network) }))
  return (shown) => things.some((thing) => scopeOf(shown, thing, network) !== null)
}

/** The commuter lines of a station, as alerts name lines. */
function linesAt(stop_id: string, { stations }: Pick<RailNetwork, 'stations'>): ReadonlySet<string> {
  const lines = stations.get(stop_id)?.lines ?? []
  return new Set(lines.flatMap(({ nucleo_code, short_name }) => (nucleo_code === null ? [] : [keyOf(nucleo_code, short_name)])))
}

const SCOPES = Object.keys(ALERT_SCOPES.codes)
const rank = ({ derived, scope }: Alert): number => SCOPES.indexOf(scope) + (derived ? SCOPES.length : 0)
const keyOf = (nucleo: unknown, line: unknown): string => `${nucleo} ${line}`

function scopeOf(
  shown: CurrentAlert['shown'],
  thing: Omit<Concerned, 'lines'> & { readonly lines: ReadonlySet<string> },
  network: Pick<RailNetwork, 'routes'>,
): string | null {
  const { stop_id, route_id, lines } = thing
  if (stop_id !== undefined && shown.stop_ids.includes(stop_id)) return 'STATION'
  if (route_id !== undefined && shown.route_ids.includes(route_id)) return 'ROUTE'
  // An alert that names stations concerns these, not all of the line. So does a train in the timetable, even without stops
  // ahead.
  const isOfLine = shown.stop_ids.length === 0 && !(shown.derived && shown.route_ids.length > 0)
  return isOfLine && namedLines(shown, network).some((key) => lines.has(key)) ? 'LINE' : null
}

/** Lines with their núcleo: of the routes that an alert names, else of its hashtags or the trip that it is about. */
function namedLines(shown: CurrentAlert['shown'], { routes }: Pick<RailNetwork, 'routes'>): string[] {
  const { derived, route_ids, hashtags, lines, nucleo_codes } = shown
  const named = route_ids.flatMap((id) => routes.get(id) ?? [])
  if (named.length > 0) return named.map(({ nucleo_code, short_name }) => keyOf(nucleo_code, short_name))
  if (derived) return lines.flatMap((line) => nucleo_codes.map((nucleo) => keyOf(nucleo, line)))
  return hashtags.map(({ nucleo_code, line }) => keyOf(nucleo_code, line))
}
