import { liveFiles } from '../../lake/iceberg/files.ts'
import { specOf } from '../../lake/iceberg/metadata.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { LiveFile } from '../../lake/iceberg/types.ts'
import { feedsIn, holdSame, landedOf, PART, UNTIL } from '../../lake/landed.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { type Dialect, DUCKDB } from '../../lake/query/dialect.ts'
import { longestInterval, rowsByStart, timesOfSpan } from '../../lake/query/intervals.ts'
import { type Scan, scan } from '../../lake/query/scan.ts'
import { fieldOf, type Sql, sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { partitionStart } from '../../lake/schema/partitions.ts'
import { dayBounds, isoInstant, madridDate } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { type Derived, type DerivedPart, inputsOf, type ModelSpec, type MonthSpan, type MonthsSpec, type VersionsSpec } from './define.ts'

const HOUR_MS = 3_600_000

/** A part to build: its version, lineage and inputs. */
export interface PlannedPart {
  /** The version of its rows; for a derivation by months, the month. */
  readonly version: string
  readonly lineage: string
  /** A SELECT of its rows, or the part that a model computes them of. */
  readonly rows: Sql | DerivedPart
  /** The time range (ms, half-open) that a model reads of inputs without versions. */
  readonly recent?: { readonly from: number; readonly to: number }
  /** The scanned input rows: the newest fetch among them is the part's. */
  readonly reads: readonly Scan[]
  /** A SELECT of its rows for another engine, if that can run it. */
  readonly rowsIn?: (dialect: Dialect) => Sql
  /** How it may be built in pieces, and a SELECT of the rows made from input rows that meet a condition. */
  readonly pieces?: NonNullable<MonthsSpec['pieces']> & { readonly rowsWhere: (where: Sql) => Sql }
}

/** Pins the states of a derivation's inputs, so that planning and reading use the same state. */
export async function pinInputs(context: IngestContext, derived: Derived): Promise<SnapshotPins> {
  return new Map(
    await Promise.all(inputsOf(derived).map(async (dataset) => [dataset.id, await context.lake.table(dataset).load()] as const)),
  )
}

/** True if the inputs have the same fetches of each of their feeds, see `holdSame`. */
export function isSettled(derived: Derived, pins: SnapshotPins, feeds: readonly Feed[]): boolean {
  return feeds.every(({ id, into }) => {
    const filled = inputsOf(derived).filter((dataset) => into.includes(dataset))
    return holdSame(
      id,
      filled.map((dataset) => pins.get(dataset.id)?.properties ?? {}),
    )
  })
}

/**
 * Coverage of the inputs by feed, in ms: the minimum over all tables that the feed fills, directly or derived. A feed is left
 * out if one of these tables states nothing; `besides` inputs count only if no other states anything. `recent` inputs count up
 * to the last ended hour.
 */
export function coverageOfInputs(derived: Derived, pins: SnapshotPins, feeds: readonly Feed[]): Map<string, number> {
  if (derived.by === 'model') {
    const lately = [...coverageOf(derived.recent ?? [], pins, feeds)].map(([feed, until]) => [feed, hourOf(until)] as const)
    return new Map([...coverageOf(derived.from, pins, feeds), ...lately])
  }
  const besides = derived.by === 'months' ? (derived.fallbackInputs ?? []) : []
  const mainly = coverageOf(
    derived.from.filter((dataset) => !besides.includes(dataset)),
    pins,
    feeds,
  )
  return mainly.size > 0 ? mainly : coverageOf(besides, pins, feeds)
}

function coverageOf(from: readonly Dataset[], pins: SnapshotPins, feeds: readonly Feed[]): Map<string, number> {
  const properties = (dataset: Dataset): Readonly<Record<string, string>> => pins.get(dataset.id)?.properties ?? {}
  const named = new Set([...feeds.map(({ id }) => id), ...from.flatMap((dataset) => statedFeeds(properties(dataset)))])
  return new Map(
    [...named].flatMap((id) => {
      const filled = feeds.find((feed) => feed.id === id)?.into ?? []
      const inputs = from.filter((dataset) => filled.includes(dataset) || landedOf(properties(dataset), id).until !== null)
      const until = inputs.map((dataset) => landedOf(properties(dataset), id).until)
      return until.length === 0 || until.includes(null) ? [] : [[id, Math.min(...(until as number[]))] as const]
    }),
  )
}

/** The start of the hour at an instant: all before it has ended. */
export function hourOf(instant: number): number {
  return Math.floor(instant / HOUR_MS) * HOUR_MS
}

/** The feeds that a table records: by its fetches or, for a derived table, by its coverage. */
function statedFeeds(properties: Readonly<Record<string, string>>): string[] {
  const covered = Object.keys(properties).flatMap((name) => (name.startsWith(UNTIL) ? [name.slice(UNTIL.length)] : []))
  return [...feedsIn(properties), ...covered]
}

/** The parts from the inputs' versions, each with its lineage. */
export async function planVersions(derived: VersionsSpec, pins: SnapshotPins): Promise<PlannedPart[]> {
  const newest = derived.newest ?? []
  const own = derived.from.filter((dataset) => !newest.includes(dataset))
  const beside = await Promise.all(newest.map((dataset) => newestOf(dataset, pins)))
  if (beside.includes(null)) return []
  const added = (beside as Newest[]).map(({ dataset, version, state }) => ` ${dataset.id}:${version}=${state}`).join('')
  const held = await Promise.all(own.map((dataset) => heldVersions(pins.get(dataset.id) ?? null)))
  const [first = new Map<string, string>(), ...others] = held
  const known = [...first.keys()].filter((version) => others.every((one) => one.has(version)))
  const given = (beside as Newest[]).map(({ version }) => version)
  return derived.parts(known.sort()).map((part) => ({
    version: part.version,
    lineage: `${lineageOf(derived, part, held)}${added}`,
    rows: derived.rows(part, given),
    reads: [
      ...own.map((dataset) => scan(dataset, { [dataset.version as string]: { in: part.from } })),
      ...(beside as Newest[]).map(({ dataset, version }) => scan(dataset, { [dataset.version as string]: { eq: version } })),
    ],
  }))
}

/** The versions of a part in some inputs, as text. */
export function lineageOf(
  { revision }: Pick<Derived, 'revision'>,
  { from }: DerivedPart,
  held: readonly ReadonlyMap<string, string>[],
): string {
  const stateOf = (version: string): string => `${version}=${held.map((one) => one.get(version) ?? '').join('/')}`
  return `r${revision} ${from.map(stateOf).join(' ')}`
}

/** The newest version in a table, by name, and its content. */
interface Newest {
  readonly dataset: Dataset
  readonly version: string
  readonly state: string
}

async function newestOf(dataset: Dataset, pins: SnapshotPins): Promise<Newest | null> {
  const held = await heldVersions(pins.get(dataset.id) ?? null)
  const version = [...held.keys()].sort().at(-1)
  return version === undefined ? null : { dataset, version, state: held.get(version) as string }
}

/**
 * The versions in a table, each with the sequence numbers of the commits that wrote its files, and the number of files
 * (`12x3`): a different text means different content.
 */
export async function heldVersions(state: TableState | null): Promise<Map<string, string>> {
  const files = state ? await liveFiles(state) : []
  const versions = Map.groupBy(files, ({ partition }) => String(partition[0]))
  return new Map(
    [...versions].map(([version, theirs]) => {
      const commits = [...new Set(theirs.map(({ sequenceNumber }) => sequenceNumber))].sort((one, other) => one - other)
      return [version, `${commits.join('+')}x${theirs.length}`]
    }),
  )
}

/** A table's record of its parts: lineage by version. */
export function madeParts(properties: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(properties).flatMap(([name, value]) => (name.startsWith(PART) ? [[name.slice(PART.length), value] as const] : [])),
  )
}

