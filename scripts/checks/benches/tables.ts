import { rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { pageQuery } from '../../../api/engine/request/page-query.ts'
import { orderOf } from '../../../api/engine/request/paging.ts'
import type { ListReturn } from '../../../api/kernel/endpoint.ts'
import type { TableFormat } from '../../../api/kernel/formats.ts'
import { flatFields } from '../../../api/kernel/reads/select.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { readFiles, type Scan } from '../../../lake/query/scan.ts'
import { type Rendered, render, sql } from '../../../lake/query/sql.ts'
import { startServer } from './incidents-api.ts'
import { BENCH_ENGINE, benchLake } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { fillTables, readings, startTablesService, TABLE_ROWS } from './tables-service.ts'
import type { Work } from './work.ts'

const ROUNDS = 5
const TABLE = `limit=${TABLE_ROWS}&format=`

/** 100,000 rows of the lake as CSV, from a process that has answered no request before. */
export const tableCsv = copyBench('table/csv', 'csv', 1.3)

/** The same as Parquet. */
export const tableParquet = copyBench('table/parquet', 'parquet', 1.2)

/** The same as Arrow, against CSV. */
export const tableArrow: Bench = {
  name: 'table/arrow',
  about: 'the first reply of a fresh process: 100,000 rows of the lake as Arrow, against the same as CSV',
  limit: 3,
  rounds: ROUNDS,
  setUp: (folder) => fillTables(folder),
  async open(folder, { only }) {
    return { measured: firstReply(folder, 'arrow', only), reference: only ? null : firstReply(folder, 'csv', only), close: async () => {} }
  },
}

function copyBench(name: string, format: 'csv' | 'parquet', limit: number): Bench {
  return {
    name,
    about: `the first reply of a fresh process: 100,000 rows of the lake as ${format}; against DuckDB's own COPY of the same rows`,
    limit,
    rounds: ROUNDS,
    setUp: (folder) => fillTables(folder),
    async open(folder, { only }) {
      const reference = only ? null : await copyAlone(folder, format)
      return { measured: firstReply(folder, format, only), reference, close: async () => {} }
    },
  }
}

/** The first table of a server that is started for it and has only answered its readiness check. */
function firstReply(folder: string, format: TableFormat, only: boolean): Work {
  return {
    expected: { rows: TABLE_ROWS },
    async run(timer) {
      const server = only ? await startTablesService(folder) : await startServer('tables', folder)
      try {
        await bodyOf(new URL('/health', server.url).href, server.key)
        const body = await timer.part(() => bodyOf(`${server.url}?${TABLE}${format}`, server.key))
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
async function copyAlone(folder: string, format: 'csv' | 'parquet'): Promise<Work> {
  const { text, values, types } = await statementOf(folder)
  const options = format === 'csv' ? 'FORMAT csv, HEADER' : 'FORMAT parquet, COMPRESSION zstd'
  const path = join(folder, `alone.${format}`)
  return {
    expected: { rows: TABLE_ROWS },
    async run(timer) {
      const instance = await DuckDBInstance.create(':memory:', {
        threads: String(BENCH_ENGINE.threads),
        memory_limit: `${BENCH_ENGINE.memory / 1e6}MB`,
      })
      const connection = await instance.connect()
      await connection.run("SET GLOBAL TimeZone = 'UTC'")
      const { rowsChanged } = await timer.part(() => connection.run(`COPY (${text}) TO '${path}' (${options})`, values, types))
      connection.disconnectSync()
      instance.closeSync()
      return { rows: rowsChanged }
    },
  }
}

async function statementOf(folder: string): Promise<Rendered> {
  const lake = await benchLake(folder, { standBack: true })
  try {
    const { read } = readings
    if (read.kind !== 'lake') throw new Error('readings must be read from the lake')
    const returns = readings.returns as unknown as ListReturn
    const { record } = returns
    const query = pageQuery({
      query: read.query(
        {},
        { covered_from: 0, covered_until: 0, latest_row_at: 0, where: () => sql`true`, period: () => null as never },
        [],
      ),
      columns: flatFields(record.fields),
      shape: record.name,
      order: orderOf(returns, null),
      after: null,
      limit: TABLE_ROWS,
    })
    const [{ dataset, filter }] = query.relations() as [Scan]
    const snapshot = await lake.snapshot(dataset)
    if (!snapshot) throw new Error('the lake is empty')
    const files = await prunedFiles(snapshot.state, dataset, filter)
    const paths = files.map(({ key }) => lake.store.location(key))
    return render(query, () => readFiles(dataset, paths, { filter }))
  } finally {
    await lake.close()
  }
}

function bodyOf(url: string, key: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { 'X-API-Key': key } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(`${url} returned ${response.statusCode}`)),
      )
    }).on('error', reject)
  })
}
