import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { type GtfsColumns, type GtfsRecords, gtfsRoot, readGtfs } from '../../formats/gtfs.ts'
import { openZip, type Zip } from '../../formats/zip.ts'
import { type Batch, batch, type Diagnostics, type FeedBody } from '../define.ts'
import { lookUp } from '../look-up.ts'
import type { Get } from '../request.ts'
import { type CalendarRules, type GtfsCalendar, MOST_DAYS, readCalendar } from './calendar.ts'

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
