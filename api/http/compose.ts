import type { Json, Point } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { RecordShape } from '../define/fields.ts'
import type { JsonObject } from '../define/shape.ts'
import type { ServiceState } from './state.ts'

/** What a reply says of its data: `meta`. */
export interface Meta {
  readonly stale: boolean
  readonly cadence_s: number | null
  readonly timezone: string
  readonly snapshot?: string
  readonly covered_until?: string | null
  readonly source_mode: string
  readonly sources: readonly JsonObject[]
}

/** The zone of plain dates and of days, weeks, months and years in requests and replies; instants are UTC. */
const TIMEZONE = 'Europe/Madrid'

/** The `meta` of a reply over datasets; the first is the one the reply is of. */
export function metaOf(
  state: Pick<ServiceState, 'mode' | 'isStale' | 'cadence_s'>,
  datasets: readonly Dataset[],
  lake?: { snapshot: string; covered_until: number | null },
): Meta {
  const [primary] = datasets
  const sources = new Map(datasets.flatMap((dataset) => dataset.sources).map((source) => [source.id, source]))
  return {
    stale: primary ? state.isStale(primary) : false,
    cadence_s: primary ? state.cadence_s(primary) : null,
    timezone: TIMEZONE,
    ...(lake ? { snapshot: lake.snapshot, covered_until: lake.covered_until === null ? null : isoInstant(lake.covered_until) } : {}),
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

/** The page of a list as it is to be sent. */
export interface ListPage {
  /** Name of the list in the reply. */
  readonly name: string
  readonly total: number | null
  /** ms since the epoch. */
  readonly updated_at: number | null
  readonly next_cursor: string | null
  /** Members between the list and `next_cursor`, such as `reset`. */
  readonly extra?: JsonObject
  readonly meta: Meta
}

/** Records in a piece of a list's text. A text of more than 128 KB is one that V8 keeps among the old: it costs a whole collection. */
const RECORDS_A_PIECE = 32

/** A list as JSON text in pieces, of its records' texts. */
export function listPieces(page: ListPage, records: readonly string[]): string[] {
  const { total, updated_at, next_cursor, extra, meta } = page
  const head = `{"total":${total},"updated_at":${JSON.stringify(updated_at === null ? null : isoInstant(updated_at))}`
  const tail = { ...extra, ...(next_cursor === null ? {} : { next_cursor }), meta }
  const pieces: string[] = []
  let piece = `${head},${JSON.stringify(page.name)}:[`
  for (const [at, record] of records.entries()) {
    piece += at === 0 ? record : `,${record}`
    if ((at + 1) % RECORDS_A_PIECE !== 0) continue
    pieces.push(piece)
    piece = ''
  }
  pieces.push(`${piece}],${JSON.stringify(tail).slice(1)}`)
  return pieces
}

/** A list as GeoJSON text (RFC 7946): records without position have a null geometry; total, updated_at, next_cursor and meta are foreign members. */
export function featureCollectionText(page: ListPage, features: readonly Feature[]): string {
  const { total, updated_at, next_cursor, extra, meta } = page
  const bbox = boundsOf(features.flatMap((feature) => (feature.geometry ? [feature.geometry.coordinates] : [])))
  return JSON.stringify({
    type: 'FeatureCollection',
    ...(bbox ? { bbox } : {}),
    total,
    updated_at: updated_at === null ? null : isoInstant(updated_at),
    features,
    ...extra,
    ...(next_cursor === null ? {} : { next_cursor }),
    meta,
  })
}

/** One GeoJSON feature. */
export interface Feature {
  readonly type: 'Feature'
  readonly id?: Json
  readonly geometry: { readonly type: 'Point'; readonly coordinates: readonly [lon: number, lat: number] } | null
  readonly properties: JsonObject
}

/** A record as a feature: its position is the geometry, its other members the properties. */
export function featureOf(shape: RecordShape, record: AnyRow, members: JsonObject): Feature {
  const position = record['position'] as Point | null
  const { lat: _lat, lon: _lon, ...properties } = members
  return {
    type: 'Feature',
    ...(shape.fields['id'] ? { id: record['id'] as Json } : {}),
    geometry: position ? { type: 'Point', coordinates: [position.lon, position.lat] } : null,
    properties,
  }
}

function boundsOf(coordinates: readonly (readonly [lon: number, lat: number])[]): readonly [number, number, number, number] | null {
  if (coordinates.length === 0) return null
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [lon, lat] of coordinates) {
    west = Math.min(west, lon)
    south = Math.min(south, lat)
    east = Math.max(east, lon)
    north = Math.max(north, lat)
  }
  return [west, south, east, north]
}
