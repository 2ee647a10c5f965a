import type { Point } from '../../lake/schema/columns.ts'

/** The ellipsoid of ETRS89 (GRS80; WGS84's differs by 0.1 mm in the semi-minor axis). */
const SEMI_MAJOR_M = 6378137
const FLATTENING = 1 / 298.257222101
const SCALE = 0.9996
const FALSE_EASTING_M = 500_000

const n = FLATTENING / (2 - FLATTENING)
/** Radius of the rectifying sphere: one metre of northing is one metre of its meridian. */
const RECTIFYING_M = (SEMI_MAJOR_M / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64)
const ECCENTRICITY = Math.sqrt(FLATTENING * (2 - FLATTENING))
/** Coefficients of the inverse series to n⁴, from Krüger 1912 as given by Karney, "Transverse Mercator with an accuracy of a few nanometers" (2011), eq. 36. */
const BETA = [
  n / 2 - (2 / 3) * n ** 2 + (37 / 96) * n ** 3 - n ** 4 / 360,
  n ** 2 / 48 + n ** 3 / 15 - (437 / 1440) * n ** 4,
  (17 / 480) * n ** 3 - (37 / 840) * n ** 4,
  (4397 / 161280) * n ** 4,
]

/**
 * The position of UTM coordinates of the northern hemisphere: `zone` 30 for ETRS89 / UTM 30N (EPSG:25830), 31 for Catalonia, 28 for the
 * Canaries (REGCAN95, the same within centimetres). Good to a µm within the zone; ETRS89 is taken for WGS84 (they differ by
 * under a metre in this century). Degrees are rounded to 7 decimals (1 cm).
 */
export function utmToPoint(easting_m: number, northing_m: number, zone: number): Point {
  const xi = northing_m / (SCALE * RECTIFYING_M)
  const eta = (easting_m - FALSE_EASTING_M) / (SCALE * RECTIFYING_M)
  let xiSphere = xi
  let etaSphere = eta
  for (let at = 0; at < BETA.length; at++) {
    const order = 2 * (at + 1)
    const beta = BETA[at] as number
    xiSphere -= beta * Math.sin(order * xi) * Math.cosh(order * eta)
    etaSphere -= beta * Math.cos(order * xi) * Math.sinh(order * eta)
  }
  const sinh = Math.sinh(etaSphere)
  const cos = Math.cos(xiSphere)
  const conformalTangent = Math.sin(xiSphere) / Math.hypot(sinh, cos)
  return { lat: rounded(degrees(geodetic(conformalTangent))), lon: rounded(degrees(Math.atan2(sinh, cos)) + zone * 6 - 183) }
}

/** Geodetic latitude (rad) of the tangent of the conformal latitude: Newton's method of Karney 2011, eq. 19–21; two steps reach a double's precision. */
function geodetic(conformalTangent: number): number {
  let tangent = conformalTangent
  for (let step = 0; step < 3; step++) {
    const sigma = Math.sinh(ECCENTRICITY * Math.atanh((ECCENTRICITY * tangent) / Math.sqrt(1 + tangent ** 2)))
    const reached = tangent * Math.sqrt(1 + sigma ** 2) - sigma * Math.sqrt(1 + tangent ** 2)
    const slope = (1 + (1 - ECCENTRICITY ** 2) * tangent ** 2) / ((1 - ECCENTRICITY ** 2) * Math.sqrt(1 + tangent ** 2))
    tangent += (slope * (conformalTangent - reached)) / Math.sqrt(1 + reached ** 2)
  }
  return Math.atan(tangent)
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI
}

function rounded(value: number): number {
  return Math.round(value * 1e7) / 1e7
}
