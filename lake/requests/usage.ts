import { apiUsage } from '../datasets/service/api-usage.ts'
import type { Lake, SnapshotPins } from '../open.ts'
import { scan } from '../query/scan.ts'
import { sql } from '../query/sql.ts'
import type { Plan, Row } from '../schema/dataset.ts'
import { dateAfter, dayBounds, madridDate } from '../schema/time.ts'
import { hourOf, type LogPart, OUTCOMES, type RequestMinute, readLog, type UsageCounts, type UsageRow } from './log.ts'

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
    known = await readLog(lake.store, { from: hourOf(from), to: Number.POSITIVE_INFINITY, known, take: takeUsageDays })
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
        return summed([...old, ...rows.filter((row) => row.date >= fresh && isAsked(row, asked))])
    }
    throw new Error('the table of usage changes faster than it can be read')
  }
}

/** The usage in an object. Days in Madrid start on a whole hour, as its offset from UTC is in whole hours. */
export function takeUsageDays({ hour, minutes }: LogPart): UsageDay[] {
  const date = madridDate(hour)
  return summed(minutes.flatMap(({ usage }) => usage.map((row) => ({ date, ...row }))))
}

/** Adds up rows of the same day, if they have one, key, plan and path, and sorts them. */
export function summed<T extends UsageRow & { readonly date?: string }>(rows: Iterable<T>): T[] {
  const days = new Map<string, T>()
  for (const row of rows) {
    const name = `${row.date} ${row.key} ${row.path} ${row.plan}`
    const day = days.get(name)
    if (day) addCounts(day, row)
    else days.set(name, { ...row })
  }
  return [...days].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, day]) => day)
}

/** Adds counts to others. */
export function addCounts(to: UsageCounts, more: Readonly<UsageCounts>): void {
  for (const outcome of OUTCOMES) to[outcome] += more[outcome]
  to.day_units += more.day_units
}

/** Counts of no request. */
export function newUsageCounts(): UsageCounts {
  return { answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0 }
}

/** All requests, whatever their outcome. */
export function requestsIn(counts: Readonly<UsageCounts>): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)
}

/** The log of the process that reads it. */
export interface OwnLog {
  readonly mark: string
  /** Minutes that are not in the store yet. */
  readonly pending: () => readonly RequestMinute[]
}

/** Reads the daily units charged to each slot since an instant (ms), by all processes; also those that `own` has yet to write. */
export type ReadUnits = (since: number) => Promise<ReadonlyMap<string, number>>

/** Creates a reader of charged units. It reads each object once. */
export function unitsReader(lake: Pick<Lake, 'store'>, own: OwnLog): ReadUnits {
  let known: ReadonlyMap<string, readonly UnitsMinute[]> = new Map()
  return async (since) => {
    // Before the store is read: usage written meanwhile is then in both.
    const pending = own.pending()
    const take = ({ mark, minutes }: LogPart): UnitsMinute[] => minutes.map((minute) => ({ mark, ...unitsOf(minute) }))
    known = await readLog(lake.store, { from: hourOf(since), to: Number.POSITIVE_INFINITY, known, take })
    const written = [...known.values()].flat()
    const mine = new Set(written.flatMap(({ mark, minute_s }) => (mark === own.mark ? [minute_s] : [])))
    const unwritten = pending.filter(({ minute_s }) => !mine.has(minute_s)).map(unitsOf)
    const sums = new Map<string, number>()
    for (const { minute_s, units } of [...written, ...unwritten])
      if (minute_s * 1000 >= since) for (const [slot, count] of units) sums.set(slot, (sums.get(slot) ?? 0) + count)
    return sums
  }
}

interface UnitsMinute {
  readonly mark: string
  readonly minute_s: number
  readonly units: readonly (readonly [slot: string, count: number])[]
}

function unitsOf({ minute_s, usage }: RequestMinute): Omit<UnitsMinute, 'mark'> {
  return { minute_s, units: usage.flatMap(({ slot, day_units }) => (slot !== null && day_units > 0 ? [[slot, day_units] as const] : [])) }
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
