import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import type { SourceVariable } from '../../../lake/datasets/safety/variables.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { lookUp } from '../look-up.ts'
import type { LocalSpan } from './local-span.ts'

/** An accident as returned by feeds. */
export type Accident = FeedRow<typeof roadAccidents>

/** Numbers of victims; null if the source does not state them. */
export interface Harm {
  readonly killed: number | null
  readonly hospitalised: number | null
  readonly slight: number | null
}

/** Fields that every accident has. */
type Known = Pick<Accident, 'source' | 'edition' | 'accident_id' | 'year' | 'month'>

/** A row without values. */
const NOTHING = Object.freeze({
  ...Object.fromEntries(Object.keys(roadAccidents.columns).map((name) => [name, null])),
  priority_rules: [],
}) as unknown as Accident

/** An accident's row: null for absent values, severity from the counts, and the reasons for absent values. */
export function accidentOf(
  known: Known & Partial<Accident>,
  given: { readonly span: LocalSpan; readonly harm: Harm; readonly absent: Readonly<Record<string, string>> },
): Accident {
  const { isClockChange, ...span } = given.span
  const absent = isClockChange ? { ...given.absent, occurred_at: 'CLOCK_CHANGE' } : given.absent
  const severity = severityOf(given.harm)
  return {
    ...NOTHING,
    ...known,
    ...span,
    severity,
    is_casualty: severity !== 'NONE' && severity !== 'UNKNOWN',
    absent: Object.keys(absent).length > 0 ? { ...absent } : null,
  }
}

/** The worst harm to a person; unknown if no count shows any and one is missing. */
export function severityOf({ killed, hospitalised, slight }: Harm): string {
  if (killed !== null && killed > 0) return 'FATAL'
  if (hospitalised !== null && hospitalised > 0) return 'SERIOUS'
  if (slight !== null && slight > 0) return 'SLIGHT'
  return killed === null || hospitalised === null || slight === null ? 'UNKNOWN' : 'NONE'
}

/** The meaning of a source's value. */
export interface CodedValue {
  readonly code: string | null
  /** Why there is no code, if the source states it. */
  readonly reason: string | null
}

/**
 * The code of a source's value (null: none published), or the reason why there is none. An unlisted value stays as it is: the
 * row check counts it and moves it to `<column>_source`. Case and accents are ignored.
 */
export function codedBy(variable: SourceVariable, value: string | null, absent: Readonly<Record<string, string>>): CodedValue {
  if (value === null) return { code: null, reason: null }
  const reason = lookUp(absent, value)
  if (reason !== undefined) return { code: null, reason }
  const code = Object.hasOwn(variable.values, value) ? variable.values[value] : valueByName(variable, value)
  return code === null ? { code: null, reason: 'UNKNOWN' } : { code: code ?? value, reason: null }
}

const names = new WeakMap<SourceVariable, ReadonlyMap<string, string | null>>()

function valueByName(variable: SourceVariable, value: string): string | null | undefined {
  const known = names.get(variable) ?? new Map(Object.entries(variable.values).map(([text, code]) => [foldName(text), code]))
  names.set(variable, known)
  const name = foldName(value)
  return name === '' ? undefined : known.get(name)
}

/** The same for a yes-or-no column; an unlisted value is passed to `unknown` and becomes null. */
export function codedIf(
  variable: SourceVariable,
  value: string | null,
  options: { readonly absent: Readonly<Record<string, string>>; readonly unknown: (value: string) => void },
): { readonly is: boolean | null; readonly reason: string | null } {
  const { code, reason } = codedBy(variable, value, options.absent)
  if (code !== null && code !== 'true' && code !== 'false') options.unknown(code)
  return { is: code === 'true' ? true : code === 'false' ? false : null, reason }
}

/** The most frequent value, the smallest of several; null if there is none. */
export function mostOf(values: Iterable<number>): number | null {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [most] = [...counts].sort(([one, count], [other, others]) => others - count || one - other)
  return most?.[0] ?? null
}
