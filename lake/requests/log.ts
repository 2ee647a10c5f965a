import pLimit from 'p-limit'
import type { Plan } from '../schema/dataset.ts'
import type { ObjectStore } from '../store/store.ts'
import { allClasses, type GroupCounts, trimmed } from './durations.ts'

/** Outcomes of a data request, in the order of the counts in objects. */
export const OUTCOMES = ['answered', 'not_modified', 'client_error', 'limited', 'server_error'] as const

/** Requests by outcome (2xx, 304, other 4xx, 429, 5xx), and the units charged to the daily quota, net of refunds. */
export type UsageCounts = Record<(typeof OUTCOMES)[number] | 'day_units', number>

/** Usage of one declared path with one key under one plan. All are null without a key: addresses are not stored. */
export interface UsageRow extends UsageCounts {
  /** Public name of the key. */
  readonly key: string | null
  /** The key's quota slot. */
  readonly slot: string | null
  /** Plan of the key at the time. */
  readonly plan: Plan | null
  readonly path: string
}

/** Outcomes of the requests to a group of paths. */
export interface GroupRow extends GroupCounts {
  readonly group: string
  /** Hashes of callers whose requests were not rejected, at most `MIN_CALLERS`. */
  readonly callers: readonly number[]
  /** True if this process's own probe of the group failed. */
  readonly isProbeFailed: boolean
}

/** The requests to one process in a minute. A minute without rows records that the process ran. */
export interface RequestMinute {
  /** Start of the minute, in s since the epoch. */
  readonly minute_s: number
  readonly usage: readonly UsageRow[]
  readonly groups: readonly GroupRow[]
}

/** An object of the log: minutes of one process in one hour. */
export interface LogPart {
  /** Start of its hour, in ms since the epoch. */
  readonly hour: number
  /** The process that wrote it. */
  readonly mark: string
  readonly minutes: readonly RequestMinute[]
}

export const MINUTE_S = 60
/** A minute that cannot be written for this long is dropped, in s. */
export const PATIENCE_S = 3 * 3600
/** A day is closed this long after its end, in ms: an hour after the last moment at which its minutes may be written. */
export const CLOSED_AFTER_MS = (PATIENCE_S + 3600) * 1000
const HOUR_MS = 3_600_000
const ROOT = 'requests/'
const NAME = /(\d{4}-\d\d-\d\dT\d\d)\/([\w-]+?)-\d+\.jsonl$/
const REQUESTS = 16
/** Attempts to read a list of objects, some of which may be deleted before they are read. */
const TRIES = 10

interface Found {
  readonly name: string
  readonly hour: number
  readonly mark: string
  /** A written object is only replaced by a longer one. */
  readonly bytes: number
}

/** Hours of the log, from one (inclusive) to another (exclusive), in ms. */
export interface HourRange {
  readonly from: number
  readonly to: number
}

/** The first instant of the hour of an instant; both in ms. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** Name of the object number `n` of a process, with minutes of an hour (ms). */
export function logObject(mark: string, n: number, hour: number): string {
  return `${ROOT}${hourName(hour)}/${mark}-${n}.jsonl`
}

/** A minute as a line of an object. */
export function encodeMinute({ minute_s, usage, groups }: RequestMinute): string {
  const paths = usage.map(({ key, slot, plan, path, day_units, ...counts }): PlainUsage => {
    const { answered, not_modified, client_error, limited, server_error } = counts
    return [key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units]
  })
  const plain = groups.map(({ group, requests, refused, failed, durations, callers, isProbeFailed }): PlainGroup => {
    return [group, requests, refused, failed, trimmed(durations), callers, isProbeFailed]
  })
  return JSON.stringify([minute_s, paths, plain])
}

/** Decodes a line of an object. */
export function decodeMinute(line: string): RequestMinute {
  const [minute_s, paths, plainGroups] = JSON.parse(line) as [number, PlainUsage[], PlainGroup[]]
  return {
    minute_s,
    usage: paths.map(([key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units]) => {
      return { key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units }
    }),
    groups: plainGroups.map(([group, requests, refused, failed, durations, callers = [], isProbeFailed = false]) => {
      return { group, requests, refused, failed, durations: allClasses(durations), callers, isProbeFailed }
    }),
  }
}

type PlainUsage = readonly [key: string | null, slot: string | null, plan: Plan | null, path: string, ...counts: SixCounts]
type SixCounts = readonly [number, number, number, number, number, number]
/** Rows from before probes existed lack the last two. */
type PlainGroup = readonly [
  ...[group: string, requests: number, refused: number, failed: number, durations: readonly number[]],
  ...[callers?: readonly number[], isProbeFailed?: boolean],
]

/** Names of the objects before an instant (ms). */
export async function logBefore(store: ObjectStore, before: number): Promise<string[]> {
  return (await listed(store, { from: 0, to: before })).map(({ name }) => name)
}

/** First hour (ms) at or after an instant with objects; null if there is none. */
export async function firstHour(store: ObjectStore, from: number): Promise<number | null> {
  for await (const { key } of store.list(ROOT, { startAfter: `${ROOT}${hourName(from)}` })) {
    const [, hour] = NAME.exec(key) ?? []
    if (hour !== undefined) return Date.parse(`${hour}:00Z`)
  }
  return null
}

/**
 * Reads some hours of the log, a few objects at a time. Returns what `take` extracts from each object, by its version; pass it
 * as `known` the next time, so that only new versions are read.
 */
export async function readLog<T>(
  store: ObjectStore,
  { take, known, ...range }: HourRange & { readonly take: (part: LogPart) => T; readonly known?: ReadonlyMap<string, T> },
): Promise<Map<string, T>> {
  const limit = pLimit(REQUESTS)
  const read = new Map(known)
  for (let tries = 0; tries < TRIES; tries++) {
    const objects = await listed(store, range)
    const version = ({ name, bytes }: Found): string => `${name} ${bytes}`
    await Promise.all(
      objects
        .filter((one) => !read.has(version(one)))
        .map((one) =>
          limit(async () => {
            const bytes = await store.get(one.name)
            if (bytes)
              read.set(version(one), take({ hour: one.hour, mark: one.mark, minutes: bytes.toString().split('\n').map(decodeMinute) }))
          }),
        ),
    )
    // One deleted between listing and reading is now in its aggregate.
    if (objects.every((one) => read.has(version(one)))) return new Map(objects.map((one) => [version(one), read.get(version(one)) as T]))
  }
  throw new Error('objects of the request log are deleted faster than they can be read')
}

async function listed(store: ObjectStore, { from, to }: HourRange): Promise<Found[]> {
  const found: Found[] = []
  for await (const { key, bytes } of store.list(ROOT, { startAfter: `${ROOT}${hourName(from)}` })) {
    const [, hour, mark] = NAME.exec(key) ?? []
    if (hour === undefined || mark === undefined) continue
    const start = Date.parse(`${hour}:00Z`)
    if (start >= to) break
    found.push({ name: key, hour: start, mark, bytes })
  }
  return found
}

function hourName(at: number): string {
  return new Date(at).toISOString().slice(0, 13)
}
