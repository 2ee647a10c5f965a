import KDBush from 'kdbush'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type Area, type Box, EARTH_M } from '../../kernel/reads/geo.ts'

/** Shorter lists are scanned. */
const INDEXED_FROM = 200
/** Degrees added to the box around a circle, so that rounding loses nothing. */
const MARGIN_DEG = 1e-6
const WORLD = { west: -180, south: -90, east: 180, north: 90 } as const

/** Finds the records of one list by their `position`. */
class SpatialIndex {
  readonly #records: readonly AnyRow[]
  /** Positions of the located records in the list, by their positions in the tree. */
  readonly #places: Uint32Array
  readonly #tree: KDBush

  constructor(records: readonly AnyRow[]) {
    const places = records.flatMap((record, at) => (positionOf(record) ? [at] : []))
    this.#records = records
    this.#places = Uint32Array.from(places)
    this.#tree = new KDBush(places.length)
    for (const at of places) {
      const { lat, lon } = positionOf(records[at] as AnyRow) as Point
      this.#tree.add(lon, lat)
    }
    this.#tree.finish()
  }

  /** Returns the records in a box, in the order of the list. */
  inBox({ west, south, east, north }: Omit<Box, 'kind'>): AnyRow[] {
    if (this.#places.length === 0) return []
    const found = Uint32Array.from(this.#tree.range(west, south, east, north), (at) => this.#places[at] as number)
    return Array.from(found.sort(), (at) => this.#records[at] as AnyRow)
  }
}

/** Indexes by list; null for a list that was searched once. Most lists are made for one request and are never searched again. */
const indexes = new WeakMap<readonly AnyRow[], SpatialIndex | null>()

/** Returns all records in an area and few others, in the order of the list. A list that is searched again is indexed. */
export function recordsNear(records: readonly AnyRow[], area: Area): readonly AnyRow[] {
  if (records.length < INDEXED_FROM) return records
  const known = indexes.get(records)
  if (known === undefined) {
    indexes.set(records, null)
    return records
  }
  const index = known ?? new SpatialIndex(records)
  if (!known) indexes.set(records, index)
  return index.inBox(area.kind === 'box' ? area : boxAround(area))
}

/** Returns a box around a circle on the sphere; the whole world if the circle contains a pole or crosses the 180th meridian. */
export function boxAround({ lat, lon, radius_m }: Exclude<Area, Box>): Omit<Box, 'kind'> {
  const angle = radius_m / EARTH_M
  const reach = (angle * 180) / Math.PI + MARGIN_DEG
  const [south, north] = [lat - reach, lat + reach]
  if (south <= -90 || north >= 90) return { ...WORLD, south, north }
  const width = (Math.asin(Math.min(1, Math.sin(angle) / Math.cos((lat * Math.PI) / 180))) * 180) / Math.PI + MARGIN_DEG
  const [west, east] = [lon - width, lon + width]
  return west < -180 || east > 180 ? { ...WORLD, south, north } : { west, south, east, north }
}

function positionOf(record: AnyRow): Point | null {
  return (record['position'] as Point | null | undefined) ?? null
}
