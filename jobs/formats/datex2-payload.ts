import { FormatError } from '../feeds/define.ts'
import { xmlInstant } from './dates.ts'
import { attribute, type XmlElement, type XmlQuery, xmlElements, xsiType } from './xml.ts'

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
