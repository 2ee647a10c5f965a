import { z } from 'zod'
import { Misuse } from './tool.ts'

/** A province, an autonomous community or an island. */
export const province = z.string().max(80).optional().describe('Name or code of a province, an autonomous community or an island.')
/** A municipality. */
export const municipality = z.string().max(80).optional().describe('Name or code of a province, an autonomous community or an island.')
/** A road. */
export const road = z.string().max(30).optional().describe('Such as A-6 or N-340.')
/** A stretch of a road. */
export const stretch = {
  road,
  km_from: z.number().min(0).max(2000).optional().describe('With road.'),
  km_to: z.number().min(0).max(2000).optional().describe('With road.'),
}
/** A point and a radius. */
export const near = {
  lat: z.number().min(-90).max(90).optional().describe('WGS84; with lon.'),
  lon: z.number().min(-180).max(180).optional().describe('With lat.'),
  radius_km: z.number().min(0.1).max(100).optional().describe('10 by default.'),
}
/** Returns the problem of a name that nothing has. */
export function noneNamed(what: string, name: string): Misuse {
  return new Misuse(`No ${what} is named ${JSON.stringify(name)}. Use search_transport, or another spelling.`)
}
/** An instant or a day. */
export const instant = (about: string) => z.string().max(40).optional().describe(`${about}: ISO 8601 with zone, or YYYY-MM-DD.`)

/** Parameters of the API for a point and a radius. Throws `Misuse` for half a point. */
export function around(input: {
  readonly lat?: number | undefined
  readonly lon?: number | undefined
  readonly radius_km?: number | undefined
}): { lat?: number; lon?: number; radius?: number } {
  const { lat, lon, radius_km } = input
  if (lat === undefined && lon === undefined) {
    if (radius_km !== undefined) throw new Misuse('radius_km needs a point: add lat and lon.')
    return {}
  }
  if (lat === undefined || lon === undefined) throw new Misuse('Incomplete point: give both lat and lon.')
  return { lat, lon, radius: Math.round(1000 * (radius_km ?? 10)) }
}
