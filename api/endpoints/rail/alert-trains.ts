import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import type { MemoryAsk, State, StatesOf } from '../../kernel/endpoint.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type AlertRow, toAlert } from './alert.ts'
import { alertsOfTrains, type TrainAlert } from './duplicate-alerts.ts'
import { tripUpdatesIn, VARIANT_AT } from './live-trips.ts'
import { type DayTrip, runDate, type TimetableDay, timetableDay } from './timetable-day.ts'

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
