import type { Diagnostics } from '../define.ts'

/** Separates the names of one column in a declaration: `Numero_expedient | Número d'expedient`. */
const SYNONYMS = '|'

/** A name without accents, case, blanks, underscores or other marks, so that spellings of one name are equal. */
export function foldedName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** A feed's fields, each with the publishers' names of its column. */
export interface Columns<F extends string> {
  readonly fields: readonly F[]
  /** The publisher's usual name of a field, for messages. */
  nameOf(field: F): string
  /** The position of a column's field; -1 for a known column that is not read, undefined for an unknown one. */
  fieldAt(column: string): number | undefined
}

/** Resolves the fields of `columns` under any of their names; `knows` lists columns that are known but not read. */
export function columnsOf<F extends string>(columns: Readonly<Record<F, string>>, knows: readonly string[]): Columns<F> {
  const fields = Object.keys(columns) as F[]
  const namesOf = (text: string): string[] => text.split(SYNONYMS).map((name) => name.trim())
  const places = new Map<string, number>(knows.flatMap((text) => namesOf(text).map((name) => [foldedName(name), -1] as const)))
  for (const [at, field] of fields.entries()) for (const name of namesOf(columns[field])) places.set(foldedName(name), at)
  /** Publishers repeat their names in every record, so each is folded once. */
  const folded = new Map<string, number>()
  return {
    fields,
    nameOf: (field) => namesOf(columns[field])[0] as string,
    fieldAt(column) {
      const known = folded.get(column)
      if (known !== undefined) return known === UNKNOWN ? undefined : known
      const at = places.get(foldedName(column))
      if (folded.size < MAX_NAMES) folded.set(column, at ?? UNKNOWN)
      return at
    },
  }
}

const UNKNOWN = -2
/** A hostile document may have any number of names. */
const MAX_NAMES = 4096

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
