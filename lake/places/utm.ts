import type { Point } from '../schema/columns.ts'

/** An ellipsoid of revolution: semi-major axis, flattening. */
export interface Ellipsoid {
  readonly semiMajor_m: number
  readonly flattening: number
}

/** The ellipsoid of ETRS89 (WGS84's differs by 0.1 mm in the semi-minor axis). */
export const GRS80: Ellipsoid = Object.freeze({ semiMajor_m: 6378137, flattening: 1 / 298.257222101 })
const SCALE = 0.9996
const FALSE_EASTING_M = 500_000

/** The coefficients of an ellipsoid's series. */
interface Series {
  /** Radius of the rectifying sphere: one metre of northing is one metre on its meridian. */
  readonly rectifying_m: number
  readonly eccentricity: number
  /**
   * Coefficients of the inverse series to n⁴, from Krüger 1912 as given by Karney, "Transverse Mercator with an accuracy of a
   * few nanometers" (2011), eq. 36.
   */
  readonly beta: readonly number[]
  /** Coefficients of the forward series, eq. 35. */
  readonly alpha: readonly number[]
}

const known = new Map<Ellipsoid, Series>()

function seriesOf(ellipsoid: Ellipsoid): Series {
  const made = known.get(ellipsoid)
  if (made) return made
  const { semiMajor_m, flattening } = ellipsoid
  const n = flattening / (2 - flattening)
  const series = {
    rectifying_m: (semiMajor_m / (1 + n)) * (1 + n ** 2 / 4 + n ** 4 / 64),
    eccentricity: Math.sqrt(flattening * (2 - flattening)),
    beta: [
      n / 2 - (2 / 3) * n ** 2 + (37 / 96) * n ** 3 - n ** 4 / 360,
      n ** 2 / 48 + n ** 3 / 15 - (437 / 1440) * n ** 4,
      (17 / 480) * n ** 3 - (37 / 840) * n ** 4,
      (4397 / 161280) * n ** 4,
    ],
    alpha: [
      n / 2 - (2 / 3) * n ** 2 + (5 / 16) * n ** 3 + (41 / 180) * n ** 4,
      (13 / 48) * n ** 2 - (3 / 5) * n ** 3 + (557 / 1440) * n ** 4,
      (61 / 240) * n ** 3 - (103 / 140) * n ** 4,
      (49561 / 161280) * n ** 4,
    ],
  }
  known.set(ellipsoid, series)
  return series
}

/**
 * The position of northern UTM coordinates: `zone` 30 for ETRS89 / UTM 30N (EPSG:25830), 31 for Catalonia, 28 for the Canaries
 * (REGCAN95, equal within centimetres). Accurate to a µm within the zone; ETRS89 counts as WGS84 (under a metre apart in this
 * century). Degrees have 7 decimals (1 cm).
 */
export function utmToPoint(easting_m: number, northing_m: number, zone: number): Point {
  const { lat, lon } = utmToGeodetic({ easting_m, northing_m, zone }, GRS80)
  return { lat: rounded(lat), lon: rounded(lon) }
}

/** The UTM coordinates (m, ETRS89) of a northern position: the inverse of `utmToPoint`, with the same accuracy. */
export function pointToUtm({ lat, lon }: Point, zone: number): { readonly easting_m: number; readonly northing_m: number } {
  const { rectifying_m, eccentricity, alpha: alphas } = seriesOf(GRS80)
  const tangent = Math.tan((lat * Math.PI) / 180)
  const sigma = Math.sinh(eccentricity * Math.atanh((eccentricity * tangent) / Math.sqrt(1 + tangent ** 2)))
  const conformal = tangent * Math.sqrt(1 + sigma ** 2) - sigma * Math.sqrt(1 + tangent ** 2)
  const longitude = ((lon - (zone * 6 - 183)) * Math.PI) / 180
  const xiSphere = Math.atan2(conformal, Math.cos(longitude))
  const etaSphere = Math.asinh(Math.sin(longitude) / Math.hypot(conformal, Math.cos(longitude)))
  let xi = xiSphere
  let eta = etaSphere
  for (let at = 0; at < alphas.length; at++) {
    const order = 2 * (at + 1)
    const alpha = alphas[at] as number
    xi += alpha * Math.sin(order * xiSphere) * Math.cosh(order * etaSphere)
    eta += alpha * Math.cos(order * xiSphere) * Math.sinh(order * etaSphere)
  }
  return { easting_m: FALSE_EASTING_M + SCALE * rectifying_m * eta, northing_m: SCALE * rectifying_m * xi }
}

/** Latitude and longitude (degrees, not rounded) of northern UTM coordinates on an ellipsoid, in its own datum. */
export function utmToGeodetic(
  { easting_m, northing_m, zone }: { readonly easting_m: number; readonly northing_m: number; readonly zone: number },
  ellipsoid: Ellipsoid,
): Point {
  const { rectifying_m, eccentricity, beta: betas } = seriesOf(ellipsoid)
  const xi = northing_m / (SCALE * rectifying_m)
  const eta = (easting_m - FALSE_EASTING_M) / (SCALE * rectifying_m)
  let xiSphere = xi
  let etaSphere = eta
  for (let at = 0; at < betas.length; at++) {
    const order = 2 * (at + 1)
    const beta = betas[at] as number
    xiSphere -= beta * Math.sin(order * xi) * Math.cosh(order * eta)
    etaSphere -= beta * Math.cos(order * xi) * Math.sinh(order * eta)
  }
  const sinh = Math.sinh(etaSphere)
  const cos = Math.cos(xiSphere)
  const conformalTangent = Math.sin(xiSphere) / Math.hypot(sinh, cos)
  return { lat: degrees(geodetic(conformalTangent, eccentricity)), lon: degrees(Math.atan2(sinh, cos)) + zone * 6 - 183 }
}

/**
 * Geodetic latitude (rad) from the tangent of the conformal latitude: Newton's method of Karney 2011, eq. 19–21; two steps
 * reach double precision.
 */
function geodetic(conformalTangent: number, eccentricity: number): number {
  let tangent = conformalTangent
  for (let step = 0; step < 3; step++) {
    const sigma = Math.sinh(eccentricity * Math.atanh((eccentricity * tangent) / Math.sqrt(1 + tangent ** 2)))
    const reached = tangent * Math.sqrt(1 + sigma ** 2) - sigma * Math.sqrt(1 + tangent ** 2)
    const slope = (1 + (1 - eccentricity ** 2) * tangent ** 2) / ((1 - eccentricity ** 2) * Math.sqrt(1 + tangent ** 2))
    tangent += (slope * (conformalTangent - reached)) / Math.sqrt(1 + reached ** 2)
  }
  return Math.atan(tangent)
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI
}

/** Degrees to 7 decimals, 1 cm. */
export function rounded(value: number): number {
  return Math.round(value * 1e7) / 1e7
}
