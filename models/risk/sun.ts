import { loadAtlas } from '../../lake/places/atlas.ts'

const DEGREE = Math.PI / 180
const DAY_MS = 86_400_000
/** Noon of 2000-01-01 in UTC, ms. */
const EPOCH = Date.UTC(2000, 0, 1, 12)
/** The Sun's altitude when its upper edge rises or sets, including refraction, degrees. */
const HORIZON = -0.833

/** Sunrise and sunset, in UTC hours from the midnight at which the day begins; may be outside 0 to 24. */
export interface SunTimes {
  readonly rise_h: number
  readonly set_h: number
}

/**
 * Sunrise and sunset on a day (days since 1970-01-01, UTC) at a position in degrees, accurate to two minutes in Spain: the
 * Astronomical Almanac's low-precision position of the Sun at noon. Throws if the Sun does not rise or set.
 */
export function sunTimes(day: number, { lat, lon }: { readonly lat: number; readonly lon: number }): SunTimes {
  const days = (day * DAY_MS + DAY_MS / 2 - EPOCH) / DAY_MS - lon / 360
  const mean = 280.46 + 0.9856474 * days
  const anomaly = (357.528 + 0.9856003 * days) * DEGREE
  const longitude = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * DEGREE
  const tilt = 23.439 * DEGREE
  const declination = Math.asin(Math.sin(tilt) * Math.sin(longitude))
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(longitude), Math.cos(longitude)) / DEGREE
  // Hours that the Sun is ahead of the mean Sun, between -12 and 12.
  const ahead_h = ((((mean - ascension + 180) % 360) + 360) % 360) / 15 - 12
  const noon_h = 12 - lon / 15 - ahead_h
  const cosine =
    (Math.sin(HORIZON * DEGREE) - Math.sin(lat * DEGREE) * Math.sin(declination)) / (Math.cos(lat * DEGREE) * Math.cos(declination))
  if (!(Math.abs(cosine) < 1)) throw new RangeError(`the Sun does not rise and set at latitude ${lat} on day ${day}`)
  const half_h = Math.acos(cosine) / DEGREE / 15
  return { rise_h: noon_h - half_h, set_h: noon_h + half_h }
}

/** An hour in solar time, 0 to 24: 6 at sunrise, 18 at sunset, proportional between. `hour` uses the same clock as the times. */
export function sunClock(hour: number, { rise_h, set_h }: SunTimes): number {
  const day_h = set_h - rise_h
  const since = (((hour - rise_h) % 24) + 24) % 24
  return since < day_h ? 6 + (12 * since) / day_h : (18 + (12 * (since - day_h)) / (24 - day_h)) % 24
}

let centres: ReadonlyMap<string, { readonly lat: number; readonly lon: number }> | undefined

/**
 * The centre of a province's bounding box; undefined if the atlas lacks the code. Sunset varies by up to ten minutes within a
 * province.
 */
export function centreOf(province_code: string): { readonly lat: number; readonly lon: number } | undefined {
  centres ??= new Map(
    loadAtlas().provinces.map((area) => [area.code, { lat: (area.south + area.north) / 2, lon: (area.west + area.east) / 2 }]),
  )
  return centres.get(province_code)
}
