/** Texts that publishers write for "no number" (seen: ministry spreadsheets, EU oil bulletin, Madrid's history). */
export const NOTHING: ReadonlySet<string> = new Set(['', '-', '--', 'N.A', 'N.A.', 'NA', 'N/A', 'NaN', 'n.d.', 'n/d'])

const COMMA_CODE = 44
const POINT_CODE = 46
const MINUS_CODE = 45
const NO_CODE = -1
/** Decimals with at most this many digits are a quotient of two exact doubles, so dividing them gives the nearest double. */
const EXACT_DIGITS = 15
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power)

const COMMA = /^[+-]?\d+(?:,\d+)?$/
const COMMA_GROUPED = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/
const POINT = /^[+-]?\d+(?:\.\d+)?$/
const POINT_GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const WHOLE = /^[+-]?\d+$/

/**
 * The number of a text in Spanish notation: decimal comma, points for thousands (`1.816,15`), so `1.419` is 1419. Null if the
 * text means "none" (blank, `-`, `N.A`); NaN for anything else, which the caller counts. Never throws.
 */
export function commaNumber(text: string): number | null {
  const plain = plainDecimal(text, COMMA_CODE)
  if (!Number.isNaN(plain)) return plain
  const trimmed = text.trim()
  if (NOTHING.has(trimmed)) return null
  if (COMMA.test(trimmed)) return Number(trimmed.replace(',', '.'))
  return COMMA_GROUPED.test(trimmed) ? Number(trimmed.replaceAll('.', '').replace(',', '.')) : Number.NaN
}

/** Like `commaNumber`, in English notation: decimal point, commas for thousands (`1,816.15`). */
export function pointNumber(text: string): number | null {
  const plain = plainDecimal(text, POINT_CODE)
  if (!Number.isNaN(plain)) return plain
  const trimmed = text.trim()
  if (NOTHING.has(trimmed)) return null
  if (POINT.test(trimmed)) return Number(trimmed)
  return POINT_GROUPED.test(trimmed) ? Number(trimmed.replaceAll(',', '')) : Number.NaN
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
