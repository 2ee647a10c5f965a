/** Texts that publishers write for "no number" (seen: ministry spreadsheets, EU oil bulletin, Madrid's history). */
export const NOTHING: ReadonlySet<string> = new Set(['', '-', '--', 'N.A', 'N.A.', 'NA', 'N/A', 'NaN', 'n.d.', 'n/d'])

const MINUS_CODE = 45
const NO_CODE = -1
/** Decimals with at most this many digits are a quotient of two exact doubles, so dividing them gives the nearest double. */
const EXACT_DIGITS = 15
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power)

/** xs:float and xs:double without INF and NaN, the floats of GTFS and CSV: `2.3E-5`, `+1.5`, `.5`, `5.`; never hexadecimal. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const COMMA_GROUPED = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/
const POINT_GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const WHOLE = /^[+-]?\d+$/

/**
 * The number of a text with one decimal mark, an exponent and no thousands; NaN for anything else, also for INF, an empty text
 * and one too large for a double. Source of the grammar: XML Schema part 2 (3.2.4, 3.2.5).
 */
export function decimalNumber(text: string, mark = '.'): number {
  const plain = plainDecimal(text, mark.charCodeAt(0))
  if (!Number.isNaN(plain)) return plain
  const trimmed = text.trim()
  if (mark !== '.' && trimmed.includes('.')) return Number.NaN
  const pointed = mark === '.' ? trimmed : trimmed.replace(mark, '.')
  const value = DECIMAL.test(pointed) ? Number(pointed) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}

/**
 * The number of a text in Spanish notation: decimal comma, points for thousands (`1.816,15`), so `1.419` is 1419. Null if the
 * text means "none" (blank, `-`, `N.A`); NaN for anything else, which the caller counts. Never throws.
 */
export function commaNumber(text: string): number | null {
  const value = decimalNumber(text, ',')
  if (!Number.isNaN(value)) return value
  const trimmed = text.trim()
  if (NOTHING.has(trimmed)) return null
  return COMMA_GROUPED.test(trimmed) ? Number(trimmed.replaceAll('.', '').replace(',', '.')) : Number.NaN
}

/** Like `commaNumber`, in English notation: decimal point, commas for thousands (`1,816.15`). */
export function pointNumber(text: string): number | null {
  const value = decimalNumber(text)
  if (!Number.isNaN(value)) return value
  const trimmed = text.trim()
  if (NOTHING.has(trimmed)) return null
  return POINT_GROUPED.test(trimmed) ? Number(trimmed.replaceAll(',', '')) : Number.NaN
}

/** `commaNumber` of a text that has a comma, else `pointNumber`: for files whose editions differ. */
export function eitherNumber(text: string): number | null {
  return text.includes(',') ? commaNumber(text) : pointNumber(text)
}

/** The number of a JSON value or cell that is one or its text, as in `pointNumber`; NaN for a value of another type. */
export function numberIn(value: unknown): number | null {
  if (typeof value === 'string') return pointNumber(value)
  return typeof value === 'number' ? value : value === undefined || value === null ? null : Number.NaN
}

/** A whole number without separators; null and NaN as in `commaNumber`. */
export function wholeNumber(text: string): number | null {
  const plain = plainDecimal(text, NO_CODE)
  if (!Number.isNaN(plain)) return plain
  const trimmed = text.trim()
  if (NOTHING.has(trimmed)) return null
  return WHOLE.test(trimmed) ? Number(trimmed) : Number.NaN
}

/**
 * Parses digits, a decimal mark and digits, with an optional minus; NaN for anything else. A fast path: most numbers look like
 * this, and millions are read a day.
 */
function plainDecimal(text: string, mark: number): number {
  const start = text.charCodeAt(0) === MINUS_CODE ? 1 : 0
  const length = text.length
  let digits = 0
  let marked = -1
  for (let at = start; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) digits = digits * 10 + (code - 48)
    else if (code === mark && marked < 0 && at > start) marked = at
    else return Number.NaN
  }
  if (length - start > EXACT_DIGITS || length === start || marked === length - 1) return Number.NaN
  const value = marked < 0 ? digits : digits / (POWERS[length - 1 - marked] as number)
  return start === 1 ? -value : value
}

/** A number times a factor, rounded to `steps` a unit; null stays. */
export function scaled(value: number | null, factor: number, steps: number): number | null {
  return value === null ? null : Math.round(value * factor * steps) / steps
}
