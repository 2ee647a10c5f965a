import type { Notes } from '../define.ts'

/** Delays that are not believed lie below or above, s: the long-distance feeds have stated −10 h and +10.8 h of trains that ran. */
const EARLIEST_S = -1800
const LATEST_S = 21_600

/** Whether a stated delay (s) can be; one that cannot is counted. Null where none is stated. */
export function delayQuality(delay_s: number | null, notes: Notes): 'OK' | 'DOUBTFUL' | null {
  if (delay_s === null) return null
  if (delay_s >= EARLIEST_S && delay_s <= LATEST_S) return 'OK'
  notes.warn('a delay beyond belief')
  return 'DOUBTFUL'
}
