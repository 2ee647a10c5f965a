import type { RegionIncident } from '../world/region-incidents.ts'
import { isoLocal } from '../world/rhythm.ts'
import type { RoadPoint } from '../world/road-network.ts'
import { escapeText } from './xml.ts'

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?><d2LogicalModel modelBaseVersion="1.0" xsi:schemaLocation="http://datex2.eu/schema/1_0/1_0' +
  ' http://datex2.eu/schema/1_0/1_0/DATEXIISchema_1_0_1_0.xsd" xmlns="http://datex2.eu/schema/1_0/1_0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  '<exchange><supplierIdentification><country>es</country><nationalIdentifier>dgt</nationalIdentifier></supplierIdentification></exchange>'

/** How a publisher writes its situations. */
interface FormerStyle {
  readonly creator: string
  /** Provinces as the publisher writes them, in any case, by INE code. */
  readonly provinces: Readonly<Record<string, string>>
  /** True if the road is a name of the point (`linkName`) instead of the reference point's `roadNumber`. */
  readonly namesRoadAtPoint: boolean
}

/** A `SituationPublication` of a region in DATEX II 1.0: UTF-8 on one line. `publishedAt` in ms. */
export function formerSituations(
  incidents: readonly RegionIncident[],
  { publishedAt, hasUnknownCodes, ...style }: FormerStyle & { readonly publishedAt: number; readonly hasUnknownCodes: boolean },
): string {
  const creator = tag('publicationCreator', tag('country', 'es') + tag('nationalIdentifier', style.creator))
  const situations = incidents.map((one, at) => situationOf(one, style, hasUnknownCodes && at % 40 === 7))
  return (
    `${HEAD}<payloadPublication lang="es" xsi:type="_0:SituationPublication" xmlns:_0="http://datex2.eu/schema/1_0/1_0">` +
    `${tag('publicationTime', isoLocal(publishedAt))}${creator}${situations.join('')}</payloadPublication></d2LogicalModel>`
  )
}

function situationOf(one: RegionIncident, style: FormerStyle, isOdd: boolean): string {
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
    tag('groupOfLocations', placeOf(one, style)),
    tag('effectOnRoadLayout', one.layout),
    tag(element, isOdd ? 'crater' : one.detail),
  ]
  return (
    `<_0:situation id="${one.id}">${tag('headerInformation', tag('confidentiality', 'noRestriction') + tag('informationStatus', 'real'))}` +
    `<_0:situationRecord id="${one.id}_sr" xsi:type="_0:${type}">${record.join('')}</_0:situationRecord></_0:situation>`
  )
}

function placeOf({ road, from, to, hasCoordinates, direction }: RegionIncident, style: FormerStyle): string {
  const namesRoad = style.namesRoadAtPoint && hasCoordinates
  const pointOf = (point: RoadPoint): string => pointAt(point, namesRoad ? road.name : null)
  const reference = (point: RoadPoint): string =>
    tag(
      'referencePoint',
      tag('referencePointIdentifier', `${road.name}-${point.km}`) +
        tag(
          'administrativeArea',
          tag('value', hasCoordinates ? (style.provinces[point.municipality.province] ?? 'Desconocida') : 'Desconocida'),
        ) +
        (namesRoad ? '' : tag('roadNumber', road.name)) +
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

function pointAt({ lat, lon, municipality }: RoadPoint, road: string | null): string {
  const named = (name: string, kind: string): string =>
    tag('name', tag('descriptor', tag('value', escapeText(name))) + tag('tpegDescriptorType', kind))
  return (
    tag('pointCoordinates', tag('latitude', String(lat)) + tag('longitude', String(lon))) +
    named(municipality.name, 'townName') +
    (road === null ? '' : named(road, 'linkName'))
  )
}

function tag(name: string, content: string): string {
  return `<_0:${name}>${content}</_0:${name}>`
}
