import { DuckDBInstance } from '@duckdb/node-api'
import type { Lake } from '../../../lake/open.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { readFiles, Scan } from '../../../lake/query/scan.ts'
import { type Rendered, render, type Sql } from '../../../lake/query/sql.ts'
import { BENCH_ENGINE } from './lake.ts'

/** DuckDB by itself, configured like the service's engine. */
export interface Alone {
  /** The rows of a statement as a JSON array, made by DuckDB. */
  text(query: Rendered): Promise<string>
  close(): void
}

/** Opens it; its threads inherit the priority of the threads of a lake that was opened before. */
export async function openAlone(): Promise<Alone> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(BENCH_ENGINE.threads),
    memory_limit: `${BENCH_ENGINE.memory / 1e6}MB`,
  })
  const connection = await instance.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  await connection.run('SET GLOBAL parquet_metadata_cache = true')
  return {
    async text({ text, values, types }) {
      const reader = await connection.runAndReadAll(`SELECT CAST(to_json(list(r)) AS VARCHAR) FROM (${text}) r`, values, types)
      return (reader.getRows()[0]?.[0] ?? '[]') as string
    },
    close() {
      connection.disconnectSync()
      instance.closeSync()
    },
  }
}

/** The statement that the service would run for a query, with its files resolved. */
export async function statementOf(lake: Lake, query: Sql): Promise<Rendered> {
  const found = new Map<unknown, Sql>()
  for (const relation of query.relations()) {
    if (!(relation instanceof Scan)) throw new Error('a statement of scans was expected')
    const { dataset, filter } = relation
    const state = (await lake.snapshot(dataset))?.state
    const files = state ? await prunedFiles(state, dataset, filter) : []
    found.set(
      relation,
      readFiles(
        dataset,
        files.map(({ key }) => lake.store.location(key)),
        { filter },
      ),
    )
  }
  return render(query, (relation) => found.get(relation) as Sql)
}
