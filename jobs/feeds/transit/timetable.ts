import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { type GtfsColumns, type GtfsRecords, gtfsRoot, readGtfs } from '../../formats/gtfs.ts'
import { openZip, type Zip } from '../../formats/zip.ts'
import { type Batch, batch, type Diagnostics, type FeedBody, FormatError, type Get, lookUp } from '../define.ts'

/** Bytes that an archive may unpack to: the largest has 305 MB. */
const MOST_UNPACKED = 1_000_000_000
/** Calendar rows per batch. */
const BATCH = 4096
const ACCESS: Readonly<Record<string, boolean | null>> = { '0': null, '1': true, '2': false }

/** How a timetable's versions are named, and its calendar read. */
export interface TimetableRules extends CalendarRules {
  readonly network: string
  /** Prefix of its version names. */
  readonly prefix: string
}

/** A timetable while it is read. */
export interface Timetable {
  readonly zip: Zip
  readonly calendar: GtfsCalendar
  /** The first columns of each of its rows. */
  readonly version: { readonly network: string; readonly timetable_version: string; readonly valid_from: number }
  readonly diagnostics: Diagnostics
}

/** The request of a GTFS archive. */
export function archiveRequest(url: string): Get {
  return { name: 'timetable', url, maxBytes: 64_000_000, maxDecodedBytes: MOST_UNPACKED, timeout_ms: 240_000, expects: 'zip' }
}

/**
 * Opens the GTFS archive of a body and reads its calendar, which names the version. `servicesOf` returns the services that
 * count, by default all.
 */
export async function openTimetable(
  { bytes }: FeedBody,
  rules: TimetableRules,
  diagnostics: Diagnostics,
  servicesOf?: (zip: Zip) => Promise<ReadonlySet<string>>,
): Promise<Timetable> {
  const zip = gtfsRoot(await openZip(bytes, { maxBytes: MOST_UNPACKED }))
  const calendar = await readCalendar(zip, rules, await servicesOf?.(zip))
  const { first, validFrom } = calendar
  const version = { network: rules.network, timetable_version: `${rules.prefix}-${first}`, valid_from: validFrom }
  return { zip, calendar, version, diagnostics }
}

/** How the records of a member become rows of a dataset. */
interface MemberRows<D extends Dataset> extends GtfsColumns {
  readonly member: string
  /** The row of a record; null without an id (the record is rejected), undefined if left out on purpose. */
  readonly row: (records: GtfsRecords) => FeedRow<D> | null | undefined
}

/** Rows of a member, one per record; records without an id or with another number of fields are counted. */
export async function* memberRows<D extends Dataset>(timetable: Timetable, dataset: D, spec: MemberRows<D>): AsyncGenerator<Batch> {
  for await (const records of readGtfs(timetable.zip, spec.member, spec)) {
    const rows: FeedRow<D>[] = []
    while (records.next()) {
      const row = records.isWhole ? spec.row(records) : null
      if (row === null) refuse(timetable, dataset, records)
      else if (row !== undefined) rows.push(row)
    }
    yield batch(dataset, rows)
  }
}

/** Counts a record that makes no row. */
export function refuse({ diagnostics }: Timetable, dataset: Dataset, records: GtfsRecords): void {
  diagnostics.reject(dataset, records.isWhole ? 'no id' : 'another number of fields', records.line)
}

/** Whether wheelchairs, bicycles or cars are allowed, by GTFS code: 1 yes, 2 no, 0 or empty unknown; others are counted. */
export function accessOf(code: string | null, diagnostics: Diagnostics, list = 'gtfs_wheelchair'): boolean | null {
  if (code === null) return null
  const known = lookUp(ACCESS, code)
  if (known === undefined) diagnostics.unknownCode(list, code)
  return known ?? null
}

