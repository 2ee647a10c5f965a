import { COMMUNITIES, provinceOf } from '../world/provinces.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import type { Situation, SituationRecord, VehicleLimit } from '../world/situation-types.ts'
import { type Xml, xmlOf } from './xml.ts'

const SEVERITIES = ['low', 'medium', 'high', 'highest'] as const

/** A publication of DGT in DATEX II v3: `content` follows its description, time and creator. */
export function dgtPublication(
  {
    type,
    profile,
    namespaces,
    description,
    publishedAt,
    ...attributes
  }: {
    readonly type: string
    readonly profile: string
    /** Namespaces by prefix. */
    readonly namespaces: Readonly<Record<string, string>>
    readonly description: string
    readonly publishedAt: number
    readonly '@xsi:schemaLocation'?: string
  },
  content: Readonly<Record<string, Xml>>,
): string {
  const xmlns = Object.entries({ ...namespaces, d2: 'd2Payload' }).map(([prefix, name]) => [
    `@xmlns:${prefix}`,
    `http://levelC/schema/3/${name}`,
  ])
  const payload = {
    ...{ '@xsi:type': type, '@lang': 'es', '@modelBaseVersion': 3, '@profileName': `DGT (Spain) Profile ${profile}` },
    ...{
      '@profileVersion': '3.7_1.0',
      ...attributes,
      ...Object.fromEntries(xmlns),
      '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    },
    'com:feedDescription': { 'com:values': { 'com:value': description } },
    'com:publicationTime': isoLocal(publishedAt),
    'com:publicationCreator': { 'com:country': 'es', 'com:nationalIdentifier': 'DGT' },
    ...content,
  }
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${xmlOf({ 'd2:payload': payload })}\n`
}

/** DGT's incidents. `publishedAt` in ms. */
export function dgtDatex(situations: readonly Situation[], publishedAt: number): string {
  return dgtPublication(
    {
      ...{ type: 'sit:SituationPublication', profile: 'RTTI SituationPublication', publishedAt },
      description: 'Publicación de incidencias de trafico activas en las carreteras Españolas.',
      namespaces: {
        ...{ com: 'common', loc: 'locationReferencing', ns8: 'faultAndStatus', cse: 'commonSpanishExtension', sit: 'situation' },
        ...{ sse: 'situationSpanishExtension', ns9: 'faultAndStatusSpanishExtension', ns3: 'locationExtension' },
        lse: 'locationReferencingSpanishExtension',
      },
    },
    { 'sit:situation': situations.map(situationXml) },
  )
}

function situationXml(situation: Situation): Xml {
  const { id, records } = situation
  return {
    '@id': id,
    'sit:overallSeverity': SEVERITIES.findLast((severity) => records.some((record) => record.severity === severity)),
    'sit:headerInformation': { 'com:informationStatus': 'real' },
    'sit:situationRecord': records.map((record) => recordXml(situation, record)),
  }
}

function recordXml({ source, cause: [type, detail, value] }: Situation, record: SituationRecord): Xml {
  const { measure, isMandatory, endsAt, speed_kmh } = record
  return {
    ...{ '@xsi:type': `sit:${measure.type}`, '@id': record.id, '@version': record.version },
    'sit:situationRecordCreationReference': record.reference || null,
    'sit:situationRecordCreationTime': isoLocal(record.createdAt),
    'sit:situationRecordVersionTime': isoLocal(record.versionedAt),
    'sit:probabilityOfOccurrence': 'certain',
    'sit:severity': record.severity,
    'sit:source': { 'com:sourceIdentification': source },
    'sit:validity': {
      'com:validityStatus': 'active',
      'com:validityTimeSpecification': {
        'com:overallStartTime': isoLocal(record.startsAt),
        'com:overallEndTime': endsAt === null ? null : isoLocal(endsAt),
      },
    },
    'sit:cause': { 'sit:causeType': type, 'sit:detailedCauseType': { [`sit:${detail}`]: value } },
    'sit:locationReference': locationXml(record),
    'sit:complianceOption': isMandatory === null ? null : isMandatory ? 'mandatory' : 'advisory',
    'sit:forVehiclesWithCharacteristicsOf': isMandatory === null ? null : vehiclesXml(record),
    [`sit:${measure.element}`]: measure.value,
    'sit:temporarySpeedLimit': speed_kmh === null ? null : double(speed_kmh),
  }
}

function locationXml(record: SituationRecord): Xml {
  const { pass, besides, lane, destination, road, compass, direction, from, to } = record
  const sense = { 'lse:tpegDirectionRoad': direction }
  return {
    '@xsi:type': `loc:${to ? 'SingleRoadLinearLocation' : 'PointLocation'}`,
    'loc:supplementaryPositionalDescription': {
      'loc:geographicDescriptor': pass && 'onPass',
      'loc:locationDescription': pass && { 'com:values': { 'com:value': pass } },
      'loc:carriageway': [
        besides && { 'loc:carriageway': besides },
        lane && { 'loc:carriageway': 'unspecifiedCarriageway', 'loc:lane': { 'loc:laneUsage': coded(lane) } },
      ],
      'loc:roadInformation': { 'loc:roadDestination': destination || null, 'loc:roadName': road.name },
    },
    'loc:tpegLinearLocation': to && {
      ...{ 'loc:tpegDirection': compass, 'loc:tpegLinearLocationType': 'segment', 'loc:to': pointXml(to), 'loc:from': pointXml(from) },
      'loc:_tpegLinearLocationExtension': { 'loc:extendedTpegLinearLocation': sense },
    },
    'loc:tpegPointLocation': to
      ? null
      : {
          ...{ '@xsi:type': 'loc:TpegSimplePoint', 'loc:tpegDirection': compass, 'loc:tpegSimplePointLocationType': 'nonLinkedPoint' },
          'loc:point': pointXml(from),
          'loc:_tpegSimplePointExtension': { 'loc:extendedTpegSimplePoint': sense },
        },
  }
}

function pointXml({ lat, lon, km, municipality }: RoadPoint): Xml {
  const province = provinceOf(municipality.province)
  return {
    '@xsi:type': 'loc:TpegNonJunctionPoint',
    'loc:pointCoordinates': { 'loc:latitude': double(lat), 'loc:longitude': double(lon) },
    'loc:_tpegNonJunctionPointExtension': {
      'loc:extendedTpegNonJunctionPoint': {
        'lse:autonomousCommunity': COMMUNITIES.get(province.community)?.dgt ?? province.dgt,
        'lse:kilometerPoint': double(km),
        'lse:municipality': municipality.name,
        'lse:province': province.dgt,
      },
    },
  }
}

const LIMITS: Readonly<Record<VehicleLimit['element'], string>> = {
  lengthCharacteristic: 'vehicleLength',
  widthCharacteristic: 'vehicleWidth',
  grossWeightCharacteristic: 'grossVehicleWeight',
}

function vehiclesXml({ vehicle, limit }: SituationRecord): Xml {
  return {
    'com:vehicleType': coded(vehicle),
    ...(limit && {
      [`com:${limit.element}`]: {
        'com:comparisonOperator': 'greaterThan',
        [`com:${LIMITS[limit.element]}`]: double(limit.value),
        'com:typeOfWeight': limit.element === 'grossWeightCharacteristic' ? 'maximumPermitted' : null,
      },
    }),
  }
}

/** A code; one that begins with `+` is of DGT's own extension. */
function coded(value: string): Xml {
  return value.startsWith('+') ? { '@_extendedValue': value.slice(1), '#': '_extended' } : value
}

/** As Java writes doubles. */
function double(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
