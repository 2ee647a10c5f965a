/** A place as lon and lat, degrees. */
export type Place = readonly [lon: number, lat: number]

/** Returns a place of a geometry for the list; null for none. */
export function middleOf(geometry: GeoJSON.Geometry | null): Place | null {
  if (geometry === null || geometry.type === 'GeometryCollection') return null
  let at: unknown = geometry.coordinates
  while (Array.isArray(at) && Array.isArray(at[0])) at = at[Math.floor(at.length / 2)]
  return Array.isArray(at) ? [at[0] as number, at[1] as number] : null
}

/** Returns features with each point moved by a share (0 to 1) of the way from its place before. */
export function moved(before: readonly GeoJSON.Feature[], after: readonly GeoJSON.Feature[], share: number): GeoJSON.FeatureCollection {
  const places = new Map(before.map(({ id, geometry }) => [id, geometry]))
  const features = after.map((feature) => {
    const [from, to] = [places.get(feature.id), feature.geometry]
    if (from?.type !== 'Point' || to?.type !== 'Point') return feature
    const [lon0, lat0] = from.coordinates as [number, number]
    const [lon1, lat1] = to.coordinates as [number, number]
    return { ...feature, geometry: { type: 'Point' as const, coordinates: [lon0 + share * (lon1 - lon0), lat0 + share * (lat1 - lat0)] } }
  })
  return { type: 'FeatureCollection', features }
}

/** The place at an instant of what goes straight from one place and instant (ms) to another; it begins and ends there. */
export function between(
  [lon0, lat0]: Place,
  [lon1, lat1]: Place,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): Place {
  const share = Math.max(0, Math.min(1, (at - from) / (to - from)))
  return [lon0 + share * (lon1 - lon0), lat0 + share * (lat1 - lat0)]
}

/** Most drawings a second of features that move. */
const MOST_A_SECOND = 12

/** How often features that move by `pixels` in a time are drawn: once a pixel is enough. */
export function drawingsOf(pixels: number, seconds: number): number {
  return Math.max(1, Math.min(Math.ceil(pixels), Math.floor(MOST_A_SECOND * seconds)))
}

/** The longest way, in degrees, of a point between two lists; jumps of more than half a degree count as none. */
export function longestMove(before: readonly GeoJSON.Feature[], after: readonly GeoJSON.Feature[]): number {
  const places = new Map(before.map(({ id, geometry }) => [id, geometry]))
  return after.reduce((most, { id, geometry }) => {
    const from = places.get(id)
    if (from?.type !== 'Point' || geometry?.type !== 'Point') return most
    const [lon0, lat0] = from.coordinates as [number, number]
    const [lon1, lat1] = geometry.coordinates as [number, number]
    const move = Math.max(Math.abs(lon1 - lon0), Math.abs(lat1 - lat0))
    return move > 0.5 ? most : Math.max(most, move)
  }, 0)
}

/** The bounds of places: west, south, east, north. */
export function boundsOf(places: readonly Place[]): [number, number, number, number] {
  const [lons, lats] = [places.map(([lon]) => lon), places.map(([, lat]) => lat)]
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]
}
