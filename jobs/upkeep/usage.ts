import { apiUsage } from '../../lake/datasets/service/api-usage.ts'
import { commit } from '../../lake/iceberg/commit.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile } from '../../lake/iceberg/types.ts'
import { CLOSED_AFTER_MS, hourOf } from '../../lake/minutes/objects.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { dayBounds, madridDate } from '../../lake/schema/time.ts'
import { MERGED_UNTIL, sumByDay, summed, tableRow, type UsageDay } from '../../lake/usage/days.ts'
import { usageMailsBefore } from '../../lake/usage/mails.ts'
import { firstUsage, readUsage, usageBefore } from '../../lake/usage/objects.ts'
import type { IngestContext } from '../ingest/context.ts'
import { dropUnused, PATIENCE_MS, writeRows } from '../ingest/tables.ts'
import { compactDataset } from './compact.ts'

const DAY_MS = 86_400_000
/** How long objects of a day that is in the table stay after their last use: a day's limits are computed from them. */
const KEPT_MS = 3 * DAY_MS

/**
 * Appends each ended day of usage to its table, in order and once: the same commit records the day as the last one. Then
 * deletes the objects of earlier days. Safe to resume after a crash at any step.
 */
export async function mergeUsage(context: IngestContext, signal: AbortSignal): Promise<void> {
  const { store, lake, log } = context
  for (;;) {
    signal.throwIfAborted()
    const state = await lake.table(apiUsage).load()
    if (!state) return
    const until = state.properties[MERGED_UNTIL] ?? null
    const begin = until === null ? 0 : dayBounds(until).end
    const first = await firstUsage(store, begin)
    const date = first === null ? null : madridDate(first)
    if (date === null || dayBounds(date).end + CLOSED_AFTER_MS > (await store.now())) {
      await forgetObjects(context, begin, signal)
      return
    }
    const days = await usageOf(context, date)
    if (await landDay(context, { state, until, date, days, signal })) log.info({ date, rows: days.length }, 'usage of a day landed')
    await compactDataset(context, apiUsage)
  }
}

/** The usage of a day in Madrid, from its hourly objects: a day starts on a whole hour. */
async function usageOf({ store }: IngestContext, date: string): Promise<UsageDay[]> {
  const { start, end } = dayBounds(date)
  const parts = await readUsage(store, { from: hourOf(start), to: end, take: ({ minutes }) => sumByDay(minutes) })
  return summed([...parts.values()].flat())
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

/** Deletes unneeded objects of days in the table, up to an instant (ms), and the records of sent mails. */
async function forgetObjects({ store, log }: IngestContext, merged: number, signal: AbortSignal): Promise<void> {
  const old = (await store.now()) - KEPT_MS
  const names = [...(await usageBefore(store, hourOf(Math.min(merged, old)))), ...(await usageMailsBefore(store, madridDate(old)))]
  for (const name of names) {
    signal.throwIfAborted()
    await store.delete(name)
  }
  if (names.length > 0) log.info({ objects: names.length }, 'objects of usage removed')
}
