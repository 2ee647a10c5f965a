import type { Line, Point } from '../../lake/schema/columns.ts'
import { FormatError } from '../feeds/define.ts'
import { xmlInstant } from './dates.ts'
import { decimalNumber } from './numbers.ts'
import { knownPoints, knownPosition, ringOf } from './positions.ts'
import { textAt, type XmlElement, xmlElements } from './xml.ts'

/** A CAP time: the instant (ms), and the local offset as written (`+01:00`). */
export interface CapTime {
  readonly at: number
  readonly utcOffset: string
}

/** An area of a message: its name, its polygons as closed counter-clockwise rings of [lon, lat], its codes by list name. */
export interface CapArea {
  readonly name: string | null
  readonly rings: readonly Line[]
  readonly geocodes: ReadonlyMap<string, string>
}

/** A message's content in one language. Absent elements are null. */
export interface CapInfo {
  /** BCP 47; `en-US` by default, as in CAP. */
  readonly language: string
  readonly event: string | null
  readonly responseType: string | null
  readonly urgency: string | null
  readonly severity: string | null
  readonly certainty: string | null
  readonly eventCodes: ReadonlyMap<string, string>
  readonly onset: CapTime | null
  readonly expires: CapTime | null
  readonly headline: string | null
  readonly description: string | null
  readonly instruction: string | null
  readonly parameters: ReadonlyMap<string, string>
  readonly areas: readonly CapArea[]
}

/** A message of the Common Alerting Protocol 1.2. */
export interface CapMessage {
  readonly identifier: string
  readonly sent: CapTime
  readonly status: string
  readonly msgType: string
  /** Identifiers of earlier messages that it is about. */
  readonly references: readonly string[]
  readonly infos: readonly CapInfo[]
}

const OFFSET = /(?:Z|([+-])(\d\d:\d\d))$/i

/**
 * Reads a message. Its bytes are UTF-8, whatever the document or HTTP declares: AEMET serves them as ISO-8859-15. Throws
 * `FormatError` for other bytes, a missing required element, and an unreadable time; unreadable corners go to `warn`.
 */
export function readCap(bytes: Uint8Array, warn: (text: string) => void): CapMessage {
  const [alert] = [...xmlElements(bytes, { root: 'alert', each: ['alert'], isUtf8: true })].flat()
  if (!alert) throw new FormatError('there is no alert')
  return {
    identifier: required(alert, 'identifier'),
    sent: timeOf('sent', required(alert, 'sent')),
    status: required(alert, 'status'),
    msgType: required(alert, 'msgType'),
    references: referencesOf(textAt(alert, 'references')),
    infos: childrenOf(alert, 'info').map((info) => infoOf(info, warn)),
  }
}

function infoOf(info: XmlElement, warn: (text: string) => void): CapInfo {
  const time = (name: string): CapTime | null => {
    const text = textAt(info, name)
    return text === null ? null : timeOf(name, text)
  }
  return {
    language: textAt(info, 'language') ?? 'en-US',
    event: textAt(info, 'event'),
    responseType: textAt(info, 'responseType'),
    urgency: textAt(info, 'urgency'),
    severity: textAt(info, 'severity'),
    certainty: textAt(info, 'certainty'),
    eventCodes: namedValues(info, 'eventCode'),
    onset: time('onset'),
    expires: time('expires'),
    headline: textAt(info, 'headline'),
    description: textAt(info, 'description'),
    instruction: textAt(info, 'instruction'),
    parameters: namedValues(info, 'parameter'),
    areas: childrenOf(info, 'area').map((area) => areaOf(area, warn)),
  }
}

function areaOf(area: XmlElement, warn: (text: string) => void): CapArea {
  return {
    name: textAt(area, 'areaDesc'),
    rings: childrenOf(area, 'polygon')
      .map(({ text }) => ringOf(knownPoints(text.trim().split(/\s+/).map(cornerOf), warn), warn))
      .filter((ring) => ring !== null),
    geocodes: namedValues(area, 'geocode'),
  }
}

/** A corner of `lat,lon lat,lon …`; null if unreadable. */
function cornerOf(pair: string): Point | null {
  const [lat, lon, ...rest] = pair.split(',').map((part) => decimalNumber(part))
  return rest.length > 0 ? null : knownPosition(lat, lon)
}

/** `sender,identifier,sent` of each, with blanks between. */
function referencesOf(text: string | null): string[] {
  return (text ?? '').split(/\s+/).flatMap((reference) => reference.split(',')[1] ?? [])
}

function namedValues(element: XmlElement, name: string): Map<string, string> {
  const pairs = childrenOf(element, name).map((one) => [textAt(one, 'valueName') ?? '', textAt(one, 'value') ?? ''] as const)
  return new Map(pairs.filter(([, value]) => value !== ''))
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((one) => one.name === name)
}

function required(alert: XmlElement, name: string): string {
  const text = textAt(alert, name)
  if (text === null) throw new FormatError(`no ${name}`)
  return text
}

function timeOf(name: string, text: string): CapTime {
  const at = xmlInstant(text)
  if (at === null) throw new FormatError(`${name} is no time: ${text.slice(0, 40)}`)
  const [, sign, clock] = OFFSET.exec(text) ?? []
  // `-00:00` means that the local offset is unknown (RFC 3339, 4.3).
  return { at, utcOffset: sign === undefined || clock === '00:00' ? '+00:00' : `${sign}${clock}` }
}
