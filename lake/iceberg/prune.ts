import type { ManifestedFile } from './manifest.ts'
import type { PartSummary } from './manifest-list.ts'
import type { PartitionPart } from './manifest-schema.ts'
import { ordinal } from './transforms.ts'
import type { Bound, ColumnFilter } from './types.ts'
import { compareValues, decimalOf, decodeValue } from './values.ts'

/** Values between two inclusive limits; null means no limit. */
interface Range {
  readonly lower: Bound | null
  readonly upper: Bound | null
}

/**
 * The values of a column that a filter may match: ranges, nulls, NaN. Ranges are never narrower than the filter, so pruning may
 * keep a file without a match but never drops one with a match.
 */
export interface Constraint {
  readonly ranges: readonly Range[]
  readonly nulls: boolean
  readonly nans: boolean
}

const DAY_MS = 86_400_000
const LOCAL_DATE = /^-?\d{4,6}-\d{2}-\d{2}$/
const EVERYTHING: readonly Range[] = Object.freeze([{ lower: null, upper: null }])
const UNCONSTRAINED: Constraint = Object.freeze({ ranges: EVERYTHING, nulls: true, nans: true })

/**
 * A filter's constraint on a primitive column, or null if there is none. Values as in rows. NaN sorts above every number and
 * equals itself, as in DuckDB. Throws for a value of the wrong type.
 */
export function constraintOf(name: string, type: string, filter: ColumnFilter): Constraint | null {
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined)
  if (conditions.length === 0) return null
  const parts = conditions.map(([operator, value]) => conditionOf({ name, type, operator, value }))
  return {
    ranges: parts.map((part) => part.ranges).reduce((one, other) => intersect(one, other)),
    nulls: parts.every((part) => part.nulls),
    nans: parts.every((part) => part.nans),
  }
}

/** True if a file may have a matching row, by its partition value of a part. */
export function partitionMayMatch(constraint: Constraint, part: PartitionPart, value: Bound | null): boolean {
  if (value === null) return constraint.nulls
  if (Number.isNaN(value)) return constraint.nans
  return rangesOf(constraint, part).some((range) => overlaps(range, value, value))
}

/** True if a manifest may list a matching file, by its summary of a part in the manifest list. */
export function summaryMayMatch(constraint: Constraint, part: PartitionPart, summary: PartSummary): boolean {
  if (constraint.nulls && summary.containsNull) return true
  if (constraint.nans && summary.containsNan !== false) return true
  // Without a lower bound there are only nulls and NaN.
  if (summary.lower === null) return false
  const lower = decodeValue(part.type, summary.lower)
  const upper = summary.upper && decodeValue(part.type, summary.upper)
  return rangesOf(constraint, part).some((range) => overlaps(range, lower, upper))
}

/** True if a file may have a matching row, by the column's counts and bounds. */
export function metricsMayMatch(constraint: Constraint, type: string, id: number, file: ManifestedFile): boolean {
  const [values, nulls, nans] = [file.values.get(id), file.nulls.get(id), file.nans.get(id)]
  if (constraint.nulls && nulls !== 0) return true
  if (values !== undefined && values === nulls) return false
  if (constraint.nans && type === 'double' && nans !== 0) return true
  const [lower, upper] = [file.lower.get(id), file.upper.get(id)]
  if (!lower && !upper) return constraint.ranges.length > 0
  const limits = [lower ? decodeValue(type, lower) : null, upper ? decodeValue(type, upper) : null] as const
  return constraint.ranges.some((range) => overlaps(range, ...limits))
}

/** The ranges of a part's values: the column's own, or their days or months. */
function rangesOf(constraint: Constraint, part: PartitionPart): readonly Range[] {
  if (part.transform === 'identity') return constraint.ranges
  const { transform, sourceType } = part
  const project = (limit: Bound | null): Bound | null => (limit === null ? null : ordinal(transform, sourceType, limit as bigint))
  return constraint.ranges.map((range) => ({ lower: project(range.lower), upper: project(range.upper) }))
}

function overlaps(range: Range, lower: Bound | null, upper: Bound | null): boolean {
  if (range.lower !== null && upper !== null && compareValues(upper, range.lower) < 0) return false
  return range.upper === null || lower === null || compareValues(lower, range.upper) <= 0
}

function intersect(one: readonly Range[], other: readonly Range[]): Range[] {
  const ranges: Range[] = []
  for (const a of one)
    for (const b of other) {
      const lower = a.lower === null || (b.lower !== null && compareValues(b.lower, a.lower) > 0) ? b.lower : a.lower
      const upper = a.upper === null || (b.upper !== null && compareValues(b.upper, a.upper) < 0) ? b.upper : a.upper
      if (lower === null || upper === null || compareValues(lower, upper) <= 0) ranges.push({ lower, upper })
    }
  return ranges
}

