import { createLimit } from '../limit.ts'
import type { Plan } from '../schema/dataset.ts'
import type { ObjectStore } from '../store/store.ts'

/** How a request of data ended, in the order in which objects have the counts. */
export const OUTCOMES = ['answered', 'not_modified', 'client_error', 'limited', 'server_error'] as const

/** Requests by how they ended (2xx, 304, other 4xx, 429, 5xx), and the units of the day that they were charged. */
export interface UsageCounts {
  answered: number
  not_modified: number
  client_error: number
  limited: number
  server_error: number
  /** After what was given back. */
  day_units: number
}

/** What was used of one path with one key under one plan. */
export interface UsageRow extends UsageCounts {
  /** Public name of the key; null for all callers without one, whose addresses are nowhere. */
  readonly key: string | null
  /** What the key's requests are counted by; null without a key. */
  readonly slot: string | null
  /** Plan of the key at the time; null without a key. */
  readonly plan: Plan | null
  /** The path as it is declared. */
  readonly path: string
}

/** What was used in one minute, by one process or several. */
export interface UsageMinute {
  /** When the minute begins, in s since the epoch. */
  readonly minute_s: number
  readonly rows: readonly UsageRow[]
}

/** An object of usage: of a process, for one of its minutes or for all those of an hour. */
export interface UsageObject {
  readonly name: string
  /** When its hour begins, ms since the epoch. */
  readonly hour: number
  /** The process that wrote it. */
  readonly mark: string
}

/** An object and what it holds. */
export interface UsagePart extends UsageObject {
  readonly minutes: readonly UsageMinute[]
}

export const MINUTE_S = 60
const HOUR_MS = 3_600_000
const MINUTES = 'usage/minutes/'
const HOURS = 'usage/hours/'
const REQUESTS = 16
/** Looks at a list of objects of which some are gone before they are read. */
const TRIES = 10
const NAME = /^usage\/(?:minutes|hours)\/(\d{4}-\d\d-\d\dT\d\d)\/([\w-]+?)(?:-m\d\d)?\.json$/

/** A row that nothing was counted in yet. */
export function newUsageRow(path: string, by: Pick<UsageRow, 'key' | 'slot' | 'plan'>): UsageRow {
  const { key, slot, plan } = by
  return { key, slot, plan, path, answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0 }
}

/** Adds counts to others. */
export function addCounts(to: UsageCounts, more: Readonly<UsageCounts>): void {
  for (const outcome of OUTCOMES) to[outcome] += more[outcome]
  to.day_units += more.day_units
}

/** The first instant of the hour of an instant; both in ms. Madrid's days begin at one, for its clock differs from UTC by whole hours. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** Name of the object of one minute (s) of a process. */
export function minuteObject(mark: string, minute_s: number): string {
  const minute = String((minute_s / MINUTE_S) % 60).padStart(2, '0')
  return `${MINUTES}${hourName(minute_s * 1000)}/${mark}-m${minute}.json`
}

/** Name of the object of an hour (ms) of a process. */
export function hourObject(mark: string, hour: number): string {
  return `${HOURS}${hourName(hour)}/${mark}.json`
}

/** The bytes of an object. */
export function encodeUsage(minutes: readonly UsageMinute[]): Buffer {
  const plain = minutes.map(({ minute_s, rows }) => [
    minute_s,
    rows.map(({ key, slot, plan, path, day_units, ...counts }) => [
      key,
      slot,
      plan,
      path,
      ...OUTCOMES.map((outcome) => counts[outcome]),
      day_units,
    ]),
  ])
  return Buffer.from(JSON.stringify({ version: 1, minutes: plain }))
}

