import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { dataAge_s, type FeedHealth, feedHealth } from '../../../lake/live/freshness.ts'
import { quantile_ms } from '../../../lake/requests/durations.ts'
import { MONTHS_SHOWN, monthAt, monthBounds, type ReadUptime, type UptimeMonth } from '../../../lake/requests/months.ts'
import type { PathGroup } from '../../auth/usage/path-groups.ts'
import { type Readiness, type ReadinessParts, readinessOf } from '../../engine/state/readiness.ts'
import type { ServiceState } from '../../engine/state/state.ts'
import { invalidParamProblem } from '../../kernel/http/validation-errors.ts'
import type { LocalText } from '../../kernel/language.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { PROMISE_PCT } from '../../kernel/promise.ts'
import type { DeliveryLag } from './delivery.ts'
import { feedName, publisherOf } from './feed-names.ts'

/** The states of the service. */
export const STATES = ['ok', 'degraded', 'down'] as const
export type State = (typeof STATES)[number]

/** The reasons for a state, by the state that each causes at least. */
export const REASONS = Object.freeze({
  'nothing-to-serve': 'down',
  'lake-away': 'degraded',
  'store-full': 'degraded',
  'redis-read-only': 'degraded',
  'redis-away': 'degraded',
  'worker-away': 'degraded',
  'feeds-unknown': 'degraded',
  'feed-waiting': 'degraded',
  'feed-down': 'degraded',
  'feed-stale': 'degraded',
  'not-running': 'degraded',
  'group-failing': 'degraded',
  'table-refused': 'degraded',
  'table-changed': 'ok',
  'record-unread': 'degraded',
} as const)

/** A reason, and its feed, group or dataset; null if it concerns everything. */
export interface Reason {
  readonly code: keyof typeof REASONS
  readonly of: string | null
  /** What is wrong, in English, if the code does not say it. */
  readonly detail?: string
}

/** The state of a feed, as `/api/freshness` reports it. Instants in ms. */
export interface FeedStatus {
  readonly id: string
  /** What it delivers, and who publishes it. */
  readonly name: LocalText
  readonly publisher: string | null
  readonly domain: string
  readonly enabled: boolean
  /** Null for a disabled feed. */
  readonly health: FeedHealth | null
  /** True if it is enabled and has not delivered yet. */
  readonly waiting: boolean
  readonly cadence_s: number
  readonly last_success_at: number | null
  readonly data_time: number | null
  readonly data_age_s: number | null
  readonly failing_since: number | null
  /** Next fetch; null for a stream. */
  readonly next_attempt_at: number | null
}

/** A day of a group of paths. */
export interface GroupDay {
  readonly date: string
  readonly minutes: number
  readonly down_minutes: number
  readonly availability_pct: number
}

/** The state of a group of paths in a month; unknown values are null. */
export interface GroupStatus {
  readonly group: PathGroup
  /** Rounded down to thousandths, so that it never looks better than it is. */
  readonly availability_pct: number | null
  readonly met: boolean | null
  readonly down_minutes: number | null
  readonly requests: number | null
  readonly refused: number | null
  readonly failed: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  /** The counted days of the month, in order. */
  readonly days: readonly GroupDay[]
}

/** The state of the service now and in a month. Instants in ms. */
export interface StatusReport {
  readonly state: State
  readonly reasons: readonly Reason[]
  readonly as_of: number
  readonly source_mode: ServiceState['mode']
  readonly ready: Readiness
  readonly feeds: readonly FeedStatus[]
  readonly delivery: DeliveryLag
  /** As YYYY-MM, in UTC. */
  readonly month: string
  /** The adjacent months that can be shown. */
  readonly before: string | null
  readonly after: string | null
  /** Null if the record could not be read. */
  readonly uptime: Pick<UptimeMonth, 'measured_from' | 'measured_until' | 'minutes' | 'silent' | 'outages'> | null
  readonly groups: readonly GroupStatus[]
}

