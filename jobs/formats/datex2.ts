import { xmlInstant } from './dates.ts'
import { payloadElements } from './datex2-payload.ts'
import { decimalNumber } from './numbers.ts'
import { attribute, child, textAt, type XmlElement, xsiType } from './xml.ts'

/**
 * A situation of DATEX II v3 SituationPublication in DGT's Spanish profile (3.6 and 3.7), read by local names: DGT's
 * namespaces are its own (`http://levelC/schema/3/…`) and its prefixes change. Codes stay as published; the feed maps them.
 */
export interface Situation {
  readonly id: string
  readonly overallSeverity: string | null
  /** `real`, or an exercise or test. */
  readonly informationStatus: string | null
  readonly records: readonly SituationRecord[]
}

/** One situationRecord: an element of the situation with its own place and measure. Instants in ms since the epoch. */
export interface SituationRecord {
  readonly id: string
  readonly version: number | null
  /** Its xsi:type without prefix. */
  readonly type: string
  readonly createdAt: number | null
  readonly versionAt: number | null
  readonly probability: string | null
  readonly severity: string | null
  readonly source: string | null
  readonly validity: string | null
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** Its type, and the one element inside detailedCauseType (the same names also occur as a record's own kind). */
  readonly cause: { readonly type: string | null; readonly detail: string | null }
  readonly location: Location
  readonly compliance: string | null
  readonly vehicles: Vehicles
  /** The record's specific content: element name and code, such as `speedManagementType`. */
  readonly kind: { readonly element: string; readonly code: string } | null
  readonly speedLimitKmh: number | null
  /** Additional travel time that its impact states, s. */
  readonly delay_s: number | null
}

/** Where. A point has only `from`. */
interface Location {
  /** xsi:type of the reference without prefix: PointLocation, SingleRoadLinearLocation. */
  readonly type: string | null
  readonly road: string | null
  readonly destination: string | null
  readonly carriageways: readonly string[]
  readonly lanes: readonly string[]
  /** Compass, as `northBound`. */
  readonly compass: string | null
  /** Along the road: positive is the way of increasing km. */
  readonly direction: string | null
  /** A named place on the road, and its kind, such as `onPass`. */
  readonly descriptor: string | null
  readonly placeName: string | null
  readonly from: RoadPoint | null
  readonly to: RoadPoint | null
}

/** A point of a road. */
export interface RoadPoint {
  readonly lat: number | null
  readonly lon: number | null
  readonly km: number | null
  readonly municipality: string | null
  readonly province: string | null
}

/** Which vehicles are meant. */
interface Vehicles {
  readonly types: readonly string[]
  readonly characteristics: readonly VehicleCharacteristic[]
}

/** A bound on vehicles: t of weight, m of the others. */
export interface VehicleCharacteristic {
  readonly dimension: 'weight' | 'width' | 'length' | 'height'
  readonly operator: string | null
  readonly value: number | null
}

/** What a reader reports beside the situations. */
export interface SituationSink {
  /** Receives the publication time (ms) and profile version, before any situation. */
  header(publishedAt: number, profileVersion: string | null): void
  /** Counts a value that its field must not have. */
  warn(text: string): void
  /** Counts an unreadable situation or record; `id` as published. */
  unreadable(what: 'situation' | 'record', reason: string, id: string): void
}

const DIMENSIONS = [
  ['grossWeightCharacteristic', 'grossVehicleWeight', 'weight'],
  ['widthCharacteristic', 'vehicleWidth', 'width'],
  ['lengthCharacteristic', 'vehicleLength', 'length'],
  ['heightCharacteristic', 'vehicleHeight', 'height'],
] as const

/** Elements of every record, and those read elsewhere: the first other element with a code is the record's kind. */
const COMMON = new Set(['probabilityOfOccurrence', 'severity', 'complianceOption', 'situationRecordCreationReference'])

/**
 * Reads the situations of a publication, in batches while parsing. Throws `FormatError` if it is not such a publication or
 * ends early.
 */
export function* readSituations(bytes: Uint8Array, sink: SituationSink): Generator<readonly Situation[], void> {
  const query = { type: 'SituationPublication', each: 'situation', header: sink.header.bind(sink) }
  for (const elements of payloadElements(bytes, query)) {
    const situations = elements.flatMap((element) => readSituation(element, sink) ?? [])
    if (situations.length > 0) yield situations
  }
}

function readSituation(element: XmlElement, sink: SituationSink): Situation | null {
  const id = attribute(element, 'id')
  if (!id) {
    sink.unreadable('situation', 'situation without id', textAt(element, 'situationRecord', 'situationRecordCreationTime') ?? '')
    return null
  }
  const records: SituationRecord[] = []
  let bad: string | null = null
  for (const one of element.children) {
    if (one.name !== 'situationRecord') continue
    const record = readRecord(one, sink)
    if (typeof record !== 'string') records.push(record)
    else {
      bad = record
      sink.unreadable('record', record, `situation ${id}, record ${attribute(one, 'id') ?? 'without id'}`)
    }
  }
  if (records.length === 0) {
    sink.unreadable('situation', bad ?? 'situation without record', id)
    return null
  }
  const informationStatus = textAt(element, 'headerInformation', 'informationStatus')
  return { id, overallSeverity: textAt(element, 'overallSeverity'), informationStatus, records }
}

/** A record, or the reason why it is invalid. */
function readRecord(element: XmlElement, sink: SituationSink): SituationRecord | string {
  const id = attribute(element, 'id')
  if (!id) return 'situationRecord without id'
  const type = xsiType(element)
  if (!type) return 'situationRecord without xsi:type'
  const reference = child(element, 'locationReference')
  if (!reference) return 'situationRecord without locationReference'
  const validity = child(element, 'validity')
  const period = child(validity, 'validityTimeSpecification')
  const kind = element.children.find((one) => one.children.length === 0 && isKind(one.name))
  const cause = child(element, 'cause')
  const detail = child(cause, 'detailedCauseType')?.children[0]
  return {
    id,
    version: number(attribute(element, 'version') ?? null, 'version', sink),
    type,
    createdAt: instant(element, 'situationRecordCreationTime', sink),
    versionAt: instant(element, 'situationRecordVersionTime', sink),
    probability: textAt(element, 'probabilityOfOccurrence'),
    severity: textAt(element, 'severity'),
    source: textAt(element, 'source', 'sourceIdentification'),
    validity: textAt(validity, 'validityStatus'),
    startsAt: instant(period, 'overallStartTime', sink),
    endsAt: instant(period, 'overallEndTime', sink),
    cause: { type: textAt(cause, 'causeType'), detail: detail ? code(detail) : null },
    location: readLocation(reference, sink),
    compliance: textAt(element, 'complianceOption'),
    vehicles: readVehicles(child(element, 'forVehiclesWithCharacteristicsOf'), sink),
    kind: kind ? { element: kind.name, code: code(kind) } : null,
    speedLimitKmh: number(textAt(element, 'temporarySpeedLimit'), 'temporarySpeedLimit', sink),
    delay_s: number(textAt(element, 'impact', 'delays', 'delayTimeValue'), 'delayTimeValue', sink),
  }
}

function isKind(name: string): boolean {
  return (name.endsWith('Type') || name === 'genericSituationRecordName') && !COMMON.has(name)
}

/** Reads a location: a situation's location reference, or a device's location. */
export function readLocation(reference: XmlElement, sink: Pick<SituationSink, 'warn'>): Location {
  const description = child(reference, 'supplementaryPositionalDescription')
  const linear = child(reference, 'tpegLinearLocation')
  const tpeg = linear ?? child(reference, 'tpegPointLocation')
  const extension = linear
    ? child(linear, '_tpegLinearLocationExtension', 'extendedTpegLinearLocation')
    : child(tpeg, '_tpegSimplePointExtension', 'extendedTpegSimplePoint')
  const carriageways = description?.children.filter((one) => one.name === 'carriageway') ?? []
  const lanes = carriageways.flatMap((one) => one.children.filter((part) => part.name === 'lane'))
  const start = child(tpeg, linear ? 'from' : 'point')
  const end = child(linear, 'to')
  return {
    type: xsiType(reference) ?? null,
    road: textAt(description, 'roadInformation', 'roadName'),
    destination: textAt(description, 'roadInformation', 'roadDestination'),
    carriageways: codes(carriageways.map((one) => child(one, 'carriageway'))),
    lanes: codes(lanes.map((lane) => child(lane, 'laneUsage'))),
    compass: textAt(tpeg, 'tpegDirection'),
    direction: textAt(extension, 'tpegDirectionRoad'),
    descriptor: textAt(description, 'geographicDescriptor'),
    placeName: textAt(description, 'locationDescription', 'values', 'value'),
    from: start ? readPoint(start, sink) : null,
    to: end ? readPoint(end, sink) : null,
  }
}

function readPoint(point: XmlElement, sink: Pick<SituationSink, 'warn'>): RoadPoint {
  const extended = child(point, '_tpegNonJunctionPointExtension', 'extendedTpegNonJunctionPoint')
  return {
    lat: number(textAt(point, 'pointCoordinates', 'latitude'), 'latitude', sink),
    lon: number(textAt(point, 'pointCoordinates', 'longitude'), 'longitude', sink),
    km: number(textAt(extended, 'kilometerPoint'), 'kilometerPoint', sink),
    municipality: textAt(extended, 'municipality'),
    province: textAt(extended, 'province'),
  }
}

function readVehicles(element: XmlElement | undefined, sink: SituationSink): Vehicles {
  if (!element) return { types: [], characteristics: [] }
  const characteristics: VehicleCharacteristic[] = []
  for (const [name, valueName, dimension] of DIMENSIONS)
    for (const one of element.children) {
      if (one.name !== name) continue
      const value = number(textAt(one, valueName), valueName, sink)
      characteristics.push({ dimension, operator: textAt(one, 'comparisonOperator'), value })
    }
  return { types: codes(element.children.filter((one) => one.name === 'vehicleType')), characteristics }
}

/** A code; for an extension of the profile the element's text is `_extended` and its attribute has the code. */
function code(element: XmlElement): string {
  return element.text === '_extended' ? (attribute(element, '_extendedValue') ?? element.text) : element.text
}

function codes(elements: readonly (XmlElement | undefined)[]): string[] {
  return [...new Set(elements.map((element) => (element ? code(element) : '')))].filter((one) => one !== '')
}

function number(text: string | null, field: string, sink: Pick<SituationSink, 'warn'>): number | null {
  if (text === null) return null
  const value = decimalNumber(text)
  if (!Number.isNaN(value)) return value
  sink.warn(`${field} is no number`)
  return null
}

/** The instant (ms) in a child element; null if missing or unreadable, the latter with a warning. */
export function instant(element: XmlElement | undefined, field: string, sink: Pick<SituationSink, 'warn'>): number | null {
  const text = textAt(element, field)
  if (text === null) return null
  const at = xmlInstant(text)
  if (at === null) sink.warn(`${field} is no time with offset`)
  return at
}
