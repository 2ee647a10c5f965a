import { apiUsage } from '../datasets/service/api-usage.ts'
import { hourOf } from '../minutes/objects.ts'
import type { Lake, SnapshotPins } from '../open.ts'
import { scan } from '../query/scan.ts'
import { sql } from '../query/sql.ts'
import type { Plan, Row } from '../schema/dataset.ts'
import { dateAfter, dayBounds, madridDate } from '../schema/time.ts'
import { addCounts, newUsageRow, readUsage, type UsageMinute, type UsageRow } from './objects.ts'

/** Usage of one path on one day in Madrid, with one key under one plan. */
export interface UsageDay extends UsageRow {
  readonly date: string
}

/** Days to read, and whose usage. */
export interface UsageDaysOptions {
  /** First day, as a date in Madrid. */
  readonly from: string
  /** First day not to read. */
  readonly to: string
  /** Only the usage of these slots; all by default. */
  readonly slots?: readonly string[]
  /** Only the usage of this key. */
  readonly key?: string
}

/** Property of the usage table: the day up to which it is complete. Later days are only in the objects. */
export const MERGED_UNTIL = 'usage-until'
/** Name of callers without a key in the table. */
const ANONYMOUS = 'ANONYMOUS'
const TIMEOUT_MS = 20_000
const TRIES = 5

/** Reads the usage of some days: one row per day, path, key and plan, in this order. */
export type ReadUsageDays = (asked: UsageDaysOptions) => Promise<UsageDay[]>

/** Creates a reader of usage. It reads each object once and caches its sums. */
export function usageDaysReader(lake: Lake): ReadUsageDays {
  let known: ReadonlyMap<string, readonly UsageDay[]> = new Map()
  /** Usage in the objects from an instant (ms) on. */
  const objectDays = async (from: number): Promise<UsageDay[]> => {
    const range = { from: hourOf(from), to: Number.POSITIVE_INFINITY }
    known = await readUsage(lake.store, { ...range, known, take: ({ minutes }) => sumByDay(minutes) })
    return [...known.values()].flat()
  }
  return async (asked) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const state = await lake.table(apiUsage).load()
      const until = state?.properties[MERGED_UNTIL] ?? null
      const fresh = until !== null && until >= asked.from ? dateAfter(until) : asked.from
      const old = await tableDays(lake, { ...asked, to: fresh < asked.to ? fresh : asked.to }, new Map([[apiUsage.id, state]]))
      // Reads all objects that are not in the table, so that the next call finds them cached.
      const rows = fresh < asked.to ? await objectDays(until === null ? 0 : dayBounds(until).end) : []
      // Objects of a day are deleted some days after the day is in the table, or at once if that was late.
      const now = await lake.table(apiUsage).load()
      if ((now?.properties[MERGED_UNTIL] ?? null) === until)
        return [...old, ...summed(rows.filter((row) => row.date >= fresh && isAsked(row, asked)))].sort(inOrder)
    }
    throw new Error('the table of usage changes faster than it can be read')
  }
}

/** Adds up minutes by day in Madrid, path, key and plan. */
export function sumByDay(minutes: Iterable<UsageMinute>): UsageDay[] {
  const days = new Map<string, UsageDay>()
  for (const { minute_s, rows } of minutes) {
    const date = madridDate(minute_s * 1000)
    for (const row of rows) {
      const name = `${date} ${row.key} ${row.plan} ${row.path}`
      const day = days.get(name) ?? { date, ...newUsageRow(row.path, row) }
      days.set(name, day)
      addCounts(day, row)
    }
  }
  return [...days.values()].sort(inOrder)
}

/** A row of the table. */
export function tableRow({ date, key, plan, ...rest }: UsageDay): Row<typeof apiUsage> {
  return { ...rest, date, period_start: dayBounds(date).start, caller: key ?? ANONYMOUS, plan: plan ?? ANONYMOUS }
}

async function tableDays(lake: Lake, { from, to, slots, key }: UsageDaysOptions, pins: SnapshotPins): Promise<UsageDay[]> {
  if (to <= from) return []
  const period_start = { gte: dayBounds(from).start, lt: dayBounds(to).start }
  const whose = { ...(slots ? { slot: { in: slots } } : {}), ...(key === undefined ? {} : { caller: { eq: key } }) }
  const rows = await lake.query(sql`SELECT * FROM ${scan(apiUsage, { period_start, ...whose })}`, { pins, timeout_ms: TIMEOUT_MS })
  return (rows as Row<typeof apiUsage>[]).map((row) => ({
    ...{ date: row.date, key: row.caller === ANONYMOUS ? null : row.caller, slot: row.slot, path: row.path },
    plan: row.plan === ANONYMOUS ? null : (row.plan as Plan),
    ...{ answered: row.answered, not_modified: row.not_modified, client_error: row.client_error },
    ...{ limited: row.limited, server_error: row.server_error, day_units: row.day_units },
  }))
}

function isAsked(row: UsageDay, { to, slots, key }: UsageDaysOptions): boolean {
  if (row.date >= to || (key !== undefined && row.key !== key)) return false
  return slots === undefined || (row.slot !== null && slots.includes(row.slot))
}

/** Adds up equal keys over several objects. */
export function summed(days: readonly UsageDay[]): UsageDay[] {
  return sumByDay(days.map((day) => ({ minute_s: dayBounds(day.date).start / 1000, rows: [day] })))
}

function inOrder(one: UsageDay, other: UsageDay): number {
  const [a, b] = [one, other].map(({ date, key, plan, path }) => `${date} ${key} ${path} ${plan}`) as [string, string]
  return a < b ? -1 : a > b ? 1 : 0
}
