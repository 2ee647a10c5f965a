import proj4, { type Converter } from 'proj4'
import { rounded } from '../../lake/places/utm.ts'
import type { Point } from '../../lake/schema/columns.ts'

/**
 * From ED50 to ETRS89 in mainland Spain except the north-west: the seven parameters of the Instituto Geográfico Nacional
 * (EPSG:1631, accuracy 1.5 m; metres, arc seconds, parts per million). proj4 takes rotations with the opposite sign.
 */
const TO_ETRS89 = '-131.032,-100.251,-163.354,-1.2438,-0.0195,-1.1436,9.39'
const ETRS89 = '+proj=longlat +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +no_defs'

/** Expected error of `ed50UtmToPoint`, metres: 0.7 against the publisher's own positions in Barcelona, 1.5 at most. */
export const ED50_ERROR_M = 1.5

const converters = new Map<number, Converter>()

/**
 * The position (ETRS89, used as WGS84) of ED50 / UTM coordinates in mainland Spain: `zone` 31 is EPSG:23031, Catalonia and the
 * Levant. Without the datum shift they would be about 220 m off.
 */
export function ed50UtmToPoint(easting_m: number, northing_m: number, zone: number): Point {
  const converter = converters.get(zone) ?? proj4(`+proj=utm +zone=${zone} +ellps=intl +towgs84=${TO_ETRS89} +units=m +no_defs`, ETRS89)
  converters.set(zone, converter)
  const [lon, lat] = converter.forward<[number, number]>([easting_m, northing_m])
  return { lat: rounded(lat), lon: rounded(lon) }
}
