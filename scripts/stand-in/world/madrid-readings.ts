import { chance, wander } from '../random.ts'
import type { Sensor } from './madrid-sensors.ts'
import { demand, localTime } from './rhythm.ts'

/** A sensor's reading; −1 without a value, null level if the feed leaves the element empty. */
export interface Reading {
  readonly intensity: number
  readonly occupancy: number
  readonly load: number
  readonly level: number | null
  /** km/h; M-30 only. */
  readonly speed: number
  /** `N` good, `S` wrong, `E` below the best quality, or empty; `Z` is not a publisher's code (fault `unknown_codes`). */
  readonly error: 'N' | 'S' | 'E' | 'Z' | ''
}

const QUARTER = 900_000
const HOUR = 4 * QUARTER
const DAY = 24 * HOUR

/** Returns every sensor's reading at an instant (ms): a pure function of seed, sensor and instant. */
export function readingsAt(seed: number, instant: number): (sensor: Sensor) => Reading {
  // The rush hour is up to three quarters of an hour earlier or later, by sensor.
  const demands = Array.from({ length: 7 }, (_, at) => demand(localTime(instant - (at - 3) * QUARTER)))
  return (sensor) => {
    const busy = demands[sensor.lag + 3] as number
    const share =
      sensor.use *
      busy *
      (1 + 0.25 * wander(instant / (2 * QUARTER), seed, sensor.index, 'drift')) *
      (0.85 + 0.3 * chance(seed, sensor.index, instant))
    return sensor.kind === 'M30' ? ringReading(seed, { sensor, instant, share }) : urbanReading(seed, { sensor, instant, share })
  }
}

interface Moment {
  readonly sensor: Sensor
  readonly instant: number
  readonly share: number
}

function urbanReading(seed: number, { sensor, instant, share }: Moment): Reading {
  const day = Math.floor(instant / DAY)
  const isWrong = chance(seed, sensor.index, 'wrong', day) < 0.08
  if (chance(seed, sensor.index, 'silent', Math.floor(instant / (6 * HOUR))) < 0.005) {
    return { intensity: -1, occupancy: -1, load: -1, level: 0, speed: -1, error: 'S' }
  }
  const queue = chance(seed, sensor.index, 'queue', Math.floor(instant / QUARTER))
  // A queue: few cars pass, and the loop is occupied almost all the time.
  const isQueue = queue < 0.06 * Math.max(0, share - 0.25)
  const intensity = Math.round((share * (isQueue ? 0.5 : 1) * sensor.saturation) / sensor.quantum) * sensor.quantum
  const excess =
    chance(seed, sensor.index, 'excess', instant) < 0.006 * share
      ? 101 + Math.floor(40 * chance(seed, sensor.index, 'more', instant) ** 3 * 5)
      : 0
  const plain = Math.round((100 * intensity * 1.15) / sensor.saturation)
  const load = excess || (isQueue ? 76 + (Math.floor(queue * 1e6) % 25) : Math.min(100, plain))
  const occupancy = isQueue ? 40 + (Math.floor(queue * 1e7) % 61) : Math.min(100, Math.floor(load * 0.2 + Math.max(0, load - 45) * 0.45))
  return {
    intensity,
    occupancy,
    load,
    level: levelOf(seed, { sensor, instant, load }),
    speed: -1,
    error: isWrong ? 'S' : chance(seed, sensor.index, 'error', instant) < 0.0008 ? 'E' : 'N',
  }
}

/** Level of service by load; above 100 it is mostly fluid, and sometimes omitted. */
function levelOf(seed: number, { sensor, instant, load }: { sensor: Sensor; instant: number; load: number }): number | null {
  if (load > 100) return load <= 140 && chance(seed, sensor.index, 'level', instant) < 0.3 ? null : 0
  return load <= 25 ? 0 : load <= 50 ? 1 : load <= 75 ? 2 : 3
}

function ringReading(seed: number, { sensor, instant, share }: Moment): Reading {
  const broken = chance(seed, sensor.index, 'broken', Math.floor(instant / DAY))
  if (broken < 0.07) return { intensity: -1, occupancy: -1, load: -1, level: -1, speed: -1, error: broken < 0.035 ? '' : 'N' }
  const intensity = Math.round((share * sensor.saturation) / 60) * 60
  const load = Math.min(100, Math.round((100 * intensity) / sensor.saturation))
  const crowding = Math.max(0, share - 0.55) * (1 + wander(instant / (2 * QUARTER), seed, 'ring', sensor.index >> 2))
  const speed = Math.max(
    8,
    Math.round(sensor.free_kmh * (1 - Math.min(0.85, crowding * 1.6)) + 4 * wander(instant / 300_000, seed, 'speed', sensor.index)),
  )
  const odd = chance(seed, sensor.index, 'odd', instant)
  const level = odd < 0.03 ? -1 : speed >= 45 ? 0 : speed >= 32 ? 1 : speed >= 20 ? 2 : 3
  return {
    intensity,
    occupancy: Math.min(100, Math.round(load * 0.2 + Math.max(0, 50 - speed))),
    load,
    level,
    speed: odd < 0.007 || odd > 0.997 ? -1 : speed,
    error: 'N',
  }
}

/** True if a sensor is missing in a publication: a few are, for an hour at a time. */
export function isLeftOut(seed: number, sensor: Sensor, instant: number): boolean {
  return chance(seed, sensor.index, 'left out', Math.floor(instant / HOUR)) < 0.0005
}
