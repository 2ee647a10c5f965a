import { get } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { LakeRead, ListReturn } from '../../api/define/endpoint.ts'
import type { TableFormat } from '../../api/define/formats.ts'
import { flatFields } from '../../api/define/select.ts'
import { pageQuery } from '../../api/http/page-query.ts'
import { orderOf } from '../../api/http/paging.ts'
import { prunedFiles } from '../../lake/query/relations.ts'
import { readFiles, type Scan } from '../../lake/query/scan.ts'
import { type Rendered, render } from '../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { startServer } from './incidents-api.ts'
import { BENCH_ENGINE, benchLake } from './madrid-day.ts'
import type { Bench, Work } from './measure.ts'
import { fillTables, readings, startTablesService, TABLE_ROWS } from './tables-service.ts'

const ROUNDS = 5
const TABLE = `limit=${TABLE_ROWS}&format=`

/** 100,000 rows of the lake as CSV, by a process that has answered nothing before. */
export const tableCsv = copyBench('table-csv', 'csv', 1.3)

/** The same as Parquet. */
export const tableParquet = copyBench('table-parquet', 'parquet', 1.2)

/** The same as Arrow, against CSV. */
export const tableArrow: Bench = {
  name: 'table-arrow',
  about: 'the first reply of a fresh process: 100,000 rows of the lake as Arrow, against the same as CSV',
  limit: 3,
  rounds: ROUNDS,
  setUp: (folder) => fillTables(folder),
  async open(folder, { only }) {
    return { measured: firstReply(folder, 'arrow', only), reference: firstReply(folder, 'csv', only), close: async () => {} }
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
      const reference = only ? neverMeasured : await copyAlone(folder, format)
      return { measured: firstReply(folder, format, only), reference, close: async () => {} }
    },
  }
}

const neverMeasured: Work = () => Promise.reject(new Error('no reference in this process'))

/** The time of the first table that a server sends, which is started for it and has answered nothing but that it is there. */
function firstReply(folder: string, format: TableFormat, only: boolean): Work {
  return async () => {
    const server = only ? await startTablesService(folder) : await startServer('tables', folder)
    try {
      await sizeOf(new URL('/health', server.url).href, server.key)
      const began = performance.now()
      const bytes = await sizeOf(`${server.url}?${TABLE}${format}`, server.key)
      const took = performance.now() - began
      if (bytes < TABLE_ROWS) throw new Error(`${bytes} bytes are not ${TABLE_ROWS} rows`)
      return took
    } finally {
      await server.close()
    }
  }
}

/** DuckDB's own writing of the same rows, by an instance that has read nothing before; its threads inherit the priority that the lake's have. */
async function copyAlone(folder: string, format: 'csv' | 'parquet'): Promise<Work> {
  const { text, values, types } = await statementOf(folder)
  const options = format === 'csv' ? 'FORMAT csv, HEADER' : 'FORMAT parquet, COMPRESSION zstd'
  const path = join(folder, `alone.${format}`)
  return async () => {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(BENCH_ENGINE.threads),
      memory_limit: `${BENCH_ENGINE.memory / 1e6}MB`,
    })
    const connection = await instance.connect()
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    const began = performance.now()
    const { rowsChanged } = await connection.run(`COPY (${text}) TO '${path}' (${options})`, values, types)
    const took = performance.now() - began
    connection.disconnectSync()
    instance.closeSync()
    if (rowsChanged !== TABLE_ROWS) throw new Error(`${rowsChanged} rows, ${TABLE_ROWS} were expected`)
    return took
  }
}

async function statementOf(folder: string): Promise<Rendered> {
  const lake = await benchLake(folder, { standBack: true })
  try {
    const read = readings.read as unknown as LakeRead<unknown, readonly Dataset[], AnyRow>
    const returns = readings.returns as unknown as ListReturn
    const { record } = returns
    const query = pageQuery({
      query: read.query({}, { covered_from: 0, covered_until: 0, latest_row_at: 0, period: () => null as never }, []),
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
    return render(query, () => readFiles(dataset, paths, filter))
  } finally {
    await lake.close()
  }
}

function sizeOf(url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { 'X-API-Key': key } }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url} gave ${response.statusCode}`))))
    }).on('error', reject)
  })
}
