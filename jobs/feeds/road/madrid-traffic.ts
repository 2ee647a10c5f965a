import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayFirstInstant } from '../../formats/dates.ts'
import { commaNumber, wholeNumber } from '../../formats/numbers.ts'
import { xmlElements } from '../../formats/xml.ts'
import { batch, type Diagnostics, defineFeed, type FeedClock, FormatError } from '../define.ts'
import { layoutProblem, type PmRecord, recordOf, type SeenElements, seenElements } from './madrid-elements.ts'
import { MADRID_PLACE, MADRID_ROAD, madridPosition } from './madrid-places.ts'

type Reading = FeedRow<typeof trafficReadings>
type Sensor = FeedRow<typeof trafficSensors>

/** The file is renewed every 5 min, and its intensity is the flow of that interval, per hour. */
const PERIOD_S = 300

/** `nivelServicio` by the city's documentation; -1 and, in 2018, `Error` mean no data. */
const LEVELS = new Map([
  ['0', 'FLUID'],
  ['1', 'SLOW'],
  ['2', 'QUEUES'],
  ['3', 'CONGESTION'],
  ['-1', null],
  ['', null],
  ['Error', null],
])

/** `error` by the city's documentation: samples dropped (S), sub-optimal ones used (E); `Error` in 2018, eight flags in 2014. */
const QUALITIES = new Map([
  ['N', 'OK'],
  ['S', 'ERROR'],
  ['Error', 'ERROR'],
  ['E', 'DEGRADED'],
  ['', 'UNKNOWN'],
  ['0 0 0 0 0 0 0 0', 'UNKNOWN'],
])

/** Madrid's live traffic: each sensor's measurements, and the file's data of the sensor itself. */
export const madridTraffic = defineFeed({
  id: 'madrid_traffic',
  source: madrid,
  into: [trafficReadings, trafficSensors],
  every_s: 300,
  get: {
    name: 'pm',
    url: 'https://informo.madrid.es/informo/tmadrid/pm.xml',
    accept: 'application/xml, text/xml',
    maxBytes: 16_000_000,
    timeout_ms: 30_000,
    expects: 'xml',
  },
  // Growth is unlimited: keys are unique, and rejecting one large file would reject every complete file after it.
  bands: {
    traffic_readings: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 },
    traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 },
  },
  // A file may lack all M-30 records (seen 2023-01-26): it updates the urban sensors only.
  groups: { traffic_readings: { column: 'sensor_type' }, traffic_sensors: { column: 'sensor_type' } },
  *rows(bodies, clock, diagnostics) {
    const types = new Set<string>()
    const seen = seenElements(diagnostics)
    let published: number | null = null
    for (const body of bodies) {
      for (const elements of xmlElements(body.bytes, { root: 'pms', each: ['fecha_hora', 'pm'] })) {
        const readings: Reading[] = []
        const sensors: Sensor[] = []
        for (const element of elements) {
          if (element.name === 'fecha_hora') {
            if (published !== null || types.size > 0) throw new FormatError('fecha_hora comes twice, or after a sensor')
            published = publicationTime(element.text, clock)
            diagnostics.publishedAt(published)
            continue
          }
          const record = recordOf(element, diagnostics)
          if (published === null && record.idelem !== undefined)
            throw new FormatError('there is no fecha_hora before the first sensor; only the layout without idelem lacks it')
          const sensor_id = sensorId(record)
          // The layout determines the kind: only sensors of the M-30 and of interurban roads measure speed.
          const sensor_type = record.velocidad === undefined ? 'URBAN' : 'M30'
          seen.see(record, sensor_type)
          const reason = sensor_id === null ? 'no idelem and no codigo' : layoutProblem(record)
          if (sensor_id === null || reason !== null) {
            diagnostics.reject(trafficReadings, reason as string, JSON.stringify(record))
            diagnostics.reject(trafficSensors, reason as string, JSON.stringify(record))
            continue
          }
          types.add(sensor_type)
          const about = { sensor_id, sensor_type, observed_at: published ?? clock.fetched_at }
          readings.push(readingOf(record, about, { diagnostics, seen }))
          sensors.push(sensorOf(record, about, { diagnostics, seen }))
        }
        yield batch(trafficReadings, readings)
        yield batch(trafficSensors, sensors)
      }
    }
    seen.end()
    for (const block of ['URBAN', 'M30']) {
      if (types.has(block)) continue
      diagnostics.missingGroup(trafficReadings, block)
      diagnostics.missingGroup(trafficSensors, block)
      diagnostics.warn(`no ${block} sensor in the file`)
    }
  },
})

