import { createHash } from 'node:crypto'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { LiveFile } from '../../lake/iceberg/types.ts'
import { dropQualityDay, QUALITY_DAYS, type QualityFeed, qualityDates, writeQualityDay } from '../../lake/quality/days.ts'
import {
  type FileDays,
  readTableQuality,
  type TableDay,
  type TableQuality,
  tableQualitySeqs,
  writeTableQuality,
} from '../../lake/quality/tables.ts'
import { scan } from '../../lake/query/scan.ts'
import { column, fieldName, fieldOf, join, outputName, sql } from '../../lake/query/sql.ts'
import { type AcceptedFetch, acceptedAfter, acceptedFrom, rejectedIds } from '../../lake/raw/archive.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import { dateAfter, datesBetween, dayBounds, MADRID, madridDate } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { PATIENCE_MS } from '../ingest/tables.ts'

/**
 * How long a table must be unchanged before it is counted, ms; a table that changes all the time is counted when a day has
 * ended.
 */
const QUIET_MS = 3_600_000
/** Most rows read by one query, unless a single day has more: a backfill of years is counted in steps. */
const ROWS_AT_ONCE = 100_000_000

/** Inputs of a table's count. */
interface Look {
  /** The last ended day (YYYY-MM-DD). */
  readonly last: string
  /** The sequence number of the stored result, 0 if there is none. */
  readonly seq: number
  /** Feeds that fill the table. */
  readonly feeds: readonly string[]
  readonly signal: AbortSignal
}

/** A data file and the days of its rows. */
interface DatedFile {
  readonly rows: number
  readonly days: FileDays
}

/**
 * Counts a table's rows of ended days, for days whose data files were added or removed since the last count; other days keep
 * their result, so no row is read twice. A day's result is stored as long as the table has the day.
 */
async function lookAtTable(context: IngestContext, dataset: Dataset, look: Look): Promise<void> {
  const { store, log } = context
  const state = await context.lake.table(dataset).load()
  const { seq } = look
  const before = seq === 0 ? null : await readTableQuality(store, dataset.id, seq)
  const as_of = Math.floor(await store.now())
  if (state === null || (before?.last === look.last && as_of - state.metadata['last-updated-ms'] < QUIET_MS)) return
  const files = await datedFiles(state, dataset)
  const dates = changedDates(files, before, look.last)
  const listed = Object.fromEntries([...files].map(([name, { days }]) => [name, days]))
  if (dates.length === 0 && before?.last === look.last && Object.keys(listed).length === Object.keys(before.files).length) return
  const found = new Map<string, TableDay>()
  for (const run of runsOf(dates, files)) {
    look.signal.throwIfAborted()
    for (const [date, day] of await countRows(context, dataset, { run, state, as_of, signal: look.signal })) found.set(date, day)
  }
  const recounted = new Set(dates)
  const stay = Object.entries(before?.days ?? {}).filter(([date]) => !recounted.has(date))
  const days = Object.fromEntries([...stay, ...found].sort(([one], [other]) => (one < other ? -1 : 1)))
  const quality: TableQuality = { as_of, last: look.last, feeds: look.feeds, days, files: listed }
  if ((await writeTableQuality(store, dataset.id, { seq: seq + 1, quality })) && dates.length > 0)
    log.info({ dataset: dataset.id, days: dates.length }, 'days of a table counted')
}

/** A state's files by name, each with the days of its rows; files without rows are left out. */
async function datedFiles(state: TableState, dataset: Dataset): Promise<Map<string, DatedFile>> {
  const { id } = fieldOf(dataset, dataset.time)
  const dated = (file: LiveFile): [string, DatedFile][] => {
    const { lower, upper } = file.metrics.get(id) ?? { lower: null, upper: null }
    if (typeof lower !== 'bigint' || typeof upper !== 'bigint') return []
    return [[nameOf(file.key), { rows: file.rows, days: [dateOf(lower), dateOf(upper)] }]]
  }
  return new Map((await liveFiles(state)).flatMap(dated))
}

