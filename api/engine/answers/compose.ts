import { type Column, GEOMETRY_TYPES, type Json, type Point } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { DEGREE_DECIMALS, roundedTo, rounderOf } from '../../../lake/schema/precision.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { Endpoint, ListReturn, OneReturn } from '../../kernel/endpoint.ts'
import { areaKindOf, type Fields, geometryKindOf, idFieldsOf, placeOf } from '../../kernel/fields.ts'
import { type JsonObject, recordTextWriter } from '../../kernel/reads/shape.ts'
import type { ServiceState } from '../state/state.ts'
import type { MissingDataset } from './missing.ts'
import type { NoMatch } from './no-match.ts'

/** What a reply states about its data: `meta`. */
export interface Meta {
  readonly stale: boolean
  readonly cadence_s: number | null
  readonly timezone: string
  readonly snapshot?: string
  readonly covered_from?: string | null
  readonly latest_row_at?: string | null
  readonly covered_until?: string | null
  readonly period?: { readonly from: string; readonly to: string }
  readonly grain?: string
  readonly method?: string
  readonly missing?: readonly MissingDataset[]
  /** Only in an empty list. */
  readonly no_match?: readonly NoMatch[]
  readonly coverage?: Coverage
  /** Only for an area outside all data. */
  readonly hint?: string
  readonly note?: string
  readonly unlocated?: number
  readonly missing_years?: readonly number[]
  readonly source_mode: string
  readonly sources: readonly JsonObject[]
}

/** Provinces, by INE code, that the sources of a reply do not cover, with a note if the request asks for one of them. */
export interface Coverage {
  readonly provinces_without_data: readonly string[]
  readonly note: string | null
}

/** The zone of plain dates and of days, weeks, months and years in requests and replies; instants are UTC. */
const TIMEZONE = 'Europe/Madrid'

/** How far a table has the published data, ms. */
interface Covered {
  readonly covered_until: number | null
  readonly latest_row_at: number | null
}

/** What the `meta` of some replies states about the lake and about statistics. */
interface MetaMore {
  readonly lake?: Covered & { readonly snapshot: string; readonly covered_from: number | null }
  /** Coverage of tables that are cached in memory. */
  readonly kept?: Covered
  readonly figure?: Endpoint['statistic']
  /** The period that statistics cover, ms. */
  readonly period?: { readonly from: number; readonly to: number } | null
  /** Datasets that the answer lacks. */
  readonly missing?: readonly MissingDataset[]
  readonly coverage?: Coverage
  readonly hint?: string
  /** See `MemoryRead.otherSources`. */
  readonly otherSources?: readonly Source[]
  /** See `Endpoint.sources`. */
  readonly sources?: readonly Source[] | undefined
}

/** Returns the `meta` of a reply over datasets, the main one first. */
export function metaOf(
  state: Pick<ServiceState, 'mode' | 'isStale' | 'cadence_s'>,
  datasets: readonly Dataset[],
  { lake, kept, figure, period, missing, coverage, hint, otherSources = [], sources: added = [] }: MetaMore = {},
): Meta {
  const [primary] = datasets
  const span = lake ?? kept
  const isOwn = (source: Source): boolean => !otherSources.includes(source)
  const own = datasets.flatMap((dataset) => dataset.sources.filter(isOwn))
  const sources = new Map([...own, ...added].map((source) => [source.id, source]))
  const isLate = (dataset: Dataset): boolean =>
    dataset.sources.every(isOwn)
      ? state.isStale(dataset)
      : dataset.sources.some((source) => isOwn(source) && state.isStale(dataset, source))
  return {
    stale: datasets.some(isLate),
    cadence_s: primary ? state.cadence_s(primary) : null,
    timezone: TIMEZONE,
    ...(lake ? { snapshot: lake.snapshot, covered_from: dated(lake.covered_from) } : {}),
    ...(span ? { latest_row_at: dated(span.latest_row_at), covered_until: dated(span.covered_until) } : {}),
    ...(figure && period ? { period: { from: isoInstant(period.from), to: isoInstant(period.to) } } : {}),
    ...(figure ? { grain: figure.grain, method: figure.method } : {}),
    ...(missing ? { missing } : {}),
    ...(coverage ? { coverage } : {}),
    ...(hint === undefined ? {} : { hint }),
    source_mode: state.mode,
    sources: [...sources.values()].map(({ id, publisher, licence, licence_url, attribution, commercial_use }) => ({
      id,
      name: publisher,
      licence,
      licence_url,
      attribution,
      commercial_use,
    })),
  }
}

