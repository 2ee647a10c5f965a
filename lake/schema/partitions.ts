import type { AnyRow, Dataset, PartitionField, Retention } from './dataset.ts'

const DAY_MS = 86_400_000

/**
 * The partition value of an instant: days or months since 1970-01-01 UTC (Iceberg's day and month transforms), or the value
 * itself.
 */
export function partitionValue(field: PartitionField, instant: number): number {
  if (field.transform === 'day') return Math.floor(instant / DAY_MS)
  if (field.transform === 'identity') return instant
  const date = new Date(instant)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** A text that is equal for two instants exactly if they are in the same partition of a dataset partitioned by its time. */
export function timePartition(dataset: Dataset, instant: number): string {
  return dataset.partition.map((field) => partitionValue(field, instant)).join('/')
}

/** First instant of the partition that contains an instant, for a dataset partitioned by its time; 1970 if unpartitioned. */
export function partitionStart(dataset: Dataset, instant: number): number {
  const starts = dataset.partition.map(({ transform }) => {
    const date = new Date(instant)
    if (transform === 'day') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
    return transform === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) : instant
  })
  return starts.length === 0 ? 0 : Math.max(...starts)
}

/** The first instant (ms) that a dataset keeps at another: the start of the partition or UTC day in which `keep` ends. */
export function keptFrom(dataset: Dataset & { readonly keep: Retention }, now: number): number {
  const { keep } = dataset
  const count = Number.parseInt(keep, 10)
  const date = new Date(now)
  if (keep.endsWith('d')) date.setUTCDate(date.getUTCDate() - count)
  else {
    // A month without that day ends before it.
    const month = date.getUTCMonth() - (keep.endsWith('y') ? 12 * count : count)
    const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
    date.setUTCFullYear(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last))
  }
  const isByTime = dataset.partition.every(({ column }) => column === dataset.time)
  return isByTime ? partitionStart(dataset, date.getTime()) : Math.floor(date.getTime() / DAY_MS) * DAY_MS
}

/** The value of a row's instant column; throws if it is not an instant. */
export function instantOfRow(row: AnyRow, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw new Error(`column ${column} contains ${String(value)}, an instant was expected`)
  return value
}