/** A file's short name, the start of its key's SHA-256: keys never repeat. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}

/** The day in Madrid of an instant in µs. */
function dateOf(instant_us: bigint): string {
  return madridDate(Number(instant_us / 1000n))
}

/** The days to recount, in order. */
function changedDates(files: ReadonlyMap<string, DatedFile>, before: TableQuality | null, last: string): string[] {
  const dates = new Set<string>()
  const add = ([first, end]: FileDays): void => {
    for (const date of datesBetween(first, end < last ? end : last)) dates.add(date)
  }
  const gone = Object.entries(before?.files ?? {}).filter(([name]) => !files.has(name))
  for (const [, days] of gone) add(days)
  for (const [name, { days }] of files) {
    if (!before || !Object.hasOwn(before.files, name)) add(days)
    else if (days[1] > before.last) add([days[0] > before.last ? days[0] : dateAfter(before.last), days[1]])
  }
  return [...dates].sort()
}

/** Consecutive days that are read together. */
function runsOf(dates: readonly string[], files: ReadonlyMap<string, DatedFile>): { readonly first: string; readonly last: string }[] {
  const runs: { first: string; last: string; rows: number }[] = []
  for (const date of dates) {
    const rows = rowsOf(date, files)
    const run = runs.at(-1)
    if (run && dateAfter(run.last) === date && run.rows + rows <= ROWS_AT_ONCE) Object.assign(run, { last: date, rows: run.rows + rows })
    else runs.push({ first: date, last: date, rows })
  }
  return runs
}

/** Upper estimate of a day's rows, assuming that each file's rows are spread evenly over its days. */
function rowsOf(date: string, files: ReadonlyMap<string, DatedFile>): number {
  let sum = 0
  for (const { rows, days } of files.values()) {
    const [first, last] = days
    if (first <= date && date <= last) sum += rows / ((Date.parse(last) - Date.parse(first)) / 86_400_000 + 1)
  }
  return sum
}

async function countRows(
  context: IngestContext,
  dataset: Dataset,
  asked: {
    readonly run: { readonly first: string; readonly last: string }
    readonly state: TableState
    readonly as_of: number
    readonly signal: AbortSignal
  },
): Promise<[string, TableDay][]> {
  const { run, state, as_of, signal } = asked
  const range = { gte: dayBounds(run.first).start, lt: dayBounds(run.last).end }
  const date = sql`CAST(timezone(${MADRID}, ${column(dataset, dataset.time)}) AS DATE)`
  // A point's latitude stands for both coordinates.
  const fields = physicalFields(tableColumns(dataset)).filter(({ required, part }) => !required && part !== 'lon')
  const counts = fields.map((field) => sql`count(${fieldName(field)}) AS ${outputName(field.columnName)}`)
  const columns: Columns = {
    ...Object.fromEntries(fields.map(({ columnName }) => [columnName, COUNT])),
    ...{ quality_date: col.local_date(0, 'Day.'), quality_rows: COUNT },
  }
  const rows = await context.lake.query(
    sql`
      SELECT ${join([sql`${date} AS quality_date`, sql`count(*) AS quality_rows`, ...counts])}
      FROM ${scan(dataset, { [dataset.time]: range })}
      GROUP BY quality_date`,
    { timeout_ms: PATIENCE_MS, signal, columns, pins: new Map([[dataset.id, state]]) },
  )
  return rows.map((row) => {
    const all = Number(row['quality_rows'])
    const nulls = fields.map(({ columnName }) => [columnName, round(1 - Number(row[columnName]) / all)])
    return [row['quality_date'] as string, { as_of, rows: all, nulls: Object.fromEntries(nulls) }]
  })
}

const COUNT = col.integer(0, 'Count.', { long: true, unit: '1' })
const round = (share: number): number => Math.round(share * 1e6) / 1e6

