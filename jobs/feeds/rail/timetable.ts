import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'
import type { Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import { knownPoints, knownPosition, lineOf, statedPosition } from '../../formats/positions.ts'
import { type Band, type Batch, batch, type Diagnostics, type FeedBody, type FeedClock, lookUp } from '../define.ts'
import { type Known, stopTimeRows } from '../transit/stop-times.ts'
import { accessOf, calendarRows, memberRows, openTimetable, refuse, type Timetable, type TimetableRules } from '../transit/timetable.ts'

/** How a network's ids are read; the rest of its timetable is plain GTFS. */
export interface NetworkIds extends TimetableRules {
  readonly network: 'CERCANIAS' | 'AVLDMD'
  /** Product codes of routes named after products; null if routes are named after lines, which stay as they are. */
  readonly products: Readonly<Record<string, string>> | null
  /** Commuter network at the start of a route, service, trip or shape id; null if ids have none. */
  readonly nucleoOf: (id: string) => string | null
  /** Stations that a route's id names. */
  readonly terminiOf: (id: string) => Pick<FeedRow<typeof railRoutes>, 'origin_stop_id' | 'destination_stop_id'>
  /** Number, variant and date in a trip's id and short name. */
  readonly trainOf: (id: string, shortName: string | null) => Pick<FeedRow<typeof railTrips>, 'train_number' | 'variant' | 'validity_start'>
}

/** A railway timetable while it is read. */
interface RailTimetable extends Timetable {
  readonly ids: NetworkIds
}

/** Days after its first one from which a timetable is not expected to be the newest. */
const OLD_DAYS = 7
const DAY_MS = 86_400_000

/** How long a nightly timetable must resemble the previous one, s: after that, a permanently smaller one is accepted. */
export const ALIKE_S = 5 * 86_400
/** Smallest share of the previous timetable's rows after that time; in 13 months of archives none had less than 0.6. */
const LEAST_LATER = 0.2

/** The band of a dataset of a nightly timetable; growth is unlimited. `share` is the smallest share of rows in the next one. */
export function nightlyBand(atLeast: number, share: number): Band {
  return { atLeast, minRatio: LEAST_LATER, maxRatio: 1000, soon: [{ within_s: ALIKE_S, minRatio: share }] }
}

/** Reads GTFS archives into the requested datasets, all by default; unused members are not decompressed. */
export async function* readTimetable(
  ids: NetworkIds,
  given: {
    readonly bodies: readonly FeedBody[]
    readonly clock: FeedClock
    readonly diagnostics: Diagnostics
    readonly wanted: ReadonlySet<Dataset> | undefined
  },
): AsyncGenerator<Batch> {
  const { diagnostics, wanted } = given
  const wants = (...some: readonly Dataset[]): boolean => wanted === undefined || some.some((dataset) => wanted.has(dataset))
  for (const body of given.bodies) {
    const timetable: RailTimetable = { ids, ...(await openTimetable(body, ids, diagnostics)) }
    const { zip, calendar, version } = timetable
    if (given.clock.fetched_at - calendar.validFrom > (OLD_DAYS + 1) * DAY_MS)
      diagnostics.warn(`the timetable begins on ${calendar.first}, more than ${OLD_DAYS} days before it was fetched`)
    if (wants(railCalendar))
      yield* calendarRows(timetable, railCalendar, (service_id, service_date) => ({
        ...version,
        service_id,
        service_date,
        nucleo_code: ids.nucleoOf(service_id),
      }))

    const [stops, routes, shapes] = [new Set<string>(), new Set<string>(), new Set<string>()]
    const hasShapes = zip.names.includes('shapes.txt')
    if (wants(railStations)) yield* stationRows(timetable, stops)
    if (wants(railRoutes)) yield* routeRows(timetable, routes)
    if (hasShapes && wants(railShapes)) yield* shapeRows(timetable, shapes)
    const known: Known = {
      stops: wants(railStations) ? stops : null,
      routes: wants(railRoutes) ? routes : null,
      shapes: hasShapes && wants(railShapes) ? shapes : null,
    }
    const trips = new Map<string, number>()
    if (wants(railTrips)) yield* tripRows(timetable, known, trips)
    if (wants(railStopTimes))
      yield* stopTimeRows(timetable, {
        dataset: railStopTimes,
        batchOf: (rows) => batch(railStopTimes, rows),
        known,
        trips: wants(railTrips) ? trips : null,
      })
  }
}

const ROUTE_TYPES: Readonly<Record<string, string>> = { '2': 'RAIL', '3': 'BUS' }
const STATION_CODE = /^\d{5}$/
const COLOR = /^[0-9A-F]{6}$/
/** A commuter route's long name: two names, each padded to 40 characters, with a dash between. */
const NAME_WIDTH = 40

const STOP_COLUMNS = {
  member: 'stops.txt',
  requires: ['stop_id', 'stop_name', 'stop_lat', 'stop_lon'],
  takes: ['wheelchair_boarding', 'stop_timezone'],
}

/** Rows of stops.txt; their ids are added to `known`. */
async function* stationRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
  const { version, diagnostics } = timetable
  yield* memberRows(timetable, railStations, {
    ...STOP_COLUMNS,
    row(records) {
      const stop_id = records.text(0)
      const name = records.text(1)
      if (stop_id === null || name === null) return null
      if (!STATION_CODE.test(stop_id)) diagnostics.warn('code of a station does not have five digits')
      known.add(stop_id)
      return {
        ...version,
        stop_id,
        name,
        position: positionOf(records.number(2), records.number(3), diagnostics),
        has_wheelchair_boarding: accessOf(records.text(4), diagnostics),
        timezone: records.text(5),
      }
    },
  })
}

