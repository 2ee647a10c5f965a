import type { ObjectStore } from '../store/store.ts'
import { addGroupCounts, type GroupCounts, newGroupCounts } from './durations.ts'
import { firstHour, MINUTE_S, readLog } from './log.ts'
import { dateOf, dayObject, daysOf, decodeDay, listDays, takeUptime, type UptimeDay, type UptimePart } from './uptime.ts'

/** A month of a group of paths. */
export interface UptimeMonthGroup extends GroupCounts {
  /** Minutes in which it was down: no process ran, or it was failing. */
  down: number
  /** End (ms) of its last failing minute; null if there is none. */
  last_failing_until: number | null
}

/** A day of a month in UTC. */
export interface UptimeMonthDay {
  readonly date: string
  /** Counted minutes, and those of them in which no process ran. */
  readonly minutes: number
  readonly silent: number
  /** Minutes in which a group was failing, by group. */
  readonly failing: ReadonlyMap<string, number>
}

/** A span in which a group, or with null every group, was down. Instants in ms. */
export interface Outage {
  readonly group: string | null
  readonly from: number
  readonly until: number
  /** Minutes in it that were down: shorter breaks than `OUTAGE_GAP_MS` are part of it. */
  readonly minutes: number
}

/** A month in UTC. Instants in ms. */
export interface UptimeMonth {
  /** As YYYY-MM. */
  readonly month: string
  /** Start of the known data in it; null if there is none. */
  readonly measured_from: number | null
  /** End of the counted minutes: those not written by then are down. */
  readonly measured_until: number
  /** Number of minutes in between. */
  readonly minutes: number
  /** Minutes in which no process ran, and the end (ms) of the last of them; null if there is none. */
  readonly silent: number
  readonly last_silent_until: number | null
  /** The state of each group with requests; any other group was down only when all were. */
  readonly groups: ReadonlyMap<string, UptimeMonthGroup>
  /** The state of a group without requests. */
  readonly unasked: UptimeMonthGroup
  /** The days with counted minutes, in order. */
  readonly days: readonly UptimeMonthDay[]
  /** The newest spans in which something was down, newest first. */
  readonly outages: readonly Outage[]
}

/** Number of months that are shown. */
export const MONTHS_SHOWN = 13
/** Retention of days: as long as shown months reach back, plus a margin. */
export const DAYS_KEPT = (MONTHS_SHOWN + 1) * 31
/** A minute counts this long after its end, in ms: processes write it soon after, and retry a minute later. */
export const DUE_AFTER_MS = 120_000
/** Breaks in an outage that are shorter do not end it, in ms; and the number of outages that are known of a month. */
const OUTAGE_GAP_MS = 15 * 60_000
const OUTAGES_KEPT = 50
const MINUTE_MS = MINUTE_S * 1000
const DAY_MS = 86_400_000

/** First instant of a month and of the next, in UTC (ms). */
export function monthBounds(month: string): { readonly start: number; readonly end: number } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) }
}

/** The month (YYYY-MM) that is `months` after that of an instant (ms), in UTC. */
export function monthAt(at: number, months = 0): string {
  const date = new Date(at)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)).toISOString().slice(0, 7)
}

/** Reads months; `now` is in ms. */
export type ReadUptime = (month: string, now: number) => Promise<UptimeMonth>

/**
 * Creates a reader of months that caches the days it has read, and each object of the newest days. Nothing before `since` (ms)
 * counts: a process with a wrong clock may have written earlier times.
 */
