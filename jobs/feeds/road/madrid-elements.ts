import { wholeNumber } from '../../formats/numbers.ts'
import type { XmlElement } from '../../formats/xml.ts'
import { type Diagnostics, FormatError } from '../define.ts'
import { type Presence, watchPresence } from '../presence.ts'

/** Elements beside the id, in every record of every capture; only streets have name, access, capacity and subarea. */
const OF_ALL = ['intensidad', 'ocupacion', 'carga', 'nivelServicio', 'error'] as const
const OF_STREETS = ['descripcion', 'accesoAsociado', 'intensidadSat', 'subarea'] as const
const OF_PLACED = ['st_x', 'st_y'] as const
/** All elements: `velocidad` is of the M-30; in 2018 there is `codigo` and no position. */
const ELEMENTS = ['idelem', 'codigo', 'velocidad', ...OF_ALL, ...OF_STREETS, ...OF_PLACED] as const
const MEASURES = ['intensidad', 'ocupacion', 'carga', 'velocidad'] as const

/** The texts of a record's elements; undefined if its layout lacks the element. */
export type PmRecord = Record<(typeof ELEMENTS)[number], string | undefined>

/** A record without elements. */
const NO_ELEMENTS = Object.freeze(Object.fromEntries(ELEMENTS.map((name) => [name, undefined]))) as Readonly<PmRecord>

/** Reads a `<pm>`; unknown elements are reported in the notes. */
export function recordOf(element: XmlElement, diagnostics: Diagnostics): PmRecord {
  const record: PmRecord = { ...NO_ELEMENTS }
  for (const { name, text } of element.children) {
    if (Object.hasOwn(NO_ELEMENTS, name)) record[name as keyof PmRecord] = text
    else diagnostics.warn(`unknown element <${name}> in <pm>`)
  }
  return record
}

/** A record without `velocidad` and without street elements is an M-30 record whose speed was renamed. */
export function layoutProblem(record: PmRecord): string | null {
  const isNeither = record.velocidad === undefined && OF_STREETS.every((name) => record[name] === undefined)
  return isNeither ? 'neither the layout of streets nor that of the M-30' : null
}

/** Which elements the records of a file had. */
export interface SeenElements {
  see(record: PmRecord, sensorType: string): void
  /** The number of an element, parsed by `read`; null if absent or empty. A text for "none", such as `n/d`, is counted. */
  number(record: PmRecord, name: keyof PmRecord, read: (text: string) => number | null): number | null
  /** A measured whole number; also null for -1 or, in 2018, `Error`. */
  measure(record: PmRecord, name: (typeof MEASURES)[number]): number | null
  /**
   * Throws `FormatError` if a layout lacked an element in all records, or no record had a measurement; names elements without
   * any number.
   */
  end(): void
}

/** Starts with a file before its first record. */
export function seenElements(diagnostics: Diagnostics): SeenElements {
  const layouts = new Map<string, Presence<PmRecord>>()
  const present = new Set<keyof PmRecord>()
  const numbers = new Set<keyof PmRecord>()

  function number(record: PmRecord, name: keyof PmRecord, read: (text: string) => number | null): number | null {
    const text = record[name]
    if (text === undefined) return null
    present.add(name)
    if (text === '') return null
    const value = read(text)
    if (value === null) diagnostics.warn(`<${name}> is no number`)
    else if (!Number.isNaN(value)) numbers.add(name)
    return value
  }

  return {
    see(record, sensorType) {
      const layout = record.idelem === undefined ? `${sensorType} sensors without idelem` : `${sensorType} sensors`
      let presence = layouts.get(layout)
      if (!presence) layouts.set(layout, (presence = watchLayout(layout, record)))
      presence.see(record)
    },
    number,
    measure(record, name) {
      const text = record[name]
      if (text !== '-1' && text !== 'Error') return number(record, name, wholeNumber)
      present.add(name)
      return null
    },
    end() {
      for (const presence of layouts.values()) presence.end()
      if (present.size > 0 && !MEASURES.some((name) => numbers.has(name)))
        throw new FormatError(`none of the sensors has a number in ${MEASURES.join(', ')}`)
      for (const name of present) if (!numbers.has(name)) diagnostics.warn(`<${name}> is a number in no record`)
    },
  }
}

/** Watches for the elements of the layout that a record has. */
function watchLayout(layout: string, { idelem, velocidad }: PmRecord): Presence<PmRecord> {
  const names = [...OF_ALL, ...(velocidad === undefined ? OF_STREETS : []), ...(idelem === undefined ? [] : OF_PLACED)]
  return watchPresence<PmRecord>(
    layout,
    Object.fromEntries(names.map((name) => [`<${name}>`, (record: PmRecord) => record[name] !== undefined])),
  )
}
