import type { Point } from '../../lake/schema/columns.ts'
import { type Diagnostics, FormatError } from '../feeds/define.ts'
import { xmlInstant } from './dates.ts'
import { pointNumber } from './numbers.ts'
import { attribute, textAt, type XmlElement, type XmlQuery, xmlElements, xsiType } from './xml.ts'

/** Which elements of a DATEX II v3 payload to read. */
interface PayloadQuery {
  /** The `xsi:type` that the payload must have, without its prefix. */
  readonly type: string
  /** Local name of the elements to return. */
  readonly each: string
  /** Limits of the reader where its own are too narrow. */
  readonly limits?: NonNullable<XmlQuery['limits']>
  /** Receives the publication time (ms) and profile version, before any element. */
  readonly header: (publishedAt: number, profileVersion: string | null) => void
}

/**
 * Reads a payload's elements by local names, in batches while parsing: publishers choose their own prefixes. Throws
 * `FormatError` if the payload has another type, has no publication time before its elements, or ends early.
 */
export function* payloadElements(bytes: Uint8Array, { type, each, limits, header }: PayloadQuery): Generator<readonly XmlElement[], void> {
  let profile: string | null = null
  const batches = xmlElements(bytes, {
    root: 'payload',
    each: ['publicationTime', each],
    ...(limits && { limits }),
    check(root) {
      const found = xsiType(root)
      if (found !== type) throw new FormatError(`DATEX II: the payload is ${found ?? 'of no type'}, expected ${type}`)
      profile = attribute(root, 'profileVersion') ?? null
    },
  })
  yield* afterTime(batches, { each, header: (publishedAt) => header(publishedAt, profile), lacks: 'there is no publicationTime' })
}

/**
 * The elements of a publication after its time, which `header` gets (ms). Throws `FormatError` for an unreadable time, for an
 * element before it, and with `lacks` without any.
 */
export function* afterTime(
  batches: Iterable<readonly XmlElement[]>,
  { each, header, lacks }: { readonly each: string; readonly header: (publishedAt: number) => void; readonly lacks: string },
): Generator<readonly XmlElement[], void> {
  let hasTime = false
  for (const batch of batches) {
    const elements: XmlElement[] = []
    for (const element of batch) {
      if (element.name === 'publicationTime') {
        const publishedAt = xmlInstant(element.text)
        if (publishedAt === null) throw new FormatError(`DATEX II: publicationTime ${JSON.stringify(element.text)} is no time with offset`)
        header(publishedAt)
        hasTime = true
        continue
      }
      if (!hasTime) throw new FormatError(`DATEX II: there is no publicationTime before the first ${each}`)
      elements.push(element)
    }
    if (elements.length > 0) yield elements
  }
  if (!hasTime) throw new FormatError(`DATEX II: ${lacks}`)
}

const NAMESPACE = 'http://datex2.eu/schema/1_0/1_0'

/** Which elements of a DATEX II v1.0 publication to read. */
interface PublicationQuery {
  /** Local name of the elements to return. */
  readonly each: string
  /** Local names of child elements to leave out. */
  readonly without?: readonly string[]
  /** Gets the publication's own time (ms), before any element. */
  readonly header: (publishedAt: number) => void
}

/**
 * Reads the elements of a DATEX II v1.0 publication by namespace and local name, in batches while parsing. Throws
 * `FormatError` if it has another version, no publication time before its elements, or ends early.
 */
export function publicationElements(
  bytes: Uint8Array,
  { each, without = [], header }: PublicationQuery,
): Generator<readonly XmlElement[], void> {
  const query = { root: 'd2LogicalModel', each: ['publicationTime', each], without, namespace: NAMESPACE }
  return afterTime(xmlElements(bytes, query), { each, header, lacks: `there is no publicationTime of version 1.0 (${NAMESPACE})` })
}

/** The position of a point of DATEX II v1.0, unchecked; null without one. */
export function coordinatesOf(point: XmlElement | undefined): Point | null {
  const [lat, lon] = ['latitude', 'longitude'].map((name) => pointNumber(textAt(point, 'pointCoordinates', name) ?? ''))
  return lat == null || lon == null ? null : { lat, lon }
}

/** The kilometre of a reference point of DATEX II v1.0, from metres; null if missing or impossible for a road. */
export function kilometreOf(reference: XmlElement | undefined, diagnostics: Diagnostics): number | null {
  const text = textAt(reference, 'referencePointDistance')
  const metres = text === null ? null : pointNumber(text)
  if (metres === null) return null
  if (metres >= 0 && metres <= 2_000_000) return Math.round(metres) / 1000
  diagnostics.warn('referencePointDistance is no number of metres from 0 to 2000000')
  return null
}

/** The INE code of the province in the extension of a reference point, with its zero. */
export function provinceCodeOf(extension: XmlElement | undefined): string | null {
  return textAt(extension, 'provinceINEIdentifier')?.padStart(2, '0') ?? null
}
