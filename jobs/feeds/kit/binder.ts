import type { Diagnostics } from '../define.ts'
import type { Columns } from './columns.ts'

/** A record as parsed: column names, and the value of each. */
export interface RawRecord {
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}

/** The position of a field without a column. */
const ABSENT = -1

/** Maps the values of a file's records to a feed's fields, and counts unknown columns. */
export class Binder<F extends string> {
  readonly #columns: Columns<F>
  readonly #seen = new Set<F>()
  /** Positions of fields without a value in any record so far. */
  #empty: readonly number[]
  readonly #unknown = new Map<string, number>()
  /** The previous record's column names, the same for a whole file with a header, and the field positions in them. */
  #names: readonly string[] = []
  readonly #places: number[]

  constructor(columns: Columns<F>) {
    this.#columns = columns
    this.#empty = [...columns.fields.keys()]
    this.#places = columns.fields.map(() => ABSENT)
  }

  /** The values of a record in field order; undefined for a missing column. */
  valuesOf({ names, values }: RawRecord): readonly unknown[] {
    this.bind(names)
    const found = this.#places.map((at) => (at === ABSENT ? undefined : values[at]))
    if (this.#empty.some((field) => !isEmpty(found[field]))) this.#empty = this.#empty.filter((field) => isEmpty(found[field]))
    return found
  }

  /** Finds the fields among the column names; the first column of a field counts. */
  bind(names: readonly string[]): void {
    if (names === this.#names) return
    this.#names = names
    this.#places.fill(ABSENT)
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string
      const field = this.#columns.fieldAt(name)
      if (field === undefined && name !== '') this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1)
      if (field === undefined || field < 0 || this.#places[field] !== ABSENT) continue
      this.#places[field] = at
      this.#seen.add(this.#columns.fields[field] as F)
    }
  }

  /** Fields without a column in any record, by the publisher's names. */
  missing(fields: readonly F[]): string[] {
    return fields.filter((field) => !this.#seen.has(field)).map((field) => this.#columns.nameOf(field))
  }

  /** Fields without a value in any record, by the publisher's names. */
  empty(): string[] {
    return this.#empty.map((field) => this.#columns.nameOf(this.#columns.fields[field] as F))
  }

  /** Counts a feed's unknown columns: once per record that names them, once for a header. */
  countUnknown(feed: string, notes: Pick<Diagnostics, 'unknownCode'>): void {
    for (const [column, count] of this.#unknown) for (let nth = 0; nth < count; nth++) notes.unknownCode(`${feed}_column`, column)
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