function publicationTime(text: string, clock: FeedClock): number {
  const instant = dayFirstInstant(text, clock.near ?? clock.fetched_at)
  if (Number.isNaN(instant)) throw new FormatError(`fecha_hora is ${JSON.stringify(text.slice(0, 40))}, expected dd/mm/yyyy HH:MM:SS`)
  return instant
}

/**
 * The sensor's id: `idelem`, or in files of 2018 the traffic centre's code. That code gets a prefix, because 71 of the 4275
 * codes of February 2018 are other sensors' `idelem`; the plain code is in `centre_code`, as in the catalogue.
 */
function sensorId(record: PmRecord): string | null {
  if (record.idelem) return record.idelem
  return record.codigo ? `codigo:${record.codigo}` : null
}

interface Context {
  readonly diagnostics: Diagnostics
  readonly seen: SeenElements
}

function readingOf(
  record: PmRecord,
  about: { sensor_id: string; sensor_type: string; observed_at: number },
  { diagnostics, seen }: Context,
): Reading {
  const load_pct = seen.measure(record, 'carga')
  return {
    source: MADRID_PLACE.source,
    sensor_id: about.sensor_id,
    period_s: PERIOD_S,
    observed_at: about.observed_at,
    sensor_type: about.sensor_type,
    intensity_veh_h: seen.measure(record, 'intensidad'),
    occupancy_pct: seen.measure(record, 'ocupacion'),
    load_pct,
    level_of_service: levelOf(record.nivelServicio ?? '', load_pct, diagnostics),
    speed_kmh: seen.measure(record, 'velocidad'),
    quality: coded(QUALITIES, record.error ?? '') as string,
    headway_m: null,
    long_vehicles_pct: null,
  }
}

function sensorOf(record: PmRecord, about: { sensor_id: string; sensor_type: string }, { diagnostics, seen }: Context): Sensor {
  return {
    source: MADRID_PLACE.source,
    listing: 'LIVE',
    sensor_id: about.sensor_id,
    city: MADRID_PLACE.city,
    sensor_type: about.sensor_type,
    name: record.descripcion || null,
    centre_code: record.codigo || null,
    access_code: record.accesoAsociado === '0' ? null : record.accesoAsociado || null,
    district: null,
    subarea: record.subarea === '0' ? null : record.subarea || null,
    capacity_veh_h: seen.number(record, 'intensidadSat', wholeNumber),
    position: madridPosition(seen.number(record, 'st_x', commaNumber), seen.number(record, 'st_y', commaNumber), diagnostics),
    municipality_code: MADRID_PLACE.municipality_code,
    ...MADRID_ROAD,
  }
}

/**
 * The level as published; null if the load is above 100: the file then contradicts itself (most such sensors are labelled
 * fluid).
 */
function levelOf(text: string, load_pct: number | null, diagnostics: Diagnostics): string | null {
  const level = coded(LEVELS, text)
  if (level === null || load_pct === null || load_pct <= 100) return level
  diagnostics.warn('level of service left out: load above 100 %')
  return null
}

/** The meaning of a code; an unknown code is kept, and counted by the row check. */
function coded<T>(meanings: ReadonlyMap<string, T>, code: string): T | string {
  const meaning = meanings.get(code)
  return meaning === undefined ? code : meaning
}
