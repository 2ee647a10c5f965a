import { DuckDBInstance } from '@duckdb/node-api'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { Lake } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'

/** Rows of golden queries: values as in DuckDB's JSON, numbers of any type as numbers. */
export type GoldenRow = Readonly<Record<string, unknown>>

/** One engine for all queries of a worker: starting it takes longer than most of them. */
let instance: Promise<DuckDBInstance> | null = null

/**
 * Computes the expected answers of endpoints in plain DuckDB: SQL over the Parquet files of some datasets, each a table named by
 * its id, without the service's reading code. The session's zone is UTC.
 */
export async function golden(lake: Lake, datasets: readonly Dataset[], query: string): Promise<GoldenRow[]> {
  instance ??= DuckDBInstance.create()
  const connection = await (await instance).connect()
  try {
    await connection.run(`SET TimeZone = 'UTC'`)
    for (const dataset of datasets) {
      const state = await lake.table(dataset).load()
      const files = state ? (await liveFiles(state)).map(({ key }) => `'${lake.store.location(key)}'`) : []
      await connection.run(`CREATE TEMP VIEW ${dataset.id} AS SELECT * FROM read_parquet([${files.join()}])`)
    }
    const reader = await connection.runAndReadAll(`SELECT to_json(one) AS row FROM (${query}) AS one`)
    return reader.getRows().map(([row]) => JSON.parse(String(row)) as GoldenRow)
  } finally {
    connection.closeSync()
  }
}
