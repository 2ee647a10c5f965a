import type { Column } from './columns.ts'
import type { AnyRow, Dataset } from './dataset.ts'

/** Called for a code missing from its list. */
export type CodeListener = (list: string, code: string) => void

/** What a row check reports beside its result. */
interface CheckListeners {
  readonly unknownCode?: CodeListener
  /** Called for a value that became null, with the reason. */
  readonly cleared?: (column: string, reason: string) => void
}

type ValueCheck = (value: unknown, row: AnyRow, unknown: CodeListener) => string | null

const LOCAL_DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
/** Instants outside these years are parser errors. */
const EARLIEST = Date.UTC(1900, 0)
const LATEST = Date.UTC(2200, 0)

/** The columns of a dataset that the engine fills, and that a feed's rows therefore lack. */
export function filledColumns(dataset: Dataset): ReadonlySet<string> {
  const filled = new Set<string>()
  if (dataset.writeMode === 'changes') filled.add(dataset.time)
  if (dataset.life) filled.add(dataset.life.id).add(dataset.life.since)
  return filled
}

/**
 * Creates the check of a feed's rows. It returns null for a valid row, else the reason for rejection with the column. A bad value
 * of a nullable column becomes null and is reported. Unknown codes are reported, and move to `<column>_source` if that exists.
 * Decimals are rounded to their scale, so that live state and table are equal.
 */
export function rowChecker(dataset: Dataset, listeners: CheckListeners = {}): (row: AnyRow) => string | null {
  const { unknownCode = () => {}, cleared = () => {} } = listeners
  const filled = filledColumns(dataset)
  const names: string[] = []
  const checks: ValueCheck[] = []
  const nullable: boolean[] = []
  for (const [name, column] of Object.entries(dataset.columns)) {
    if (column.retired || filled.has(name)) continue
    names.push(name)
    checks.push(column.kind === 'code' ? codeCheck(name, column, dataset) : valueCheck(name, column))
    nullable.push(column.nullable)
  }
  const known = new Set([...names, ...filled])
  /** The column order of the previous row, shared by all rows of a parser. */
  const order: string[] = []
  return (row) => {
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string
      const value = row[name]
      if (value === null) {
        if (!nullable[at]) return `${name} is null`
        continue
      }
      if (value === undefined) return `${name} is missing`
      const reason = (checks[at] as ValueCheck)(value, row, unknownCode)
      if (reason === null) continue
      if (!nullable[at]) return reason
      row[name] = null
      cleared(name, reason)
    }
    let at = 0
    for (const name in row) {
      if (order[at] !== name) {
        if (!known.has(name)) return `${name} is no column`
        order[at] = name
      }
      at++
    }
    return null
  }
}

function valueCheck(name: string, column: Column): ValueCheck {
  switch (column.kind) {
    case 'string':
      return (value) => textReason(name, value)
    case 'code':
      return codeCheck(name, column)
    case 'integer':
    case 'service_time': {
      const most = column.long ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1
      return (value) => {
        if (!Number.isInteger(value)) return `${name} is no whole number`
        return boundsReason(name, value as number, column) ?? (Math.abs(value as number) > most ? `${name} is too large` : null)
      }
    }
    case 'decimal': {
      const scale = 10 ** (column.scale ?? 0)
      const most = 10 ** ((column.precision ?? 9) - (column.scale ?? 0))
      return (value, row) => {
        if (!Number.isFinite(value)) return `${name} is no number`
        if (Math.abs(value as number) >= most) return `${name} is too large`
        const rounded = Math.round((value as number) * scale) / scale
        if (rounded !== value) row[name] = rounded
        return boundsReason(name, value as number, column)
      }
    }
    case 'float':
      return (value) => (Number.isFinite(value) ? boundsReason(name, value as number, column) : `${name} is no number`)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? null : `${name} is neither true nor false`)
    case 'instant':
      return (value) =>
        typeof value === 'number' && value > EARLIEST && value < LATEST ? null : `${name} is no instant between 1900 and 2200`
    case 'local_date':
      return (value) => (typeof value === 'string' && LOCAL_DATE.test(value) ? null : `${name} is no date`)
    case 'point':
      return (value) => (isPosition((value as { lat?: unknown }).lat, (value as { lon?: unknown }).lon) ? null : `${name} is no position`)
    case 'line':
      return (value) => (isLine(value) ? null : `${name} is no line`)
    case 'polygon':
      return (value) => (isPolygon(value) ? null : `${name} is no polygon`)
    case 'multipolygon':
      return (value) => (Array.isArray(value) && value.length > 0 && value.every(isPolygon) ? null : `${name} is no list of polygons`)
    case 'json':
      return (value) => (typeof value === 'function' || typeof value === 'bigint' ? `${name} is no JSON value` : null)
    case 'list': {
      const element = valueCheck(name, column.of as Column)
      return (value, _row, unknown) => {
        if (!Array.isArray(value)) return `${name} is no list`
        for (const item of value) {
          const reason = item === null || item === undefined ? `${name} contains a null` : element(item, {}, unknown)
          if (reason !== null) return reason
        }
        return null
      }
    }
  }
}

function codeCheck(name: string, column: Column, dataset?: Dataset): ValueCheck {
  const codes = new Set(Object.keys(column.codes?.codes ?? {}))
  const list = column.codes?.id ?? name
  const source = column.nullable && dataset && sourceColumn(name) in dataset.columns ? sourceColumn(name) : null
  return (value, row, unknown) => {
    const reason = textReason(name, value)
    if (reason !== null || codes.has(value as string)) return reason
    unknown(list, value as string)
    if (source !== null) {
      row[source] = value
      row[name] = null
    }
    return null
  }
}

/** The column for the source's own text if a code is not in its list. */
function sourceColumn(name: string): string {
  return `${name}_source`
}

function textReason(name: string, value: unknown): string | null {
  if (typeof value !== 'string') return `${name} is no text`
  return value === '' ? `${name} is empty` : null
}

function boundsReason(name: string, value: number, column: Column): string | null {
  if (column.min !== undefined && value < column.min) return `${name} is below ${column.min}`
  return column.max !== undefined && value > column.max ? `${name} is above ${column.max}` : null
}

function isPosition(lat: unknown, lon: unknown): boolean {
  return typeof lat === 'number' && typeof lon === 'number' && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
}

function isLine(value: unknown): value is readonly (readonly [number, number])[] {
  return Array.isArray(value) && value.length >= 2 && value.every((at) => Array.isArray(at) && isPosition(at[1], at[0]))
}

function isPolygon(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((ring) => isLine(ring) && ring.length >= 4 && isClosed(ring))
}

function isClosed(ring: readonly (readonly [number, number])[]): boolean {
  const [first, last] = [ring[0], ring.at(-1)]
  return first?.[0] === last?.[0] && first?.[1] === last?.[1]
}
