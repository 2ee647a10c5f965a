import { apiUsage } from '../../lake/datasets/service/api-usage.ts'
import { commit } from '../../lake/iceberg/commit.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile } from '../../lake/iceberg/types.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { CLOSED_AFTER_MS, firstHour, hourOf, logBefore, readLog } from '../../lake/requests/log.ts'
import { usageMailsBefore } from '../../lake/requests/mails.ts'
import { DAYS_KEPT } from '../../lake/requests/months.ts'
import { dateOf, dayObject, daysOf, encodeDay, listDays, takeUptime } from '../../lake/requests/uptime.ts'
import { MERGED_UNTIL, summed, tableRow, takeUsageDays, type UsageDay } from '../../lake/requests/usage.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { dayBounds, madridDate } from '../../lake/schema/time.ts'
import type { IngestContext } from '../ingest/context.ts'
import { dropUnused, PATIENCE_MS, writeRows } from '../ingest/tables.ts'
import { compactDataset } from './compact.ts'

const DAY_MS = 86_400_000
/** How long objects stay, even after their day is in the table and in its object: the last 24 hours are read from them. */
const KEPT_MS = 2 * DAY_MS

/**
 * Appends each ended day of usage (Madrid) to its table and gathers the availability of each ended day (UTC) in one object, both
 * in order and once. Then deletes the objects of the log that neither needs. Safe to resume after a crash at any step.
 */
export async function aggregateRequests(context: IngestContext, signal: AbortSignal): Promise<void> {
  const { store } = context
  const [landed, gathered] = [await landUsage(context, signal), await gatherUptime(context, signal)]
  const old = (await store.now()) - KEPT_MS
  await forget(context, await logBefore(store, hourOf(Math.min(landed, gathered, old))), signal)
  await forget(context, await usageMailsBefore(store, madridDate(old)), signal)
}

/** Lands all closed days. Returns the end (ms) of the last one. */
async function landUsage(context: IngestContext, signal: AbortSignal): Promise<number> {
  const { store, lake, log } = context
  for (;;) {
    signal.throwIfAborted()
    const state = await lake.table(apiUsage).load()
    if (!state) return 0
    const until = state.properties[MERGED_UNTIL] ?? null
    const begin = until === null ? 0 : dayBounds(until).end
    const first = await firstHour(store, begin)
    const date = first === null ? null : madridDate(first)
    if (date === null || dayBounds(date).end + CLOSED_AFTER_MS > (await store.now())) return begin
    // A day starts on a whole hour.
    const { start: from, end: to } = dayBounds(date)
    const days = summed([...(await readLog(store, { from, to, take: takeUsageDays })).values()].flat())
    if (await landDay(context, { state, until, date, days, signal })) log.info({ date, rows: days.length }, 'usage of a day landed')
    await compactDataset(context, apiUsage)
  }
}

/**
 * Gathers all closed days, and deletes those that are no longer shown. Returns the end (ms) of the last one: its object is
 * written once and takes precedence over the log.
 */
export async function gatherUptime({ store, log }: Pick<IngestContext, 'store' | 'log'>, signal: AbortSignal): Promise<number> {
  const now = await store.now()
  const dates: string[] = []
  for await (const date of listDays(store, { from: '', to: dateOf(now) })) dates.push(date)
  const newest = dates.at(-1)
  let end = newest === undefined ? 0 : Date.parse(newest) + DAY_MS
  for (;;) {
    signal.throwIfAborted()
    const first = await firstHour(store, end)
    const begin = first === null ? now : Math.floor(first / DAY_MS) * DAY_MS
    if (begin + DAY_MS + CLOSED_AFTER_MS > now) break
    end = begin + DAY_MS
    const parts = await readLog(store, { from: begin, to: end, take: takeUptime })
    const date = dateOf(begin)
    const day = daysOf(parts.values()).get(date)
    if (day && (await store.putIfAbsent(dayObject(date), encodeDay(day))))
      log.info({ date, objects: parts.size }, 'uptime of a day gathered')
  }
  const oldest = dateOf(now - DAYS_KEPT * DAY_MS)
  for (const date of dates) if (date < oldest) await store.delete(dayObject(date))
  return end
}

async function forget({ store, log }: IngestContext, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) {
    signal.throwIfAborted()
    await store.delete(name)
  }
  if (names.length > 0) log.info({ objects: names.length }, 'objects of the request log removed')
}

/** Lands a day and records it in the same commit; false if another process did so meanwhile. */
async function landDay(
  context: IngestContext,
  day: {
    readonly state: TableState
    readonly until: string | null
    readonly date: string
    readonly days: readonly UsageDay[]
    readonly signal: AbortSignal
  },
): Promise<boolean> {
  const { state, until, date, days, signal } = day
  const rows = days.map((one) => ({ ...tableRow(one), fetch_id: `usage.${date}` }))
  const write = (): Promise<DataFile[]> =>
    context.lake.use({ timeout_ms: PATIENCE_MS, signal }, async (session) => {
      const staged = await stageRows(session, tableColumns(apiUsage), [rows])
      try {
        return await writeRows(context, session, { dataset: apiUsage, state, from: staged.table })
      } finally {
        await staged.drop()
      }
    })
  const add = rows.length === 0 ? [] : await write()
  await context.onStep?.('parquet-written')
  const done = await commit({
    table: state.table,
    operation: 'append',
    add,
    properties: () => ({ [MERGED_UNTIL]: date }),
    unless: (current) => ((current.properties[MERGED_UNTIL] ?? null) === until ? null : `${date} landed meanwhile`),
    signal,
    ...(context.onStep ? { onStep: context.onStep } : {}),
  })
  return dropUnused(context, add, done)
}