function dated(instant: number | null): string | null {
  return instant === null ? null : isoInstant(instant)
}

/** The page of a list as it is sent. */
export interface ListPage {
  /** Name of the list in the reply. */
  readonly name: string
  readonly total: number | null
  /** ms since the epoch. */
  readonly updated_at: number | null
  readonly next_cursor: string | null
  /** Members between the list and `next_cursor`, such as `reset` or a list's counts. */
  readonly extra?: JsonObject
  readonly meta: Meta
}

/** Records in one piece of a list's text. V8 moves texts above 128 KB to its old generation, which costs a full collection. */
const RECORDS_A_PIECE = 32

/** Writes a list as JSON text in pieces; `write` returns the text of a record. */
export function listPieces<R>(page: ListPage, records: readonly R[], write: (record: R) => string): Generator<string> {
  const { total, updated_at, name } = page
  const head = `{"total":${total},"updated_at":${instantText(updated_at)},${JSON.stringify(name)}:[`
  return pieces(head, records, { write, tail: tailOf(page) })
}

/**
 * Writes a list as GeoJSON text (RFC 7946) in pieces. Records without a place (`placeOf`) have a null geometry. total,
 * updated_at, next_cursor and meta are foreign members. `fields` are the records' own, `write` returns the text of a feature.
 */
export function featurePieces(
  page: ListPage,
  records: readonly AnyRow[],
  { fields, write }: { readonly fields: Fields; readonly write: (record: AnyRow) => string },
): Generator<string> {
  const { total, updated_at } = page
  const bbox = boundsOf(records, fields)
  const head = `{"type":"FeatureCollection",${bbox ? `"bbox":${JSON.stringify(bbox)},` : ''}"total":${total},"updated_at":${instantText(updated_at)}`
  return pieces(`${head},"features":[`, records, { write, tail: tailOf(page) })
}

function* pieces<R>(
  head: string,
  records: readonly R[],
  { write, tail }: { readonly write: (record: R) => string; readonly tail: string },
): Generator<string> {
  let piece = head
  for (const [at, record] of records.entries()) {
    piece += at === 0 ? write(record) : `,${write(record)}`
    if ((at + 1) % RECORDS_A_PIECE !== 0) continue
    yield piece
    piece = ''
  }
  yield piece + tail
}

function tailOf({ next_cursor, extra, meta }: ListPage): string {
  return `],${JSON.stringify({ ...extra, ...(next_cursor === null ? {} : { next_cursor }), meta }).slice(1)}`
}

function instantText(instant: number | null): string {
  return JSON.stringify(dated(instant))
}

/** A geometry of GeoJSON. */
type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] }

type Position = readonly [lon: number, lat: number]

/** One GeoJSON feature. */
export interface Feature {
  readonly type: 'Feature'
  readonly id?: Json
  readonly geometry: Geometry | null
  readonly properties: JsonObject
}

/** Makes the function that returns the id of a record's feature: the record's id, or its key fields joined by `/`. */
function featureIdMaker(returns: ListReturn | OneReturn): (record: AnyRow) => Json | undefined {
  const { fields } = returns.record
  const key = returns.kind === 'list' ? returns.key : idFieldsOf(returns.record)
  if (key.length === 0) return () => undefined
  if (key.join() === 'id') return (record) => record['id'] as Json
  const instants = new Set(key.filter((name) => fields[name]?.kind === 'instant'))
  const textOf = (name: string, value: unknown): string =>
    instants.has(name) && typeof value === 'number' ? isoInstant(value) : String(value ?? '')
  return (record) => key.map((name) => textOf(name, record[name])).join('/')
}

