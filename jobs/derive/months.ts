import { liveFiles } from '../../lake/iceberg/files.ts'
import { specOf } from '../../lake/iceberg/metadata.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { LiveFile } from '../../lake/iceberg/types.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { longestInterval, rowsByStart, timesOfSpan } from '../../lake/query/intervals.ts'
import { scan } from '../../lake/query/scan.ts'
import { fieldOf } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { partitionStart } from '../../lake/schema/partitions.ts'
import { dayBounds, isoInstant, madridDate } from '../../lake/schema/time.ts'
import type { MonthSpan, MonthsSpec } from './define.ts'
import { hourOf, type PlannedPart } from './lineage.ts'

const HOUR_MS = 3_600_000
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
    planned.push({
      version: month,
      lineage: [`r${derived.revision}`, ...states, ...(isCut ? [`<${isoInstant(span.to)}`] : [])].join(' '),
      rows: derived.rows(
        span,
        inputs.map(({ dataset, read, rows }) => rowsByStart(dataset, rows, read)),
      ),
      reads: inputs.map(({ rows }) => rows),
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
  const times = (await liveFiles(state)).map((file) => timesOf(dataset, state, file))
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