function conditionOf(condition: { name: string; type: string; operator: string; value: unknown }): Constraint {
  const { name, type, operator, value } = condition
  if (operator === 'in') {
    if (!Array.isArray(value)) throw badFilter(name, value, 'a list of values')
    const parts = value.map((one: unknown) => conditionOf({ ...condition, operator: 'eq', value: one }))
    return {
      ranges: parts.flatMap((part) => part.ranges),
      nulls: parts.some((part) => part.nulls),
      nans: parts.some((part) => part.nans),
    }
  }
  // Whether a null matches nulls or nothing is up to the reader: files with nulls are kept.
  if (value === null) return operator === 'eq' ? { ranges: [], nulls: true, nans: false } : UNCONSTRAINED
  if (Number.isNaN(value)) return nanCondition(operator)
  if (type !== 'double' && (value === Infinity || value === -Infinity)) return UNCONSTRAINED
  const { floor, ceil, step } = limitsOf(name, type, value)
  const within = (lower: Bound | null, upper: Bound | null, nans = false): Constraint => ({
    ranges: [{ lower, upper }],
    nulls: false,
    nans,
  })
  switch (operator) {
    case 'eq':
      return within(floor, ceil)
    case 'gte':
      return within(floor, null, true)
    case 'gt':
      return within(step(floor, 1n), null, true)
    case 'lte':
      return within(null, ceil)
    case 'lt':
      return within(null, step(ceil, -1n))
  }
  throw new Error(`filter of column ${name}: no condition ${operator}; there are eq, in, gte, gt, lte, lt`)
}

function nanCondition(operator: string): Constraint {
  const ranges = operator === 'lt' || operator === 'lte' ? EVERYTHING : []
  return { ranges, nulls: false, nans: operator !== 'lt' }
}

interface Limits {
  readonly floor: Bound
  readonly ceil: Bound
  /** The next value above or below, for whole-number types. */
  readonly step: (limit: Bound, by: 1n | -1n) => Bound
}

const same = (limit: Bound): Bound => limit
const next = (limit: Bound, by: 1n | -1n): Bound => (limit as bigint) + by

/** A filter's value as limits in the column's unit (µs, days, units of the last decimal place), rounded outwards. */
function limitsOf(name: string, type: string, value: unknown): Limits {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw badFilter(name, value, 'a text')
      return { floor: value, ceil: value, step: same }
    case 'binary':
      if (!(value instanceof Uint8Array)) throw badFilter(name, value, 'bytes')
      return { floor: Buffer.from(value), ceil: Buffer.from(value), step: same }
    case 'boolean':
      if (typeof value !== 'boolean') throw badFilter(name, value, 'true or false')
      return { floor: value, ceil: value, step: same }
    case 'date': {
      const days = typeof value === 'string' && LOCAL_DATE.test(value) ? Date.parse(`${value}T00:00:00Z`) / DAY_MS : Number.NaN
      if (!Number.isInteger(days)) throw badFilter(name, value, 'a date YYYY-MM-DD')
      return { floor: BigInt(days), ceil: BigInt(days), step: next }
    }
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') throw badFilter(name, value, 'a number')
  if (type === 'double') return { floor: Number(value), ceil: Number(value), step: same }
  if (type === 'int' || type === 'long') return wholeLimits(value, 0)
  if (type === 'timestamptz') {
    const micros = typeof value === 'bigint' ? value * 1000n : value * 1000
    return wholeLimits(micros, 0)
  }
  const decimal = decimalOf(type)
  if (!decimal) throw new Error(`column ${name} of type ${type} cannot be filtered`)
  return wholeLimits(value, decimal.scale)
}

/** The whole numbers around value × 10^scale, from its shortest decimal text, as exact as a declared decimal is. */
function wholeLimits(value: number | bigint, scale: number): Limits {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const shift = scale + Number(exponent) - fraction.length
  const unscaled = BigInt(whole + fraction)
  if (shift >= 0) {
    const exact = unscaled * 10n ** BigInt(shift)
    return { floor: exact, ceil: exact, step: next }
  }
  const divisor = 10n ** BigInt(-shift)
  const cut = unscaled / divisor
  const rest = unscaled % divisor
  return { floor: rest < 0n ? cut - 1n : cut, ceil: rest > 0n ? cut + 1n : cut, step: next }
}

function badFilter(name: string, value: unknown, allowed: string): Error {
  const text = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)
  return new Error(`filter of column ${name}: ${text} is not ${allowed}`)
}
