import { createLimit } from '../limit.ts'
import type { ObjectStore } from '../store/store.ts'

/** Counts of one minute, by one process or several. */
export interface Minute<R> {
  /** Start of the minute, in s since the epoch. */
  readonly minute_s: number
  readonly rows: readonly R[]
}

/**
 * A record that processes write by the minute: `<root>minutes/<hour>/<process>-m<minute>.json` and
 * `<root>hours/<hour>/<process>.json`.
 */
export interface MinuteRecord<R> {
  /** Folder of its objects, with a slash at the end. */
  readonly root: string
  /** Encodes a row for JSON. */
  readonly encode: (row: R) => unknown
  readonly decode: (plain: unknown) => R
}

/** An object of a record: one process's data of a minute or of an hour. */
export interface MinuteObject {
  readonly name: string
  /** Start of its hour, ms since the epoch. */
  readonly hour: number
  /** The process that wrote it. */
  readonly mark: string
}

/** An object with its content. */
export interface MinutePart<R> extends MinuteObject {
  readonly minutes: readonly Minute<R>[]
}

export const MINUTE_S = 60
/** A minute that cannot be written for this long is dropped, in s. */
export const PATIENCE_S = 3 * 3600
/** A day is closed this long after its end, in ms: an hour after the last moment at which its minutes may be written. */
export const CLOSED_AFTER_MS = (PATIENCE_S + 3600) * 1000
const HOUR_MS = 3_600_000
const REQUESTS = 16
/** Attempts to read a list of objects, some of which may be deleted before they are read. */
const TRIES = 10
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)\/([\w-]+?)(?:-m\d\d)?\.json$/

/** The first instant of the hour of an instant; both in ms. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** Name of the object of one minute (s) of a process. */
export function minuteObject({ root }: Pick<MinuteRecord<never>, 'root'>, mark: string, minute_s: number): string {
  const minute = String((minute_s / MINUTE_S) % 60).padStart(2, '0')
  return `${minutesOf(root)}${hourName(minute_s * 1000)}/${mark}-m${minute}.json`
}

/** Name of the object of an hour (ms) of a process. */
export function hourObject({ root }: Pick<MinuteRecord<never>, 'root'>, mark: string, hour: number): string {
  return `${hoursOf(root)}${hourName(hour)}/${mark}.json`
}

/** The bytes of an object. */
export function encodeMinutes<R>({ encode }: MinuteRecord<R>, minutes: readonly Minute<R>[]): Buffer {
  return Buffer.from(JSON.stringify({ version: 1, minutes: minutes.map(({ minute_s, rows }) => [minute_s, rows.map(encode)]) }))
}

/** Decodes the bytes of an object. */
export function decodeMinutes<R>({ decode }: MinuteRecord<R>, bytes: Buffer): Minute<R>[] {
  const { minutes } = JSON.parse(bytes.toString()) as { readonly minutes: readonly [number, readonly unknown[]][] }
  return minutes.map(([minute_s, rows]) => ({ minute_s, rows: rows.map(decode) }))
}

/**
 * The objects that form the record of some hours, from one (inclusive) to another (exclusive), in ms. A process's minutes count
 * until its object of the hour exists.
 */
async function listMinutes(
  store: ObjectStore,
  root: string,
  range: { readonly from: number; readonly to: number },
): Promise<MinuteObject[]> {
  // In this order, since a process writes its hour before it deletes the minutes.
  const minutes = await listed(store, minutesOf(root), range)
  const hours = await listed(store, hoursOf(root), range)
  const whole = new Set(hours.map(({ hour, mark }) => `${hour} ${mark}`))
  return [...hours, ...minutes.filter(({ hour, mark }) => !whole.has(`${hour} ${mark}`))]
}

/** Every object of a record before an instant (ms), including superseded ones. */
export async function minutesBefore(store: ObjectStore, { root }: Pick<MinuteRecord<never>, 'root'>, before: number): Promise<string[]> {
  const range = { from: 0, to: before }
  return [...(await listed(store, minutesOf(root), range)), ...(await listed(store, hoursOf(root), range))].map(({ name }) => name)
}

/** First hour (ms) at or after an instant with objects; null if there is none. */
export async function firstHour(store: ObjectStore, { root }: Pick<MinuteRecord<never>, 'root'>, from: number): Promise<number | null> {
  const hours: number[] = []
  for (const prefix of [minutesOf(root), hoursOf(root)])
    for await (const { key } of store.list(prefix, { startAfter: `${prefix}${hourName(from)}` })) {
      const found = parsed(key, prefix)
      if (!found) continue
      hours.push(found.hour)
      break
    }
  return hours.length > 0 ? Math.min(...hours) : null
}

/** Options for reading objects. */
export interface ReadOptions<R, T> {
  /** First hour to read, in ms. */
  readonly from: number
  /** First hour not to read. */
  readonly to: number
  /** Extracts the needed value from an object. */
  readonly take: (part: MinutePart<R>) => T
  /** Values extracted before, by object name: an object never changes. */
  readonly known?: ReadonlyMap<string, T>
}

/** Reads the record of some hours, a few objects at a time; returns the value extracted from each, by name. */
export async function readMinutes<R, T>(
  store: ObjectStore,
  record: MinuteRecord<R>,
  { take, known, ...range }: ReadOptions<R, T>,
): Promise<Map<string, T>> {
  const limit = createLimit(REQUESTS)
  const read = new Map(known)
  for (let tries = 0; tries < TRIES; tries++) {
    const objects = await listMinutes(store, record.root, range)
    const fresh = objects.filter(({ name }) => !read.has(name))
    await Promise.all(
      fresh.map((object) =>
        limit(async () => {
          const bytes = await store.get(object.name)
          if (bytes) read.set(object.name, take({ ...object, minutes: decodeMinutes(record, bytes) }))
        }),
      ),
    )
    // One deleted between listing and reading is now in the object of its hour, or in its aggregate.
    if (objects.every(({ name }) => read.has(name))) return new Map(objects.map(({ name }) => [name, read.get(name) as T]))
  }
  throw new Error(`objects of ${record.root} go faster than they can be read`)
}

async function listed(
  store: ObjectStore,
  prefix: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<MinuteObject[]> {
  const found: MinuteObject[] = []
  for await (const { key } of store.list(prefix, { startAfter: `${prefix}${hourName(from)}` })) {
    const object = parsed(key, prefix)
    if (object && object.hour >= to) break
    if (object) found.push(object)
  }
  return found
}

function parsed(name: string, prefix: string): MinuteObject | null {
  const [, hour, mark] = NAME.exec(name.slice(prefix.length)) ?? []
  return hour === undefined || mark === undefined ? null : { name, hour: Date.parse(`${hour}:00Z`), mark }
}

function minutesOf(root: string): string {
  return `${root}minutes/`
}

function hoursOf(root: string): string {
  return `${root}hours/`
}

function hourName(at: number): string {
  return new Date(at).toISOString().slice(0, 13)
}