/** Rows of the days on which services run; `row` makes the row of a service's day. */
export function* calendarRows<D extends Dataset>(
  { calendar, diagnostics }: Timetable,
  dataset: D,
  row: (service_id: string, service_date: string) => FeedRow<D>,
): Generator<Batch> {
  const { bad, days } = calendar
  for (let count = 0; count < bad.count; count++) diagnostics.reject(dataset, 'a service or exception without sensible dates', bad.sample)
  for (let count = 0; count < calendar.early; count++)
    diagnostics.warn(`a service runs before ${calendar.first}, when the timetable begins`)
  for (let count = 0; count < calendar.cut; count++) diagnostics.warn(`a service runs for more than ${MOST_DAYS} days and was cut`)
  for (let count = 0; count < calendar.offWeekday; count++) diagnostics.warn('weekdays of a service leave out its only day')
  let rows: FeedRow<D>[] = []
  for (const [service_id, dates] of days) {
    for (const service_date of dates) rows.push(row(service_id, service_date))
    if (rows.length < BATCH) continue
    yield batch(dataset, rows)
    rows = []
  }
  yield batch(dataset, rows)
}

/** When the services of a timetable run. */
interface GtfsCalendar {
  /** First day on which a fair share of the services runs, YYYY-MM-DD: it names the version. */
  readonly first: string
  /** Services with an earlier day: a few at most, with wrong dates. */
  readonly early: number
  /** Begin of that day in Madrid, ms since the epoch. */
  readonly validFrom: number
  /** Days on which each service runs, YYYY-MM-DD, in order; by service id. */
  readonly days: ReadonlyMap<string, readonly string[]>
  /** Services of one day whose weekdays exclude it: the publisher runs them all the same. */
  readonly offWeekday: number
  /** Services whose end is too far ahead, and was cut. */
  readonly cut: number
  /** Invalid calendar rows: how many, and the first one. */
  readonly bad: { readonly count: number; readonly sample: string }
}

const DAY_MS = 86_400_000
/**
 * Share of the busiest day's services that run on a timetable's first day, so that a few rows with an early date do not name
 * it. In five recorded timetables the first day has 0.85 to 1.00 of them, and no day of the first week less than 0.72.
 */
const FIRST_SHARE = 0.25
/** Most days of a service. A longer one is a mistake in its dates, or is cut: Mallorca publishes ten years ahead. */
const MOST_DAYS = 1100
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const [SERVICE, START, END] = [0, 1, 2]
const FIRST_WEEKDAY = 3
const [DATE, EXCEPTION] = [1, 2]

const RANGE_COLUMNS = { requires: ['service_id', 'start_date', 'end_date', ...WEEKDAYS] }

interface Service {
  /** Days since 1970, both inclusive. */
  readonly from: number
  readonly to: number
  /** From Sunday on. */
  readonly weekdays: readonly boolean[]
}

/** Which of the two calendar members an archive must have; GTFS requires either. */
interface CalendarRules {
  /**
   * True if calendar.txt covers all days and only the exceptions define the timetable: without them an archive is incomplete.
   */
  readonly needsExceptions: boolean
  /** False if calendar_dates.txt alone may list all days. */
  readonly needsRanges: boolean
  /** True if services that run too far ahead are cut; by default they are rejected. */
  readonly cutsLong?: boolean
}

/**
 * Reads which services run on which days: date ranges on weekdays, minus removed and plus added days; only the services in
 * `only`, by default all. Throws `FormatError` if a network that needs ranges or exceptions has none.
 */
