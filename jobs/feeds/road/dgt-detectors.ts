import { dgt } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { xmlInstant } from '../../formats/dates.ts'
import { coordinatesOf, kilometreOf, provinceCodeOf, publicationElements } from '../../formats/datex2-payload.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { attribute, child, textAt, type XmlElement, xsiType } from '../../formats/xml.ts'
import { batch, bodyOf, type Diagnostics, defineFeed, lookUp } from '../define.ts'
import { presentRows, watchPresence } from '../presence.ts'
import { DETECTOR_SITE_KINDS, DIRECTIONS } from './dgt-codes.ts'

type Reading = FeedRow<typeof trafficReadings>

/** Each reading counts one minute (flows are multiples of 60) and represents the time until the next publication. */
const PERIOD_S = 300
/** An older measurement comes from a detector that has stopped; some stopped years ago. */
const OLDEST_MS = 30 * 60_000
/** Half of the elements of a site: each value repeats its place. */
const UNUSED = ['measurementEquipmentTypeUsed', 'affectedLocation']
const TYPES: ReadonlySet<string | undefined> = new Set(['TrafficSpeed', 'TrafficHeadway', 'TrafficFlow', 'TrafficConcentration'])

/** Measures by the publisher's names, with the largest plausible value; the file has no units. */
const MEASURES = {
  vehicleFlow: trafficReadings.columns.intensity_veh_h.max,
  averageVehicleSpeed: trafficReadings.columns.speed_kmh.max,
  averageDistanceHeadway: trafficReadings.columns.headway_m.max,
  occupancy: trafficReadings.columns.occupancy_pct.max,
  percentageLongVehicles: trafficReadings.columns.long_vehicles_pct.max,
} as const
type Measures = Partial<Record<keyof typeof MEASURES, number>>

/** Values that at least one detector of every publication has. */
const ALWAYS: Readonly<Record<string, (measures: Measures) => boolean>> = Object.fromEntries(
  (['vehicleFlow', 'averageVehicleSpeed', 'averageDistanceHeadway', 'occupancy'] as const).map((name) => [
    name,
    (measures: Measures) => measures[name] !== undefined,
  ]),
)

/** DGT's traffic detectors: measured data of DATEX II v1.0, 18 MB with one site per lane, every few minutes. */
export const dgtDetectors = defineFeed({
  id: 'dgt_detectors',
  source: dgt,
  into: [trafficReadings],
  every_s: 300,
  get: {
    name: 'measurements',
    url: 'https://infocar.dgt.es/datex2/dgt/MeasuredDataPublication/detectores/content.xml',
    maxBytes: 64_000_000,
    expects: 'xml',
  },
  bands: { traffic_readings: { atLeast: 1, minRatio: 0.5, maxRatio: 1000 } },
  rawRetentionDays: 14,
  *rows(bodies, _clock, diagnostics) {
    const body = bodyOf(bodies)
    const presence = watchPresence('detectors', ALWAYS)
    let publishedAt = 0
    const header = (at: number): void => {
      publishedAt = at
      diagnostics.publishedAt(at)
    }
    for (const sites of publicationElements(body.bytes, { each: 'siteMeasurements', without: UNUSED, header })) {
      const readings: Reading[] = []
      for (const site of sites) {
        const reading = readingOf(site, publishedAt, { diagnostics, see: presence.see })
        if (reading) readings.push(reading)
      }
      yield batch(trafficReadings, readings)
    }
    presence.end()
  },
})

interface Context {
  readonly diagnostics: Diagnostics
  readonly see: (measures: Measures) => void
}

/** The reading of a site; null without an id or time, or from a stopped detector. */
function readingOf(site: XmlElement, publishedAt: number, { diagnostics, see }: Context): Reading | null {
  const sensor_id = textAt(site, 'measurementSiteReference')
  const observed_at = xmlInstant(textAt(site, 'measurementTimeDefault') ?? '')
  if (sensor_id === null || observed_at === null) {
    diagnostics.reject(trafficReadings, sensor_id === null ? 'site without id' : 'site without time of measurement', sensor_id ?? '')
    return null
  }
  const measures = measuresOf(site, diagnostics)
  see(measures)
  if (observed_at < publishedAt - OLDEST_MS) {
    diagnostics.warn('measurement is older than 30 minutes: reading left out')
    return null
  }
  const { vehicleFlow: flow = null, averageVehicleSpeed: speed = null, averageDistanceHeadway: headway = null } = measures
  // A speed and distance of 0 without a vehicle mean no traffic or a dead detector.
  const isEmpty = flow === 0
  return {
    source: dgt.id,
    sensor_id,
    period_s: PERIOD_S,
    observed_at,
    sensor_type: 'INTERURBAN',
    intensity_veh_h: flow,
    occupancy_pct: measures.occupancy ?? null,
    load_pct: null,
    level_of_service: null,
    speed_kmh: isEmpty && speed === 0 ? null : speed,
    quality: 'UNKNOWN',
    headway_m: isEmpty && headway === 0 ? null : headway,
    long_vehicles_pct: isEmpty ? null : (measures.percentageLongVehicles ?? null),
  }
}

function measuresOf(site: XmlElement, diagnostics: Diagnostics): Measures {
  const measures: Measures = {}
  for (const value of site.children) {
    if (value.name !== 'measuredValue') continue
    const data = child(value, 'basicDataValue')
    if (data === undefined) continue
    const type = xsiType(data)
    if (!TYPES.has(type)) diagnostics.unknownCode('dgt_basic_data_value', type ?? '')
    for (const { name, text } of data.children) {
      if (!isMeasure(name) || text === '' || measures[name] !== undefined) continue
      const number = pointNumber(text)
      if (number === null) continue
      const most = MEASURES[name] as number
      if (number >= 0 && number <= most) measures[name] = Math.round(number)
      else diagnostics.warn(`${name} is no number from 0 to ${most}`)
    }
  }
  return measures
}

const isMeasure = (name: string): name is keyof typeof MEASURES => Object.hasOwn(MEASURES, name)

type Sensor = FeedRow<typeof trafficSensors>

/** Elements with names of road and town, which are repeated elsewhere. */
const SITE_UNUSED = ['predefinedLocationName', 'name', 'roadName', 'administrativeArea']

/** Fields that at least one site of every publication has, by the publisher's names. */
const SITE_ALWAYS: Readonly<Record<string, (sensor: Sensor) => boolean>> = {
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
    const locations = publicationElements(bodyOf(bodies).bytes, { each: 'predefinedLocation', without: SITE_UNUSED, header })
    const row = (location: XmlElement): Sensor | null => sensorOf(location, diagnostics)
    yield* presentRows(trafficSensors, locations, { what: 'sites', always: SITE_ALWAYS, row })
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
