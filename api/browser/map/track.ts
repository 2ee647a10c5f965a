import { ask } from './data.ts'
import type { DataLayer } from './layer.ts'
import { type Collection, withParam } from './requests.ts'

/** Requests the track of a thing of a layer: lines, or the line through its points in order. */
export async function readTrack(layer: DataLayer, id: string, token: string): Promise<GeoJSON.Feature[]> {
  const path = layer.track?.(encodeURIComponent(id))
  if (path === undefined) return []
  const reply = await ask<Collection | GeoJSON.Feature>(withParam(path, 'format=geojson'), token)
  const features = reply.type === 'Feature' ? [reply] : reply.features
  const points = features.flatMap(({ geometry }) => (geometry?.type === 'Point' ? [geometry.coordinates] : []))
  const through: GeoJSON.Feature[] =
    points.length < 2 ? [] : [{ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: points } }]
  return [...features.filter(({ geometry }) => geometry !== null && geometry.type !== 'Point'), ...through]
}
