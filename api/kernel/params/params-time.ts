import { dayBounds, instantOf, madridDate, offsetAt, parseInstant } from '../../../lake/schema/time.ts'
import { InvalidParam } from '../problems.ts'
import { bucketBounds } from '../reads/buckets.ts'
import { type Group, group, oneOf, type Param, param, withDefault } from './params.ts'

/** Steps of a history; `raw` is as published. Days, weeks, months and years are Madrid's. */
export const INTERVALS = ['raw', '15m', '1h', '1d', '1w', '1mo', '1y'] as const
export type Interval = (typeof INTERVALS)[number]

const DAY_MS = 86_400_000

/** Widest period of one request, in days (see `latestEnd`), by interval; longer intervals have no limit. */
export const WIDEST_DAYS: Readonly<Partial<Record<Interval, number>>> = Object.freeze({ raw: 31, '15m': 92, '1h': 731 })

/** A half-open period in ms since the epoch; null for an end that the caller leaves open. `interval` is null without steps. */
export interface Period<I extends Interval | null = Interval> {
  readonly from: number | null
  readonly to: number | null
  readonly interval: I
}

/** Widest period of a list without steps, in days: as `raw`. */
const WIDEST_LIST_DAYS = 31

/** The form of an instant or a date; the values are checked apart. */
export const INSTANT_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2}))?$`

/** An instant: RFC 3339 with a zone, or a plain date, the first instant of that day in Madrid. */
export function instantParam(about: string, example = '2026-01-02'): Param<number | null> {
  return param({
    about: `${about} RFC 3339 with a zone (2026-01-02T12:00:00Z; send + as %2B), or a plain date, the start of that day in Europe/Madrid.`,
    // No anyOf of two formats: clients of openapi-generator for Java do not compile with it.
    schema: { type: 'string', pattern: INSTANT_PATTERN },
    parse: readInstant,
    example,
  })
}

/** A day by Madrid's calendar; the value is the date as YYYY-MM-DD. */
export function dateParam(about: string, example = '2026-01-02'): Param<string | null> {
  return param({
    about: `${about} YYYY-MM-DD.`,
    schema: { type: 'string', format: 'date' },
    parse: (text) => {
      const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? startOfDay(text) : null
      if (start === null || start < Date.UTC(1900, 0) || start >= Date.UTC(2200, 0))
        throw new InvalidParam('expected a date, such as 2026-01-02')
      return text
    },
    example,
  })
}

const WHOLE_STEPS = 'Partial steps are returned whole.'

/** The parameters `from`, `to` and `interval` of a history. */
export function timeParams<I extends Interval>(intervals: readonly I[], options: { interval: I; span: string }): Group<Period<I>> {
  const widest = intervals.flatMap((interval) => (WIDEST_DAYS[interval] ? [`${interval} ${WIDEST_DAYS[interval]} days`] : []))
  return group(
    {
      from: instantParam(`Begin of the period, inclusive; by default ${options.span} before its end. ${WHOLE_STEPS}`, '2026-01-01'),
      to: instantParam(`End of the period, exclusive; by default the end of the data. ${WHOLE_STEPS}`, '2026-01-08'),
      interval: withDefault(
        oneOf(
          `Step of the series. ${widest.length === 0 ? 'The period is unlimited' : `Widest period: ${widest.join(', ')}; coarser steps are not limited`}.`,
          intervals,
        ),
        options.interval,
      ),
    },
    checkedPeriod,
  )
}

/** The parameters `from` and `to` of a list without steps; at most `days` wide, 31 by default. */
export function periodParams({ span, days = WIDEST_LIST_DAYS }: { span: string; days?: number }): Group<Period<null>> {
  const from = instantParam(
    `Begin of the period, inclusive; by default ${span} before its end. Maximum period: ${days} days.`,
    '2026-01-01',
  )
  return group(
    {
      from: Object.freeze({ ...from, widest_days: days }),
      to: instantParam('End of the period, exclusive; by default the end of the data.', '2026-01-08'),
    },
    ({ from, to }) => {
      const period = inOrder({ from, to, interval: null })
      if (from !== null && to !== null) checkDays({ from, to, interval: null }, days)
      return period
    },
  )
}

function checkedPeriod<I extends Interval | null>(period: Period<I>): Period<I> {
  const { from, to, interval } = inOrder(period)
  if (from !== null && to !== null) checkWidth({ from, to, interval })
  return period
}

/** Tolerance for clock differences and for a lake that is up to ten minutes behind, in ms. */
const GRACE_MS = 900_000

/** True if a period begins, or may begin, more than `hours` before now (ms). An open begin counts from its end. */
export function isEarlier({ from, to }: Pick<Period, 'from' | 'to'>, hours: number, now: number): boolean {
  const begin = from ?? (to === null ? null : to - hours * 3_600_000)
  return begin !== null && begin < now - hours * 3_600_000 - GRACE_MS
}

/** An unchanged period. Throws `InvalidParam` unless its end is after its begin. */
export function inOrder<P extends Pick<Period, 'from' | 'to'>>(period: P): P {
  const { from, to } = period
  if (from !== null && to !== null && from >= to) throw new InvalidParam('expected an instant before `to`', { parameter: 'from' })
  return period
}

/** Default width of a period without a begin, in days; `all` is all data, as far as the interval allows. */
export type SpanDays = number | 'all'

/**
 * Closes a period: the end at the end of the data, the begin `span_days` earlier, or for `all` at the first data and at least a
 * day before the end. Widens it to whole steps, so that a step has one value in every period. Throws `InvalidParam` if it is too
 * wide for its interval.
 */
export function closePeriod<I extends Interval | null>(
  period: Period<I>,
  options: { covered_from: number | null; covered_until: number; span_days: SpanDays; daysInUtc?: boolean },
): { from: number; to: number; interval: I } {
  if (options.daysInUtc) return closeUtcDays(period, options)
  const to = period.to ?? Math.max(options.covered_until, period.from ?? 0)
  const widest = widestOf(period.interval)
  const days = options.span_days === 'all' ? widest : Math.min(options.span_days, widest ?? Number.POSITIVE_INFINITY)
  const begin = days === undefined ? Math.min(options.covered_from ?? to, to - DAY_MS) : to - days * DAY_MS
  const closed = { from: period.from ?? begin, to, interval: period.interval }
  checkWidth(closed)
  const { interval } = period
  if (interval === null || interval === 'raw') return closed
  const last = bucketBounds(to, interval)
  return { from: bucketBounds(closed.from, interval).start, to: last.start === to ? to : last.end, interval }
}

/** The same in UTC days, without a limit of width: a plain date, read as midnight in Madrid, means that UTC day. */
function closeUtcDays<I extends Interval | null>(
  period: Period<I>,
  options: { covered_until: number; span_days: SpanDays },
): { from: number; to: number; interval: I } {
  const ofDate = (instant: number): number => {
    const date = madridDate(instant)
    return instant === dayBounds(date).start ? Date.parse(`${date}T00:00:00Z`) : instant
  }
  const to = Math.ceil(ofDate(period.to ?? Math.max(options.covered_until, period.from ?? 0)) / DAY_MS) * DAY_MS
  const from = period.from === null ? to - Number(options.span_days) * DAY_MS : Math.floor(ofDate(period.from) / DAY_MS) * DAY_MS
  return { from, to, interval: period.interval }
}

function widestOf(interval: Interval | null): number | undefined {
  return interval === null ? WIDEST_LIST_DAYS : WIDEST_DAYS[interval]
}

function checkWidth({ from, to, interval }: { from: number; to: number; interval: Interval | null }): void {
  const days = widestOf(interval)
  if (days !== undefined) checkDays({ from, to, interval }, days)
}

/** Throws `InvalidParam` for a period of more than `days` days. */
export function checkDays({ from, to, interval }: { from: number; to: number; interval: Interval | null }, days: number): void {
  if (to <= latestEnd(from, days)) return
  const message =
    interval === null
      ? `the period may be at most ${days} days wide; split the request`
      : `with interval=${interval} the period may be at most ${days} days wide; choose a coarser interval or a shorter period`
  throw new InvalidParam(message, { code: 'range-too-large', parameter: 'from' })
}

/**
 * The latest allowed end of a period of `days`: the later of Madrid days, so that a month with a 25-hour day is allowed, and
 * days of 24 hours, as callers in UTC count.
 */
function latestEnd(from: number, days: number): number {
  const [date = '', time = ''] = new Date(from + offsetAt(from) + days * DAY_MS).toISOString().split(/[TZ]/)
  return Math.max(instantOf(date, time), from + days * DAY_MS)
}

export function readInstant(text: string): number {
  const expected = 'expected RFC 3339 with a zone, such as 2026-01-02T12:00:00Z (send + as %2B), or a date, such as 2026-01-02'
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? startOfDay(text) : parseInstant(text)
  if (instant === null || instant < Date.UTC(1900, 0) || instant >= Date.UTC(2200, 0)) throw new InvalidParam(expected)
  return instant
}

function startOfDay(date: string): number | null {
  try {
    return dayBounds(date).start
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A period of any width, in ms since the epoch, for events whose time is known at least to the month. */
export interface OpenPeriod {
  readonly from: number | null
  readonly to: number | null
}

/** The parameters `from` and `to` of lists with few rows: any width, and open ends stay open. */
export function openPeriodParams(): Group<OpenPeriod> {
  return group(
    {
      from: instantParam('Begin of the period, inclusive; open by default.', '2024-01-01'),
      to: instantParam('End of the period, exclusive; open by default.', '2025-01-01'),
    },
    inOrder,
  )
}
