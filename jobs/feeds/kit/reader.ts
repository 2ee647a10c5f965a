import { type PlaceProblem, type ResolvedPlace, resolvePlace, type StatedPlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { dayFirstInstant, httpDate, isDate, xmlInstant } from '../../formats/dates.ts'
import { commaNumber, eitherNumber, pointNumber, wholeNumber } from '../../formats/numbers.ts'
import { isNowhere } from '../../formats/positions.ts'
import { type Diagnostics, type FeedClock, FormatError, lookUp } from '../define.ts'
import type { Columns } from './binder.ts'

/** A file's decimal notation: `1.816,15`, `1,816.15`, or either, recognized from each number. */
export type DecimalMark = 'comma' | 'point' | 'either'

const NOTATIONS = { comma: commaNumber, point: pointNumber, either: eitherNumber } as const

/** Degrees, minutes and seconds without marks, then the hemisphere: `413515N`, `023224E`. */
const DMS = /^(\d{2,3})(\d{2})(\d{2})([NSEW])$/

/** The options of a reader. */
interface ReaderOptions<F extends string> {
  readonly columns: Columns<F>
  readonly needs: readonly F[]
  readonly decimal: DecimalMark
  /** Texts that mean no value, in addition to the empty text. */
  readonly emptyValues: readonly string[]
  readonly diagnostics: Diagnostics
  readonly clock: FeedClock
}

/**
 * Reads the fields of one record after another. An unreadable value is counted and becomes null. In a field that the row needs
 * (`N`), a missing or unreadable value rejects the row.
 */
export class RecordReader<F extends string, N extends F = never> {
  readonly #options: ReaderOptions<F>
  readonly #places: ReadonlyMap<F, number>
  readonly #needed: ReadonlySet<F>
  readonly #emptyValues: ReadonlySet<string>
  #values: readonly unknown[] = []

  constructor(options: ReaderOptions<F>) {
    this.#options = options
    this.#places = new Map(options.columns.fields.map((field, at) => [field, at]))
    this.#needed = new Set(options.needs)
    this.#emptyValues = new Set(['', ...options.emptyValues])
  }

  /** Turns to the next record: its values in the order of the fields. */
  turnTo(values: readonly unknown[]): void {
    this.#values = values
  }

  /** The values of the record, in the order of the fields. */
  record(): readonly unknown[] {
    return this.#values
  }

  /** True if a field has one of some texts, including those that mean "no value". */
  isOneOf(field: F, texts: readonly string[]): boolean {
    return texts.includes(String(this.#value(field) ?? '').trim())
  }

  /** A text, without blanks at its ends. */
  text(field: N): string
  text(field: F): string | null
  text(field: F): string | null {
    return this.#given(field) ?? this.#absent(field)
  }

  /** The text of a cell that may be empty although rows need its column. */
  cell(field: F): string | null {
    return this.#given(field)
  }

  /** A number, in the file's notation. */
  number(field: N): number
  number(field: F): number | null
  number(field: F): number | null {
    return this.#numeric(field, 'number', (text) => this.#decimal(text))
  }

  /** A whole number. */
  integer(field: N): number
  integer(field: F): number | null
  integer(field: F): number | null {
    return this.#numeric(field, 'whole number', wholeNumber)
  }

  /** A count, where an empty cell means zero. */
  count(field: N): number
  count(field: F): number | null
  count(field: F): number | null {
    return this.#isEmpty(field) ? 0 : this.#numeric(field, 'whole number', wholeNumber)
  }

  /** A date as YYYY-MM-DD, from `2026-01-03`, `3/1/2026` or `03-01-2026`. */
  date(field: N): string
  date(field: F): string | null
  date(field: F): string | null {
    return this.parsed<string | number>(field, 'date', dateOf) as string | null
  }

  /** An instant (ms), from RFC 3339, RFC 822, or `dd/mm/yyyy H:MM[:SS]` in Madrid time. */
  instant(field: N): number
  instant(field: F): number | null
  instant(field: F): number | null {
    const { fetched_at, near = fetched_at } = this.#options.clock
    return this.parsed(field, 'time', (text) => xmlInstant(text) ?? numberElse(httpDate(text), () => dayFirstInstant(text, near)))
  }

  /** Maps a text to its code; an unmapped text stays as it is, and the row check counts it. */
  code(field: N, codes: Readonly<Record<string, string>>): string
  code(field: F, codes: Readonly<Record<string, string>>): string | null
  code(field: F, codes: Readonly<Record<string, string>>): string | null {
    const text = this.text(field)
    return text === null ? null : (lookUp(codes, text) ?? text)
  }

  /** A position in decimal degrees. */
  position(latitude: N, longitude: N): Point
  position(latitude: F, longitude: F): Point | null
  position(latitude: F, longitude: F): Point | null {
    const [lat, lon] = [this.number(latitude), this.number(longitude)]
    if (lat === null || lon === null) return null
    return isNowhere(lat, lon) ? (this.#checked<number>(latitude, 'position: it is 0, 0', Number.NaN) as null) : { lat, lon }
  }

  /** A position in degrees, minutes and seconds (`413515N`), as decimal degrees to six places. */
  dms(latitude: F, longitude: F): Point | null {
    const [lat, lon] = [this.#degrees(latitude), this.#degrees(longitude)]
    return lat === null || lon === null ? null : { lat, lon }
  }

  /** INE's codes of a place, from its name and position, each checked against the other. */
  place(stated: StatedPlace): ResolvedPlace {
    return resolvePlace(stated, (problem: PlaceProblem) => this.warn(problem))
  }

  /** Counts a code that a list of the publisher's lacks. */
  unknownCode(list: string, code: string): void {
    this.#options.diagnostics.unknownCode(list, code)
  }

  /** Counts something that a person should read. */
  warn(text: string): void {
    this.#options.diagnostics.warn(text)
  }

  /** A value in the publisher's own notation: `parse` returns null for none, and NaN for an unreadable text. */
  parsed<T extends string | number>(field: F, what: string, parse: (text: string) => T | null): T | null {
    const text = this.#given(field)
    return this.#checked(field, what, text === null ? null : parse(text))
  }

  #degrees(field: F): number | null {
    return this.parsed(field, 'ddmmss with N, S, E or W', (text) => {
      const [, whole, minutes, seconds, half] = DMS.exec(text) ?? []
      if (whole === undefined || Number(minutes) > 59 || Number(seconds) > 59) return Number.NaN
      const value = Math.round((Number(whole) + Number(minutes) / 60 + Number(seconds) / 3600) * 1e6) / 1e6
      return half === 'S' || half === 'W' ? -value : value
    })
  }

  #decimal(text: string): number | null {
    return NOTATIONS[this.#options.decimal](text)
  }

  /** A number that may be one already, as in JSON. */
  #numeric(field: F, what: string, parse: (text: string) => number | null): number | null {
    const given = this.#value(field)
    const isRead = typeof given === 'number' && (parse === wholeNumber ? Number.isSafeInteger(given) : Number.isFinite(given))
    if (isRead && (this.#options.emptyValues.length === 0 || !this.#emptyValues.has(String(given)))) return given
    return this.parsed(field, what, (text) => (typeof given === 'number' && parse !== wholeNumber ? given : parse(text)))
  }

  #checked<T extends string | number>(field: F, what: string, value: T | null): T | null {
    if (value === null) return this.#absent(field)
    if (!Number.isNaN(value)) return value
    const problem = `${this.#options.columns.nameOf(field)} is no ${what}`
    if (this.#needed.has(field)) throw new FormatError(problem)
    this.warn(problem)
    return null
  }

  #value(field: F): unknown {
    return this.#values[this.#places.get(field) as number]
  }

  #given(field: F): string | null {
    const value = this.#value(field)
    if (value === undefined || value === null) return null
    if (typeof value === 'object') return this.#checked<number>(field, 'single value', Number.NaN) as null
    const text = String(value).trim()
    return this.#emptyValues.has(text) ? null : text
  }

  #isEmpty(field: F): boolean {
    const value = this.#value(field)
    return typeof value === 'string' && value.trim() === ''
  }

  #absent(field: F): null {
    if (this.#needed.has(field)) throw new FormatError(`no ${this.#options.columns.nameOf(field)}`)
    return null
  }
}

const DATE = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[/-](\d{1,2})[/-](\d{4}))$/

function dateOf(text: string): string | number {
  const [, year, month, day, firstDay, secondMonth, lastYear] = DATE.exec(text) ?? []
  const [y, m, d] = [year ?? lastYear, month ?? secondMonth, day ?? firstDay] as [string?, string?, string?]
  const date = `${y}-${m?.padStart(2, '0')}-${d?.padStart(2, '0')}`
  return isDate(date) ? date : Number.NaN
}

function numberElse(value: number, other: () => number): number {
  return Number.isNaN(value) ? other() : value
}
