import {
  firstHour,
  type Minute,
  type MinutePart,
  type MinuteRecord,
  minutesBefore,
  type ReadOptions,
  readMinutes,
} from '../minutes/objects.ts'
import type { Plan } from '../schema/dataset.ts'
import type { ObjectStore } from '../store/store.ts'

/** Outcomes of a data request, in the order of the counts in objects. */
export const OUTCOMES = ['answered', 'not_modified', 'client_error', 'limited', 'server_error'] as const

/** Requests by outcome (2xx, 304, other 4xx, 429, 5xx), and the units charged to the daily quota. */
export interface UsageCounts {
  answered: number
  not_modified: number
  client_error: number
  limited: number
  server_error: number
  /** Net of refunds. */
  day_units: number
}

/** Usage of one path with one key under one plan. */
export interface UsageRow extends UsageCounts {
  /** Public name of the key; null for all callers without one, whose addresses are not stored. */
  readonly key: string | null
  /** The key's quota slot; null without a key. */
  readonly slot: string | null
  /** Plan of the key at the time; null without a key. */
  readonly plan: Plan | null
  /** The path as declared. */
  readonly path: string
}

/** Usage in one minute, by one process or several. */
export type UsageMinute = Minute<UsageRow>

/** An object of usage with its content. */
export type UsagePart = MinutePart<UsageRow>

/** The record of usage. Days in Madrid start at one of its hours, since Madrid's offset from UTC is in whole hours. */
export const USAGE: MinuteRecord<UsageRow> = Object.freeze({
  root: 'usage/',
  encode: ({ key, slot, plan, path, day_units, ...counts }: UsageRow): PlainRow => [
    key,
    slot,
    plan,
    path,
    counts.answered,
    counts.not_modified,
    counts.client_error,
    counts.limited,
    counts.server_error,
    day_units,
  ],
  decode: (plain: unknown): UsageRow => {
    const [key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units] = plain as PlainRow
    return { key, slot, plan, path, answered, not_modified, client_error, limited, server_error, day_units }
  },
})

type PlainRow = readonly [
  key: string | null,
  slot: string | null,
  plan: Plan | null,
  path: string,
  ...counts: [number, number, number, number, number, number],
]

/** An empty row. */
export function newUsageRow(path: string, by: Pick<UsageRow, 'key' | 'slot' | 'plan'>): UsageRow {
  const { key, slot, plan } = by
  return { key, slot, plan, path, answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0 }
}

/** Adds counts to others. */
export function addCounts(to: UsageCounts, more: Readonly<UsageCounts>): void {
  for (const outcome of OUTCOMES) to[outcome] += more[outcome]
  to.day_units += more.day_units
}

/** Every usage object before an instant (ms), including superseded ones. */
export function usageBefore(store: ObjectStore, before: number): Promise<string[]> {
  return minutesBefore(store, USAGE, before)
}

/** First hour (ms) at or after an instant with objects; null if there is none. */
export function firstUsage(store: ObjectStore, from: number): Promise<number | null> {
  return firstHour(store, USAGE, from)
}

/** Reads the usage of some hours; returns the value extracted from each object, by name. */
export function readUsage<T>(store: ObjectStore, options: ReadOptions<UsageRow, T>): Promise<Map<string, T>> {
  return readMinutes(store, USAGE, options)
}
