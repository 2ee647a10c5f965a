import { MINUTE_S, type MinutePart } from '../minutes/objects.ts'
import type { ObjectStore } from '../store/store.ts'
import { addUptime, newUptimeCounts, trimmed, UPTIME, type UptimeCounts, type UptimeRow } from './objects.ts'
import { isDown, type MinuteTally } from './rule.ts'

const MINUTES_OF_DAY = 1440
const DAY_S = MINUTES_OF_DAY * MINUTE_S
const DAYS = `${UPTIME.root}days/`
const NAME = /^uptime\/days\/(\d{4}-\d\d-\d\d)\.json$/

/** Minutes of a UTC day, from one (inclusive) to another (exclusive), counted from midnight. */
export type Span = readonly [from: number, to: number]

/** A day of a group. */
export interface UptimeDayGroup extends UptimeCounts {
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

/**
 * The part of an object that is kept until its day is aggregated: the sums, and the data of each minute that decides whether a
 * group was failing.
 */
export interface UptimePart {
  readonly sums: readonly GroupCounts[]
  readonly minutes: readonly { readonly minute_s: number; readonly groups: readonly GroupMinute[] }[]
}

type GroupCounts = UptimeCounts & { readonly group: string }
type GroupMinute = Pick<UptimeRow, 'group' | 'callers' | 'isProbeFailed'> & Pick<MinuteTally, 'answered' | 'failed'>

/** Extracts from an object what its day needs. */
export function takeUptime({ minutes }: MinutePart<UptimeRow>): UptimePart {
  const sums = new Map<string, GroupCounts>()
  for (const { rows } of minutes) for (const row of rows) addUptime(sumOf(sums, row.group), row)
  return {
    sums: [...sums.values()],
    minutes: minutes.map(({ minute_s, rows }) => ({
      minute_s,
      groups: rows.map(({ group, requests, refused, failed, callers, isProbeFailed }) => ({
        ...{ group, answered: requests - refused - failed, failed, callers, isProbeFailed },
      })),
    })),
  }
}

/** The days of the parts. A day with missing parts has the existing ones. */
export function daysOf(parts: Iterable<UptimePart>): ReadonlyMap<string, UptimeDay> {
  const byDate = new Map<string, UptimePart[]>()
  for (const part of parts) {
    const [first] = part.minutes
    if (!first) continue
    // An object covers one hour, and so one day.
    const date = dateOf(first.minute_s * 1000)
    const there = byDate.get(date)
    if (there) there.push(part)
    else byDate.set(date, [part])
  }
  return new Map([...byDate].map(([date, of]) => [date, dayOf(date, of)]))
}

function dayOf(date: string, parts: readonly UptimePart[]): UptimeDay {
  const sums = new Map<string, GroupCounts>()
  const beats = new Set<number>()
  const tallies = new Map<string, Map<number, MinuteTally>>()
  for (const part of parts) {
    for (const row of part.sums) addUptime(sumOf(sums, row.group), row)
    for (const { minute_s, groups } of part.minutes) {
      const minute = Math.floor((minute_s % DAY_S) / MINUTE_S)
      beats.add(minute)
      for (const { group, answered, failed, callers, isProbeFailed } of groups) {
        const byMinute = tallies.get(group) ?? new Map<number, MinuteTally>()
        tallies.set(group, byMinute)
        const tally = byMinute.get(minute) ?? { answered: 0, failed: 0, callers: new Set<number>(), isProbeFailed: false }
        byMinute.set(minute, tally)
        tally.answered += answered
        tally.failed += failed
        tally.isProbeFailed ||= isProbeFailed
        for (const caller of callers) tally.callers.add(caller)
      }
    }
  }
  const failing = (group: string): number[] =>
    [...(tallies.get(group) ?? [])]
      .filter(([, tally]) => isDown(tally))
      .map(([minute]) => minute)
      .sort((one, other) => one - other)
  return {
    date,
    beats: spansOf(beats),
    groups: [...sums.values()]
      .sort((one, other) => (one.group < other.group ? -1 : 1))
      .map((row) => ({ ...row, failing: failing(row.group) })),
  }
}

function sumOf(sums: Map<string, GroupCounts>, group: string): GroupCounts {
  const there = sums.get(group)
  if (there) return there
  const made = { group, ...newUptimeCounts() }
  sums.set(group, made)
  return made
}

function spansOf(minutes: ReadonlySet<number>): Span[] {
  const spans: [number, number][] = []
  for (const minute of [...minutes].sort((one, other) => one - other)) {
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
  return {
    date,
    beats,
    groups: groups.map(({ group, requests, refused, failed, durations, failing }) => {
      const counts = newUptimeCounts()
      addUptime(counts, { requests, refused, failed, durations: counts.durations.map((_, at) => durations[at] ?? 0) })
      return { group, ...counts, failing }
    }),
  }
}
