import type { Column, Json } from '../schema/columns.ts'

const DAY_MS = 86_400_000
const LOCAL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** A row's value that its column cannot store; names column, value and what is allowed. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** Creates the error for a value that a column cannot store. */
export function badValue(name: string, value: unknown, allowed: string): ValueError {
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
  return new ValueError(`column ${name} cannot hold ${text.length > 200 ? `${text.slice(0, 200)}…` : text}: ${allowed}`)
}

/** Microseconds since the epoch, as an integer, from an instant in ms (µs as a fraction). */
export function microsOf(name: string, value: unknown): number {
  if (typeof value !== 'number') throw badValue(name, value, 'an instant in ms since the epoch is expected')
  const micros = Math.round(value * 1000)
  if (!Number.isSafeInteger(micros)) throw badValue(name, value, 'an instant within 285 years of 1970 is expected')
  return micros
}

/** Instant in ms, with µs as a fraction, from microseconds since the epoch. */
export function instantOfMicros(micros: bigint): number {
  return Number(micros) / 1000
}

/** An integer; a bigint only if a number cannot represent it exactly. */
export function wholeNumber(whole: bigint): number | bigint {
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

const MAX_INT = 2 ** 31

/** An integer, checked against its column: 32 bits, or 64 for a long column. */
export function wholeOf(name: string, column: Column, value: unknown): number | bigint {
  if (column.long && typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  if (column.long && Number.isSafeInteger(value)) return value as number
  if (!column.long && Number.isInteger(value) && Number(value) >= -MAX_INT && Number(value) < MAX_INT) return value as number
  throw badValue(name, value, `a whole number of ${column.long ? 64 : 32} bits is expected`)
}

/**
 * The integer of a decimal's value at its scale: 1.419 at scale 3 is 1419. Division by a power of ten is correctly rounded, so
 * checking that the number comes back is exact for up to 15 digits.
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

/** The number of an unscaled decimal; the nearest double above 15 digits. */
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

/** JSON text of a value with sorted object keys, so that equal values have equal texts. */
export function canonicalJson(name: string, value: unknown): string {
  const text = JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return held
    return Object.fromEntries(Object.entries(held).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
  if (text === undefined) throw badValue(name, value, 'a JSON value is expected')
  return text
}

/** The JSON value of a text from `canonicalJson` or a publisher. */
export function parseJson(text: string): Json {
  return JSON.parse(text) as Json
}
