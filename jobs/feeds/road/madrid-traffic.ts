import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { dayFirstInstant } from '../../formats/dates.ts'
import { commaNumber, wholeNumber } from '../../formats/numbers.ts'
import { type XmlElement, xmlElements } from '../../formats/xml.ts'
import { batch, type Diagnostics, defineFeed, type FeedClock, FormatError } from '../define.ts'
import { type Presence, watchPresence } from '../presence.ts'
import { MADRID_PLACE, MADRID_ROAD, madridPosition } from './madrid-places.ts'

/** Elements beside the id, in every record of every capture; only streets have name, access, capacity and subarea. */
const OF_ALL = ['intensidad', 'ocupacion', 'carga', 'nivelServicio', 'error'] as const
const OF_STREETS = ['descripcion', 'accesoAsociado', 'intensidadSat', 'subarea'] as const
const OF_PLACED = ['st_x', 'st_y'] as const
/** All elements: only the M-30 has `velocidad`; in 2018 there is `codigo` and no position. */
const ELEMENTS = ['idelem', 'codigo', 'velocidad', ...OF_ALL, ...OF_STREETS, ...OF_PLACED] as const
const MEASURES = ['intensidad', 'ocupacion', 'carga', 'velocidad'] as const

/** The texts of a record's elements; undefined if its layout lacks the element. */
type PmRecord = Record<(typeof ELEMENTS)[number], string | undefined>

/** A record without elements. */
const NO_ELEMENTS = Object.freeze(Object.fromEntries(ELEMENTS.map((name) => [name, undefined]))) as Readonly<PmRecord>

/** Reads a `<pm>`; unknown elements are reported in the notes. */
function recordOf(element: XmlElement, diagnostics: Diagnostics): PmRecord {
  const record: PmRecord = { ...NO_ELEMENTS }
  for (const { name, text } of element.children) {
    if (Object.hasOwn(NO_ELEMENTS, name)) record[name as keyof PmRecord] = text
    else diagnostics.warn(`unknown element <${name}> in <pm>`)
  }
  return record
}

/** A record without `velocidad` and without street elements is an M-30 record whose speed was renamed. */
function layoutProblem(record: PmRecord): string | null {
  const isNeither = record.velocidad === undefined && OF_STREETS.every((name) => record[name] === undefined)
  return isNeither ? 'neither the layout of streets nor that of the M-30' : null
}

/** Which elements the records of a file had. */
interface SeenElements {
  see(record: PmRecord, sensorType: string): void
  /** The number of an element, parsed by `read`; null if absent or empty. A text for "none", such as `n/d`, is counted. */
  number(record: PmRecord, name: keyof PmRecord, read: (text: string) => number | null): number | null
  /** A measured whole number; also null for -1 or, in 2018, `Error`. */
  measure(record: PmRecord, name: (typeof MEASURES)[number]): number | null
  /**
   * Throws `FormatError` if a layout lacked an element in all records, or no record had a measurement; names elements without
   * any number.
   */
  end(): void
}

/** Starts with a file before its first record. */
function seenElements(diagnostics: Diagnostics): SeenElements {
  const layouts = new Map<string, Presence<PmRecord>>()
  const present = new Set<keyof PmRecord>()
  const numbers = new Set<keyof PmRecord>()

  function number(record: PmRecord, name: keyof PmRecord, read: (text: string) => number | null): number | null {
    const text = record[name]
    if (text === undefined) return null
    present.add(name)
    if (text === '') return null
    const value = read(text)
    if (value === null) diagnostics.warn(`<${name}> is no number`)
    else if (!Number.isNaN(value)) numbers.add(name)
    return value
  }

  return {
    see(record, sensorType) {
      const layout = record.idelem === undefined ? `${sensorType} sensors without idelem` : `${sensorType} sensors`
      let presence = layouts.get(layout)
      if (!presence) layouts.set(layout, (presence = watchLayout(layout, record)))
      presence.see(record)
    },
    number,
    measure(record, name) {
      const text = record[name]
      if (text !== '-1' && text !== 'Error') return number(record, name, wholeNumber)
      present.add(name)
      return null
    },
    end() {
      for (const presence of layouts.values()) presence.end()
      if (present.size > 0 && !MEASURES.some((name) => numbers.has(name)))
        throw new FormatError(`none of the sensors has a number in ${MEASURES.join(', ')}`)
      for (const name of present) if (!numbers.has(name)) diagnostics.warn(`<${name}> is a number in no record`)
    },
  }
}

/** Watches for the elements of the layout that a record has. */
function watchLayout(layout: string, { idelem, velocidad }: PmRecord): Presence<PmRecord> {
  const names = [...OF_ALL, ...(velocidad === undefined ? OF_STREETS : []), ...(idelem === undefined ? [] : OF_PLACED)]
  return watchPresence<PmRecord>(
    layout,
    Object.fromEntries(names.map((name) => [`<${name}>`, (record: PmRecord) => record[name] !== undefined])),
  )
}

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
