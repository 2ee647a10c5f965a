import {
  dropQualityDay,
  QUALITY_DAYS,
  type QualityDay,
  type QualityFeed,
  type QualityTable,
  qualityDates,
  writeQualityDay,
} from '../../lake/quality/days.ts'
import { scan } from '../../lake/query/scan.ts'
import { column, fieldName, join, outputName, sql } from '../../lake/query/sql.ts'
import { type AcceptedFetch, acceptedFrom, rejectedIds } from '../../lake/raw/archive.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import { dayBounds, MADRID, madridDate } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { PATIENCE_MS } from '../ingest/tables.ts'

/** A day is looked at so long after its end, ms: what is late has mostly landed by then. */
const SETTLED_MS = 6 * 3_600_000
/** Days that the first run looks back. */
const FIRST_DAYS = 31
/** A feed is stale at so many cadences: a gap is longer. */
const GAP_CADENCES = 3
/** The time in an id of a fetch, `<feed>.20260102T122328413Z`. */
const FETCHED = /\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/

/**
 * Makes the figures of each day of Madrid that is over and has none, in order, from the logs of the feeds and one query over each table for
 * all of these days together: a month of sensor readings is read once, not once a day. Old figures go.
 */
export async function gatherQuality(
  context: IngestContext,
  over: { readonly datasets: readonly Dataset[]; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<void> {
  const { store } = context
  const as_of = await store.now()
  const [last, oldest] = [madridDate(as_of - SETTLED_MS, -1), madridDate(as_of, -QUALITY_DAYS)]
  const written = await qualityDates(store)
  const newest = written.at(-1)
  const first = newest === undefined ? madridDate(as_of, -FIRST_DAYS) : nextDate(newest)
  const dates: string[] = []
  for (let date = first > oldest ? first : oldest; date <= last; date = nextDate(date)) dates.push(date)
  if (dates.length > 0) {
    const days = await figuresOf(context, over, dates)
    // Of days before the service began there is nothing to tell.
    const begin = newest === undefined ? days.findIndex(isTold) : 0
    for (const day of begin < 0 ? [] : days.slice(begin)) {
      over.signal.throwIfAborted()
      if (await writeQualityDay(store, { ...day, as_of })) context.log.info({ date: day.date }, 'quality of a day gathered')
    }
  }
  for (const date of written.filter((one) => one < oldest)) await dropQualityDay(store, date)
}

function isTold({ feeds, tables }: Pick<QualityDay, 'feeds' | 'tables'>): boolean {
  return Object.values(feeds).some(({ publications }) => publications > 0) || Object.values(tables).some(({ rows }) => rows > 0)
}

async function figuresOf(
  context: IngestContext,
  { datasets, feeds, signal }: Parameters<typeof gatherQuality>[1],
  dates: readonly string[],
): Promise<Omit<QualityDay, 'as_of'>[]> {
  const range = { from: dayBounds(dates[0] as string).start, to: dayBounds(dates.at(-1) as string).end }
  const byFeed = new Map<string, ReadonlyMap<string, QualityFeed>>()
  for (const feed of feeds) {
    signal.throwIfAborted()
    byFeed.set(feed.id, await feedDays(context, feed, { dates, ...range }))
  }
  const byTable = new Map<string, ReadonlyMap<string, QualityTable>>()
  for (const dataset of datasets.filter(({ visibility }) => visibility === 'public')) {
    signal.throwIfAborted()
    const filled = feeds.filter(({ into }) => into.includes(dataset)).map(({ id }) => id)
    byTable.set(dataset.id, await tableDays(context, dataset, { ...range, feeds: filled, signal }))
  }
  return dates.map((date) => ({ date, feeds: of(byFeed, date), tables: of(byTable, date) }))
}

function of<T>(all: ReadonlyMap<string, ReadonlyMap<string, T>>, date: string): Record<string, T> {
  return Object.fromEntries([...all].flatMap(([id, days]) => (days.has(date) ? [[id, days.get(date) as T]] : [])))
}

/** The figures of a feed by date, from the records of its log. */
async function feedDays(
  { store }: IngestContext,
  feed: Feed,
  range: { readonly dates: readonly string[]; readonly from: number },
): Promise<ReadonlyMap<string, QualityFeed>> {
  const accepted = Map.groupBy(await acceptedFrom(store, feed.id, range.from), ({ data_time }) => madridDate(Date.parse(data_time)))
  const rejected = Map.groupBy(await rejectedIds(store, feed.id), (id) => madridDate(fetchedAt(id)))
  return new Map(
    range.dates.map((date) => [
      date,
      feedDay(feed, date, { accepted: accepted.get(date) ?? [], rejected: rejected.get(date)?.length ?? 0 }),
    ]),
  )
}

function feedDay(
  { every_s }: Pick<Feed, 'every_s'>,
  date: string,
  { accepted, rejected }: { readonly accepted: readonly AcceptedFetch[]; readonly rejected: number },
): QualityFeed {
  const { start, end } = dayBounds(date)
  const times = [start, ...accepted.map(({ data_time }) => Date.parse(data_time)), end].sort((one, other) => one - other)
  const waits_s = times.slice(1).map((time, at) => (time - (times[at] as number)) / 1000)
  const late_s = accepted
    .map(({ fetched_at, data_time }) => Math.round((Date.parse(fetched_at) - Date.parse(data_time)) / 1000))
    .sort((one, other) => one - other)
  const sum = (of: (fetch: AcceptedFetch) => number): number => accepted.reduce((total, fetch) => total + of(fetch), 0)
  return {
    publications: accepted.length,
    expected: Math.floor((end - start) / 1000 / every_s),
    gaps: waits_s.filter((wait_s) => wait_s > GAP_CADENCES * every_s).length,
    longest_gap_s: Math.round(Math.max(...waits_s)),
    lateness_median_s: late_s[Math.floor((late_s.length - 1) / 2)] ?? null,
    lateness_max_s: late_s.at(-1) ?? null,
    quarantined: sum(({ quarantined }) => quarantined),
    unknown_codes: sum(({ unknown_codes }) => unknown_codes),
    rejected,
  }
}

/** The figures of a table by date; of a date without rows there are none, but for one that feeds fill. */
async function tableDays(
  context: IngestContext,
  dataset: Dataset,
  {
    from,
    to,
    feeds,
    signal,
  }: { readonly from: number; readonly to: number; readonly feeds: readonly string[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, QualityTable>> {
  const date = sql`CAST(timezone(${MADRID}, ${column(dataset, dataset.time)}) AS DATE)`
  // Of a point the latitude tells of both.
  const fields = physicalFields(tableColumns(dataset)).filter(({ required, part }) => !required && part !== 'lon')
  const counts = fields.map((field) => sql`count(${fieldName(field)}) AS ${outputName(field.columnName)}`)
  const columns: Columns = {
    ...Object.fromEntries(fields.map(({ columnName }) => [columnName, COUNT])),
    ...{ quality_date: col.local_date(0, 'Day.'), quality_rows: COUNT },
  }
  const rows = await context.lake.query(
    sql`
      SELECT ${join([sql`${date} AS quality_date`, sql`count(*) AS quality_rows`, ...counts])}
      FROM ${scan(dataset, { [dataset.time]: { gte: from, lt: to } })}
      GROUP BY quality_date`,
    { timeout_ms: PATIENCE_MS, signal, columns },
  )
  const found = rows.map((row): [string, QualityTable] => {
    const all = Number(row['quality_rows'])
    const nulls = fields.map(({ columnName }) => [columnName, round(1 - Number(row[columnName]) / all)])
    return [row['quality_date'] as string, { rows: all, nulls: Object.fromEntries(nulls), feeds }]
  })
  const none: QualityTable = { rows: 0, nulls: {}, feeds }
  const days = new Map<string, QualityTable>(found)
  for (let day = madridDate(from); feeds.length > 0 && day < madridDate(to); day = nextDate(day)) if (!days.has(day)) days.set(day, none)
  return days
}

const COUNT = col.integer(0, 'Count.', { long: true, unit: '1' })
const round = (share: number): number => Math.round(share * 1e6) / 1e6

function nextDate(date: string): string {
  return madridDate(dayBounds(date).start, 1)
}

function fetchedAt(id: string): number {
  const [, year, month, day, hour, minute, second, ms] = FETCHED.exec(id) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
