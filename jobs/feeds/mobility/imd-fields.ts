import type { Feature } from '../../formats/arcgis.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { FormatError, type Notes } from '../define.ts'

/** The attributes of a feature by names of ours. */
export interface Attributes<F extends string> {
  /** Trimmed; null for nothing. */
  readonly text: (field: F) => string | null
  /** Null for nothing. Throws `FormatError` for any text that is no number, and for less than 0. */
  readonly number: (field: F) => number | null
}

/** What names there are for each of our fields, and where names that are none of these are counted. */
interface Reading<F extends string> {
  /** Names as layers of any year have them, in small letters, without accents. */
  readonly fields: Readonly<Record<F, readonly string[]>>
  readonly list: string
  readonly notes: Notes
}

/** A name without accents and in small letters. */
export function foldedText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Of the geometry, which some layers state the length of. */
const GEOMETRY = /^(st_)?shape/

/** The attributes of a feature of the traffic map, whose names drift from year to year: by what they are. Other names are counted. */
export function attributesOf<F extends string>(feature: Feature, { fields, list, notes }: Reading<F>): Attributes<F> {
  const byName = new Map<string, unknown>()
  const known = new Set(Object.values<readonly string[]>(fields).flat())
  for (const [name, value] of Object.entries(feature)) {
    const key = foldedText(name)
    byName.set(key, value)
    if (!known.has(key) && !GEOMETRY.test(key)) notes.unknownCode(list, name)
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
      const value = valueOf(field)
      const number = typeof value === 'number' || value === null ? value : pointNumber(String(value))
      if (number !== null && !(number >= 0)) throw new FormatError(`${fields[field][0]} is no number from 0 on`)
      return number
    },
  }
}
