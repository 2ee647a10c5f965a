import type { Column, Json } from '../schema/columns.ts'

const DAY_MS = 86_400_000
const LOCAL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** A row's value that its column cannot hold: column, value and what was allowed are named. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** Makes the error of a value that a column cannot hold. */
export function badValue(name: string, value: unknown, allowed: string): ValueError {
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
  return new ValueError(`column ${name} cannot hold ${text.length > 200 ? `${text.slice(0, 200)}…` : text}: ${allowed}`)
}

/** Microseconds since the epoch, as a whole number, of an instant in ms (its µs as a fraction). */
export function microsOf(name: string, value: unknown): number {
  if (typeof value !== 'number') throw badValue(name, value, 'an instant in ms since the epoch is expected')
  const micros = Math.round(value * 1000)
  if (!Number.isSafeInteger(micros)) throw badValue(name, value, 'an instant within 285 years of 1970 is expected')
  return micros
}

/** Instant in ms, the µs as a fraction, of microseconds since the epoch. */
export function instantOfMicros(micros: bigint): number {
  return Number(micros) / 1000
}

/** A whole number, as a bigint only where no number holds it exactly. */
export function wholeNumber(whole: bigint): number | bigint {
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

const INT_MOST = 2 ** 31

/** A whole number, where its column can hold it: 32 bits, or 64 where it is a long one. */
export function wholeOf(name: string, column: Column, value: unknown): number | bigint {
  if (column.long && typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  if (column.long && Number.isSafeInteger(value)) return value as number
  if (!column.long && Number.isInteger(value) && Number(value) >= -INT_MOST && Number(value) < INT_MOST) return value as number
  throw badValue(name, value, `a whole number of ${column.long ? 64 : 32} bits is expected`)
}

/**
 * Whole number that a decimal's value is at its scale: 1.419 at scale 3 is 1419. Division by a power of ten is correctly rounded, so the
 * test that the number comes back is exact for the 15 digits a declaration may have.
 */
export function unscaledOf(name: string, column: Column, value: unknown): number {
  const { precision = 9, scale = 0 } = column
  const power = POWERS[scale] as number
  if (typeof value !== 'number') throw badValue(name, value, 'a number is expected')
  const unscaled = Math.round(value * power)
  if (unscaled / power !== value || Math.abs(unscaled) >= (POWERS[precision] as number))
    throw badValue(name, value, `decimal(${precision}, ${scale}) is expected`)
  return unscaled
}

/** The number that an unscaled decimal stands for; nearest double where it has more than 15 digits. */
export function decimalOf(unscaled: bigint, scale: number): number {
  const whole = Number(unscaled)
  if (Number.isSafeInteger(whole) && scale < POWERS.length) return whole / (POWERS[scale] as number)
  return Number(`${unscaled}e-${scale}`)
}

/** Days since 1970-01-01 of a local date YYYY-MM-DD. */
export function daysOf(name: string, value: unknown): number {
  const match = typeof value === 'string' ? LOCAL_DATE.exec(value) : null
  const ms = match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : Number.NaN
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value) throw badValue(name, value, 'a date YYYY-MM-DD is expected')
  return ms / DAY_MS
}

/** Local date YYYY-MM-DD of days since 1970-01-01. */
export function dateOfDays(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10)
}

/** JSON text of a value with the keys of its objects sorted, so that equal values have equal texts. */
export function canonicalJson(name: string, value: unknown): string {
  const text = JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return held
    return Object.fromEntries(Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
  if (text === undefined) throw badValue(name, value, 'a JSON value is expected')
  return text
}

/** The JSON value of a text that `canonicalJson` or a publisher wrote. */
export function parseJson(text: string): Json {
  return JSON.parse(text) as Json
}