/** What reports are made from. */
export interface ReportParts extends ReadinessParts {
  readonly groups: readonly PathGroup[]
  readonly read: ReadUptime
  readonly delivery: () => Promise<DeliveryLag>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** How long a report is valid, in s. */
export const FRESH_S = 15
/** A group that was down in one of the last minutes counts as down; their length in ms. */
const RECENT_MS = 5 * 60_000
/** How long a report waits for the record, in ms. After that it repeats the last known values. */
const PATIENCE_MS = 5000

/**
 * Makes the function that returns the report of a month (null: the current one), made once in `FRESH_S`. Throws the problem of a
 * month that is not available.
 */
export function statusReports(parts: ReportParts): (month: string | null) => Promise<StatusReport> {
  const { state, groups, clock } = parts
  const ready = readinessOf(parts)
  const months = recentMonths(parts)
  const made = new Map<string, { readonly at: number; readonly report: Promise<StatusReport> }>()
  const make = async (month: string, now: number): Promise<StatusReport> => {
    const present = monthAt(now)
    const readiness = await ready()
    // An unavailable store may look like an empty one.
    const [figures, latest, delivery] = await Promise.all([
      months(month, readiness.lake),
      months(present, readiness.lake),
      parts.delivery(),
    ])
    const feeds = feedsOf(state, now)
    const isWorkerAway = readiness.redis && state.live.workers()?.living === 0
    const away: Reason[] = isWorkerAway ? [{ code: 'worker-away', of: null }] : []
    const reasons = [...away, ...reasonsOf(readiness, feeds), ...tableReasons(state), ...recentReasons(latest, groups)]
    const { start } = monthBounds(month)
    const before = monthAt(start, -1)
    return {
      state: STATES.findLast((one) => reasons.some(({ code }) => REASONS[code] === one)) ?? 'ok',
      reasons,
      ...{ as_of: now, source_mode: state.mode, ready: readiness, feeds, delivery, month },
      before: isShown(before, now) && figures.month?.measured_from === start ? before : null,
      after: month < present ? monthAt(start, 1) : null,
      uptime: figures.month,
      groups: groups.map((group) => groupStatus(group, figures.month)),
    }
  }
  return (asked) => {
    const now = clock()
    const month = asked ?? monthAt(now)
    if (!isShown(month, now))
      throw invalidParamProblem(
        new InvalidParam(`expected a month from ${monthAt(now, 1 - MONTHS_SHOWN)} to ${monthAt(now)}`, {
          parameter: 'month',
          value: month,
        }),
      )
    const known = made.get(month)
    if (known && now >= known.at && now - known.at < FRESH_S * 1000) return known.report
    for (const one of made.keys()) if (!isShown(one, now)) made.delete(one)
    const report = make(month, now)
    made.set(month, { at: now, report })
    report.catch(() => made.delete(month))
    return report
  }
}

function isShown(month: string, now: number): boolean {
  return month <= monthAt(now) && month >= monthAt(now, 1 - MONTHS_SHOWN)
}

/** A month as it was last read, and whether that was now. */
interface Figures {
  readonly month: UptimeMonth | null
  readonly isFresh: boolean
}

/** Reads months, each once at a time. If the store does not answer, the last known values are used. */
function recentMonths({ read, log, clock }: ReportParts): (month: string, canRead: boolean) => Promise<Figures> {
  const known = new Map<string, UptimeMonth>()
  const reading = new Map<string, Promise<boolean>>()
  const look = async (month: string): Promise<boolean> => {
    try {
      known.set(month, await read(month, clock()))
      return true
    } catch (err) {
      log.warn({ err }, 'the record of uptime cannot be read')
      return false
    } finally {
      reading.delete(month)
    }
  }
  return async (month, canRead) => {
    for (const one of known.keys()) if (!isShown(one, clock())) known.delete(one)
    if (!canRead) return { month: known.get(month) ?? null, isFresh: false }
    const looking = reading.get(month) ?? look(month)
    reading.set(month, looking)
    const patience = new AbortController()
    const isFresh = await Promise.race([looking, sleep(PATIENCE_MS, false, { signal: patience.signal, ref: false })])
    patience.abort()
    return { month: known.get(month) ?? null, isFresh }
  }
}

function feedsOf({ system }: ServiceState, now: number): FeedStatus[] {
  const view = system()
  const { feeds, states } = view
  return feeds.map((feed) => {
    const { id, domain, enabled, every_s } = feed
    const state = states.get(id) ?? null
    const data_time = state?.data_time ?? null
    const last_success_at = state?.last_success_at ?? null
    return {
      ...{ id, name: feedName(feed, view), publisher: publisherOf(feed, view) },
      ...{ domain, enabled, cadence_s: every_s, last_success_at, data_time },
      health: enabled ? feedHealth(state, every_s, now) : null,
      waiting: enabled && last_success_at === null,
      data_age_s: data_time === null ? null : dataAge_s(data_time, now),
      failing_since: state?.failing_since ?? null,
      next_attempt_at: state?.next_attempt_at ?? null,
    }
  })
}

function reasonsOf({ status, redis, lake, store_full, redis_read_only, waiting_for }: Readiness, feeds: readonly FeedStatus[]): Reason[] {
  const reasons: Reason[] = []
  if (status === 'not ready') reasons.push({ code: 'nothing-to-serve', of: null })
  if (!lake) reasons.push({ code: 'lake-away', of: null })
  if (store_full) reasons.push({ code: 'store-full', of: null })
  if (!redis) reasons.push({ code: 'redis-away', of: null })
  else if (redis_read_only) reasons.push({ code: 'redis-read-only', of: null })
  if (waiting_for === null) reasons.push({ code: 'feeds-unknown', of: null })
  for (const { id, health, waiting } of feeds) {
    if (waiting) reasons.push({ code: 'feed-waiting', of: id })
    else if (health === 'DOWN') reasons.push({ code: 'feed-down', of: id })
    else if (health === 'STALE') reasons.push({ code: 'feed-stale', of: id })
  }
  return reasons
}

/** Returns the reasons that workers found in tables. */
function tableReasons({ live }: ServiceState): Reason[] {
  return [...live.tableNotices()].flatMap(([of, { refused, writer }]): Reason[] => [
    ...(refused === null ? [] : [{ code: 'table-refused', of, detail: refused } as const]),
    ...(writer === null ? [] : [{ code: 'table-changed', of, detail: writer } as const]),
  ])
}

/** Returns the reasons in the newest minutes of the current month. */
function recentReasons({ month, isFresh }: Figures, groups: readonly PathGroup[]): Reason[] {
  if (!isFresh || !month) return [{ code: 'record-unread', of: null }]
  const { measured_until, last_silent_until } = month
  const isRecent = (at: number | null): boolean => at !== null && at > measured_until - RECENT_MS
  const failing = groups.filter(({ id }) => isRecent(month.groups.get(id)?.last_failing_until ?? null))
  return [
    ...(isRecent(last_silent_until) ? [{ code: 'not-running', of: null } as const] : []),
    ...failing.map(({ id }) => ({ code: 'group-failing', of: id }) as const),
  ]
}

function groupStatus(group: PathGroup, month: UptimeMonth | null): GroupStatus {
  if (!month)
    return {
      ...{ group, availability_pct: null, met: null, down_minutes: null, requests: null, refused: null, failed: null },
      ...{ p50_ms: null, p95_ms: null, p99_ms: null, days: [] },
    }
  const counts = month.groups.get(group.id) ?? month.unasked
  const { minutes } = month
  const up = minutes - counts.down
  const { requests, refused, failed } = counts
  return {
    group,
    availability_pct: minutes === 0 ? null : shareUp_pct(up, minutes),
    // In whole numbers: exactly the promised share suffices.
    met: minutes === 0 ? null : up * 1000 >= Math.round(PROMISE_PCT * 10) * minutes,
    down_minutes: counts.down,
    ...{ requests, refused, failed },
    ...{ p50_ms: quantile_ms(counts, 0.5), p95_ms: quantile_ms(counts, 0.95), p99_ms: quantile_ms(counts, 0.99) },
    days: month.days.map((day) => {
      const down = day.silent + (day.failing.get(group.id) ?? 0)
      return { date: day.date, minutes: day.minutes, down_minutes: down, availability_pct: shareUp_pct(day.minutes - down, day.minutes) }
    }),
  }
}

/** Rounds down to thousandths. */
function shareUp_pct(up: number, minutes: number): number {
  return Math.floor((up * 100_000) / minutes) / 1000
}