/** What the bytes of an object say. */
export function decodeUsage(bytes: Buffer): UsageMinute[] {
  const { minutes } = JSON.parse(bytes.toString()) as { readonly minutes: readonly [number, readonly PlainRow[]][] }
  return minutes.map(([minute_s, rows]) => ({
    minute_s,
    rows: rows.map(([key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units]) => ({
      ...{ key, slot, plan, path },
      ...{ answered, not_modified, client_error, limited, server_error, day_units },
    })),
  }))
}

type PlainRow = readonly [
  key: string | null,
  slot: string | null,
  plan: Plan | null,
  path: string,
  ...counts: [number, number, number, number, number, number],
]

/**
 * The objects that together are the usage of some hours, from one (included) to another (not), in ms: what a process wrote for its minutes
 * counts until there is what it wrote for the hour.
 */
export async function listUsage(store: ObjectStore, range: { readonly from: number; readonly to: number }): Promise<UsageObject[]> {
  // In this order: a process writes its hour before it removes the minutes.
  const minutes = await listed(store, MINUTES, range)
  const hours = await listed(store, HOURS, range)
  const whole = new Set(hours.map(({ hour, mark }) => `${hour} ${mark}`))
  return [...hours, ...minutes.filter(({ hour, mark }) => !whole.has(`${hour} ${mark}`))]
}

/** Every object of usage before an instant (ms), those that no longer count included. */
export async function usageBefore(store: ObjectStore, before: number): Promise<string[]> {
  const range = { from: 0, to: before }
  return [...(await listed(store, MINUTES, range)), ...(await listed(store, HOURS, range))].map(({ name }) => name)
}

/** First hour (ms) at or after an instant that there are objects of; null where there are none. */
export async function firstUsage(store: ObjectStore, from: number): Promise<number | null> {
  const hours: number[] = []
  for (const prefix of [MINUTES, HOURS])
    for await (const { key } of store.list(prefix, { startAfter: `${prefix}${hourName(from)}` })) {
      const found = parsed(key)
      if (!found) continue
      hours.push(found.hour)
      break
    }
  return hours.length > 0 ? Math.min(...hours) : null
}

/** How objects are read. */
export interface ReadOptions<T> {
  /** First hour that is read, in ms. */
  readonly from: number
  /** First that is not. */
  readonly to: number
  /** What is taken of an object. */
  readonly take: (part: UsagePart) => T
  /** What was taken of objects before, by name: an object never changes. */
  readonly known?: ReadonlyMap<string, T>
}

/** Reads the usage of some hours, a few objects at a time; what was taken of each, by name. */
export async function readUsage<T>(store: ObjectStore, { take, known, ...range }: ReadOptions<T>): Promise<Map<string, T>> {
  const limit = createLimit(REQUESTS)
  const read = new Map(known)
  for (let tries = 0; tries < TRIES; tries++) {
    const objects = await listUsage(store, range)
    const fresh = objects.filter(({ name }) => !read.has(name))
    await Promise.all(
      fresh.map((object) =>
        limit(async () => {
          const bytes = await store.get(object.name)
          if (bytes) read.set(object.name, take({ ...object, minutes: decodeUsage(bytes) }))
        }),
      ),
    )
    // One that went between the list and the look stands in the object of its hour.
    if (objects.every(({ name }) => read.has(name))) return new Map(objects.map(({ name }) => [name, read.get(name) as T]))
  }
  throw new Error('objects of usage go faster than they can be read')
}

async function listed(
  store: ObjectStore,
  prefix: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<UsageObject[]> {
  const found: UsageObject[] = []
  for await (const { key } of store.list(prefix, { startAfter: `${prefix}${hourName(from)}` })) {
    const object = parsed(key)
    if (object && object.hour >= to) break
    if (object) found.push(object)
  }
  return found
}

function parsed(name: string): UsageObject | null {
  const [, hour, mark] = NAME.exec(name) ?? []
  return hour === undefined || mark === undefined ? null : { name, hour: Date.parse(`${hour}:00Z`), mark }
}

function hourName(at: number): string {
  return new Date(at).toISOString().slice(0, 13)
}
