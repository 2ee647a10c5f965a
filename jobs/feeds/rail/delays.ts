import type { Diagnostics } from '../define.ts'

/** Limits of plausible delays, s: the long-distance feeds have stated −10 h and +10.8 h for trains that ran. */
const EARLIEST_S = -1800
const LATEST_S = 21_600

/** The stated delay (s), if plausible; an implausible one is counted. Null if there is none. */
export function delayQuality(delay_s: number | null, diagnostics: Diagnostics): 'OK' | 'DOUBTFUL' | null {
  if (delay_s === null) return null
  if (delay_s >= EARLIEST_S && delay_s <= LATEST_S) return 'OK'
  diagnostics.warn('an implausible delay')
  return 'DOUBTFUL'
}