async function readCalendar(
  zip: Zip,
  { needsExceptions, needsRanges, cutsLong = false }: CalendarRules,
  only: ReadonlySet<string> | null = null,
): Promise<GtfsCalendar> {
  const services = new Map<string, Service>()
  const bad = { count: 0, sample: '' }
  const refuse = (line: string): void => {
    if (bad.count++ === 0) bad.sample = line
  }
  const isLeftOut = (id: string | null): boolean => id !== null && only !== null && !only.has(id)
  let offWeekday = 0
  let cut = 0
  const ranges = needsRanges || zip.names.includes('calendar.txt') ? readGtfs(zip, 'calendar.txt', RANGE_COLUMNS) : []
  for await (const records of ranges)
    while (records.next()) {
      const id = records.text(SERVICE)
      if (isLeftOut(id)) continue
      const [from, end] = [dayOf(records.text(START)), dayOf(records.text(END))]
      const isLong = end - from > MOST_DAYS
      if (!records.isWhole || id === null || !(end >= from) || (isLong && !cutsLong)) {
        refuse(records.line)
        continue
      }
      if (isLong) cut++
      const to = isLong ? from + MOST_DAYS : end
      const weekdays = WEEKDAYS.map((_, at) => records.text(FIRST_WEEKDAY + at) === '1')
      // Without any weekday, the exceptions alone have the days.
      const isOff = from === to && !weekdays[weekdayOf(from)] && weekdays.includes(true)
      if (isOff) offWeekday++
      // On 2026-07-02, a Thursday, Zaragoza ran a Wednesday's service, on that day only.
      services.set(id, { from, to, weekdays: isOff ? WEEKDAYS.map(() => true) : weekdays })
    }
  if (needsRanges && services.size === 0) throw new FormatError('calendar.txt has no service')
  const exceptions = zip.names.includes('calendar_dates.txt')
    ? await readExceptions(zip, { refuse, isLeftOut })
    : new Map<string, Map<number, boolean>>()
  if (needsExceptions && exceptions.size === 0)
    throw new FormatError('calendar_dates.txt, which this timetable needs, is not there or has no day')
  const days = new Map([...services].map(([id, service]) => [id, daysOf(service, exceptions.get(id))]))
  for (const [id, added] of exceptions) if (!services.has(id)) days.set(id, daysOf(null, added))
  // Madrid's consortium adds holidays of the months before its ranges begin.
  const begins = [...services.values()].flatMap(({ from, weekdays }) => (weekdays.includes(true) ? [dateOf(from)] : [])).sort()
  const first = firstDayOf(days, begins[0] ?? '')
  const early = [...days.values()].filter(([day = first]) => day < first).length
  return { first, validFrom: instantOf(first, '00:00'), days, early, offWeekday, cut, bad }
}

/** The first day from `begin` on with at least `FIRST_SHARE` of the busiest day's services. Throws if none runs at all. */
function firstDayOf(days: ReadonlyMap<string, readonly string[]>, begin: string): string {
  const services = new Map<string, number>()
  for (const dates of days.values()) for (const date of dates) if (date >= begin) services.set(date, (services.get(date) ?? 0) + 1)
  const least = FIRST_SHARE * Math.max(...services.values())
  const [first] = [...services].flatMap(([date, count]) => (count >= least ? [date] : [])).sort()
  if (first === undefined) throw new FormatError('the calendar has no service that runs on any day')
  return first
}

/** By service and day since 1970: true for an added day, false for a removed one. */
async function readExceptions(
  zip: Zip,
  { refuse, isLeftOut }: { readonly refuse: (line: string) => void; readonly isLeftOut: (id: string | null) => boolean },
): Promise<Map<string, Map<number, boolean>>> {
  const exceptions = new Map<string, Map<number, boolean>>()
  for await (const records of readGtfs(zip, 'calendar_dates.txt', { requires: ['service_id', 'date', 'exception_type'] }))
    while (records.next()) {
      const id = records.text(SERVICE)
      if (isLeftOut(id)) continue
      const day = dayOf(records.text(DATE))
      const type = records.text(EXCEPTION)
      if (!records.isWhole || id === null || Number.isNaN(day) || (type !== '1' && type !== '2')) {
        refuse(records.line)
        continue
      }
      const ofService = exceptions.get(id)
      if (ofService) ofService.set(day, type === '1')
      else exceptions.set(id, new Map([[day, type === '1']]))
    }
  return exceptions
}

function daysOf(service: Service | null, exceptions: ReadonlyMap<number, boolean> | undefined): string[] {
  const days: number[] = []
  for (let day = service?.from ?? 0; service && day <= service.to; day++)
    if (service.weekdays[weekdayOf(day)] && exceptions?.get(day) !== false) days.push(day)
  const known = new Set(days)
  for (const [day, runs] of exceptions ?? []) if (runs && !known.has(day)) days.push(day)
  return days.sort((one, other) => one - other).map(dateOf)
}

/** Weekday of a day since 1970, 0 for Sunday; 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 4) % 7
}

/** Days since 1970 of YYYYMMDD; NaN for any other text. */
function dayOf(text: string | null): number {
  const match = /^(\d{4})(\d\d)(\d\d)$/.exec(text ?? '')
  if (!match) return Number.NaN
  const [, year, month, day] = match.map(Number) as [number, number, number, number]
  const at = Date.UTC(year, month - 1, day)
  return new Date(at).getUTCDate() === day ? at / DAY_MS : Number.NaN
}

const dates = new Map<number, string>()

/** YYYY-MM-DD of a day since 1970; cached, because a hundred thousand rows name some hundred days. */
function dateOf(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10)
  dates.set(day, text)
  return text
}
