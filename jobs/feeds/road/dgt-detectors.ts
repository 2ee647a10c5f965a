import { dgt } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { xmlInstant } from '../../formats/dates.ts'
import { publicationElements } from '../../formats/datex2-v1.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { child, textAt, type XmlElement, xsiType } from '../../formats/xml.ts'
import { batch, bodyOf, type Diagnostics, defineFeed } from '../define.ts'
import { watchPresence } from '../presence.ts'

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
