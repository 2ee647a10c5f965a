import { hash } from 'node:crypto'
import type { ObjectStore } from '../store/store.ts'
import { addGroupCounts, allClasses, type GroupCounts, newGroupCounts, trimmed } from './durations.ts'
import { type LogPart, MINUTE_S } from './log.ts'

/** A minute of a group is down if more than this share of its requests fail, */
export const FAILING_SHARE = 0.05
/** with at least this many requests, so that a few failures do not decide, */
export const MIN_REQUESTS = 20
/** from at least this many callers; or if our own probe of the group fails. */
export const MIN_CALLERS = 3

const MINUTES_OF_DAY = 1440
const DAYS = 'uptime/days/'
const NAME = /^uptime\/days\/(\d{4}-\d\d-\d\d)\.json$/

/** Minutes of a UTC day, from one (inclusive) to another (exclusive), counted from midnight. */
export type Span = readonly [from: number, to: number]

/** A day of a group. */
export interface UptimeDayGroup extends GroupCounts {
  readonly group: string
  /** The minutes in which it was failing, counted from midnight. */
  readonly failing: readonly number[]
}

/** A UTC day over all processes. */
export interface UptimeDay {
  readonly date: string
  /** Spans in which any process ran. */
  readonly beats: readonly Span[]
  readonly groups: readonly UptimeDayGroup[]
}

/** What a day needs of an object: the sums, and the data of each minute that decides whether a group was failing. */
export interface UptimePart {
  readonly date: string
  readonly sums: ReadonlyMap<string, GroupCounts>
  readonly minutes: readonly { readonly minute: number; readonly groups: readonly GroupMinute[] }[]
}

interface GroupMinute {
  readonly group: string
  /** Requests that were neither rejected nor failed. */
  readonly answered: number
  readonly failed: number
  readonly callers: Iterable<number>
  readonly isProbeFailed: boolean
}

/** Extracts from an object, of one hour and so of one day, what its day needs. */
export function takeUptime({ hour, minutes }: LogPart): UptimePart {
  const sums = new Map<string, GroupCounts>()
  for (const { groups } of minutes) for (const row of groups) addGroupCounts(sumOf(sums, row.group), row)
  return {
    ...{ date: dateOf(hour), sums },
    minutes: minutes.map(({ minute_s, groups }) => ({
      minute: (minute_s / MINUTE_S) % MINUTES_OF_DAY,
      groups: groups.map(({ group, requests, refused, failed, callers, isProbeFailed }) => ({
        ...{ group, answered: requests - refused - failed, failed, callers, isProbeFailed },
      })),
    })),
  }
}

/** The days of the parts. A day with missing parts has the existing ones. */
export function daysOf(parts: Iterable<UptimePart>): ReadonlyMap<string, UptimeDay> {
  return new Map([...Map.groupBy(parts, ({ date }) => date)].map(([date, of]) => [date, dayOf(date, of)]))
}

function dayOf(date: string, parts: readonly UptimePart[]): UptimeDay {
  const sums = new Map<string, GroupCounts>()
  for (const part of parts) for (const [group, counts] of part.sums) addGroupCounts(sumOf(sums, group), counts)
  const minutes = [
    ...Map.groupBy(
      parts.flatMap((part) => part.minutes),
      ({ minute }) => minute,
    ),
  ].sort(([one], [other]) => one - other)
  const failing = new Map<string, number[]>()
  for (const [minute, ofProcesses] of minutes)
    for (const [group, rows] of Map.groupBy(
      ofProcesses.flatMap(({ groups }) => groups),
      ({ group }) => group,
    ))
      if (isDown(rows)) failing.set(group, [...(failing.get(group) ?? []), minute])
  return {
    date,
    beats: spansOf(minutes.map(([minute]) => minute)),
    groups: [...sums]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([group, counts]) => ({ group, ...counts, failing: failing.get(group) ?? [] })),
  }
}

/** Returns whether a group was down in a minute, from the counts of all processes. */
function isDown(rows: readonly GroupMinute[]): boolean {
  if (rows.some(({ isProbeFailed }) => isProbeFailed)) return true
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  const requests = rows.reduce((sum, row) => sum + row.answered, failed)
  const callers = new Set(rows.flatMap((row) => [...row.callers]))
  return requests >= MIN_REQUESTS && callers.size >= MIN_CALLERS && failed > FAILING_SHARE * requests
}

/** A number that distinguishes the callers of a minute by their quota key; too short to identify them. */
export function callerHash(quotaKey: string): number {
  return Number.parseInt(hash('sha256', quotaKey).slice(0, 4), 16)
}

function sumOf(sums: Map<string, GroupCounts>, group: string): GroupCounts {
  const counts = sums.get(group) ?? newGroupCounts()
  sums.set(group, counts)
  return counts
}

/** Spans of minutes in order. */
function spansOf(minutes: readonly number[]): Span[] {
  const spans: [number, number][] = []
  for (const minute of minutes) {
    const last = spans.at(-1)
    if (last?.[1] === minute) last[1]++
    else spans.push([minute, minute + 1])
  }
  return spans
}

/** The date in UTC of an instant (ms). */
export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Name of the object of a day. */
export function dayObject(date: string): string {
  return `${DAYS}${date}.json`
}

/** The dates with objects, from one (inclusive) to another (exclusive), in order. */
export async function* listDays(store: ObjectStore, range: { readonly from: string; readonly to: string }): AsyncGenerator<string> {
  // A date sorts before the name of its object.
  for await (const { key } of store.list(DAYS, { startAfter: `${DAYS}${range.from}` })) {
    const date = NAME.exec(key)?.[1]
    if (date === undefined) continue
    if (date >= range.to) return
    yield date
  }
}

/** The bytes of a day's object. */
export function encodeDay({ date, beats, groups }: UptimeDay): Buffer {
  const plain = groups.map(({ group, requests, refused, failed, durations, failing }) => ({
    ...{ group, requests, refused, failed, durations: trimmed(durations), failing },
  }))
  return Buffer.from(JSON.stringify({ version: 1, date, beats, groups: plain }))
}

/** Decodes a day's object. */
export function decodeDay(bytes: Buffer): UptimeDay {
  const { date, beats, groups } = JSON.parse(bytes.toString()) as UptimeDay
  return { date, beats, groups: groups.map((row) => ({ ...row, durations: allClasses(row.durations) })) }
}
