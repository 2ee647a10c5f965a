import { TableRefused } from '../../../lake/iceberg/errors.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { LiveFile } from '../../../lake/iceberg/types.ts'
import type { Lake } from '../../../lake/open.ts'
import { rowSpanOf } from '../../../lake/query/row-span.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { TableAbout } from '../../kernel/endpoint.ts'

/** A table at its last poll. */
export interface SeenTable {
  readonly version: number
  readonly about: TableAbout
}

/** Tables by dataset id, without those that do not exist yet. */
export type SeenTables = ReadonlyMap<string, SeenTable>

/** Polls the tables of datasets by their metadata, without opening data files. Returns the same object if none has changed. */
export async function seeTables(lake: Lake, datasets: readonly Dataset[], before: SeenTables | null): Promise<SeenTables> {
  const found = await Promise.all(
    datasets.map(async (dataset) => [dataset.id, await seeTable(lake, dataset, before?.get(dataset.id))] as const),
  )
  const there = found.flatMap(([id, table]) => (table ? [[id, table] as const] : []))
  const isSame = before !== null && there.length === before.size && there.every(([id, table]) => before.get(id) === table)
  return isSame ? before : new Map(there)
}

/** Returns a text that changes with the tables of some datasets, or of all if null. */
export function tablesVersion(tables: SeenTables, of: readonly string[] | null): string {
  return (of ?? [...tables.keys()]).map((id) => `${id}.${tables.get(id)?.version ?? ''}`).join(' ')
}

/** Returns when one of them last changed, ms since the epoch; 0 if there is none. */
export function tablesChangedAt(tables: SeenTables, of: readonly string[] | null): number {
  return Math.max(0, ...(of ?? [...tables.keys()]).map((id) => tables.get(id)?.about.updated_at ?? 0))
}

/** Returns a table as it is now, or as it was last seen if it cannot be used: the others do not depend on it. */
async function seeTable(lake: Lake, dataset: Dataset, before: SeenTable | undefined): Promise<SeenTable | null> {
  return tableNow(lake, dataset, before).catch((error: unknown) => {
    if (error instanceof TableRefused) return before ?? null
    throw error
  })
}

/** Returns a table as it is now: the previous object if its metadata version is the same. Null if it does not exist yet. */
async function tableNow(lake: Lake, dataset: Dataset, before: SeenTable | undefined): Promise<SeenTable | null> {
  const found = await lake.snapshot(dataset)
  if (!found) return null
  if (before?.version === found.version) return before
  const { metadata } = found.state
  const span = await rowSpanOf(found.state, dataset)
  // Counted, because summaries of other writers may omit totals.
  const files = await liveFiles(found.state)
  const total = (of: 'rows' | 'bytes'): number => files.reduce((sum, file) => sum + file[of], 0)
  const about = {
    rows: total('rows'),
    bytes: total('bytes'),
    files: files.length,
    partitions: new Set(files.map(partitionKey)).size,
    snapshots: metadata.snapshots.length,
    updated_at: metadata['last-updated-ms'],
    covered_from: span?.first ?? null,
    latest_row_at: span?.last ?? null,
    covered_until: found.covered_until,
    schemas: metadata.schemas,
    schema_version: metadata['current-schema-id'],
    state: found.state,
  }
  return { version: found.version, about }
}

function partitionKey({ specId, partition }: LiveFile): string {
  return `${specId} ${partition.map(String).join('/')}`
}
