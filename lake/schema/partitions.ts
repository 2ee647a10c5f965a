import type { AnyRow, Dataset, PartitionField } from './dataset.ts'

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

/** The value of a row's instant column; throws if it is not an instant. */
export function instantOfRow(row: AnyRow, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw new Error(`column ${column} contains ${String(value)}, an instant was expected`)
  return value
}
