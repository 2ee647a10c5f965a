import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import type { TableFormat } from '../../../api/kernel/formats.ts'
import { statementOf } from './duckdb-alone.ts'
import { endpointSql } from './endpoint-sql.ts'
import { fetchBytes, fetchText } from './http-load.ts'
import { BENCH_ENGINE, benchLake } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { startServer } from './services.ts'
import { fillTables, readings, TABLE_ROWS } from './tables-service.ts'
import type { Work } from './work.ts'

/** 100,000 rows of the lake as a table, from a process that has answered no request before. */
export const TABLES: readonly Bench[] = [
  tableBench('csv', 1.3, "DuckDB's own COPY of the same rows", (folder) => copyAlone(folder, 'FORMAT csv, HEADER')),
  tableBench('parquet', 1.2, "DuckDB's own COPY of the same rows", (folder) => copyAlone(folder, 'FORMAT parquet, COMPRESSION zstd')),
  tableBench('arrow', 3, 'the same as CSV', async (folder) => firstReply(folder, 'csv')),
]

function tableBench(format: TableFormat, limit: number, against: string, reference: (folder: string) => Promise<Work>): Bench {
  return {
    name: `table/${format}`,
    about: `the first reply of a fresh process: 100,000 rows of the lake as ${format}; against ${against}`,
    limit,
    rounds: 5,
    setUp: fillTables,
    async open(folder) {
      return { measured: firstReply(folder, format), reference: await reference(folder), close: async () => {} }
    },
  }
}

/** The first table of a server that is started for it and has only answered its readiness check. */
function firstReply(folder: string, format: TableFormat): Work {
  return {
    expected: { rows: TABLE_ROWS },
    async run(timer) {
      const server = await startServer('tables', folder)
      const options = { agent: false, key: server.key } as const
      try {
        await fetchText(`${server.url}/health`, options)
        const url = `${server.url}${readings.path}?limit=${TABLE_ROWS}&format=${format}`
        const body = await timer.part(() => fetchBytes(url, options))
        return { rows: await rowsIn(folder, format, body) }
      } finally {
        await server.close()
      }
    },
  }
}

/** The number of rows in a received table. */
async function rowsIn(folder: string, format: TableFormat, body: Buffer): Promise<number> {
  if (format === 'arrow') return tableFromIPC(body).numRows
  const path = join(folder, `sent.${format}`)
  await writeFile(path, body)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(`SELECT CAST(count(*) AS INTEGER) FROM '${path}'`)
  connection.disconnectSync()
  instance.closeSync()
  await rm(path)
  return reader.getRows()[0]?.[0] as number
}

/**
 * DuckDB's own COPY of the same rows, by an instance with cold caches; its threads inherit the priority of the lake's threads.
 */
async function copyAlone(folder: string, options: string): Promise<Work> {
  const lake = await benchLake(folder, { standBack: true })
  const path = `${readings.path}?limit=${TABLE_ROWS}&format=csv`
  const { text, values, types } = await statementOf(
    lake,
    endpointSql(readings as unknown as Endpoint, path, { from: 0, until: 0 }).page([]),
  )
  await lake.close()
  return {
    // A page is read with one row more, to know whether another page follows.
    expected: { rows: TABLE_ROWS + 1 },
    async run(timer) {
      const instance = await DuckDBInstance.create(':memory:', {
        threads: String(BENCH_ENGINE.threads),
        memory_limit: `${BENCH_ENGINE.memory / 1e6}MB`,
      })
      const connection = await instance.connect()
      await connection.run("SET GLOBAL TimeZone = 'UTC'")
      const target = join(folder, 'alone')
      const { rowsChanged } = await timer.part(() => connection.run(`COPY (${text}) TO '${target}' (${options})`, values, types))
      connection.disconnectSync()
      instance.closeSync()
      return { rows: rowsChanged }
    },
  }
}
