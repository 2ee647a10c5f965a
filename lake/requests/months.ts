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
}

/** Number of months that are shown. */
export const MONTHS_SHOWN = 13
/** Retention of days: as long as shown months reach back, plus a margin. */
export const DAYS_KEPT = (MONTHS_SHOWN + 1) * 31
/** A minute counts this long after its end, in ms: processes write it soon after, and retry a minute later. */
export const DUE_AFTER_MS = 120_000
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
  let silent = 0
  let last_silent_until: number | null = null
  for (let at = begin; at < until; at += MINUTE_MS)
    if (!beats.has(at)) {
      silent++
      last_silent_until = at + MINUTE_MS
    }
  const newGroup = (): UptimeMonthGroup => ({ ...newGroupCounts(), down: silent, last_failing_until: null })
  const groups = new Map<string, UptimeMonthGroup>()
  for (const { date, groups: ofDay } of days)
    for (const { group, failing, ...sums } of ofDay) {
      const sum = groups.get(group) ?? newGroup()
      groups.set(group, sum)
      addGroupCounts(sum, sums)
      const minutes = failing.map((minute) => Date.parse(date) + minute * MINUTE_MS).filter((at) => at >= begin && at < until)
      sum.down += minutes.length
      sum.last_failing_until = minutes.reduce((last, at) => Math.max(last, at + MINUTE_MS), sum.last_failing_until ?? 0) || null
    }
  const minutes = (until - begin) / MINUTE_MS
  return { month, measured_from: from, measured_until: until, minutes, silent, last_silent_until, groups, unasked: newGroup() }
}