/** The property that states the lineage of a part. */
export const partProperty = (version: string): string => `${PART}${version}`

/** The snapshot summary of a built part: its lineage in the order of the inputs, and the input snapshots read. */
export function lineageSummary(derived: Derived, part: PlannedPart, pins: SnapshotPins): Record<string, string> {
  const snapshots = inputsOf(derived).map(({ id }) => `${id}@${pins.get(id)?.snapshotId ?? 'none'}`)
  return { 'derived-part': part.version, 'derived-lineage': part.lineage, 'derived-from': snapshots.join(' ') }
}

const DAY_MS = 24 * HOUR_MS

/** The month of Madrid's calendar from a text such as 2026-03. */
export function monthSpan(month: string): MonthSpan {
  return { month, from: dayBounds(`${month}-01`).start, to: dayBounds(`${nextMonth(month)}-01`).start }
}

/** The instant (ms) up to which the inputs are covered, from each feed's landed data. */
export function coveredUntil({ isBySource }: Pick<MonthsSpec, 'isBySource'>, landed: readonly number[]): number {
  const all = Math.min(...landed)
  return isBySource ? Math.max(all, Math.max(...landed) - DAY_MS) : all
}

/**
 * The end of the derived rows, in ms, if the inputs are covered until an instant: with `settles`, the start of the current day
 * in Madrid. A day is over when every interval that begins in it has ended.
 */
