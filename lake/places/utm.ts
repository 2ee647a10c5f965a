import proj4, { type Converter } from 'proj4'
import type { Point } from '../schema/columns.ts'

const converters = new Map<number, Converter>()

function converterOf(zone: number): Converter {
  const known = converters.get(zone)
  if (known) return known
  const made = proj4(`+proj=utm +zone=${zone} +ellps=GRS80 +units=m +no_defs`, '+proj=longlat +ellps=GRS80 +no_defs')
  converters.set(zone, made)
  return made
}

/**
 * The position of northern UTM coordinates: `zone` 30 for ETRS89 / UTM 30N (EPSG:25830), 31 for Catalonia, 28 for the Canaries
 * (REGCAN95, equal within centimetres). ETRS89 counts as WGS84 (under a metre apart in this century). Degrees have 7 decimals
 * (1 cm).
 */
export function utmToPoint(easting_m: number, northing_m: number, zone: number): Point {
  const [lon, lat] = converterOf(zone).forward<[number, number]>([easting_m, northing_m])
  return { lat: rounded(lat), lon: rounded(lon) }
}

/** The UTM coordinates (m, ETRS89) of a northern position: the inverse of `utmToPoint`. */
export function pointToUtm({ lat, lon }: Point, zone: number): { readonly easting_m: number; readonly northing_m: number } {
  const [easting_m, northing_m] = converterOf(zone).inverse<[number, number]>([lon, lat])
  return { easting_m, northing_m }
}

/** Degrees to 7 decimals, 1 cm. */
export function rounded(value: number): number {
  return Math.round(value * 1e7) / 1e7
}
