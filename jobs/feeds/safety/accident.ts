import type { SourceVariable } from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, instantOf, MADRID, offsetAt } from '../../../lake/schema/time.ts'
import { ckanResources } from '../../formats/ckan.ts'
import { type ArchiveFile, type FeedBody, type FeedSpec, FormatError, lookUp } from '../define.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** When something happened, as exactly as its local date and time allow; instants in ms. */
export interface LocalSpan {
  readonly period_start: number
  /** Not included. */
  readonly period_end: number
  /** Null if only a day or month is known, or the clock changed in that hour. */
  readonly occurred_at: number | null
  readonly time_precision: 'MINUTE' | 'HOUR' | 'DAY' | 'MONTH'
  readonly isClockChange: boolean
}

/**
 * The span of a local date (YYYY-MM-DD) and hour or minute (`HH` or `HH:MM`), or of the whole day without a time. Null if the
 * date or time is invalid.
 */
export function spanOf(date: string, time: string | null, zone: string = MADRID): LocalSpan | null {
  if (time === null) {
    if (Number.isNaN(instantOf(date, '00:00', { zone }))) return null
    const { start, end } = dayBounds(date, zone)
    return { period_start: start, period_end: end, occurred_at: null, time_precision: 'DAY', isClockChange: false }
  }
  const isHour = !time.includes(':')
  const clock = isHour ? `${time}:00` : time
  const earlier = instantOf(date, clock, { zone })
  if (Number.isNaN(earlier)) return null
  const later = instantOf(date, clock, { zone, near: Number.POSITIVE_INFINITY })
  const long = isHour ? HOUR_MS : MINUTE_MS
  // An hour skipped in March is read as an hour later: then the clock shows another hour than the given one.
  const shown = new Date(earlier + offsetAt(earlier, zone)).toISOString().slice(11, 16)
  const isClockChange = later !== earlier || shown !== clock.padStart(5, '0')
  return {
    period_start: earlier,
    period_end: later + long,
    occurred_at: isClockChange ? null : earlier,
    time_precision: isHour ? 'HOUR' : 'MINUTE',
    isClockChange,
  }
}

/** The span of a month, 1 to 12, by the clock of a zone. */
export function monthSpan(year: number, month: number, zone: string): LocalSpan {
  const first = (y: number, m: number): number => dayBounds(new Date(Date.UTC(y, m, 1)).toISOString().slice(0, 10), zone).start
  return {
    period_start: first(year, month - 1),
    period_end: first(year, month),
    occurred_at: null,
    time_precision: 'MONTH',
    isClockChange: false,
  }
}

/** The day of the week of a date, 1 Monday to 7 Sunday. */
export function weekdayOf(date: string): number {
  return ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1
}

/** An accident as returned by feeds. */
export type Accident = FeedRow<typeof roadAccidents>

/** Numbers of victims; null if the source does not state them. */
export interface Harm {
  readonly killed: number | null
  readonly hospitalised: number | null
  readonly slight: number | null
}

/** Fields that every accident has. */
type Known = Pick<Accident, 'source' | 'edition' | 'accident_id' | 'year' | 'month'>

/** A row without values. */
const NOTHING = Object.freeze({
  ...Object.fromEntries(Object.keys(roadAccidents.columns).map((name) => [name, null])),
  priority_rules: [],
}) as unknown as Accident

/** An accident's row: null for absent values, severity from the counts, and the reasons for absent values. */
export function accidentOf(
  known: Known & Partial<Accident>,
  given: { readonly span: LocalSpan; readonly harm: Harm; readonly absent: Readonly<Record<string, string>> },
): Accident {
  const { isClockChange, ...span } = given.span
  const absent = isClockChange ? { ...given.absent, occurred_at: 'CLOCK_CHANGE' } : given.absent
  const severity = severityOf(given.harm)
  return {
    ...NOTHING,
    ...known,
    ...span,
    severity,
    is_casualty: severity !== 'NONE' && severity !== 'UNKNOWN',
    absent: Object.keys(absent).length > 0 ? { ...absent } : null,
  }
}

/** The worst harm to a person; unknown if no count shows any and one is missing. */
export function severityOf({ killed, hospitalised, slight }: Harm): string {
  if (killed !== null && killed > 0) return 'FATAL'
  if (hospitalised !== null && hospitalised > 0) return 'SERIOUS'
  if (slight !== null && slight > 0) return 'SLIGHT'
  return killed === null || hospitalised === null || slight === null ? 'UNKNOWN' : 'NONE'
}

/** The meaning of a source's value. */
export interface CodedValue {
  readonly code: string | null
  /** Why there is no code, if the source states it. */
  readonly reason: string | null
}

/**
 * The code of a source's value (null: none published), or the reason why there is none. An unlisted value stays as it is: the
 * row check counts it and moves it to `<column>_source`. Case and accents are ignored.
 */
