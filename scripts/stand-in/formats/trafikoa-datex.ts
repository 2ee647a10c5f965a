import type { BasqueIncident } from '../world/basque-incidents.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import { escapeText } from './xml.ts'

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?><d2LogicalModel modelBaseVersion="1.0" xsi:schemaLocation="http://datex2.eu/schema/1_0/1_0' +
  ' http://datex2.eu/schema/1_0/1_0/DATEXIISchema_1_0_1_0.xsd" xmlns="http://datex2.eu/schema/1_0/1_0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  '<exchange><supplierIdentification><country>es</country><nationalIdentifier>dgt</nationalIdentifier></supplierIdentification></exchange>'
/** Provinces as the publisher writes them, in any case. */
const BASQUE_NAMES: Readonly<Record<string, string>> = { '01': 'ARABA', '20': 'GIPUZKOA', '48': 'Bizkaia' }
const CREATOR = tag('publicationCreator', tag('country', 'es') + tag('nationalIdentifier', 'dt'))

/** The `SituationPublication` of the Basque Country in DATEX II 1.0: UTF-8 on one line. `publishedAt` in ms. */
export function trafikoaSituations(
  incidents: readonly BasqueIncident[],
  { publishedAt, hasUnknownCodes }: { readonly publishedAt: number; readonly hasUnknownCodes: boolean },
): string {
  const situations = incidents.map((one, at) => situationOf(one, hasUnknownCodes && at % 40 === 7))
  return (
    `${HEAD}<payloadPublication lang="es" xsi:type="_0:SituationPublication" xmlns:_0="http://datex2.eu/schema/1_0/1_0">` +
    `${tag('publicationTime', isoLocal(publishedAt))}${CREATOR}${situations.join('')}</payloadPublication></d2LogicalModel>`
  )
}

function situationOf(one: BasqueIncident, isOdd: boolean): string {
  const [type, element] = isOdd ? (['MeteoriteStrike', 'meteoriteType'] as const) : one.kind.record
  const record = [
    tag('situationRecordCreationReference', one.id),
    tag('situationRecordCreationTime', isoLocal(one.createdAt)),
    tag('situationRecordVersion', String(one.version)),
    tag('situationRecordVersionTime', isoLocal(one.versionAt)),
    tag('situationRecordFirstSupplierVersionTime', isoLocal(one.createdAt)),
    tag('probabilityOfOccurrence', 'certain'),
    tag('validity', tag('validityStatus', 'active') + tag('validityTimeSpecification', tag('overallStartTime', isoLocal(one.versionAt)))),
    tag('impact', tag('impactOnTraffic', one.impact) + tag('delays', tag('delaysType', 'longDelays'))),
    tag('groupOfLocations', placeOf(one)),
    tag('effectOnRoadLayout', one.layout),
    tag(element, isOdd ? 'crater' : one.detail),
  ]
  return (
    `<_0:situation id="${one.id}">${tag('headerInformation', tag('confidentiality', 'noRestriction') + tag('informationStatus', 'real'))}` +
    `<_0:situationRecord id="${one.id}_sr" xsi:type="_0:${type}">${record.join('')}</_0:situationRecord></_0:situation>`
  )
}

function placeOf({ road, from, to, hasCoordinates, direction }: BasqueIncident): string {
  const reference = (point: RoadPoint): string =>
    tag(
      'referencePoint',
      tag('referencePointIdentifier', `${road.name}-${point.km}`) +
        tag(
          'administrativeArea',
          tag('value', hasCoordinates ? (BASQUE_NAMES[point.municipality.province] ?? 'Desconocida') : 'Desconocida'),
        ) +
        tag('roadNumber', road.name) +
        tag('directionRelative', direction) +
        tag('referencePointDistance', (1000 * point.km).toFixed(1)),
    )
  const linear = tag(
    'referencePointLinear',
    tag('referencePointPrimaryLocation', reference(from)) + (to ? tag('referencePointSecondaryLocation', reference(to)) : ''),
  )
  if (!hasCoordinates) return tag('locationContainedInGroup', linear)
  if (!to)
    return tag(
      'locationContainedInGroup',
      tag('tpegpointLocation', tag('tpegDirection', 'unknown') + tag('tpegLocationType', 'nonLinkedPoint') + tag('point', pointOf(from))) +
        reference(from),
    )
  const segment = tag('tpegDirection', 'unknown') + tag('tpegLocationType', 'segment') + tag('to', pointOf(to)) + tag('from', pointOf(from))
  return tag('locationContainedInGroup', tag('tpeglinearLocation', segment) + linear)
}

function pointOf({ lat, lon, municipality }: RoadPoint): string {
  return (
    tag('pointCoordinates', tag('latitude', String(lat)) + tag('longitude', String(lon))) +
    tag('name', tag('descriptor', tag('value', escapeText(municipality.name))) + tag('tpegDescriptorType', 'townName'))
  )
}

function tag(name: string, content: string): string {
  return `<_0:${name}>${content}</_0:${name}>`
}