export function settledUntil(
  { from, watermark: settles, allowedLateness_days = 0 }: Pick<MonthsSpec, 'from' | 'watermark' | 'allowedLateness_days'>,
  until: number,
): number {
  const over = until - Math.max(...from.map(longestInterval))
  return settles === 'day' ? dayBounds(madridDate(over, -allowedLateness_days)).start : until
}

/**
 * The months in which the first input, or one of `besides`, has rows, with their lineage. The lineage has, per input and
 * partition read, the newest sequence number of the files and their total rows (`673=12x300`). Any row change alters it;
 * compaction, which keeps both, does not.
 */
export async function planMonths(derived: MonthsSpec, pins: SnapshotPins, until: number): Promise<PlannedPart[]> {
  const settled = settledUntil(derived, until)
  const ends = await Promise.all(derived.from.map((dataset) => endOf(derived, { dataset, pins, settled })))
  const end = Math.max(settled, ...ends)
  const planned: PlannedPart[] = []
  const timed = [derived.from[0] as Dataset, ...(derived.fallbackInputs ?? [])]
  const months = await Promise.all(timed.map((dataset) => monthsOf(dataset, pins, end)))
  for (const month of [...new Set(months.flat())].sort()) {
    const whole = monthSpan(month)
    const isCut = derived.watermark !== undefined && end < whole.to
    const span = isCut ? { ...whole, to: end } : whole
    if (span.to <= span.from) continue
    const lateEnd = dayBounds(madridDate(span.to, derived.allowedLateness_days ?? 0)).start
    const { from, to } = derived.reads?.(span) ?? { from: span.from, to: lateEnd }
    const inputs = derived.from.map((dataset, nth) => {
      const read = { from, to: derived.countsFirstDay ? Math.min(to, ends[nth] as number) : to }
      const times = timesOfSpan(dataset, read)
      return { dataset, read, times, rows: scan(dataset, { [dataset.time]: times }) }
    })
    const states = await Promise.all(
      inputs.map(async ({ dataset, read, times }) => {
        const own = read.to < to ? `<${isoInstant(read.to)}` : ''
        return `${dataset.id}:${await heldOf(dataset, pins, { from, to: times.lt })}${own}`
      }),
    )
    const rowsWhere = (where: Sql | null, dialect?: Dialect): Sql =>
      derived.rows(
        span,
        inputs.map(({ dataset, read, rows }) =>
          rowsByStart(dataset, where ? sql`(SELECT * FROM ${rows} WHERE ${where})` : rows, read, dialect),
        ),
        dialect ?? DUCKDB,
      )
    planned.push({
      version: month,
      lineage: [`r${derived.revision}`, ...states, ...(isCut ? [`<${isoInstant(span.to)}`] : [])].join(' '),
      rows: rowsWhere(null),
      reads: inputs.map(({ rows }) => rows),
      ...(derived.isShared ? { rowsIn: (dialect: Dialect) => rowsWhere(null, dialect) } : {}),
      ...(derived.pieces ? { pieces: { ...derived.pieces, rowsWhere } } : {}),
    })
  }
  return planned
}