export function codedBy(variable: SourceVariable, value: string | null, absent: Readonly<Record<string, string>>): CodedValue {
  if (value === null) return { code: null, reason: null }
  const reason = lookUp(absent, value)
  if (reason !== undefined) return { code: null, reason }
  const code = Object.hasOwn(variable.values, value) ? variable.values[value] : valueByName(variable, value)
  return code === null ? { code: null, reason: 'UNKNOWN' } : { code: code ?? value, reason: null }
}

const names = new WeakMap<SourceVariable, ReadonlyMap<string, string | null>>()

function valueByName(variable: SourceVariable, value: string): string | null | undefined {
  const known = names.get(variable) ?? new Map(Object.entries(variable.values).map(([text, code]) => [foldName(text), code]))
  names.set(variable, known)
  const name = foldName(value)
  return name === '' ? undefined : known.get(name)
}

/** The same for a yes-or-no column; an unlisted value is passed to `unknown` and becomes null. */
export function codedIf(
  variable: SourceVariable,
  value: string | null,
  options: { readonly absent: Readonly<Record<string, string>>; readonly unknown: (value: string) => void },
): { readonly is: boolean | null; readonly reason: string | null } {
  const { code, reason } = codedBy(variable, value, options.absent)
  if (code !== null && code !== 'true' && code !== 'false') options.unknown(code)
  return { is: code === 'true' ? true : code === 'false' ? false : null, reason }
}

/** The most frequent value, the smallest of several; null if there is none. */
export function mostOf(values: Iterable<number>): number | null {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [most] = [...counts].sort(([one, count], [other, others]) => others - count || one - other)
  return most?.[0] ?? null
}

/** Media types of accident files, beside the expected format. */
const ACCEPTS = { csv: 'text/csv', zip: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' } as const
const YEAR = /^\d{4}$/

/** What accident feeds declare about their file. */
interface AccidentFile {
  readonly into: Dataset
  /** The address of the file; for an archive, of any of its years. */
  readonly url: string
  readonly expects: keyof typeof ACCEPTS
  readonly maxBytes: number
  /** `maxBytes` by default: uncompressed text. */
  readonly maxDecodedBytes?: number
  /** Minimum rows of a year, and minimum ratio to the previous file of the year. */
  readonly atLeast: number
  readonly minRatio: number
}

/** Common properties of accident feeds: a single file, checked once a week, whose growth is unlimited. */
export function accidentFile(file: AccidentFile): Pick<FeedSpec, 'into' | 'every_s' | 'get' | 'freshBy' | 'bands'> {
  const { into, url, expects, maxBytes, maxDecodedBytes = maxBytes, atLeast, minRatio } = file
  const timeout_ms = maxBytes > 100_000_000 ? 300_000 : 120_000
  return {
    into: [into],
    every_s: 7 * 86_400,
    get: { name: 'accidents', url, accept: ACCEPTS[expects], maxBytes, maxDecodedBytes, timeout_ms, expects },
    freshBy: 'fetch',
    bands: { [into.id]: { atLeast, minRatio, maxRatio: 1000 } },
  }
}

/** Years of an archive checked each week: those of black spots, which use three years, the newest growing every month. */
export const RECENT_YEARS = 3

/**
 * The files of years in answers to `package_show`: those whose address matches. The year comes from a group of the pattern,
 * else from the list. Of several files of a year, the last by `prefers` counts.
 */
export function listedYears(
  index: readonly FeedBody[],
  wanted: { readonly path: RegExp; readonly first: number; readonly prefers: (url: string) => number },
): ArchiveFile[] {
  const found = index.flatMap(({ bytes }) =>
    ckanResources(bytes).flatMap(({ name, description, url }): ArchiveFile[] => {
      if (typeof url !== 'string' || !URL.canParse(url)) return []
      const match = wanted.path.exec(new URL(url).pathname)
      if (!match) return []
      const period = match.slice(1).find((year) => year !== undefined) ?? yearIn(name) ?? yearIn(description)
      return period === null || Number(period) < wanted.first ? [] : [{ period, url }]
    }),
  )
  return found.sort((one, other) => wanted.prefers(one.url) - wanted.prefers(other.url))
}

/** The only year in a text; null if there is none or several. */
function yearIn(text: unknown): string | null {
  const years = new Set(typeof text === 'string' ? text.match(/(?<!\d)20\d\d(?!\d)/g) : [])
  return years.size === 1 ? ([...years][0] as string) : null
}

/**
 * The edition of a file: the requested year (the body's name), else the year of most of its accidents. Throws `FormatError` if
 * these differ: a file under another's address would replace it.
 */
export function editionOf(prefix: string, { name }: Pick<FeedBody, 'name'>, years: Iterable<number>): string {
  const year = mostOf(years)
  if (YEAR.test(name) && year !== null && Number(name) !== year) throw new FormatError(`the file of ${name} has accidents of ${year}`)
  return `${prefix}-${YEAR.test(name) ? name : year}`
}
