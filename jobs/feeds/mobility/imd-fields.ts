import type { Feature } from '../../formats/arcgis.ts'
import { numberIn } from '../../formats/numbers.ts'
import { type Diagnostics, FormatError } from '../define.ts'

/** The attributes of a feature by names of ours. */
export interface Attributes<F extends string> {
  /** Trimmed; null if empty. */
  readonly text: (field: F) => string | null
  /** Null if empty. Throws `FormatError` for a text that is not a number, and for a negative one. */
  readonly number: (field: F) => number | null
}

/** The known names of each of our fields, and the list in which unknown names are counted. */
interface Reading<F extends string> {
  /** Names in layers of any year, in lower case, without accents. */
  readonly fields: Readonly<Record<F, readonly string[]>>
  readonly list: string
  readonly diagnostics: Diagnostics
}

/** A name without accents and in small letters. */
export function foldedText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Attributes of the geometry, such as its length in some layers. */
const GEOMETRY = /^(st_)?shape/

/** Reads a feature's attributes by meaning: the traffic map's names vary from year to year. Unknown names are counted. */
export function attributesOf<F extends string>(feature: Feature, { fields, list, diagnostics }: Reading<F>): Attributes<F> {
  const byName = new Map<string, unknown>()
  const known = new Set(Object.values<readonly string[]>(fields).flat())
  for (const [name, value] of Object.entries(feature)) {
    const key = foldedText(name)
    byName.set(key, value)
    if (!known.has(key) && !GEOMETRY.test(key)) diagnostics.unknownCode(list, name)
  }
  const valueOf = (field: F): unknown => {
    for (const name of fields[field]) if (byName.has(name)) return byName.get(name) ?? null
    return null
  }
  return {
    text: (field) => {
      const value = valueOf(field)
      return value === null ? null : String(value).trim() || null
    },
    number: (field) => {
      const number = numberIn(valueOf(field))
      if (number !== null && !(number >= 0)) throw new FormatError(`${fields[field][0]} is no number from 0 on`)
      return number
    },
  }
}