/**
 * Returns the instant (ms) up to which the rows of an input count: the end of the settled days. With `countsFirstDay`, an
 * input without a whole day counts up to the hour of its newest row, and without a whole hour all its rows count. All rows of
 * versions count too.
 */
async function endOf(
  { countsFirstDay }: MonthsSpec,
  { dataset, pins, settled }: { readonly dataset: Dataset; readonly pins: SnapshotPins; readonly settled: number },
): Promise<number> {
  const state = pins.get(dataset.id)
  if (!countsFirstDay || !state) return settled
  const files = await liveFiles(state)
  // A file without bounds, as DuckDB writes, does not say when the input began.
  const bounded = files.filter(({ metrics }) => metrics.get(fieldOf(dataset, dataset.time).id)?.lower !== undefined)
  const times = (bounded.length > 0 ? bounded : files).map((file) => timesOf(dataset, state, file))
  const first = Math.min(...times.map(({ lower }) => lower))
  const last = Math.max(...times.map(({ upper }) => upper))
  // An input has no rows before its beginning, so its first day and hour are incomplete.
  if (times.length === 0 || first < dayBounds(madridDate(settled, -1)).start) return settled
  const hour = hourOf(last)
  const hasHour = dataset.version === undefined && first < hour - HOUR_MS
  return Math.max(settled, hasHour ? hour : Math.floor(last) + 1)
}

/**
 * The months of Madrid in which a table may have rows, by the bounds of its files: a file without any, from the first known month
 * to the end of the derived rows.
 */
async function monthsOf(dataset: Dataset, pins: SnapshotPins, end: number): Promise<string[]> {
  const state = pins.get(dataset.id)
  const times = state ? (await liveFiles(state)).map((file) => timesOf(dataset, state, file)) : []
  const first = Math.min(end, ...times.map(({ lower }) => lower).filter(Number.isFinite))
  const last = Math.max(end, ...times.map(({ upper }) => upper).filter(Number.isFinite))
  const months = new Set<string>()
  for (const { lower, upper } of times) {
    const until = monthOf(Math.min(upper, last))
    for (let month = monthOf(Math.max(lower, first) - longestInterval(dataset)); month <= until; month = nextMonth(month)) months.add(month)
  }
  return [...months]
}

/** The content of a table in the partitions of a time range (ms), up to the range's end. */
export async function heldOf(dataset: Dataset, pins: SnapshotPins, { from, to }: { from: number; to: number }): Promise<string> {
  const state = pins.get(dataset.id)
  const files = state ? await liveFiles(state, { [dataset.time]: { gte: partitionBegin(dataset, from), lt: to } }) : []
  const partitions = Map.groupBy(files, ({ partition }) => String(partition[0] ?? ''))
  return [...partitions]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([partition, theirs]) => {
      const newest = Math.max(...theirs.map(({ sequenceNumber }) => sequenceNumber))
      return `${partition}=${newest}x${theirs.reduce((sum, { rows }) => sum + rows, 0)}`
    })
    .join(',')
}

/** The start of an instant's partition; the instant itself if a dataset is not partitioned by its time. */
function partitionBegin(dataset: Dataset, instant: number): number {
  return dataset.partition.every(({ column }) => column === dataset.time) ? partitionStart(dataset, instant) : instant
}

