import { instant, type RoadPoint, type Situation, type SituationRecord, type SituationSink } from './datex2.ts'
import { publicationElements } from './datex2-payload.ts'
import { pointNumber } from './numbers.ts'
import { attribute, child, textAt, type XmlElement, xsiType } from './xml.ts'

/** Record types of version 1.0 and the family of causes (version 3) that each stands for, with the element of its detail. */
const FAMILIES: Readonly<Record<string, readonly [family: string, element: string]>> = {
  Accident: ['accident', 'accidentType'],
  AbnormalTraffic: ['abnormalTraffic', 'abnormalTrafficType'],
  Activities: ['publicEvent', 'publicEventType'],
  AnimalPresenceObstruction: ['animalPresence', 'animalPresenceType'],
  AuthorityOperation: ['authorityOperation', 'authorityOperationType'],
  ConstructionWorks: ['constructionWork', 'constructionWorkType'],
  DisturbanceActivity: ['disturbance', 'disturbanceActivityType'],
  EnvironmentalObstruction: ['environmentalObstruction', 'environmentalObstructionType'],
  EquipmentOrSystemFault: ['equipmentOrSystemFault', 'equipmentOrSystemFaultType'],
  GeneralObstruction: ['obstruction', 'obstructionType'],
  InfrastructureDamageObstruction: ['infrastructureDamageObstruction', 'infrastructureDamageType'],
  MaintenanceWorks: ['roadMaintenance', 'roadMaintenanceType'],
  NonWeatherRelatedRoadConditions: ['nonWeatherRelatedRoadConditions', 'nonWeatherRelatedRoadConditionType'],
  PoorEnvironmentConditions: ['poorEnvironment', 'poorEnvironmentType'],
  PublicEvent: ['publicEvent', 'publicEventType'],
  RoadOrCarriagewayOrLaneManagement: ['roadOrCarriagewayOrLaneManagement', 'roadOrCarriagewayOrLaneManagementType'],
  RoadsideAssistance: ['roadsideAssistance', 'roadsideAssistanceType'],
  VehicleObstruction: ['vehicleObstruction', 'vehicleObstructionType'],
  WeatherRelatedRoadConditions: ['weatherRelatedRoadConditions', 'weatherRelatedRoadConditionType'],
}
/** The record types that are read with a cause. */
export const FORMER_RECORD_TYPES: ReadonlySet<string> = new Set(Object.keys(FAMILIES))
const MANAGEMENT = 'roadOrCarriagewayOrLaneManagementType'
/** Traffic cannot pass: the only effect on traffic that is a measure too. */
const IMPASSABLE = 'impossible'
/** Values of a place that mean that it is unknown. */
const UNKNOWN_PLACE = /^(?:desconocid[ao]|unknown|-)$/i

/**
 * Reads the situations of a DATEX II 1.0 publication as those of version 3, in batches: record types are families of causes, the
 * layout of the road is the measure, kilometres are metres of the reference point. Throws as `publicationElements`.
 */
export function* readFormerSituations(bytes: Uint8Array, sink: SituationSink): Generator<readonly Situation[], void> {
  const header = (publishedAt: number): void => sink.header(publishedAt, '1.0')
  for (const elements of publicationElements(bytes, { each: 'situation', header })) {
    const situations = elements.flatMap((element) => situationOf(element, sink) ?? [])
    if (situations.length > 0) yield situations
  }
}

function situationOf(element: XmlElement, sink: SituationSink): Situation | null {
  const id = attribute(element, 'id')?.trim()
  const records = element.children.filter(({ name }) => name === 'situationRecord').flatMap((one) => recordOf(one, sink) ?? [])
  if (!id || records.length === 0) {
    sink.unreadable('situation', id ? 'situation without record' : 'situation without id', id ?? '')
    return null
  }
  return {
    id,
    overallSeverity: null,
    informationStatus: textAt(element, 'headerInformation', 'informationStatus'),
    records,
  }
}

