import { dayHours, isWhole, type Profile, provinceOffset } from './profile.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** An hour's share of the expectation of a mean week in a province, by kind; null if the profiles lack it. */
export type HourShares = (province_code: string, at: number) => readonly number[] | null

/**
 * The hourly shares from profiles of kinds, in their order. An hour is given by an instant (ms), in the province's local time.
 * Days are cached, so that many sections of a province cost one lookup.
 */
export function hourShares(profiles: readonly Profile[]): HourShares {
  const known = new Map<string, readonly Float64Array[]>()
  const areWhole = profiles.length > 0 && profiles.every(isWhole)
  return (province_code, at) => {
    if (!areWhole) return null
    const local = at + provinceOffset(at, province_code)
    const day = Math.floor(local / DAY_MS)
    const key = `${province_code} ${day}`
    const days = known.get(key) ?? profiles.map((profile) => dayHours(profile, province_code, day))
    known.set(key, days)
    const hour = Math.floor((local - day * DAY_MS) / HOUR_MS)
    return days.map((hours) => hours[hour] as number)
  }
}