/** The times of a file (ms): by its bounds, else by its partition (other writers may omit bounds), else without limits. */
function timesOf(dataset: Dataset, { metadata }: TableState, { specId, partition, metrics }: LiveFile): { lower: number; upper: number } {
  const timeId = fieldOf(dataset, dataset.time).id
  const { lower, upper } = metrics.get(timeId) ?? {}
  if (typeof lower === 'bigint' && typeof upper === 'bigint') return { lower: Number(lower) / 1000, upper: Number(upper) / 1000 }
  const at = specOf(metadata, specId).fields.findIndex((part) => part['source-id'] === timeId)
  const value = partition[at]
  const transform = specOf(metadata, specId).fields[at]?.transform
  if (typeof value !== 'number' || (transform !== 'day' && transform !== 'month')) return { lower: -Infinity, upper: Infinity }
  const start = (count: number): number => (transform === 'day' ? count * DAY_MS : Date.UTC(1970, count, 1))
  return { lower: start(value), upper: start(value + 1) - 1 }
}

const monthOf = (instant: number): string => madridDate(instant).slice(0, 7)

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}

/**
 * The parts that a model should make from its inputs' versions, each with its lineage. For a model with recent inputs that
 * includes the ended hours (`covered`: coverage by feed, ms) and their content; without any ended hour there is no part.
 */
export async function planModel(derived: ModelSpec, pins: SnapshotPins, covered: ReadonlyMap<string, number>): Promise<PlannedPart[]> {
  const held = new Map(
    await Promise.all(derived.from.map(async (dataset) => [dataset, await heldVersions(pins.get(dataset.id) ?? null)] as const)),
  )
  const known = [...new Set([...held.values()].flatMap((one) => [...one.keys()]))].sort()
  const parts = derived.parts(known, (dataset) => [...(held.get(dataset)?.keys() ?? [])].sort())
  const planned = await Promise.all(parts.map((part) => planPart(derived, { part, pins, held, covered })))
  return planned.filter((one) => one !== null)
}

async function planPart(
  derived: ModelSpec,
  of: {
    readonly part: DerivedPart
    readonly pins: SnapshotPins
    readonly held: ReadonlyMap<Dataset, ReadonlyMap<string, string>>
    readonly covered: ReadonlyMap<string, number>
  },
): Promise<PlannedPart | null> {
  const { part, pins, held } = of
  const own = derived.from.filter((dataset) => part.of?.includes(dataset) ?? true)
  const recent = (derived.recent ?? []).filter((dataset) => part.of?.includes(dataset) ?? true)
  const planned = {
    version: part.version,
    lineage: lineageOf(
      derived,
      part,
      own.map((dataset) => held.get(dataset) as ReadonlyMap<string, string>),
    ),
    rows: part,
    reads: own.map((dataset) => scan(dataset, { [dataset.version as string]: { in: part.from } })),
  }
  if (recent.length === 0) return planned
  const until = Math.min(...recent.map((dataset) => hoursOf(dataset, of)))
  if (!Number.isFinite(until)) return null
  const span = { from: dayBounds(madridDate(until - 1, -1)).start, to: until }
  const states = await Promise.all(recent.map(async (dataset) => `${dataset.id}:${await heldOf(dataset, pins, span)}`))
  return {
    ...planned,
    recent: span,
    lineage: [planned.lineage, ...states, `<${isoInstant(until)}`].join(' '),
    reads: [...planned.reads, ...recent.map((dataset) => scan(dataset, { [dataset.time]: { gte: span.from, lt: span.to } }))],
  }
}

/**
 * End of the newest hour that all feeds of a dataset have completed; infinite if unknown. A feed that stops delays the others by
 * an hour.
 */
function hoursOf(
  dataset: Dataset,
  { pins, covered }: { readonly pins: SnapshotPins; readonly covered: ReadonlyMap<string, number> },
): number {
  const properties = pins.get(dataset.id)?.properties ?? {}
  const until = [...covered].flatMap(([feed, at]) => (properties[`${UNTIL}${feed}`] === undefined ? [] : [hourOf(at)]))
  return Math.max(Math.min(...until), Math.max(...until) - HOUR_MS)
}
