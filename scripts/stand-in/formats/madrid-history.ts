import { instantOf } from '../../../lake/schema/time.ts'
import { hash } from '../random.ts'
import { isLeftOut, readingsAt } from '../world/madrid-readings.ts'
import { idAt, type Sensor } from '../world/madrid-sensors.ts'
import type { Archives } from '../world/world.ts'
import { inPieces } from './lines.ts'

const [QUARTER, DAY] = [900_000, 86_400_000]
/** Samples in a quarter of an hour. */
const SAMPLES = 15

/** A month of the archive. */
export interface HistoryMonth {
  readonly seed: number
  /** YYYY-MM. */
  readonly month: string
  readonly sensors: readonly Sensor[]
  /** Time of publication, ms: each publication corrects one sensor's samples. */
  readonly publishedAt: number
  readonly share: number
  readonly hasUnknownCodes: boolean
}

/**
 * The CSV in a month's zip, in pieces: LF, a quoted header, four lines per hour and sensor. Times are Madrid's clock: October
 * repeats an hour and March skips one.
 */
export function madridHistory(given: HistoryMonth): { readonly name: string; readonly text: Generator<string> } {
  const { month } = given
  // April's files are separated by commas.
  const delimiter = month.endsWith('-04') ? ',' : ';'
  const header = 'id fecha tipo_elem intensidad ocupacion carga vmed error periodo_integracion'.split(' ').map(quoted).join(delimiter)
  return { name: `${month.slice(5)}-${month.slice(0, 4)}.csv`, text: inPieces(header, linesOf(given, delimiter)) }
}

function* linesOf({ seed, month, sensors, publishedAt, share, hasUnknownCodes }: HistoryMonth, delimiter: string): Generator<string> {
  const recounted = hash(seed, 'recounted', publishedAt) % sensors.length
  // The current month has only the completed quarters.
  const quarters = [...quartersOf(month)].filter(([instant]) => instant + QUARTER <= publishedAt)
  for (const [instant, shown] of quarters.slice(0, Math.floor(quarters.length * share))) {
    const reading = readingsAt(seed, instant)
    for (const [at, sensor] of sensors.entries())
      if (!isLeftOut(seed, sensor, instant)) {
        const isUnknown = hasUnknownCodes && at % 10 === 3
        const samples = at === recounted ? SAMPLES - 1 : SAMPLES
        const { intensity, occupancy, load, speed, error } = reading(sensor)
        const measures = [intensity, occupancy, load, sensor.kind === 'M30' ? speed : 0]
        // An unmeasured value is the text NaN, and the flag of a good reading is omitted.
        const numbers = measures.map((value) => quoted(value < 0 ? 'NaN' : String(value)))
        const flag = isUnknown ? 'Z' : error === 'N' ? '' : error
        yield [idAt(sensor, instant), quoted(shown), quoted(sensor.kind), ...numbers, quoted(flag), samples].join(delimiter)
      }
  }
}

const quoted = (text: string): string => `"${text}"`

/** The quarters of a month with Madrid's local times, in order: in October some times are repeated, in March some are skipped. */
function* quartersOf(month: string): Generator<[instant: number, shown: string]> {
  const first = Date.parse(month)
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)
  for (let day = first; day < next.getTime(); day += DAY) {
    const [begin, end] = [instantOf(dayAt(day), '00:00'), instantOf(dayAt(day + DAY), '00:00')]
    for (let instant = begin; instant < end; instant += QUARTER) yield [instant, shownAt(instant, { day: dayAt(day), begin, end })]
  }
}

/** `2022-01-01 00:15:00`: on a day of 23 or 25 hours the clock changes between its second and its third or fourth hour. */
function shownAt(instant: number, { day, begin, end }: { readonly day: string; readonly begin: number; readonly end: number }): string {
  const passed = instant - begin
  const shift = DAY - (end - begin)
  const isBehind = passed >= (shift > 0 ? 2 : 3) * 4 * QUARTER
  const shown = Date.parse(day) + passed + (isBehind ? shift : 0)
  return new Date(shown).toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * The sensors of the M-30, whose mean is a corridor's value, some twenty others, and those in examples: months of all sensors are
 * large. Full archives have three sensors of five: some eleven million lines a month, like Madrid's.
 */
export function historySensors(sensors: readonly Sensor[], kept: readonly number[], archives: Archives): Sensor[] {
  if (archives === 'full') return sensors.filter((sensor, at) => at % 5 < 3 || kept.includes(sensor.ids[0]))
  const step = Math.ceil(sensors.length / 20)
  return sensors.filter((sensor, at) => at % step === 0 || kept.includes(sensor.ids[0]) || sensor.kind === 'M30')
}
