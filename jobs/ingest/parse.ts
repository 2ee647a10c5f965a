import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import { rowChecker } from '../../lake/schema/check-rows.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Diagnostics, type Feed, type FeedBody, type FeedClock, FormatError } from '../feeds/define.ts'
import { countRow, groupCounts, groupsOf } from './completeness-groups.ts'
import { collectDiagnostics, countReason, type Report } from './diagnostics.ts'

/** A publication once parsed and checked. */
export interface Publication {
  /** Good rows by dataset id, for datasets whose rows are kept (see `parsePublication`). */
  readonly rows: ReadonlyMap<string, AnyRow[]>
  /** How many good rows each dataset of the feed has, by its id. */
  readonly counts: ReadonlyMap<string, number>
  /** For datasets with blocks: good rows by block, counting only rows with a single block. */
  readonly blocks: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly report: Report
  /** The publication's own time, else the fetch time; ms since the epoch. */
  readonly data_time: number
  readonly fetched_at: number
}

/**
 * Parses bodies into checked rows. Bad rows are counted by reason; a repeated key keeps its first row. Throws `FormatError`.
 * Rows of whole versions (`replace`) may be millions: by default they are only counted and passed to `spool`; landing reads
 * them again with `checkedRows`.
 */
export async function parsePublication(
  feed: Feed,
  bodies: readonly FeedBody[],
  fetchedAt: number,
  options: {
    readonly keeps?: (dataset: Dataset) => boolean
    readonly spool?: (dataset: Dataset, rows: readonly AnyRow[]) => Promise<void>
    /** See `FeedClock`. */
    readonly near?: number
  } = {},
): Promise<Publication> {
  const { keeps = isFolded, spool, near = fetchedAt } = options
  const { diagnostics, report } = collectDiagnostics()
  const sinks = new Map(feed.into.map((dataset) => [dataset.id, makeSink(feed, dataset, { report, diagnostics, fetchedAt })]))
  const kept = new Map<string, AnyRow[]>(feed.into.filter(keeps).map(({ id }) => [id, []]))
  for await (const { dataset, rows } of feed.rows(bodies, { fetched_at: fetchedAt, near }, diagnostics)) {
    const sink = sinkOf(feed, sinks, dataset)
    const good = kept.get(dataset.id)
    if (spool && !good) await spool(dataset, rows.filter(sink.take))
    else for (const row of rows) if (sink.take(row)) good?.push(row)
  }
  return {
    rows: kept,
    counts: new Map([...sinks].map(([id, { count }]) => [id, count])),
    blocks: groupCounts(feed, Object.fromEntries([...sinks].flatMap(([id, { blocks }]) => (blocks ? [[id, blocks]] : [])))),
    report,
    data_time: report.publishedAt ?? fetchedAt,
    fetched_at: fetchedAt,
  }
}

/** The good rows of one dataset, exactly those that `parsePublication` counts, in batches. Throws `FormatError`. */
export async function* checkedRows(
  feed: Feed,
  dataset: Dataset,
  bodies: readonly FeedBody[],
  { fetched_at: fetchedAt, near = fetchedAt }: FeedClock,
): AsyncGenerator<AnyRow[]> {
  const { diagnostics, report } = collectDiagnostics()
  const sink = makeSink(feed, dataset, { report, diagnostics, fetchedAt })
  for await (const given of feed.rows(bodies, { fetched_at: fetchedAt, near }, diagnostics, new Set([dataset]))) {
    if (given.dataset !== dataset) continue
    yield given.rows.filter(sink.take)
  }
}

const isFolded = (dataset: Dataset): boolean => dataset.writeMode !== 'replace'

interface Sink {
  count: number
  readonly blocks: Record<string, number> | null
  /** True for a good row; a bad one is counted in the report. */
  readonly take: (row: AnyRow) => boolean
}

function sinkOf(feed: Feed, sinks: ReadonlyMap<string, Sink>, dataset: Dataset): Sink {
  const sink = sinks.get(dataset.id)
  if (!sink) throw new FormatError(`feed ${feed.id} gave rows of ${dataset.id}, which it does not declare`)
  return sink
}

function makeSink(
  feed: Feed,
  dataset: Dataset,
  given: { readonly report: Report; readonly diagnostics: Diagnostics; readonly fetchedAt: number },
): Sink {
  const { warn, unknownCode } = given.diagnostics
  const unusable: Record<string, number> = {}
  /** Nullable columns without a usable value so far. */
  const unfilled = new Set(Object.keys(dataset.columns).filter((name) => dataset.columns[name]?.nullable))
  const check = rowChecker(dataset, {
    unknownCode,
    cleared(column, reason) {
      warn(`${dataset.id}: ${reason}: stored as null`)
      if (unfilled.has(column)) unusable[column] = (unusable[column] ?? 0) + 1
    },
  })
  const isNew = newKeys(dataset.writeMode === 'append' ? [...dataset.entity, dataset.time] : dataset.entity)
  const column = feed.groups?.[dataset.id]?.column
  const latest = dataset.isObservation ? given.fetchedAt + CLOCK_TOLERANCE_MS : Number.POSITIVE_INFINITY
  const sink: Sink = {
    count: 0,
    blocks: column === undefined ? null : {},
    take(row) {
      const reason = check(row)
      if (reason !== null) return refuse(reason)
      for (const column of unfilled) if (row[column] !== null) markFilled(column)
      if ((row[dataset.time] as number) > latest) return refuse(`${dataset.time} is later than the fetch`)
      if (!isNew(row)) return refuse('key comes twice in one publication')
      sink.count++
      if (sink.blocks) countRow(sink.blocks, groupsOf(row, column as string))
      return true
    },
  }
  given.report.unusable[dataset.id] = unusable
  const markFilled = (column: string): void => {
    unfilled.delete(column)
    delete unusable[column]
  }
  const refuse = (reason: string): false => {
    countReason(given.report, dataset, reason)
    return false
  }
  return sink
}

/** Bits of a number that is used as a set. */
const BITS = 32
/** Separates the values of a key; no published text contains it. */
const SEPARATOR = '\u001f'

/**
 * Returns whether a row's key, made of some columns, is met for the first time. Whole numbers in the last column, such as a
 * stop's place in its trip, are bits beside the others: two million stop times take 20 MB, as texts 150 MB.
 */
function newKeys(columns: readonly string[]): (row: AnyRow) => boolean {
  const others = columns.slice(0, -1)
  const last = columns.at(-1) as string
  const met = new Map<string, number>()
  return (row) => {
    let key = ''
    for (const name of others) key += `${row[name]}${SEPARATOR}`
    const value = row[last]
    const isWhole = Number.isSafeInteger(value) && (value as number) >= 0
    key += isWhole ? Math.floor((value as number) / BITS) : value
    const bit = isWhole ? 1 << ((value as number) % BITS) : 1
    const bits = met.get(key) ?? 0
    if ((bits & bit) !== 0) return false
    met.set(key, bits | bit)
    return true
  }
}
