import type { Notes } from '../define.ts'
import type { Columns } from './columns.ts'

/** A record as its format has it: names of columns, and the value under each. */
export interface RawRecord {
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}

/** Puts the values of a file's records under the fields of a feed, and counts the columns that nobody knows. */
export class Binder<F extends string> {
  readonly #columns: Columns<F>
  readonly #seen = new Set<F>()
  /** Fields of which no record had a value so far. */
  readonly #empty: Set<F>
  readonly #unknown = new Map<string, number>()
  /** The names of the record before, which those of a file with a header share, and the place of each field among them. */
  #names: readonly string[] | null = null
  #places: readonly number[] = []

  constructor(columns: Columns<F>) {
    this.#columns = columns
    this.#empty = new Set(columns.fields)
  }

  /** The values of a record in the order of the fields; undefined for a column that it lacks. */
  valuesOf({ names, values }: RawRecord): readonly unknown[] {
    this.bind(names)
    const found = this.#places.map((at) => values[at])
    for (const field of this.#empty) if (!isEmpty(found[this.#columns.fields.indexOf(field)])) this.#empty.delete(field)
    return found
  }

  /** Finds the fields among the names of columns; the first column of a field counts. */
  bind(names: readonly string[]): void {
    if (names === this.#names) return
    const places: number[] = new Array(this.#columns.fields.length).fill(-1)
    for (const [at, name] of names.entries()) {
      const field = this.#columns.fieldAt(name)
      if (field === undefined && name !== '') this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1)
      if (field === undefined || field < 0 || places[field] !== -1) continue
      places[field] = at
      this.#seen.add(this.#columns.fields[field] as F)
    }
    this.#names = names
    this.#places = places
  }

  /** Those of some fields of which no record had a column, by the publisher's names. */
  missing(fields: readonly F[]): string[] {
    return fields.filter((field) => !this.#seen.has(field)).map((field) => this.#columns.nameOf(field))
  }

  /** The fields of which no record had a value, by the publisher's names. */
  empty(): string[] {
    return [...this.#empty].map((field) => this.#columns.nameOf(field))
  }

  /** Counts the unknown columns of a feed, each as often as records named it; once for a header. */
  countUnknown(feed: string, notes: Pick<Notes, 'unknownCode'>): void {
    for (const [column, count] of this.#unknown) for (let nth = 0; nth < count; nth++) notes.unknownCode(`${feed}_column`, column)
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
