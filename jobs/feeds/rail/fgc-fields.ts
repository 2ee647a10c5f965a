import { TRAIN_COACHES } from '../../../lake/datasets/rail/codes.ts'
import type { railPositions } from '../../../lake/datasets/rail/positions.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { numberIn } from '../../formats/numbers.ts'
import type { Diagnostics } from '../define.ts'
import { lookUp } from '../look-up.ts'

/** A train as FGC publishes it. Values of the records API may be text. */
export type TrainRecord = Readonly<Record<string, unknown>>

const COACHES = Object.keys(TRAIN_COACHES.codes)
const ON_TIME: Readonly<Record<string, boolean>> = { true: true, false: false }

/** True unless a value is absent, null or blank. */
export function isStated(value: unknown): boolean {
  return value !== undefined && value !== null && String(value).trim() !== ''
}

/** A text or number as text; null without one. */
export function textOf(record: TrainRecord, name: string): string | null {
  const value = record[name]
  return isStated(value) && typeof value !== 'object' ? String(value).trim() : null
}

/** `en_hora`, a boolean or its text. An unknown value is counted and null. */
export function onTimeOf(record: TrainRecord, diagnostics: Diagnostics): boolean | null {
  const text = textOf(record, 'en_hora')
  const found = lookUp(ON_TIME, text?.toLowerCase() ?? null)
  if (text !== null && found === undefined) diagnostics.warn('en_hora is no boolean')
  return found ?? null
}

/** Codes of the next stops: a list of objects, its JSON text, or JSON objects separated by semicolons. */
export function nextStopsOf({ properes_parades: given }: TrainRecord, diagnostics: Diagnostics): string[] | null {
  if (!isStated(given)) return null
  const stops = typeof given === 'string' ? jsonOf(given) : given
  const codes = [stops].flat().map((stop) => (stop as { parada?: unknown } | null | undefined)?.parada)
  if (codes.every((code) => typeof code === 'string')) return codes
  diagnostics.warn('properes_parades is no list of stops')
  return null
}

type Coaches = Pick<FeedRow<typeof railPositions>, 'occupied_coaches' | 'occupancies_pct'>

/** Occupancy by coach: the object `ocupacio` (or its JSON text), or flat columns. Null if the train states none. */
export function coachesOf(record: TrainRecord, diagnostics: Diagnostics): Coaches {
  const { ocupacio: given } = record
  const nested = (typeof given === 'string' ? jsonOf(given) : given) as Readonly<Record<string, { percent?: unknown } | null>> | null
  const occupied_coaches: string[] = []
  const occupancies_pct: number[] = []
  for (const coach of COACHES) {
    const name = coach.toLowerCase()
    const stated = nested?.[name]?.percent ?? record[`ocupacio_${name}_percent`]
    if (!isStated(stated)) continue
    const percent = numberIn(stated)
    if (percent === null || !(percent >= 0)) diagnostics.warn(`percent of ${name} is no share`)
    else {
      occupied_coaches.push(coach)
      occupancies_pct.push(Math.round(percent))
    }
  }
  return occupied_coaches.length === 0 ? { occupied_coaches: null, occupancies_pct: null } : { occupied_coaches, occupancies_pct }
}

/** The value of a JSON text, or of JSON objects separated by semicolons; null if it is neither. */
function jsonOf(text: string): unknown {
  for (const json of [
    text,
    `[${text
      .trim()
      .replace(/;$/, '')
      .replaceAll(/\}\s*;\s*\{/g, '},{')}]`,
  ]) {
    try {
      return JSON.parse(json)
    } catch {
      // Not this form.
    }
  }
  return null
}
