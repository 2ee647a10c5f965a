import type { Board } from './board.ts'
import { calendarDay } from './calendar.ts'
import type { Target } from './features.ts'
import { HORIZONS_HOURS } from './features.ts'
import type { Typical } from './typical.ts'

/** Update rates of the error scale: of a series at an hour, and of the series at all hours. */
const SLOT_RATE = 0.06
const RECENT_RATE = 0.02
const RECENT_POWER = 0.7
/** Errors are capped at this many scales. */
export const MOST_SCALES = 8
const MOST_RECENT = 4
/** Days before the origin whose noise scales the errors of a series, and the minimum of known hours around one. */
const NOISE_DAYS = 28
const LEAST_NOISE = 12
const HOURS = 24

/** Usual distance of a series' outcomes from its forecasts by hour: the unit of intervals. */
export interface Scales {
  /** The scale of a target, in logarithms. */
  of(target: Target, usual: number): number
  /** Adds the absolute error of a due target. */
  see(target: Target, usual: number, size: number): void
  /** The state of each series, for storage; null if there is none. */
  state(): ScaleState | null
}

/** By series: scales by kind of day, hour and horizon (null for none), and recent scales by horizon. */
export type ScaleState = { readonly [series: string]: { readonly slots: readonly (number | null)[]; readonly recent: readonly number[] } }

/** Scales fitted to each series' own forecast errors, from a stored state or from the start. */
function ownScales({ series, dayAt, clockAt, firstDay }: Board, kept: ScaleState | null = null): Scales {
  const horizons = HORIZONS_HOURS.length
  const [ofSlots, ofRecent] = [2 * HOURS * horizons, horizons]
  const slots = new Float64Array(series.length * ofSlots).fill(Number.NaN)
  const recent = new Float64Array(series.length * ofRecent).fill(1)
  for (const [at, name] of kept ? series.entries() : []) {
    const theirs = kept?.[name]
    if (!theirs) continue
    slots.set(
      theirs.slots.map((slot) => slot ?? Number.NaN),
      at * ofSlots,
    )
    recent.set(theirs.recent, at * ofRecent)
  }
  const placesOf = ({ series: of, slot, horizon }: Target): readonly [slot: number, recent: number] => {
    const isOff = calendarDay(firstDay + (dayAt[slot] as number)).isOff ? 1 : 0
    return [((of * 2 + isOff) * HOURS + (clockAt[slot] as number)) * horizons + horizon - 1, of * horizons + horizon - 1]
  }
  const slotScale = (at: number, usual: number): number => {
    const slot = slots[at] as number
    return Number.isNaN(slot) ? firstScale(usual) : slot
  }
  return {
    of(target, usual) {
      const [slot, lately] = placesOf(target)
      return slotScale(slot, usual) * (recent[lately] as number) ** RECENT_POWER
    },
    see(target, usual, size) {
      const [slot, lately] = placesOf(target)
      const before = slotScale(slot, usual)
      slots[slot] = before + SLOT_RATE * (Math.min(size, before * MOST_SCALES) - before)
      const was = recent[lately] as number
      recent[lately] = was + RECENT_RATE * (Math.min(MOST_RECENT, size / before) - was)
    },
    state() {
      const short = (value: number): number => Number(value.toPrecision(7))
      const scalesOf = (at: number): ScaleState[string] => ({
        slots: Array.from(slots.subarray(at * ofSlots, (at + 1) * ofSlots), (slot) => (Number.isNaN(slot) ? null : short(slot))),
        recent: Array.from(recent.subarray(at * ofRecent, (at + 1) * ofRecent), short),
      })
      return Object.fromEntries(series.map((name, at) => [name, scalesOf(at)]))
    },
  }
}

/**
 * Scales for any series: the distance of its counts from the city's course in the four weeks before the origin around the hour,
 * and their change between hours relative to the usual one; the mean of both. Stateless.
 */
export function noiseScales(board: Board, { ratios, city }: Pick<Typical, 'ratios' | 'city'>): Scales {
  const days = new Map<number, Float64Array>()
  const { series, hours, slots, dayAt, clockAt } = board
  const apart = (at: number, slot: number): number =>
    slot < 0 ? Number.NaN : (ratios[at * hours + slot] as number) - (city[slot] as number)
  const noiseBefore = (day: number): Float64Array => {
    const noise = new Float64Array(series.length * HOURS)
    const sums = new Float64Array(HOURS * 3)
    for (let at = 0; at < series.length; at++) {
      sums.fill(0)
      for (let former = Math.max(0, day - NOISE_DAYS); former < day; former++)
        for (let clock = 0; clock < HOURS; clock++) {
          const slot = slots[former * HOURS + clock] as number
          const size = Math.abs(apart(at, slot))
          const change = slot < 1 ? Number.NaN : Math.abs((ratios[at * hours + slot] as number) - (ratios[at * hours + slot - 1] as number))
          if (Number.isNaN(size + change)) continue
          sums[clock * 3] = (sums[clock * 3] as number) + 1
          sums[clock * 3 + 1] = (sums[clock * 3 + 1] as number) + size
          sums[clock * 3 + 2] = (sums[clock * 3 + 2] as number) + change
        }
      for (let clock = 0; clock < HOURS; clock++) {
        let [count, size, change] = [0, 0, 0]
        for (const near of [clock, (clock + 1) % HOURS, (clock + HOURS - 1) % HOURS]) {
          count += sums[near * 3] as number
          size += sums[near * 3 + 1] as number
          change += sums[near * 3 + 2] as number
        }
        noise[at * HOURS + clock] = count < LEAST_NOISE ? Number.NaN : (size + change) / (2 * count)
      }
    }
    return noise
  }
  return {
    of({ series: at, slot, horizon }, usual) {
      const day = dayAt[slot - horizon] as number
      let noise = days.get(day)
      if (!noise) {
        noise = noiseBefore(day)
        days.set(day, noise)
        // A forecast comes due within a day.
        days.delete(day - 2)
      }
      const scale = noise[at * HOURS + (clockAt[slot] as number)] as number
      return scale > 0 ? scale : firstScale(usual)
    },
    see() {},
    state: () => null,
  }
}

/** Scales of fitted series: half from their own errors, half from their noise, which has lighter tails. */
export function jointScales(board: Board, typical: Pick<Typical, 'ratios' | 'city'>, kept: ScaleState | null = null): Scales {
  const [own, noise] = [ownScales(board, kept), noiseScales(board, typical)]
  return {
    of: (target, usual) => Math.sqrt(own.of(target, usual) * noise.of(target, usual)),
    see: own.see,
    state: own.state,
  }
}

/** The mean absolute error of an unknown series: Poisson noise and a tenth. */
function firstScale(usual: number): number {
  return 0.8 * Math.exp(-usual / 2) + 0.07
}
