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
