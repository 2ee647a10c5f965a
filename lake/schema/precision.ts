import type { Column, Point } from './columns.ts'
import type { UNITS } from './units.ts'

/** How files have decimals: exact, or as the nearest 64-bit floating-point numbers. All have at most 15 digits. */
export const DECIMALS = ['exact', 'double'] as const
export type Decimals = (typeof DECIMALS)[number]
/** Decimals of coordinates: a tenth of a metre. */
export const DEGREE_DECIMALS = 6
/** Digits of floating-point numbers below 1 whose unit does not imply a precision, and decimals of larger ones. */
export const DIGITS = 6

/**
 * Decimals of floating-point numbers in replies, by unit; null if the unit does not imply a precision, as for ratios. Exact
 * decimals use their scale.
 */
export const FLOAT_DECIMALS: Readonly<Record<keyof typeof UNITS, number | null>> = {
  ...{ '1': null, deg: DEGREE_DECIMALS, '%': 1 },
  ...{ mm: 1, cm: 1, m: 0, km: 3, km2: 6 },
  ...{ '[kn_i]': 1, 'deg/min': 1, 'km/h': 1, 'm/s': 1, 'veh/h': 1, 'veh/d': 1, 'veh.km': 1 },
  ...{ s: 0, min: 1, h: 1, wk: 1 },
  ...{ Cel: 1, hPa: 1, t: 2, kg: 2, L: 2, kW: 1, V: 1, A: 1, 'ug/m3': 2, 'mg/m3': 2, By: 0 },
  ...{ 'EUR/L': 3, 'EUR/kL': 2, 'EUR/kg': 3, 'EUR/t': 2, 'EUR/L/wk': 5 },
}

/** A number rounded to `decimals`, halves away from zero, as in DuckDB. */
export function roundedTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  const found = Math.round(Math.abs(value) * scale) / scale
  return value < 0 && found !== 0 ? -found : found
}

/** The decimals of a column in replies; null for a column that is not a number, or whose decimals depend on the value. */
export function decimalsOf(column: Column): number | null {
  if (column.kind === 'point') return DEGREE_DECIMALS
  if (column.scale !== undefined) return column.scale
  if (column.kind !== 'float' || column.unit === undefined) return null
  return FLOAT_DECIMALS[column.unit as keyof typeof UNITS] ?? null
}

/** Creates the function that rounds a column's values to its precision; null if there is nothing to round. Nulls stay. */
export function rounderOf(column: Column): ((value: unknown) => unknown) | null {
  const { kind } = column
  if (kind === 'point') return (value) => value && roundedPoint(value as Point)
  if (kind === 'line' || kind === 'polygon' || kind === 'multipolygon') return (value) => value && roundedDeep(value)
  if (kind === 'list') {
    const inner = column.of && rounderOf(column.of)
    return inner ? (value) => (value as readonly unknown[] | null)?.map(inner) ?? null : null
  }
  if (kind !== 'decimal' && kind !== 'float') return null
  const decimals = decimalsOf(column)
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return value
    return decimals === null ? significant(value) : roundedTo(value, decimals)
  }
}

function significant(value: number): number {
  return Math.abs(value) < 1 ? Number(value.toPrecision(DIGITS)) : roundedTo(value, DIGITS)
}

function roundedPoint({ lat, lon }: Point): Point {
  return { lat: roundedTo(lat, DEGREE_DECIMALS), lon: roundedTo(lon, DEGREE_DECIMALS) }
}

function roundedDeep(value: unknown): unknown {
  return Array.isArray(value) ? value.map(roundedDeep) : roundedTo(value as number, DEGREE_DECIMALS)
}