/** Some stations are in France and Portugal, so only impossible positions are dropped. */
export function positionOf(lat: number | null, lon: number | null, diagnostics: Diagnostics): Point | null {
  return statedPosition({ lat, lon }, 'a station', diagnostics.warn)
}

const ROUTE_COLUMNS = {
  member: 'routes.txt',
  requires: ['route_id', 'route_short_name', 'route_type'],
  takes: ['route_long_name', 'route_color', 'route_text_color'],
}

/** Rows of routes.txt; their ids are added to `known`. */
async function* routeRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
  const { version, diagnostics, ids } = timetable
  yield* memberRows(timetable, railRoutes, {
    ...ROUTE_COLUMNS,
    row(records) {
      const route_id = records.text(0)
      const type = records.text(2)
      if (route_id === null || type === null) return null
      known.add(route_id)
      return {
        ...version,
        route_id,
        nucleo_code: ids.nucleoOf(route_id),
        short_name: shortNameOf(records.text(1), timetable),
        ...namesOf(records.rawText(3)),
        route_type: lookUp(ROUTE_TYPES, type) ?? type,
        ...colorsOf(records.text(4), records.text(5), diagnostics),
        ...ids.terminiOf(route_id),
      }
    },
  })
}

/** The name of a line, or the code of a product; an unknown product keeps its name and is counted. */
function shortNameOf(name: string | null, { ids, diagnostics }: RailTimetable): string | null {
  if (name === null || ids.products === null) return name
  const code = lookUp(ids.products, name)
  if (code === undefined) diagnostics.unknownCode(RAIL_PRODUCTS, name)
  return code ?? name
}

/** A long name without padding, and its two parts if it has them. */
function namesOf(raw: string | null): Pick<FeedRow<typeof railRoutes>, 'long_name' | 'origin_name' | 'destination_name'> {
  const text = raw ?? ''
  if (text.charAt(NAME_WIDTH) !== '-') {
    const plain = text.trim().replace(/\s+/g, ' ')
    // Two blank names leave only the dash.
    return { long_name: plain === '-' ? null : plain || null, origin_name: null, destination_name: null }
  }
  const [origin_name, destination_name] = [text.slice(0, NAME_WIDTH).trim() || null, text.slice(NAME_WIDTH + 1).trim() || null]
  return { long_name: [origin_name, destination_name].filter(Boolean).join(' - ') || null, origin_name, destination_name }
}

/** Colours of a route and its text; neither if both are equal, as on 18 of 852 routes of 2026-08-22, all white. */
export function colorsOf(
  ground: string | null,
  text: string | null,
  diagnostics: Diagnostics,
): Pick<FeedRow<typeof railRoutes>, 'color' | 'text_color'> {
  const [color, text_color] = [colorOf(ground, diagnostics), colorOf(text, diagnostics)]
  if (color === null || color !== text_color) return { color, text_color }
  diagnostics.warn('a route has the same colour for text and background')
  return { color: null, text_color: null }
}

function colorOf(text: string | null, diagnostics: Diagnostics): string | null {
  const color = text?.toUpperCase() ?? null
  if (color === null || COLOR.test(color)) return color
  diagnostics.warn('colour of a route is not of six hexadecimal digits')
  return null
}

const SHAPE_COLUMNS = { requires: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence'] }

interface Shape {
  readonly points: (Point | null)[]
  readonly sequences: number[]
}

/** Rows of shapes.txt, one per shape; their ids are added to `known`. */
async function* shapeRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
  const shapes = await readShapes(timetable)
  for (const id of shapes.keys()) known.add(id)
  yield batch(
    railShapes,
    [...shapes].map(([id, line]) => shapeRow(timetable, id, line)),
  )
}

