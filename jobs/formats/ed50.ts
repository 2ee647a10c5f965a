import { type Ellipsoid, GRS80, rounded, utmToGeodetic } from '../../lake/places/utm.ts'
import type { Point } from '../../lake/schema/columns.ts'

/** The ellipsoid of ED50 (International 1924, Hayford). */
const HAYFORD: Ellipsoid = Object.freeze({ semiMajor_m: 6378388, flattening: 1 / 297 })

/**
 * From ED50 to ETRS89 in mainland Spain except the north-west: seven parameters of the Instituto Geográfico Nacional,
 * rotations in coordinate frame convention (EPSG:1631, accuracy 1.5 m). Units: metres, arc seconds, parts per million.
 */
const TO_ETRS89 = { shift_m: [-131.032, -100.251, -163.354], turn_s: [1.2438, 0.0195, 1.1436], scale_ppm: 9.39 } as const
const RADIANS = Math.PI / 180
const SECOND = RADIANS / 3600

/** Expected error of `ed50UtmToPoint`, metres: 0.7 against the publisher's own positions in Barcelona, 1.5 at most. */
export const ED50_ERROR_M = 1.5

/**
 * The position (ETRS89, used as WGS84) of ED50 / UTM coordinates in mainland Spain: `zone` 31 is EPSG:23031, Catalonia and the
 * Levant. Without the datum shift they would be about 220 m off.
 */
export function ed50UtmToPoint(easting_m: number, northing_m: number, zone: number): Point {
  const { lat, lon } = shifted(utmToGeodetic({ easting_m, northing_m, zone }, HAYFORD))
  return { lat: rounded(lat), lon: rounded(lon) }
}

function shifted({ lat, lon }: Point): Point {
  const [x, y, z] = geocentric(lat * RADIANS, lon * RADIANS, HAYFORD)
  const [rx, ry, rz] = TO_ETRS89.turn_s.map((seconds) => seconds * SECOND) as [number, number, number]
  const scale = 1 + TO_ETRS89.scale_ppm * 1e-6
  const [dx, dy, dz] = TO_ETRS89.shift_m
  return geodetic([dx + scale * (x + rz * y - ry * z), dy + scale * (-rz * x + y + rx * z), dz + scale * (ry * x - rx * y + z)], GRS80)
}

type Vector = readonly [x: number, y: number, z: number]

/** Geocentric coordinates (m) of a point on the ellipsoid. */
function geocentric(lat: number, lon: number, { semiMajor_m, flattening }: Ellipsoid): Vector {
  const e2 = flattening * (2 - flattening)
  const normal = semiMajor_m / Math.sqrt(1 - e2 * Math.sin(lat) ** 2)
  return [normal * Math.cos(lat) * Math.cos(lon), normal * Math.cos(lat) * Math.sin(lon), normal * (1 - e2) * Math.sin(lat)]
}

/**
 * Latitude and longitude (degrees) of geocentric coordinates near the ellipsoid, by Bowring's formula (1976), to 1e-9 degrees.
 */
function geodetic([x, y, z]: Vector, { semiMajor_m, flattening }: Ellipsoid): Point {
  const e2 = flattening * (2 - flattening)
  const semiMinor_m = semiMajor_m * (1 - flattening)
  const axis = Math.hypot(x, y)
  const angle = Math.atan2(z * semiMajor_m, axis * semiMinor_m)
  const second = (semiMajor_m ** 2 - semiMinor_m ** 2) / semiMinor_m ** 2
  const lat = Math.atan2(z + second * semiMinor_m * Math.sin(angle) ** 3, axis - e2 * semiMajor_m * Math.cos(angle) ** 3)
  return { lat: lat / RADIANS, lon: Math.atan2(y, x) / RADIANS }
}
