import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes, railShapes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import type { Line, Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import { knownPoints, knownPosition, lineOf, statedPosition } from '../../formats/positions.ts'
import { type Batch, batch, type Diagnostics } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { accessOf, memberRows, refuse, type Timetable } from '../transit/timetable.ts'
import type { RailTimetable } from './network-ids.ts'

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
export async function* stationRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
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
export async function* routeRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
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
export async function* shapeRows(timetable: RailTimetable, known: Set<string>): AsyncGenerator<Batch> {
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
