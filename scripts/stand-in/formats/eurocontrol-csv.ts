import type { Airport } from '../world/aviation/airports.ts'
import type { AirportDay } from '../world/aviation/days.ts'

const LETTERS = ['A', 'C', 'D', 'E', 'G', 'I', 'M', 'N', 'O', 'P', 'R', 'S', 'T', 'V', 'W', 'NA'] as const
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const DAY_MS = 86_400_000

/** A line's values after the columns of the day. */
type Line = readonly (string | number)[]

/** A file of a year: the columns of the day, then those of the lines. It has all days of the year so far. */
export function eurocontrolCsv(
  columns: readonly string[],
  days: Iterable<number>,
  of: { readonly linesOf: (day: number) => readonly Line[]; readonly hasUnknownCodes: boolean },
): string {
  const more = of.hasUnknownCodes ? ['PIVOT_NEW'] : []
  const lines = [['YEAR', 'MONTH_NUM', 'MONTH_MON', 'FLT_DATE', ...columns, ...more].join()]
  for (const day of days) {
    const date = new Date(day * DAY_MS).toISOString()
    const month = Number(date.slice(5, 7))
    const begin = [date.slice(0, 4), month, MONTHS[month - 1], `${date.slice(0, 10)}T00:00:00Z`]
    for (const line of of.linesOf(day)) lines.push([...begin, ...line, ...more.map(() => 'X')].join())
  }
  return `${lines.join('\n')}\n`
}

/** Columns and lines of airports' traffic. */
export const TRAFFIC = {
  columns: 'APT_ICAO,APT_NAME,STATE_NAME,FLT_DEP_1,FLT_ARR_1,FLT_TOT_1,FLT_DEP_IFR_2,FLT_ARR_IFR_2,FLT_TOT_IFR_2'.split(','),
  line: ({ icao, municipality, movements_k }: Airport, { departures, arrivals }: AirportDay): Line => {
    // Only the larger airports report their own numbers.
    const reported = movements_k >= 40 ? [departures + 1, arrivals, departures + arrivals + 1] : ['', '', '']
    return [icao, `"${municipality}"`, 'Spain', departures, arrivals, departures + arrivals, ...reported]
  },
}

/** Columns and lines of arrival delays by airport. */
export const ARRIVAL_DELAYS = {
  columns: [
    ...['APT_ICAO', 'APT_NAME', 'STATE_NAME', 'FLT_ARR_1', 'DLY_APT_ARR_1', ...LETTERS.map((letter) => `DLY_APT_ARR_${letter}_1`)],
    ...['FLT_ARR_1_DLY', 'FLT_ARR_1_DLY_15'],
  ],
  line: ({ icao, municipality }: Airport, day: AirportDay): Line => [icao, `"${municipality}"`, 'Spain', day.arrivals, ...delayCells(day)],
}

/** Columns and lines of en-route delays by provider or region. */
export const ENROUTE_DELAYS = {
  columns: [
    ...['ENTITY_NAME', 'ENTITY_TYPE', 'FLT_ERT_1', 'DLY_ERT_1', ...LETTERS.map((letter) => `DLY_ERT_${letter}_1`)],
    ...['FLT_ERT_1_DLY', 'FLT_ERT_1_DLY_15'],
  ],
  line: (name: string, type: string, day: AirportDay): Line => [name, type, day.arrivals, ...delayCells(day)],
}

/** Delay, its causes and delayed flights; all empty on a day without delays. */
function delayCells({ weather, capacity, delayed }: AirportDay): Line {
  if (weather + capacity === 0) return Array.from({ length: LETTERS.length + 3 }, () => '')
  const minutes: Partial<Record<(typeof LETTERS)[number], number>> = { W: weather, G: capacity }
  return [weather + capacity, ...LETTERS.map((letter) => minutes[letter] ?? 0), delayed, Math.floor(delayed / 2)]
}