/** A day is counted this long after its end, ms: most late rows have landed by then. */
const SETTLED_MS = 6 * 3_600_000
/** A feed is stale after this many cadences: a gap is longer. */
const GAP_CADENCES = 3
/** The time in an id of a fetch, `<feed>.20260102T122328413Z`. */
const FETCHED = /\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/

/**
 * Computes quality figures of ended days (Madrid): for each table whatever changed since the last run, even if years old; for
 * feeds each day once, from their logs. Old feed figures are deleted.
 */
export async function gatherQuality(
  context: IngestContext,
  over: { readonly datasets: readonly Dataset[]; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<void> {
  const { store, log } = context
  const { datasets, feeds, signal } = over
  const as_of = Math.floor(await store.now())
  const [last, oldest] = [madridDate(as_of - SETTLED_MS, -1), madridDate(as_of, -QUALITY_DAYS)]
  // Before the feeds: if a day has feed figures but no table figures, the table had no rows that day.
  const seqs = await tableQualitySeqs(store)
  for (const dataset of datasets.filter(({ visibility }) => visibility === 'public')) {
    signal.throwIfAborted()
    const filledBy = feeds.filter(({ into }) => into.includes(dataset)).map(({ id }) => id)
    await lookAtTable(context, dataset, { last, seq: seqs.get(dataset.id) ?? 0, feeds: filledBy, signal })
  }
  const written = await qualityDates(store)
  const newest = written.at(-1)
  const begin = newest === undefined ? await firstDay(context, feeds) : dateAfter(newest)
  const dates = begin === null ? [] : datesBetween(begin > oldest ? begin : oldest, last)
  const byFeed = await feedsByDate(context, { feeds, dates, signal })
  for (const date of dates) {
    const figures = [...byFeed].map(([id, days]) => [id, days.get(date) as QualityFeed])
    if (await writeQualityDay(store, { date, as_of, feeds: Object.fromEntries(figures) })) log.info({ date }, 'quality of a day gathered')
  }
  for (const date of written.filter((one) => one < oldest)) await dropQualityDay(store, date)
}

/** The data day of the first publication in the logs; there are no figures before it. */
async function firstDay({ store }: IngestContext, feeds: readonly Feed[]): Promise<string | null> {
  const first = await Promise.all(feeds.map(({ id }) => acceptedAfter(store, id, 0, 1)))
  return first.flatMap((found) => found.map(({ data_time }) => madridDate(Date.parse(data_time)))).sort()[0] ?? null
}

async function feedsByDate(
  context: IngestContext,
  asked: { readonly feeds: readonly Feed[]; readonly dates: readonly string[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, ReadonlyMap<string, QualityFeed>>> {
  const { feeds, dates, signal } = asked
  const found = new Map<string, ReadonlyMap<string, QualityFeed>>()
  for (const feed of dates.length > 0 ? feeds : []) {
    signal.throwIfAborted()
    found.set(feed.id, await feedDays(context, feed, dates))
  }
  return found
}

/** The figures of a feed by date, from the records of its log. */
async function feedDays({ store }: IngestContext, feed: Feed, dates: readonly string[]): Promise<ReadonlyMap<string, QualityFeed>> {
  const from = dayBounds(dates[0] as string).start
  const accepted = Map.groupBy(await acceptedFrom(store, feed.id, from), ({ data_time }) => madridDate(Date.parse(data_time)))
  const rejected = Map.groupBy(await rejectedIds(store, feed.id), (id) => madridDate(fetchedAt(id)))
  return new Map(
    dates.map((date) => [date, feedDay(feed, date, { accepted: accepted.get(date) ?? [], rejected: rejected.get(date)?.length ?? 0 })]),
  )
}

function feedDay(
  feed: Pick<Feed, 'every_s' | 'stream'>,
  date: string,
  { accepted, rejected }: { readonly accepted: readonly AcceptedFetch[]; readonly rejected: number },
): QualityFeed {
  const every_s = feed.stream?.file_s ?? feed.every_s
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

function fetchedAt(id: string): number {
  const [, year, month, day, hour, minute, second, ms] = FETCHED.exec(id) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
