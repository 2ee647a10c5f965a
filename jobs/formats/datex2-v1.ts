import { afterTime } from './datex2-payload.ts'
import { type XmlElement, xmlElements } from './xml.ts'

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