/** The geometry of each shape, its points in sequence; unreadable points, and shapes with fewer than two others, are counted. */
export async function readShapes(timetable: Timetable): Promise<ReadonlyMap<string, Line>> {
  const { warn } = timetable.diagnostics
  const shapes = new Map<string, Shape>()
  for await (const records of readGtfs(timetable.zip, 'shapes.txt', SHAPE_COLUMNS))
    while (records.next()) {
      const id = records.text(0)
      if (!records.isWhole || id === null) {
        refuse(timetable, railShapes, records)
        continue
      }
      const shape = shapes.get(id) ?? { points: [], sequences: [] }
      shapes.set(id, shape)
      const sequence = records.whole(3) ?? Number.NaN
      const isKnown = !Number.isNaN(sequence)
      shape.points.push(isKnown ? knownPosition(records.number(1), records.number(2)) : null)
      shape.sequences.push(isKnown ? sequence : Number.POSITIVE_INFINITY)
    }
  const lines = [...shapes].map(([id, shape]) => [id, lineOf(knownPoints(inSequence(shape), warn), warn)] as const)
  return new Map(lines.filter((entry): entry is readonly [string, Line] => entry[1] !== null))
}

function shapeRow({ ids, version }: RailTimetable, shape_id: string, geometry: Line): FeedRow<typeof railShapes> {
  const match = /^\d\d_(.+?)(_INV)?$/.exec(shape_id)
  return {
    ...version,
    shape_id,
    nucleo_code: ids.nucleoOf(shape_id),
    line: match?.[1] ?? null,
    is_inverse: match?.[2] !== undefined,
    points: geometry.length,
    geometry,
  }
}

function inSequence({ points, sequences }: Shape): Shape['points'] {
  const isSorted = sequences.every((sequence, at) => at === 0 || sequence > (sequences[at - 1] as number))
  if (isSorted) return points
  return points
    .map((point, at) => ({ point, sequence: sequences[at] as number }))
    .sort((one, other) => one.sequence - other.sequence)
    .map(({ point }) => point)
}

/** Kinds of service that the publisher writes in place of a destination. */
const SERVICE_MARKS: ReadonlySet<string> = new Set(['CIVIS'])
/** Days between a commuter network's last trips and the timetable's end from which a warning is logged. */
const SHORT_DAYS = 7

const TRIP_COLUMNS = {
  member: 'trips.txt',
  requires: ['trip_id', 'route_id', 'service_id'],
  takes: ['trip_short_name', 'trip_headsign', 'direction_id', 'block_id', 'shape_id', 'wheelchair_accessible'],
}

/** Rows of trips.txt; their ids are added to `trips`, without stops yet. */
async function* tripRows(timetable: RailTimetable, known: Known, trips: Map<string, number>): AsyncGenerator<Batch> {
  const { diagnostics, ids, calendar } = timetable
  const { network, timetable_version, valid_from } = timetable.version
  const lastDays = new Map<string, string>()
  yield* memberRows(timetable, railTrips, {
    ...TRIP_COLUMNS,
    row(records) {
      const [trip_id, route_id, service_id] = [records.text(0), records.text(1), records.text(2)]
      if (trip_id === null || route_id === null || service_id === null) return null
      const shape_id = records.text(7)
      const days = calendar.days.get(service_id)
      if (known.routes && !known.routes.has(route_id)) diagnostics.warn('route_id of a trip is not in routes.txt')
      if (!days) diagnostics.warn('service_id of a trip is not in calendar.txt')
      if (known.shapes && shape_id !== null && !known.shapes.has(shape_id)) diagnostics.warn('shape_id of a trip is not in shapes.txt')
      trips.set(trip_id, 0)
      const nucleo_code = ids.nucleoOf(trip_id)
      const last = days?.at(-1) ?? ''
      if (nucleo_code !== null && last > (lastDays.get(nucleo_code) ?? '')) lastDays.set(nucleo_code, last)
      const sign = records.text(4)
      const isMark = sign !== null && SERVICE_MARKS.has(sign)
      const { train_number, variant, validity_start } = ids.trainOf(trip_id, records.text(3))
      return {
        network,
        timetable_version,
        valid_from,
        trip_id,
        route_id,
        service_id,
        nucleo_code,
        train_number,
        variant,
        validity_start,
        headsign: isMark ? null : sign,
        service_mark: isMark ? sign : null,
        direction: records.whole(5),
        block_id: records.text(6),
        shape_id,
        is_wheelchair_accessible: accessOf(records.text(8), diagnostics),
        headway_s: null,
      }
    },
  })
  warnOfShortOnes(timetable, lastDays)
}

/**
 * Warns if a commuter network has no trips in the timetable's last weeks, like Rodalies in October 2026: a gap, not the end of
 * its trains.
 */
function warnOfShortOnes({ calendar, diagnostics }: RailTimetable, lastDays: ReadonlyMap<string, string>): void {
  const end = [...calendar.days.values()].reduce((latest, days) => ((days.at(-1) ?? '') > latest ? (days.at(-1) as string) : latest), '')
  for (const [nucleo, last] of lastDays)
    if (Date.parse(end) - Date.parse(last) >= SHORT_DAYS * DAY_MS)
      diagnostics.warn(`commuter network ${nucleo} has no trips after ${last}; the timetable goes on to ${end}`)
}
