import type { Archive, ArchiveFile, DayRange } from './define.ts'

/** Length of a period's name, which is a shortened date. */
const LENGTHS = { year: 4, month: 7, day: 10 } as const
type Unit = keyof typeof LENGTHS

const DAY_MS = 86_400_000

/** The name of the period that a day (YYYY-MM-DD) is in. */
export function periodOf(unit: Unit, day: string): string {
  return day.slice(0, LENGTHS[unit])
}

/** True if a period has a day in the range. */
export function isWithin(period: string, { from, to }: DayRange): boolean {
  return period >= from.slice(0, period.length) && period <= to.slice(0, period.length)
}

/** The days of a range from the first that a publisher has, each with a file: for archives without a list. */
export function daysFrom(first: string, urlOf: (day: string) => string): Archive['files'] {
  return (_index, { from, to }) => {
    const begin = Date.parse(from < first ? first : from)
    const count = Math.max(0, Math.floor((Date.parse(to) - begin) / DAY_MS) + 1)
    return Array.from({ length: count }, (_, at) => {
      const period = new Date(begin + at * DAY_MS).toISOString().slice(0, 10)
      return { period, url: urlOf(period) }
    })
  }
}

/** The years of a range from the first to the last that a publisher has, each with a file: for archives without a list. */
export function yearsFrom(first: number, urlOf: (year: number) => string, last = 9999): Archive['files'] {
  return (_index, { from, to }) => {
    const [begin, end] = [Math.max(first, Number(from.slice(0, 4))), Math.min(last, Number(to.slice(0, 4)))]
    return Array.from({ length: Math.max(0, end - begin + 1) }, (_, at) => ({ period: String(begin + at), url: urlOf(begin + at) }))
  }
}

/** The period after one of a unit. */
function nextPeriod(unit: Unit, period: string): string {
  const date = new Date(`${period.padEnd(10, '-01')}T00:00:00Z`)
  if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1)
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCDate(date.getUTCDate() + 1)
  return periodOf(unit, date.toISOString())
}

/** The files of an archive in a range, one per period, in order, and the missing periods between the first and last listed. */
export interface Listing {
  readonly files: readonly ArchiveFile[]
  readonly gaps: readonly string[]
}

/**
 * Selects the files of a range from a publisher's list. Periods before the first or after the last file are unpublished, not
 * gaps. The last listed file of a period counts. Throws `RangeError` for a file whose period does not fit the unit. Parts are in
 * no range: all are returned, and none is a gap.
 */
export function listingOf(unit: Archive['unit'], listed: readonly ArchiveFile[], range: DayRange): Listing {
  const byPeriod = new Map(listed.map((file) => [file.period, file]))
  const periods = [...byPeriod.keys()].sort()
  if (unit === 'part') return { files: periods.map((period) => byPeriod.get(period) as ArchiveFile), gaps: [] }
  for (const period of periods)
    if (period.length !== LENGTHS[unit] || Number.isNaN(Date.parse(period))) throw new RangeError(`${period} names no ${unit}`)
  const gaps: string[] = []
  const last = periods.at(-1)
  for (let at = periods[0]; at !== undefined && last !== undefined && at < last; at = nextPeriod(unit, at))
    if (!byPeriod.has(at) && isWithin(at, range)) gaps.push(at)
  const files = periods.filter((period) => isWithin(period, range)).map((period) => byPeriod.get(period) as ArchiveFile)
  return { files, gaps }
}