export function uptimeReader(store: ObjectStore, { since }: { readonly since: number }): ReadUptime {
  let days: ReadonlyMap<string, UptimeDay> = new Map()
  /** By the start of a month, as a report may read two at once. A past month only has objects whose day is not aggregated yet. */
  const parts = new Map<number, ReadonlyMap<string, UptimePart>>()

  /** All known days from an instant to another (ms), by date: a day's own object takes precedence over its parts. */
  const daysFrom = async (from: number, to: number): Promise<ReadonlyMap<string, UptimeDay>> => {
    // In this order, since a day's object is written before its parts are deleted.
    const newest = await readLog(store, { from, to, take: takeUptime, known: parts.get(from) ?? new Map() })
    parts.set(from, newest)
    const dates: string[] = []
    for await (const date of listDays(store, { from: dateOf(from), to: dateOf(to) })) dates.push(date)
    const read = await Promise.all(dates.map((date) => days.get(date) ?? readDay(store, date)))
    const whole = new Map(read.flatMap((day) => (day ? [[day.date, day]] : [])))
    const oldest = dateOf(to - DAYS_KEPT * DAY_MS)
    days = new Map([...days, ...whole].filter(([date]) => date >= oldest))
    return new Map([...daysOf(newest.values()), ...whole])
  }
  const isOlder = async (start: number): Promise<boolean> => {
    if (start <= since) return false
    for await (const _ of listDays(store, { from: dateOf(since), to: dateOf(start) })) return true
    const hour = await firstHour(store, since)
    return hour !== null && hour < start
  }

  return async (month, now) => {
    const { start, end } = monthBounds(month)
    const begin = Math.max(start, Math.floor(since / MINUTE_MS) * MINUTE_MS)
    const until = Math.max(start, Math.min(end, Math.floor((now - DUE_AFTER_MS) / MINUTE_MS) * MINUTE_MS))
    const known = [...(await daysFrom(start, end)).values()]
    const beats = beatsOf(known)
    const inMonth = beats.values().filter((at) => at >= begin)
    const first = (await isOlder(start)) ? start : inMonth.reduce((one, other) => Math.min(one, other), until)
    return monthOf(known, { month, beats, from: first < until ? first : null, until })
  }
}

async function readDay(store: ObjectStore, date: string): Promise<UptimeDay | null> {
  const bytes = await store.get(dayObject(date))
  return bytes && decodeDay(bytes)
}

/** The starts (ms) of the minutes in which any process ran. */
function beatsOf(days: readonly UptimeDay[]): ReadonlySet<number> {
  const beats = new Set<number>()
  for (const { date, beats: spans } of days)
    for (const [from, to] of spans) for (let minute = from; minute < to; minute++) beats.add(Date.parse(date) + minute * MINUTE_MS)
  return beats
}

function monthOf(
  days: readonly UptimeDay[],
  given: { readonly month: string; readonly beats: ReadonlySet<number>; readonly from: number | null; readonly until: number },
): UptimeMonth {
  const { month, beats, from, until } = given
  const begin = from ?? until
  const inDays = new Map<string, { minutes: number; silent: number; failing: Map<string, number> }>()
  const silentAt: number[] = []
  for (let at = begin; at < until; at += MINUTE_MS) {
    const date = dateOf(at)
    const day = inDays.get(date) ?? { minutes: 0, silent: 0, failing: new Map() }
    inDays.set(date, day)
    day.minutes++
    if (beats.has(at)) continue
    day.silent++
    silentAt.push(at)
  }
  const silent = silentAt.length
  const last_silent_until = silent === 0 ? null : (silentAt.at(-1) as number) + MINUTE_MS
  const outages = outagesOf(null, silentAt)
  const newGroup = (): UptimeMonthGroup => ({ ...newGroupCounts(), down: silent, last_failing_until: null })
  const groups = new Map<string, UptimeMonthGroup>()
  const failingAt = new Map<string, number[]>()
  for (const { date, groups: ofDay } of days)
    for (const { group, failing, ...sums } of ofDay) {
      const sum = groups.get(group) ?? newGroup()
      groups.set(group, sum)
      addGroupCounts(sum, sums)
      const minutes = failing.map((minute) => Date.parse(date) + minute * MINUTE_MS).filter((at) => at >= begin && at < until)
      sum.down += minutes.length
      if (minutes.length > 0) inDays.get(date)?.failing.set(group, minutes.length)
      failingAt.set(group, [...(failingAt.get(group) ?? []), ...minutes])
      sum.last_failing_until = minutes.reduce((last, at) => Math.max(last, at + MINUTE_MS), sum.last_failing_until ?? 0) || null
    }
  for (const [group, minutes] of failingAt) outages.push(...outagesOf(group, minutes))
  return {
    ...{ month, measured_from: from, measured_until: until, minutes: (until - begin) / MINUTE_MS, silent, last_silent_until },
    ...{ groups, unasked: newGroup() },
    days: [...inDays].map(([date, day]) => ({ date, ...day })),
    outages: outages.sort((one, other) => other.from - one.from).slice(0, OUTAGES_KEPT),
  }
}

/** Joins the minutes (ms) in which a group was down into spans. */
function outagesOf(group: string | null, minutes: readonly number[]): Outage[] {
  const spans: { group: string | null; from: number; until: number; minutes: number }[] = []
  for (const at of minutes.toSorted((one, other) => one - other)) {
    const last = spans.at(-1)
    if (last && at - last.until < OUTAGE_GAP_MS) {
      last.until = at + MINUTE_MS
      last.minutes++
    } else spans.push({ group, from: at, until: at + MINUTE_MS, minutes: 1 })
  }
  return spans
}
