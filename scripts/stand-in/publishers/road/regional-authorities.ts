import { defineStandIn } from '../../define.ts'
import { datex1Publication } from '../../formats/datex1.ts'
import type { Xml } from '../../formats/xml.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { type RegionIncident, regionIncidentsAt } from '../../world/region-incidents.ts'
import { isoLocal } from '../../world/rhythm.ts'
import type { RoadPoint } from '../../world/road-network.ts'

/** How a publisher writes its situations. */
interface FormerStyle {
  readonly creator: string
  /** Provinces as the publisher writes them, in any case, by INE code. */
  readonly provinces: Readonly<Record<string, string>>
  /** True if the road is a name of the point (`linkName`) instead of the reference point's `roadNumber`. */
  readonly namesRoadAtPoint: boolean
}

/** A `SituationPublication` of a region in DATEX II 1.0. `publishedAt` in ms; one in forty may have an unknown code. */
function formerSituations(
  incidents: readonly RegionIncident[],
  { publishedAt, hasUnknownCodes, style }: { readonly publishedAt: number; readonly hasUnknownCodes: boolean; readonly style: FormerStyle },
): string {
  const situation = incidents.map((one, at) => situationXml(one, style, hasUnknownCodes && at % 40 === 7))
  return datex1Publication({ type: 'SituationPublication', publishedAt, creator: style.creator }, { situation })
}

function situationXml(one: RegionIncident, style: FormerStyle, isOdd: boolean): Xml {
  const [type, element] = isOdd ? (['MeteoriteStrike', 'meteoriteType'] as const) : one.kind.record
  return {
    '@id': one.id,
    headerInformation: { confidentiality: 'noRestriction', informationStatus: 'real' },
    situationRecord: {
      ...{ '@id': `${one.id}_sr`, '@xsi:type': `_0:${type}` },
      ...{ situationRecordCreationReference: one.id, situationRecordCreationTime: isoLocal(one.createdAt) },
      ...{ situationRecordVersion: one.version, situationRecordVersionTime: isoLocal(one.versionAt) },
      ...{ situationRecordFirstSupplierVersionTime: isoLocal(one.createdAt), probabilityOfOccurrence: 'certain' },
      validity: { validityStatus: 'active', validityTimeSpecification: { overallStartTime: isoLocal(one.versionAt) } },
      impact: { impactOnTraffic: one.impact, delays: { delaysType: 'longDelays' } },
      groupOfLocations: { locationContainedInGroup: placeXml(one, style) },
      effectOnRoadLayout: one.layout,
      [element]: isOdd ? 'crater' : one.detail,
    },
  }
}

function placeXml({ road, from, to, hasCoordinates, direction }: RegionIncident, style: FormerStyle): Xml {
  const namesRoad = style.namesRoadAtPoint && hasCoordinates
  const pointOf = (point: RoadPoint): Xml => pointXml(point, namesRoad ? road.name : null)
  const reference = ({ km, municipality }: RoadPoint): Xml => ({
    referencePointIdentifier: `${road.name}-${km}`,
    administrativeArea: { value: (hasCoordinates ? style.provinces[municipality.province] : null) ?? 'Desconocida' },
    roadNumber: namesRoad ? null : road.name,
    ...{ directionRelative: direction, referencePointDistance: (1000 * km).toFixed(1) },
  })
  const tpegDirection = 'unknown'
  const referencePointLinear = {
    referencePointPrimaryLocation: { referencePoint: reference(from) },
    referencePointSecondaryLocation: to && { referencePoint: reference(to) },
  }
  if (!hasCoordinates) return { referencePointLinear }
  if (to)
    return {
      tpeglinearLocation: { tpegDirection, tpegLocationType: 'segment', to: pointOf(to), from: pointOf(from) },
      referencePointLinear,
    }
  return { tpegpointLocation: { tpegDirection, tpegLocationType: 'nonLinkedPoint', point: pointOf(from) }, referencePoint: reference(from) }
}

function pointXml({ lat, lon, municipality }: RoadPoint, road: string | null): Xml {
  const name = (value: string, tpegDescriptorType: string): Xml => ({ descriptor: { value }, tpegDescriptorType })
  return {
    pointCoordinates: { latitude: lat, longitude: lon },
    name: [name(municipality.name, 'townName'), road && name(road, 'linkName')],
  }
}

/** Incidents in the national access point's former format, DATEX II 1.0. */
function formerStandIn(
  feed: string,
  region: 'EUS' | 'SCT',
  { usual, ...style }: Parameters<typeof formerSituations>[1]['style'] & { readonly usual: string },
): FeedStandIn {
  return defineStandIn(feed, {
    publishedAt: everyPeriod(120_000, 0, 20),
    blocks: { known: new RegExp(`^(${Object.keys(style.provinces).join('|')})$`), usual: [usual] },
    write(world, { publishedAt, stampedAt, variant }) {
      const all = regionIncidentsAt(world, publishedAt, region).filter(
        ({ from }) => !variant.missingBlocks.includes(from.municipality.province),
      )
      return formerSituations(keptOf(all, variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes, style })
    },
  })
}

const basque = formerStandIn('trafikoa_incidents', 'EUS', {
  ...{ creator: 'dt', provinces: { '01': 'ARABA', '20': 'GIPUZKOA', '48': 'Bizkaia' }, namesRoadAtPoint: false, usual: '01' },
})

const catalan = formerStandIn('sct_situations', 'SCT', {
  provinces: { '08': 'BARCELONA', '17': 'Girona', '25': 'LLEIDA', '43': 'TARRAGONA' },
  ...{ creator: 'sct', namesRoadAtPoint: true, usual: '43' },
})

/** Regional authorities on the national access point, every two minutes. */
export const regionalAuthorities: readonly FeedStandIn[] = [basque, catalan]
