import type { Board } from './board.ts'
import { calendarDay } from './calendar.ts'
import type { Target } from './features.ts'
import { HORIZONS_HOURS } from './features.ts'
import type { Typical } from './typical.ts'

/** How fast the usual error of a series at an hour follows the last one, and that of the series at all hours. */
const SLOT_RATE = 0.06
const RECENT_RATE = 0.02
const RECENT_POWER = 0.7
/** Errors beyond so many scales count as so many. */
export const MOST_SCALES = 8
const MOST_RECENT = 4
/** Days before the origin whose noise scales the errors of a series, and the hours of them around one that have to be known. */
const NOISE_DAYS = 28
const LEAST_NOISE = 12
const HOURS = 24

/** How far outcomes of a series usually lie from their forecasts at an hour: what intervals are made in. */
export interface Scales {
  /** The scale of a target, in logarithms. */
  of(target: Target, usual: number): number
  /** Takes in the size of the error of a target that has come due. */
  see(target: Target, usual: number, size: number): void
  /** What was seen of each series, as it can be kept; null where nothing is. */
  state(): ScaleState | null
}

/** By series: scales by kind of day, hour and horizon (null for none), and how they were lately by horizon. */
export type ScaleState = { readonly [series: string]: { readonly slots: readonly (number | null)[]; readonly recent: readonly number[] } }

/** Scales that are learnt of each series from the errors of its own forecasts, as they were kept or from the start. */
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
 * Scales that any series has, seen before or not: how far its counts lay from what the city's would have made of them in the four weeks before the
 * origin at about the hour, and how much they changed from one hour to the next against what is usual; the mean of both. Nothing is kept of them.
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
        // A forecast comes due a day after it was made at the latest.
        days.delete(day - 2)
      }
      const scale = noise[at * HOURS + (clockAt[slot] as number)] as number
      return scale > 0 ? scale : firstScale(usual)
    },
    see() {},
    state: () => null,
  }
}

/** Scales of series that are fitted themselves: half by what their own errors were, half by their noise, whose tale is shorter. */
export function jointScales(board: Board, typical: Pick<Typical, 'ratios' | 'city'>, kept: ScaleState | null = null): Scales {
  const [own, noise] = [ownScales(board, kept), noiseScales(board, typical)]
  return {
    of: (target, usual) => Math.sqrt(own.of(target, usual) * noise.of(target, usual)),
    see: own.see,
    state: own.state,
  }
}

/** The mean absolute error of a series that nothing is known of: chance of counting and a tenth. */
function firstScale(usual: number): number {
  return 0.8 * Math.exp(-usual / 2) + 0.07
}