function recordOf(element: XmlElement, sink: SituationSink): SituationRecord | null {
  const [id, type] = [attribute(element, 'id')?.trim(), xsiType(element)]
  if (!id || !type) {
    sink.unreadable('record', id ? 'situationRecord without xsi:type' : 'situationRecord without id', id ?? '')
    return null
  }
  const period = child(element, 'validity', 'validityTimeSpecification')
  const [startsAt, endsAt] = [instant(period, 'overallStartTime', sink), instant(period, 'overallEndTime', sink)]
  const isEndless = startsAt !== null && endsAt !== null && endsAt <= startsAt
  if (isEndless) sink.warn('overallEndTime is not after overallStartTime: end taken as unknown')
  const [family, detail] = FAMILIES[type] ?? [type, '']
  return {
    id,
    version: pointNumber(textAt(element, 'situationRecordVersion') ?? ''),
    type,
    createdAt: instant(element, 'situationRecordCreationTime', sink),
    versionAt: instant(element, 'situationRecordVersionTime', sink),
    probability: textAt(element, 'probabilityOfOccurrence'),
    severity: textAt(element, 'severity'),
    source: null,
    validity: textAt(element, 'validity', 'validityStatus'),
    startsAt,
    endsAt: isEndless ? null : endsAt,
    cause: { type: family, detail: detail === '' ? null : textAt(element, detail) },
    location: locationOf(child(element, 'groupOfLocations', 'locationContainedInGroup'), sink),
    compliance: null,
    vehicles: { types: [], characteristics: [] },
    kind: kindOf(element, { type, detail }),
    speedLimitKmh: null,
    delay_s: null,
  }
}

/** What a record does to traffic: its own management, the layout of the road, or that nobody passes. */
function kindOf(element: XmlElement, { type, detail }: { readonly type: string; readonly detail: string }): SituationRecord['kind'] {
  const layout = textAt(element, 'effectOnRoadLayout')
  const own = detail === '' ? null : textAt(element, detail)
  if (detail === MANAGEMENT && own !== null) return { element: MANAGEMENT, code: own }
  if (textAt(element, 'impact', 'impactOnTraffic') === IMPASSABLE) return { element: MANAGEMENT, code: 'roadClosed' }
  if (layout !== null && layout !== 'roadLayoutUnchanged') return { element: MANAGEMENT, code: layout }
  if (type === 'AbnormalTraffic' && own !== null) return { element: detail, code: own }
  return { element: 'genericSituationRecordName', code: 'incident' }
}

function locationOf(place: XmlElement | undefined, sink: SituationSink): SituationRecord['location'] {
  const linear = child(place, 'tpeglinearLocation')
  const begin = child(place, 'referencePointLinear', 'referencePointPrimaryLocation', 'referencePoint') ?? child(place, 'referencePoint')
  const end = child(place, 'referencePointLinear', 'referencePointSecondaryLocation', 'referencePoint')
  const point = linear ? child(linear, 'from') : child(place, 'tpegpointLocation', 'point')
  const direction = textAt(begin, 'directionRelative')
  return {
    type: linear ? 'Linear' : 'Point',
    road: textAt(begin, 'roadNumber') ?? nameOf(point, 'linkName'),
    destination: null,
    carriageways: [],
    lanes: [],
    compass: null,
    direction,
    descriptor: null,
    placeName: null,
    from: pointOf(point, begin, sink),
    to: linear || end ? pointOf(child(linear, 'to'), end, sink) : null,
  }
}

function pointOf(point: XmlElement | undefined, reference: XmlElement | undefined, sink: SituationSink): RoadPoint {
  const degrees = (name: string): number | null => pointNumber(textAt(point, 'pointCoordinates', name) ?? '')
  const metres = pointNumber(textAt(reference, 'referencePointDistance') ?? '')
  if (metres !== null && metres < 0) sink.warn('referencePointDistance below 0 taken as unknown')
  const area = textAt(reference, 'administrativeArea', 'value')
  return {
    lat: degrees('latitude'),
    lon: degrees('longitude'),
    km: metres === null || metres < 0 ? null : Math.round(metres) / 1000,
    municipality: nameOf(point, 'townName'),
    province: area === null || UNKNOWN_PLACE.test(area) ? null : area,
  }
}

/** A name of a point by its kind: the town, or the road, which Catalonia states there. */
function nameOf(point: XmlElement | undefined, kind: 'townName' | 'linkName'): string | null {
  const named = point?.children.find((one) => one.name === 'name' && textAt(one, 'tpegDescriptorType') === kind)
  return textAt(named, 'descriptor', 'value')
}
