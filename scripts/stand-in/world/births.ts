import { exponential, poisson } from '../random.ts'
import { type LocalTime, localTime } from './rhythm.ts'

/** A stream of things that begin and end. */
export interface Stream {
  /** How many are active on a weekday at one o'clock, about. */
  readonly active: number
  /** Length of the slots in which beginnings are counted. */
  readonly slot_s: number
  /** Least and longest life, and its mean beyond the least before the cap. */
  readonly least_s: number
  readonly mean_s: number
  readonly cap_s: number
  /** How often it begins at a local time, 1 on a weekday at one o'clock. */
  readonly rhythm: (time: LocalTime) => number
}

/** One that an instant finds: the how manieth of its slot it is, and when it begins and ends, ms since the epoch. */
interface Born {
  readonly nth: number
  readonly bornAt: number
  readonly diesAt: number
}

/**
 * Those of a stream that an instant finds, in order of their begin: a pure function of its dice. `roll` gives a number from 0 to 1 for what
 * is decided of a slot, or of one of its births; no slot has more than `most`.
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
      // One in each part of the slot, so that no two are born at once.
      const share = (nth + roll('born', slot, nth)) / births
      const bornAt = Math.floor((slot * slot_ms + share * slot_ms) / 1000) * 1000
      const life_s = Math.min(cap_s, least_s + exponential(mean_s, roll('life', slot, nth)))
      const diesAt = bornAt + Math.ceil(life_s) * 1000
      if (bornAt <= instant && diesAt > instant) found.push({ nth, bornAt, diesAt })
    }
  }
  return found
}
