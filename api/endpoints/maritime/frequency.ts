import { dateAfter, datesBetween, madridDate, serviceStart } from '../../../lake/schema/time.ts'
import { field, type ValueOf } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import type { FerryConnection } from './ferry-network.ts'

const WEEK = 7
/** Days before today with possible future departures: those after midnight, in zones west of Madrid. */
const EARLIER_DAYS = 2

/** Fields of sailings on some days. */
export const frequencyFields = {
  from: field.date('First day in the timetable.', '2026-08-01'),
  to: field.date('Last day in the timetable.', '2026-08-31'),
  days: field.integer('Number of days in the timetable.', '1', 31),
  days_with_sailings: field.integer('Days with a sailing.', '1', 31),
  sailings: field.integer('Sailings on these days.', '1', 124),
  sailings_per_week: field.decimal('Sailings for seven days.', '1', 1, 28),
} as const

type Frequency = ValueOf<typeof frequencyFields>
type Days = FerryConnection['days']
const SEASONS = ['WINTER', 'WINTER', 'SPRING', 'SPRING', 'SPRING', 'SUMMER', 'SUMMER', 'SUMMER', 'AUTUMN', 'AUTUMN', 'AUTUMN', 'WINTER']

/** Sailings by season, for the part of each in the timetable. */
export const seasonsOf = memo((connection: FerryConnection): readonly (Frequency & { readonly season: string })[] =>
  frequencies(connection, seasonOf).map(([season, frequency]) => ({ season, ...frequency })),
)

/** Sailings by month (YYYY-MM), for the part of each in the timetable. */
export const monthsOf = memo((connection: FerryConnection): readonly (Frequency & { readonly month: string })[] =>
  frequencies(connection, (date) => date.slice(0, 7)).map(([month, frequency]) => ({ month, ...frequency })),
)

/** Sailings on the seven service dates from one (YYYY-MM-DD) on. */
export function weekFrom({ days }: FerryConnection, date: string): number {
  let sailings = 0
  let day = date
  for (let nth = 0; nth < WEEK; nth++) {
    sailings += days.get(day)?.length ?? 0
    day = dateAfter(day)
  }
  return sailings
}

/** The first departure at or after an instant, ms since the epoch; null if the timetable has none. */
export function nextSailing({ days, timezone }: FerryConnection, now: number): number | null {
  let next: number | null = null
  const earliest = madridDate(now, -EARLIER_DAYS)
  // A service date may have departures after midnight, so later dates count until one begins after the departure found.
  for (const [date, departures] of days) {
    if (date < earliest) continue
    const start = serviceStart(date, timezone)
    if (next !== null && start > next) break
    const found = departures.find((seconds) => start + seconds * 1000 >= now)
    if (found !== undefined) next = Math.min(next ?? Number.POSITIVE_INFINITY, start + found * 1000)
  }
  return next
}

function seasonOf(date: string): string {
  return SEASONS[Number(date.slice(5, 7)) - 1] as string
}

/** The days of a timetable, in runs with the same name, with their sailings. */
function frequencies({ days, covered }: FerryConnection, nameOf: (date: string) => string): [name: string, Frequency][] {
  const runs: [name: string, dates: string[]][] = []
  for (const date of covered.from === '' ? [] : datesBetween(covered.from, covered.to)) {
    const last = runs.at(-1)
    if (last?.[0] === nameOf(date)) last[1].push(date)
    else runs.push([nameOf(date), [date]])
  }
  return runs.map(([name, dates]) => [name, frequencyOf(days, dates)])
}

function frequencyOf(days: Days, dates: readonly string[]): Frequency {
  const counts = dates.map((date) => days.get(date)?.length ?? 0)
  const sailings = counts.reduce((sum, count) => sum + count, 0)
  return {
    from: dates[0] as string,
    to: dates.at(-1) as string,
    days: dates.length,
    days_with_sailings: counts.filter((count) => count > 0).length,
    sailings,
    sailings_per_week: Math.round((10 * WEEK * sailings) / dates.length) / 10,
  }
}
