import { exponential, poisson } from '../random.ts'
import { type LocalTime, localTime } from './rhythm.ts'

/** A stream of events that begin and end. */
export interface Stream {
  /** Approximate number of active events on a weekday at one o'clock. */
  readonly active: number
  /** Length of the slots in which beginnings are counted. */
  readonly slot_s: number
  /** Shortest and longest duration, and the mean beyond the shortest before the cap. */
  readonly least_s: number
  readonly mean_s: number
  readonly cap_s: number
  /** Relative frequency of beginnings at a local time, 1 on a weekday at one o'clock. */
  readonly rhythm: (time: LocalTime) => number
}

/** An active event: its number within its slot, its beginning and its end, ms since the epoch. */
interface Born {
  readonly nth: number
  readonly bornAt: number
  readonly diesAt: number
}

/**
 * The active events of a stream at an instant, in order of beginning: a pure function of the random numbers. `roll` returns a
 * number from 0 to 1 for a property of a slot or of one of its events; no slot has more than `most` events.
 */
export function bornIn(
  stream: Stream,
  instant: number,
  { most, roll }: { readonly most: number; readonly roll: (what: 'births' | 'born' | 'life', ...at: number[]) => number },
): Born[] {
  const { active, slot_s, least_s, mean_s, cap_s } = stream
  const slot_ms = slot_s * 1000
  const meanLife_s = least_s + mean_s * (1 - Math.exp(-(cap_s - least_s) / mean_s))
  const mean = (active / meanLife_s) * slot_s
  const found: Born[] = []
  const newest = Math.floor(instant / slot_ms)
  const oldest = Math.floor((instant - cap_s * 1000) / slot_ms)
  for (let slot = oldest; slot <= newest; slot++) {
    const births = Math.min(most, poisson(mean * stream.rhythm(localTime(slot * slot_ms)), roll('births', slot)))
    for (let nth = 0; nth < births; nth++) {
      // One in each part of the slot, so that no two begin at the same time.
      const share = (nth + roll('born', slot, nth)) / births
      const bornAt = Math.floor((slot * slot_ms + share * slot_ms) / 1000) * 1000
      const life_s = Math.min(cap_s, least_s + exponential(mean_s, roll('life', slot, nth)))
      const diesAt = bornAt + Math.ceil(life_s) * 1000
      if (bornAt <= instant && diesAt > instant) found.push({ nth, bornAt, diesAt })
    }
  }
  return found
}
