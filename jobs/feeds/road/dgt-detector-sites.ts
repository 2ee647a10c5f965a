import { dgt } from '../../../lake/datasets/road/sources.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { publicationElements } from '../../formats/datex2-v1.ts'
import { attribute, child, textAt, type XmlElement } from '../../formats/xml.ts'
import { bodyOf, type Diagnostics, defineFeed } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { presentRows } from '../presence.ts'
import { coordinatesOf, kilometreOf, provinceCodeOf } from './datex1-places.ts'
import { DETECTOR_SITE_KINDS, DIRECTIONS } from './dgt-codes.ts'

type Sensor = FeedRow<typeof trafficSensors>

/** Elements with names of road and town, which are repeated elsewhere. */
const UNUSED = ['predefinedLocationName', 'name', 'roadName', 'administrativeArea']

/** Fields that at least one site of every publication has, by the publisher's names. */
const ALWAYS: Readonly<Record<string, (sensor: Sensor) => boolean>> = {
  roadNumber: ({ road }) => road !== null,
  referencePointDistance: ({ km }) => km !== null,
  pointCoordinates: ({ position }) => position !== null,
  provinceINEIdentifier: ({ province_code }) => province_code !== null,
  directionRelative: ({ direction }) => direction !== null,
}

/** Positions of DGT's traffic detectors: predefined locations of DATEX II v1.0, one per lane, 18 MB. */
export const dgtDetectorSites = defineFeed({
  id: 'dgt_detector_sites',
  source: dgt,
  into: [trafficSensors],
  every_s: 86_400,
  get: {
    name: 'locations',
    url: 'https://infocar.dgt.es/datex2/dgt/PredefinedLocationsPublication/detectores/content.xml',
    maxBytes: 64_000_000,
    expects: 'xml',
  },
  bands: { traffic_sensors: { atLeast: 1, minRatio: 0.8, maxRatio: 1000 } },
  freshBy: 'fetch',
  *rows(bodies, _clock, diagnostics) {
    const header = (publishedAt: number): void => diagnostics.publishedAt(publishedAt)
    const locations = publicationElements(bodyOf(bodies).bytes, { each: 'predefinedLocation', without: UNUSED, header })
    const row = (location: XmlElement): Sensor | null => sensorOf(location, diagnostics)
    yield* presentRows(trafficSensors, locations, { what: 'sites', always: ALWAYS, row })
  },
})

/** The sensor of a site; null without an id. Its point and road reference are in the inner `predefinedLocation`. */
function sensorOf(location: XmlElement, diagnostics: Diagnostics): Sensor | null {
  const sensor_id = attribute(location, 'id')?.trim()
  const inner = child(location, 'predefinedLocation')
  if (!sensor_id || !inner) {
    diagnostics.reject(trafficSensors, sensor_id ? 'site without location' : 'site without id', sensor_id ?? '')
    return null
  }
  const reference = child(inner, 'referencePoint')
  const extension = child(reference, 'referencePointExtension', 'ExtendedReferencePoint')
  const source_direction = textAt(reference, 'directionRelative')
  const source_site_kind = textAt(extension, 'singularity')
  const { province_code, municipality_code, position } = resolvePlace(
    { provinceCode: provinceCodeOf(extension), position: coordinatesOf(child(inner, 'tpegpointLocation', 'point')) },
    (problem) => diagnostics.warn(problem),
  )
  return {
    source: dgt.id,
    listing: 'CATALOGUE',
    sensor_id,
    city: null,
    sensor_type: 'INTERURBAN',
    name: null,
    centre_code: textAt(reference, 'referencePointIdentifier'),
    district: null,
    subarea: null,
    capacity_veh_h: null,
    position,
    municipality_code,
    access_code: null,
    province_code,
    road: textAt(reference, 'roadNumber'),
    km: kilometreOf(reference, diagnostics),
    direction: source_direction === null ? null : (lookUp(DIRECTIONS, source_direction) ?? source_direction),
    destination: textAt(extension, 'directionNamed'),
    site_kind: source_site_kind === null ? null : (lookUp(DETECTOR_SITE_KINDS, source_site_kind.toUpperCase()) ?? source_site_kind),
    source_site_kind,
    source_direction,
  }
}
