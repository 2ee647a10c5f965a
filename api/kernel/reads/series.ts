import { type Column, col } from '../../../lake/schema/columns.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { ListReturn } from '../endpoint.ts'
import { type Fields, record } from '../fields.ts'
import { type Group, listOf, oneOf, type Param } from '../params/params.ts'
import { type Interval, type Period, type SpanDays, timeParams } from '../params/params-time.ts'
import { dateField } from './buckets.ts'

/** The parameter `time` of a series: `from`, `to` and `interval`, with the default width of each step's period, in days. */
export interface StepsParam<S extends Interval = Interval> extends Group<Period<S>> {
  readonly spans: Readonly<Record<string, SpanDays>>
  /** Default begin in ms; null if the default is a width. */
  readonly since: number | null
}

/**
 * Declares the steps of a series, finest first, each with the number of days returned if the request has no `from`. With `since`,
 * such a request begins at that date instead.
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
  readonly date: Column<string | null>
}

/** Declaration of a series; see `series`. */
interface SeriesSpec<K extends Fields, B extends Fields> {
  /** Name of the list in the reply; by default `history`. */
  readonly list?: string
  /** Name and meaning of a record. */
  readonly name: string
  readonly about: string
  /** Begin and length of the example step. */
  readonly example: readonly [period_start: string, interval: Interval]
  /** Meaning of `period_start`. */
  readonly periodStart?: string
  /** Fields before `period_start`, such as the id of the station. */
  readonly of?: B
  /** The measures and `coverage`, after `interval`, in the order of replies. */
  readonly fields: K
  /** Fields that identify a record within a step. */
  readonly key: readonly (keyof NoInfer<B & K> & string)[]
  /** Fields to sort by, besides `period_start`. */
  readonly sorts?: readonly (keyof NoInfer<B & K> & string)[]
  readonly asides?: ListReturn['sideLists']
  /** Measures that a parameter selects, see `omitMeasures`. */
  readonly measures?: Measures
}

/** Declares the list that a series returns. Adds `period_start`, `interval`, `date`, the order and the page size. */
export function series<const K extends Fields, const B extends Fields = Record<never, never>>(
  spec: SeriesSpec<K, B>,
): ListReturn<B & StepFields & K> {
  const { list = 'history', example, periodStart = 'Begin of the step.', of = {} as B, fields, key, sorts = [], asides, measures } = spec
  const step: StepFields = {
    period_start: col.instant(0, periodStart, { example: example[0] }),
    interval: col.string(0, 'Length of the step.', { example: example[1] }),
    date: dateField(...example),
  }
  return Object.freeze({
    kind: 'list',
    name: list,
    record: record(spec.name, spec.about, { ...of, ...step, ...fields }, measures ? { sometimes: Object.values(measures).flat() } : {}),
    key: ['period_start', ...key],
    sorts: ['period_start', ...sorts],
    order: 'period_start',
    ...(asides ? { sideLists: asides } : {}),
    limit: { default: 100, max: 1000 },
  })
}

/** Fields by measure, as a parameter selects them. */
export type Measures = Readonly<Record<string, readonly string[]>>

/** A parameter that selects measures by name. */
export function measuresParam<M extends Measures>(
  about: string,
  measures: M,
  options: { readonly example: keyof M & string },
): Param<readonly (keyof M & string)[] | null> {
  return listOf(oneOf(about, Object.keys(measures) as (keyof M & string)[], options))
}

/** Leaves out the fields of measures that the parameter `by` does not select; for `omit`. */
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
