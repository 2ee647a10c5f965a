import { firstHour, MINUTE_S, readMinutes } from '../minutes/objects.ts'
import type { ObjectStore } from '../store/store.ts'
import { dateOf, dayObject, daysOf, decodeDay, listDays, takeUptime, type UptimeDay, type UptimePart } from './days.ts'
import { addUptime, newUptimeCounts, UPTIME, type UptimeCounts } from './objects.ts'

/** A month of a group of paths. */
export interface UptimeMonthGroup extends UptimeCounts {
  /** Minutes that it was down: those in which no process ran, and those in which it failed. */
  down: number
  /** The end (ms) of the last of the latter; null where there is none. */
  last_failing_until: number | null
}

/** A month in UTC. Instants in ms. */
export interface UptimeMonth {
  /** As YYYY-MM. */
  readonly month: string
  /** Since when anything is known in it; null where nothing is. */
  readonly measured_from: number | null
  /** Until when minutes count: what has not been written yet by then is down. */
  readonly measured_until: number
  /** Minutes in between. */
  readonly minutes: number
  /** Those in which no process ran, and the end (ms) of the last of them; null where there is none. */
  readonly silent: number
  readonly last_silent_until: number | null
  /** What is known of each group that was asked for; any other was only ever down where all were. */
  readonly groups: ReadonlyMap<string, UptimeMonthGroup>
  /** The same of a group that nobody asked for. */
  readonly unasked: UptimeMonthGroup
}

/** Figures of a month are shown for so many months after it began. */
export const MONTHS_SHOWN = 13
/** Days are kept as long as a month that is shown may reach back, and some. */
export const DAYS_KEPT = (MONTHS_SHOWN + 1) * 31
/** A minute counts from so long after its end, in ms: processes write it soon after, and try again a minute later. */
export const DUE_AFTER_MS = 120_000
const MINUTE_MS = MINUTE_S * 1000
const DAY_MS = 86_400_000

/** First instant of a month and of the next, in UTC (ms). */
export function monthBounds(month: string): { readonly start: number; readonly end: number } {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) }
}

/** The month (YYYY-MM) some months from that of an instant (ms), in UTC. */
export function monthAt(at: number, months = 0): string {
  const date = new Date(at)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)).toISOString().slice(0, 7)
}

/** Reads months; `now` is in ms. */
export type ReadUptime = (month: string, now: number) => Promise<UptimeMonth>

/**
 * Makes a reader of months that remembers the days it has read, and of the newest days each object. Nothing before `since` (ms) counts:
 * a process whose clock is wrong may have written of a time when there was no service yet.
 */
export function uptimeReader(store: ObjectStore, { since }: { readonly since: number }): ReadUptime {
  let days: ReadonlyMap<string, UptimeDay> = new Map()
  /** By the begin of a month, for a report may read two of them at once; of one that is over only what no day was made of yet is there. */
  const parts = new Map<number, ReadonlyMap<string, UptimePart>>()

  /** Everything that is known from an instant to another (ms), by date: a day's own object counts before what it was made of. */
  const daysFrom = async (from: number, to: number): Promise<ReadonlyMap<string, UptimeDay>> => {
    // In this order: a day's object is written before what it was made of is removed.
    const newest = await readMinutes(store, UPTIME, { from, to, take: takeUptime, known: parts.get(from) ?? new Map() })
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
    const hour = await firstHour(store, UPTIME, since)
    return hour !== null && hour < start
  }

  return async (month, now) => {
    const { start, end } = monthBounds(month)
    const begin = Math.max(start, Math.floor(since / MINUTE_MS) * MINUTE_MS)
    const until = Math.max(start, Math.min(end, Math.floor((now - DUE_AFTER_MS) / MINUTE_MS) * MINUTE_MS))
    const known = await daysFrom(start, end)
    const first = (await isOlder(start)) ? start : firstBeat(known.values(), begin)
    return monthOf([...known.values()], { month, from: first !== null && first < until ? first : null, until })
  }
}

async function readDay(store: ObjectStore, date: string): Promise<UptimeDay | null> {
  const bytes = await store.get(dayObject(date))
  return bytes && decodeDay(bytes)
}

/** First instant (ms), at or after `begin`, of a minute in which a process ran. */
function firstBeat(days: Iterable<UptimeDay>, begin: number): number | null {
  const beats = [...days].flatMap(({ date, beats }) =>
    beats.flatMap(([from, to]) => {
      const at = Math.max(begin, Date.parse(date) + from * MINUTE_MS)
      return at < Date.parse(date) + to * MINUTE_MS ? [at] : []
    }),
  )
  return beats.length === 0 ? null : Math.min(...beats)
}

function monthOf(
  days: readonly UptimeDay[],
  { month, from, until }: { readonly month: string; readonly from: number | null; readonly until: number },
): UptimeMonth {
  const begin = from ?? until
  const counts = (at: number): boolean => at >= begin && at < until
  let beating = 0
  for (const { date, beats } of days)
    for (const [first, end] of beats) {
      const at = Date.parse(date)
      beating += Math.max(0, Math.min(until, at + end * MINUTE_MS) - Math.max(begin, at + first * MINUTE_MS)) / MINUTE_MS
    }
  const minutes = (until - begin) / MINUTE_MS
  const silent = minutes - beating
  const newGroup = (): UptimeMonthGroup => ({ ...newUptimeCounts(), down: silent, last_failing_until: null })
  const groups = new Map<string, UptimeMonthGroup>()
  for (const { date, groups: ofDay } of days)
    for (const { group, failing, ...sums } of ofDay) {
      const sum = groups.get(group) ?? newGroup()
      groups.set(group, sum)
      addUptime(sum, sums)
      for (const minute of failing) {
        const at = Date.parse(date) + minute * MINUTE_MS
        if (!counts(at)) continue
        sum.down++
        sum.last_failing_until = Math.max(sum.last_failing_until ?? 0, at + MINUTE_MS)
      }
    }
  const last_silent_until = lastGap(days, { begin, until })
  return { month, measured_from: from, measured_until: until, minutes, silent, last_silent_until, groups, unasked: newGroup() }
}

/** The end (ms) of the last minute in which no process ran; null where there is none. */
function lastGap(days: readonly UptimeDay[], { begin, until }: { readonly begin: number; readonly until: number }): number | null {
  const spans = days
    .flatMap(({ date, beats }) =>
      beats.map(([from, to]) => [Date.parse(date) + from * MINUTE_MS, Date.parse(date) + to * MINUTE_MS] as const),
    )
    .filter(([from]) => from < until)
    .sort(([one], [other]) => other - one)
  let end = until
  for (const [from, to] of spans) {
    if (to < end) break
    end = from
  }
  return end > begin ? end : null
}
