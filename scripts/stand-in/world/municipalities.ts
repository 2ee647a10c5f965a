import { contains, indexAreas } from '../../../lake/places/areas.ts'
import { type Area, loadAtlas } from '../../../lake/places/atlas.ts'

/** A municipality of Spain: its outline, INE name and code. */
export interface Municipality extends Area {
  /** INE code of the province, 2 digits. */
  readonly province: string
  /** A point well inside. */
  readonly centre: { readonly lon: number; readonly lat: number }
}

/** Spain's municipalities by name and position. */
export interface Gazetteer {
  /** By INE code. */
  readonly municipalities: readonly Municipality[]
  /** By INE code of the province. */
  readonly ofProvince: ReadonlyMap<string, readonly Municipality[]>
  /** The municipality with a name; the province distinguishes equal names. Throws for an unknown name. */
  named(name: string, province?: string): Municipality
  /** The municipality at a point; null at sea, abroad and on land that several share. */
  at(lon: number, lat: number): Municipality | null
}

let gazetteer: Gazetteer | undefined

/** Spain's municipalities, read on first use and cached. About 0.4 s. */
export function readGazetteer(): Gazetteer {
  gazetteer ??= makeGazetteer()
  return gazetteer
}

function makeGazetteer(): Gazetteer {
  const municipalities = loadAtlas()
    // 53 are lands that several municipalities share, 54 is Gibraltar.
    .municipalities.filter((area) => area.code < '53')
    .map((area): Municipality => ({ ...area, province: area.code.slice(0, 2), centre: innerPoint(area) }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
  const byCode = new Map(municipalities.map((item) => [item.code, item]))
  const names = Map.groupBy(municipalities, (item) => item.name)
  const index = indexAreas(municipalities)
  return {
    municipalities,
    ofProvince: Map.groupBy(municipalities, (item) => item.province),
    named(name, province) {
      const found = names.get(name)?.find((item) => province === undefined || item.province === province)
      if (!found) throw new Error(`no municipality is called ${JSON.stringify(name)}${province ? ` in province ${province}` : ''}`)
      return found
    },
    at: (lon, lat) => byCode.get(index.at({ lon, lat })?.code ?? '') ?? null,
  }
}

/**
 * The point of a coarse grid that is inside the outline and farthest from its corners; the centre of the bounds for a tiny one.
 */
function innerPoint(area: Area): { lon: number; lat: number } {
  const { west, south, east, north } = area
  let best = { lon: (west + east) / 2, lat: (south + north) / 2 }
  let farthest = -1
  for (let column = 1; column < 8; column++) {
    for (let row = 1; row < 8; row++) {
      const point = { lon: west + ((east - west) * column) / 8, lat: south + ((north - south) * row) / 8 }
      if (!contains(area, point)) continue
      const distance = distanceToCorners(area, point)
      if (distance <= farthest) continue
      farthest = distance
      best = point
    }
  }
  return best
}

function distanceToCorners(area: Area, point: { lon: number; lat: number }): number {
  let least = Number.POSITIVE_INFINITY
  for (const ring of area.rings) {
    for (let at = 0; at < ring.length; at += 2) {
      const dx = ((ring[at] as number) - point.lon) * 0.77
      const dy = (ring[at + 1] as number) - point.lat
      least = Math.min(least, dx * dx + dy * dy)
    }
  }
  return least
}
