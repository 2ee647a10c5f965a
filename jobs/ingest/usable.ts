import { createTable } from '../../lake/iceberg/create.ts'
import { TableRefused } from '../../lake/iceberg/errors.ts'
import { migrateTable } from '../../lake/iceberg/migrate.ts'
import { foreignSnapshots, writerOf } from '../../lake/iceberg/other-writers.ts'
import { isRefused, loadOrRefuse } from '../../lake/iceberg/refusal.ts'
import { KEEP_SNAPSHOTS_MS } from '../../lake/iceberg/retention.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import { CHANGED_ROWS } from '../../lake/landed.ts'
import { writeTableNotice } from '../../lake/live/table-notices.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { IngestContext } from './context.ts'

/** What is known of a process's tables by dataset id: why one cannot be used, who else changed it, with how many snapshots. */
const changedIn = new WeakMap<IngestContext, Map<string, { readonly writer: string; readonly snapshots: number }>>()

/** The tables with snapshots of other writers, as this process last found. */
export function changedTables(context: IngestContext): ReadonlyMap<string, { readonly writer: string; readonly snapshots: number }> {
  const known = changedIn.get(context) ?? new Map()
  changedIn.set(context, known)
  return known
}

const refusedIn = new WeakMap<IngestContext, Map<string, string>>()

/** The tables that cannot be used, as this process last found: the reason by dataset id. */
export function refusedTables(context: IngestContext): ReadonlyMap<string, string> {
  const known = refusedIn.get(context) ?? new Map<string, string>()
  refusedIn.set(context, known)
  return known
}

/**
 * Creates a missing table and updates another to its declaration. A table that cannot be used is left as it is: the reason is
 * logged once, and shown in the service's status until it can be used again.
 */
export async function prepareTable(context: IngestContext, dataset: Dataset): Promise<void> {
  let refused: string | null = null
  try {
    const { properties } = await createTable({ store: context.store, dataset, properties: { 'source-mode': context.mode } })
    if (properties['source-mode'] !== context.mode)
      throw new TableRefused(dataset.id, `it has ${properties['source-mode']} data and cannot take ${context.mode} data`)
    const table = context.lake.table(dataset)
    const { changes } = await migrateTable(table, dataset)
    if (changes.length > 0) context.log.info({ dataset: dataset.id, changes }, 'table migrated')
    const found = await loadOrRefuse(table, dataset)
    if (isRefused(found)) refused = found.refused
    else noteWriters(context, dataset, found)
  } catch (error) {
    if (!(error instanceof TableRefused)) throw error
    refused = error.reason
  }
  await note(context, dataset, refused)
}

/** Why some of these tables cannot be used now, by dataset id. A refused one is prepared again, so that it recovers by itself. */
export async function refusedAmong(context: IngestContext, datasets: readonly Dataset[]): Promise<ReadonlyMap<string, string>> {
  const known = refusedTables(context)
  for (const dataset of datasets) {
    if (known.has(dataset.id)) await prepareTable(context, dataset)
    else {
      const found = await loadOrRefuse(context.lake.table(dataset), dataset)
      if (!isRefused(found)) noteWriters(context, dataset, found)
      await note(context, dataset, isRefused(found) ? found.refused : null)
    }
  }
  return new Map([...known].filter(([id]) => datasets.some((dataset) => dataset.id === id)))
}

/** Why a feed must wait for its tables; null if it need not. */
export async function waitsForTables(context: IngestContext, feed: { readonly into: readonly Dataset[] }): Promise<string | null> {
  const reasons = [...(await refusedAmong(context, feed.into))].map(([id, reason]) => `table ${id} cannot be used: ${reason}`)
  return reasons.length === 0 ? null : reasons.join('; ')
}

/** Says once that another writer changed a table; the status says so as long as its snapshot is kept. */
function noteWriters(context: IngestContext, { id }: Dataset, state: TableState | null): void {
  const foreign = state ? foreignSnapshots(state) : []
  const last = foreign.at(-1)
  const known = changedTables(context) as Map<string, { writer: string; snapshots: number }>
  const before = known.get(id)?.writer ?? null
  const writer = [last ? [writerOf(last)] : [], state ? changedRows(context, state) : []].flat().join('; ') || null
  if (writer === null) known.delete(id)
  else known.set(id, { writer, snapshots: foreign.length })
  if (writer !== null && writer !== before) context.log.warn({ dataset: id, writer }, 'table changed by another writer')
}

/** What became of rows that another writer changed, as long as its snapshot would be kept. */
function changedRows(context: IngestContext, { properties }: TableState): string[] {
  const [found_at = '', ...words] = (properties[CHANGED_ROWS] ?? '').split(' ')
  return words.length > 0 && context.now() - Date.parse(found_at) < KEEP_SNAPSHOTS_MS ? [words.join(' ')] : []
}

/** Tables whose notice this process has removed from Redis: one of an earlier process, or its own. */
const clearedIn = new WeakMap<IngestContext, Set<string>>()

async function announce(context: IngestContext, id: string): Promise<void> {
  const notice = { refused: refusedTables(context).get(id) ?? null, writer: changedTables(context).get(id)?.writer ?? null }
  const cleared = clearedIn.get(context) ?? new Set()
  clearedIn.set(context, cleared)
  const isClear = notice.refused === null && notice.writer === null
  if (isClear && cleared.has(id)) return
  cleared.delete(id)
  // Others again even if nothing changed: an emptied Redis has lost them.
  try {
    await writeTableNotice(context.redis, id, notice)
    if (isClear) cleared.add(id)
  } catch (error) {
    context.log.warn({ dataset: id, reason: (error as Error).message }, 'state of a table not announced')
  }
}

async function note(context: IngestContext, { id }: Dataset, refused: string | null): Promise<void> {
  const known = refusedTables(context) as Map<string, string>
  const before = known.get(id) ?? null
  if (refused === null) known.delete(id)
  else known.set(id, refused)
  if (refused !== null && refused !== before) context.log.error({ dataset: id, reason: refused }, 'table cannot be used; its feeds wait')
  if (refused === null && before !== null) context.log.info({ dataset: id }, 'table can be used again')
  await announce(context, id)
}
