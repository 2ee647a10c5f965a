import { commit } from '../../lake/iceberg/commit.ts'
import { declaredSpecId } from '../../lake/iceberg/migrate.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import { scanFiles } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import { storedFields } from '../../lake/query/stored-fields.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { IngestContext } from '../ingest/context.ts'
import { dropUnused, PATIENCE_MS, tableOf, writeRows } from '../ingest/tables.ts'

/**
 * Merges some files of one partition into one or a few sorted files; rows stay the same, with the columns of other writers.
 * Null if a file is no longer in the table, or a column has a type that cannot be written.
 */
export async function rewriteFiles(
  context: IngestContext,
  dataset: Dataset,
  files: readonly LiveFile[],
): Promise<readonly DataFile[] | null> {
  const state = await tableOf(context, dataset)
  const { fields, lost } = storedFields(dataset, state)
  if (lost.length > 0) return null
  const [{ specId, partition }] = files as [LiveFile]
  // Rows of an earlier spec are in several partitions of the present one, or in one with another value.
  const isDeclared = specId === declaredSpecId(state.metadata, dataset)
  const add = await context.lake.use({ timeout_ms: PATIENCE_MS }, (session) =>
    writeRows(context, session, {
      dataset,
      state,
      from: sql`${scanFiles(dataset, files, fields)}`,
      fields,
      ...(isDeclared ? { partition } : {}),
      // Overlapping versions are sorted together.
      ...(dataset.writeMode === 'replace' ? { mostSorted: Number.POSITIVE_INFINITY } : {}),
      sourceBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    }),
  )
  await context.onStep?.('parquet-written')
  const onStep = context.onStep && { onStep: context.onStep }
  const done = await commit({ table: context.lake.table(dataset), operation: 'replace', add, remove: files, ...onStep })
  return (await dropUnused(context, add, done)) ? add : null
}
