import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import type { MemoryAsk, State, StatesOf } from '../../define/endpoint.ts'
import { memo } from '../../define/memo.ts'
import { type AlertRow, toAlert } from './alert.ts'
import { alertsOfTrains, type TrainAlert } from './alert-twins.ts'
import { tripUpdatesIn, VARIANT_AT } from './live-trips.ts'
import { runDate } from './run-date.ts'
import { type DayTrip, type TimetableDay, timetableDay } from './timetable-day.ts'

/** A current alert: its row, with what the timetable tells of the train that it is about, and as lists show it. */
export interface CurrentAlert {
  readonly row: AlertRow
  readonly shown: ReturnType<typeof toAlert>
}

const DAY_MS = 86_400_000

type AlertState = State<typeof railAlerts>
type AlertStates = StatesOf<typeof ALERT_STATES>

/** Service days that are looked up. A train of another day stays without what its timetable tells. */
const DAYS_MOST = 3

/** The states that current alerts are made of. */
export const ALERT_STATES = [railAlerts, railTripUpdates] as const

/** Current alerts: those of lists, and all. */
interface CurrentAlerts {
  readonly listed: readonly CurrentAlert[]
  readonly all: readonly CurrentAlert[]
}

/**
 * The current alerts. Those of trains have route, stations and product by the timetable of their service day, which the live feeds do not
 * state; if a timetable cannot be read, they are left out. Made once for each publication and timetable. 491 of the 496 late or cancelled
 * long-distance trains of 2026-03-28 are in the timetable of the day. `alertsOfTrains` decides about trains of two networks.
 */
export async function currentAlerts(states: AlertStates, extra: MemoryAsk<readonly []>['extra']): Promise<CurrentAlerts> {
  const [state, updates] = states
  const read = await Promise.all(datesOf(state).map((date) => extra(timetableDay, date)))
  const days = read.filter((day) => day !== null)
  return alertsOfDays(state, updates, ...days)
}

const alertsOfDays = memo((state: AlertState, updates: AlertStates[1], ...days: readonly TimetableDay[]): CurrentAlerts => {
  const at = Math.max(0, ...state.parts.map(({ data_time }) => data_time))
  const trains = alertsOfTrains(
    // What is kept although its block is missing is of when it was published last.
    state.rows.flatMap((row) => (row.derived ? trainAlert(row, days, row.is_stale ? row.updated_at : at) : [])),
    tripUpdatesIn(updates, days, at),
  )
  const all: CurrentAlert[] = []
  const listed: CurrentAlert[] = []
  for (const row of state.rows) {
    const train = trains.get(row)
    const told = train ? { ...row, service_date: train.day.date, train: train.tells } : row
    const alert = { row: told, shown: toAlert(told) }
    all.push(alert)
    if (!train || train.isListed) listed.push(alert)
  }
  return { listed, all }
})

/** The service dates that trains of alerts may be of, in order: those stated, and the day before the newest, of which trains run in the morning. */
function datesOf({ rows }: AlertState): string[] {
  const stated = rows.flatMap(({ derived, service_date }) => (derived && service_date !== null ? [service_date] : []))
  const newest = stated.reduce((last, date) => (date > last ? date : last), '')
  if (newest === '') return []
  const before = new Date(Date.parse(newest) - DAY_MS).toISOString().slice(0, 10)
  return [...new Set([...stated, before])].sort().slice(-DAYS_MOST)
}

/** The alert of a train as of an instant (ms), with its trips by the timetable; nothing where none has it. */
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