/** Returns the members of a record that become its feature's geometry. */
function placeMembers({ record }: ListReturn | OneReturn): readonly string[] {
  if (placeOf(record.fields) !== 'geometry') return ['lat', 'lon']
  return areaKindOf(record.fields) === null ? ['geometry'] : ['geometry', 'area']
}

/** Returns a record as a feature: its place is the geometry, its other members are the properties. */
export function featureOf(returns: ListReturn | OneReturn, record: AnyRow, members: JsonObject): Feature {
  const apart = placeMembers(returns)
  const properties = Object.fromEntries(Object.entries(members).filter(([name]) => !apart.includes(name)))
  const id = featureIdMaker(returns)(record)
  return { type: 'Feature', ...(id === undefined ? {} : { id }), geometry: geometryMaker(returns)(record), properties }
}

/** Makes the function that writes a record's complete feature as text: the same as `JSON.stringify` of `featureOf`. */
export function featureTextWriter(returns: ListReturn | OneReturn): (record: AnyRow) => string {
  const properties = recordTextWriter(returns.record, placeMembers(returns))
  const geometryOf = geometryMaker(returns)
  const idOf = featureIdMaker(returns)
  return (record) => {
    const id = idOf(record)
    return `{"type":"Feature",${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"geometry":${JSON.stringify(geometryOf(record))},"properties":${properties(record)}}`
  }
}

/** Makes the function that returns a record's geometry: its shape, else its area, else its point. */
function geometryMaker({ record }: ListReturn | OneReturn): (row: AnyRow) => Geometry | null {
  const kind = geometryKindOf(record.fields)
  const pointOf = ({ position }: AnyRow): Geometry | null =>
    position ? { type: 'Point', coordinates: [degrees((position as Point).lon), degrees((position as Point).lat)] } : null
  if (kind === null) return pointOf
  const type = GEOMETRY_TYPES[kind]
  const areaKind = areaKindOf(record.fields)
  const round = rounderOf(record.fields['geometry'] as Column)
  const roundArea = areaKind && rounderOf(record.fields['area'] as Column)
  const areaOf = ({ area }: AnyRow): Geometry | null =>
    areaKind && area ? ({ type: GEOMETRY_TYPES[areaKind], coordinates: roundArea?.(area) } as Geometry) : null
  return (row) => (row['geometry'] ? ({ type, coordinates: round?.(row['geometry']) } as Geometry) : (areaOf(row) ?? pointOf(row)))
}

/** Rounds a coordinate to the precision of replies. */
function degrees(value: number): number {
  return roundedTo(value, DEGREE_DECIMALS)
}

/** Returns the positions of a line, or of the rings of polygons. */
function positionsOf(geometry: unknown): readonly Position[] {
  let parts = (geometry ?? []) as readonly unknown[]
  while (Array.isArray(parts[0]) && typeof parts[0][0] !== 'number') parts = parts.flat()
  return parts as readonly Position[]
}

/** Returns the box around the shapes of records, or else their points; null if no record has one. */
function boundsOf(records: readonly AnyRow[], fields: Fields): readonly [number, number, number, number] | null {
  let isEmpty = true
  let [west, south, east, north] = [180, 90, -180, -90]
  const include = (lon: number, lat: number): void => {
    isEmpty = false
    west = Math.min(west, lon)
    south = Math.min(south, lat)
    east = Math.max(east, lon)
    north = Math.max(north, lat)
  }
  const [hasShape, hasArea] = [geometryKindOf(fields) !== null, areaKindOf(fields) !== null]
  for (const { position, geometry, area } of records) {
    const shape = (hasShape ? geometry : null) ?? (hasArea ? area : null)
    if (shape) for (const [lon, lat] of positionsOf(shape)) include(lon, lat)
    else if (position) include((position as Point).lon, (position as Point).lat)
  }
  return isEmpty ? null : [degrees(west), degrees(south), degrees(east), degrees(north)]
}
