import type { PartitionField } from '../schema/dataset.ts'

/** Iceberg's partition transforms that our tables use. */
export type Transform = PartitionField['transform']

const DAY_US = 86_400_000_000n
// Dates end at ±100,000,000 days from the epoch (ECMA-262 §21.4.1.1); beyond, only the order of months matters.
const LAST_DAY = 100_000_000n

/**
 * The type of a partition value: the source's own, or an ordinal. Readers use a date for `day`, the spec an int; both are 4
 * bytes.
 */
export function resultType(transform: Transform, sourceType: string): string {
  if (transform === 'identity') return sourceType
  return transform === 'day' ? 'date' : 'int'
}

/** Days or months since 1970-01, rounded down, of a value in days or microseconds. */
export function ordinal(transform: 'day' | 'month', sourceType: string, value: bigint): bigint {
  if (sourceType !== 'timestamptz' && sourceType !== 'date') throw new Error(`${transform} needs a date or an instant, not ${sourceType}`)
  const days = sourceType === 'date' ? value : floorDivide(value, DAY_US)
  if (transform === 'day') return days
  const within = days > LAST_DAY ? LAST_DAY : days < -LAST_DAY ? -LAST_DAY : days
  const date = new Date(Number(within) * 86_400_000)
  return BigInt((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth())
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}
