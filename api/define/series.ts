import { type Column, col } from '../../lake/schema/columns.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import type { ListReturn } from './endpoint.ts'
import { type Fields, record } from './fields.ts'
import { type Group, listOf, oneOf, type Param } from './params.ts'
import { type Interval, type Period, type SpanDays, timeParams } from './params-time.ts'

/** The steps of a series as its parameter `time` has them, each with the width of a period whose begin is not given, in days. */
export interface StepsParam<S extends Interval = Interval> extends Group<Period<S>> {
  readonly spans: Readonly<Record<string, SpanDays>>
  /** Where a period whose begin is not given begins, in ms, if it is not by its width. */
  readonly since: number | null
}

/**
 * `from`, `to` and `interval` of a series: its steps from the finest on, and how many days are answered where no begin is given, or from which
 * date on (`since`).
 */
export function steps<S extends Interval>(
  spans: { readonly [K in S]: SpanDays },
  options: { readonly initial: NoInfer<S>; readonly since?: string },
): StepsParam<S> {
  const { initial, since } = options
  const intervals = Object.keys(spans) as S[]
  const span = since ? `from ${since}` : describeSpans(Object.entries<SpanDays>(spans))
  const time = timeParams(intervals, { interval: initial, span })
  return Object.freeze({ ...time, spans, since: since ? dayBounds(since).start : null })
}

/** `1 day (raw, 15m), 7 days (1h) or all (longer)`. */
function describeSpans(spans: readonly (readonly [string, SpanDays])[]): string {
  const groups: { days: SpanDays; steps: string[] }[] = []
  for (const [step, days] of spans) {
    const before = groups.at(-1)
    if (before?.days === days) before.steps.push(step)
    else groups.push({ days, steps: [step] })
  }
  const texts = groups.map(({ days, steps: same }) => {
    if (days === 'all') return 'all (longer)'
    return `${days === 1 ? '1 day' : days === 366 ? 'a year' : `${days} days`} (${same.join(', ')})`
  })
  return texts.length === 1 ? (texts[0] as string) : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

type StepFields = {
  readonly period_start: Column<number>
  readonly interval: Column<string>
}

/** What a series returns; see `series`. */
interface SeriesSpec<K extends Fields, B extends Fields> {
  /** Name of the list in the reply; `history` unless given. */
  readonly list?: string
  /** Name and meaning of a record. */
  readonly name: string
  readonly about: string
  /** Begin and length of a step as examples show them. */
  readonly example: readonly [period_start: string, interval: Interval]
  /** Meaning of `period_start`. */
  readonly periodStart?: string
  /** Fields before `period_start`: the thing that a request for one thing asks for. */
  readonly of?: B
  /** The measures and `coverage`, after `interval`, in the order of replies. */
  readonly fields: K
  /** Fields that tell apart records of one step. */
  readonly key: readonly (keyof NoInfer<B & K> & string)[]
  /** What can be sorted by beside `period_start`. */
  readonly sorts?: readonly (keyof NoInfer<B & K> & string)[]
  readonly asides?: ListReturn['asides']
}

/** Declares the list of the steps of a series: `period_start` and `interval` are added to its fields, and the order and the size of pages. */
export function series<const K extends Fields, const B extends Fields = Record<never, never>>(
  spec: SeriesSpec<K, B>,
): ListReturn<B & StepFields & K> {
  const { list = 'history', example, periodStart = 'Begin of the step.', of = {} as B, fields, key, sorts = [], asides } = spec
  const step: StepFields = {
    period_start: col.instant(0, periodStart, { example: example[0] }),
    interval: col.string(0, 'Length of the step.', { example: example[1] }),
  }
  return Object.freeze({
    kind: 'list',
    name: list,
    record: record(spec.name, spec.about, { ...of, ...step, ...fields }),
    key: ['period_start', ...key],
    sorts: ['period_start', ...sorts],
    order: 'period_start',
    ...(asides ? { asides } : {}),
    limit: { default: 100, max: 1000 },
  })
}

/** A table of measures by the value of a parameter that chooses them. */
export type Measures = Readonly<Record<string, readonly string[]>>

/** The parameter that chooses measures by name. */
export function measuresParam<M extends Measures>(
  about: string,
  measures: M,
  options: { readonly example: keyof M & string },
): Param<readonly (keyof M & string)[] | null> {
  return listOf(oneOf(about, Object.keys(measures) as (keyof M & string)[], options))
}

/** What leaves out the measures that the parameter `by` does not choose; for `omit`. */
export function omitMeasures<N extends string, M extends Measures>(
  by: N,
  measures: M,
): { readonly by: N; readonly fields: (values: { readonly [K in N]: readonly string[] | null }) => string[] } {
  return {
    by,
    fields: (values) => {
      const chosen = values[by]
      return chosen ? Object.entries(measures).flatMap(([name, fields]) => (chosen.includes(name) ? [] : fields)) : []
    },
  }
}
