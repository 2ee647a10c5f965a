import { ordinal, type Transform } from '../../../lake/iceberg/transforms.ts'
import type { Bound } from '../../../lake/iceberg/types.ts'

/**
 * The partition value of a value: itself, days or months since 1970-01 of a date (days) or an instant (µs). Throws where the
 * transform does not take the type.
 */
export function transformValue(transform: Transform, sourceType: string, value: Bound | null): Bound | null {
  if (value === null || transform === 'identity') return value
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new Error(`${transform} of ${sourceType} is not defined`)
  return Number(ordinal(transform, sourceType, BigInt(value)))
}
