import { join } from 'node:path'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import { type Lake, type LakeOptions, openLake } from '../../../lake/open.ts'
import { storeFiles, type WriteOptions, writeParquet } from '../../../lake/query/parquet.ts'
import type { Session } from '../../../lake/query/session.ts'
import { fileStore } from '../../../lake/store/file.ts'

/** DuckDB's limits, as in the service's defaults; bytes. */
export const BENCH_ENGINE = { memory: 2 * 1024 ** 3, spill: 8 * 1024 ** 3, threads: 2, slots: 2 } as const

/** Opens a lake like the service's, in a folder of the bench. */
export async function benchLake(folder: string, more: Pick<LakeOptions, 'standBack'> = {}): Promise<Lake> {
  const store = await fileStore(join(folder, 'store'))
  return openLake({ store, spool: join(folder, 'spool'), ...BENCH_ENGINE, ...more })
}

/** Writes the rows of a query as files of the readings and commits them; returns the number of rows. */
export async function commitReadings(lake: Lake, session: Session, rows: Pick<WriteOptions, 'from' | 'partition'>): Promise<number> {
  const { metadata } = await createTable({ store: lake.store, dataset: trafficReadings, properties: {} })
  const written = await writeParquet(session, {
    dataset: trafficReadings,
    tableKey: tableKey(trafficReadings),
    specId: metadata['default-spec-id'],
    sortOrderId: metadata['default-sort-order-id'],
    folder: lake.engine.folder,
    ...rows,
  })
  const add = await storeFiles(lake.store, written)
  await commit({ table: lake.table(trafficReadings), operation: 'append', add })
  return add.reduce((sum, file) => sum + file.rows, 0)
}
