import { lookUp } from '../look-up.ts'

const CLOUDS = ['CLEAR', 'FEW_CLOUDS', 'PARTLY_CLOUDY', 'CLOUDY', 'VERY_CLOUDY', 'OVERCAST', 'HIGH_CLOUDS'] as const
/** Precipitation by the first digit of a code. */
const FALLS: Readonly<Record<string, string>> = {
  1: 'NONE',
  2: 'RAIN',
  3: 'SNOW',
  4: 'LIGHT_RAIN',
  5: 'THUNDERSTORM',
  6: 'THUNDERSTORM_LIGHT_RAIN',
  7: 'LIGHT_SNOW',
}
const SIGHT: Readonly<Record<string, string>> = { 81: 'FOG', 82: 'MIST', 83: 'HAZE' }
/** Codes from 51 on start at partly cloudy, those below at clear. */
const SHIFTED_FROM = 50
const CODE = /^([1-8][1-7])n?$/

/** The direction the wind comes from, degrees, by AEMET's words; null for calm (C). */
export const DIRECTIONS: Readonly<Record<string, number | null>> = {
  N: 0,
  NE: 45,
  E: 90,
  SE: 135,
  S: 180,
  SO: 225,
  O: 270,
  NO: 315,
  C: null,
}

/** Clouds and phenomenon of a sky code; undefined if AEMET's list lacks the code. */
export function skyOf(code: string): { readonly cloud_cover: string | null; readonly phenomenon: string } | undefined {
  const [, digits] = CODE.exec(code) ?? []
  if (digits === undefined) return undefined
  const takesSight = lookUp(SIGHT, digits)
  if (takesSight !== undefined) return { cloud_cover: null, phenomenon: takesSight }
  const phenomenon = lookUp(FALLS, digits[0] as string)
  const cloud_cover = CLOUDS[Number(digits[1]) - 1 + (Number(digits) > SHIFTED_FROM ? 2 : 0)]
  return phenomenon === undefined || cloud_cover === undefined ? undefined : { cloud_cover, phenomenon }
}
