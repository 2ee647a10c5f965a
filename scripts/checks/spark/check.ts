import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { madeParts } from '../../../jobs/derive/lineage.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { tableFields } from '../../../lake/schema/physical.ts'
import { commandLine, say } from '../../commands/output.ts'
import { openSpark } from '../../commands/spark/session.ts'
import { deriveOnSpark, ON_SPARK } from '../../commands/spark.ts'
import { startRedis } from '../../redis.ts'
import { withCatalogue } from '../engines/service.ts'
import { exitBy, folderUntilExit } from '../run.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { openScratchLake } from '../scratch/lake.ts'
import { startCluster } from './cluster.ts'
import { fillInputs, MONTHS_OF_INPUTS } from './inputs.ts'

const USAGE = `scripts/check-spark [--seed n] [--local]

Makes the tables that DuckDB and Spark share with both, from generated rows around clock changes and ends of months, and compares all rows
by a full outer join, and the lineage. Spark reads the Iceberg catalogue of the API. It runs on a standalone master and two workers on this
machine; with --local in one process.`

/** Few rows need few partitions. */
const SMALL = { 'spark.sql.shuffle.partitions': '4' } as const

await exitBy(main)

/** True if both engines made the same tables. */
async function main(): Promise<boolean> {
  const line = await commandLine({
    usage: USAGE,
    options: { seed: { type: 'string', default: '1' }, local: { type: 'boolean', default: false } },
  })
  if (!line) return true
  const { seed, local } = line.values
  const folder = await folderUntilExit('spark-')
  const [own, other] = [join(folder, 'duckdb'), join(folder, 'spark')]
  const lake = await openScratchLake(own)
  await fillInputs(lake, Number(seed))
  await lake.close()
  await cp(own, other, { recursive: true })
  const redis = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  const open = (place: string): Promise<ScratchContext> =>
    openContext({ folder: place, redisUrl: redis.url, idKey: Buffer.alloc(32), logLevel: 'warn' })
  const [ours, theirs] = [await open(own), await open(other)]
  const { SPARK_PYTHON: python = 'python3', SPARK_JARS: jars = '' } = process.env
  const cluster = local ? null : await startCluster(python, folder)
  try {
    for (const derived of ON_SPARK) {
      await prepareTables(ours, filledBy(derived))
      await derive(ours, derived, { feeds, signal: new AbortController().signal })
    }
    await withCatalogue(join(other, 'store', 'lake'), join(folder, 'api'), async ({ uri, token }) => {
      const spark = await openSpark({
        python,
        jars,
        master: cluster?.master ?? 'local[2]',
        uri,
        token,
        folder: theirs.lake.engine.folder,
        settings: SMALL,
      })
      const made = await deriveOnSpark(theirs, spark, ON_SPARK).finally(() => spark.close())
      say(`Spark ${spark.version} on ${cluster ? 'a master and two workers' : 'this process'} made ${made.length} months`)
    })
    let isSame = true
    for (const { into } of ON_SPARK) isSame = (await compare(into, ours, theirs)) && isSame
    return isSame
  } finally {
    await cluster?.stop()
    await ours.close()
    await theirs.close()
    await redis.stop()
  }
}

/** Compares a table of two lakes; true if lineage and rows are the same, and every month has some. */
async function compare(dataset: Dataset, ours: ScratchContext, theirs: ScratchContext): Promise<boolean> {
  const [own, other] = await Promise.all([ours, theirs].map((context) => tableIn(context, dataset)))
  if (!own || !other) throw new Error(`there is no table of ${dataset.id}`)
  const names = tableFields(dataset).map(({ name }) => `"${name}"`)
  const rowsOf = (files: readonly string[]): string => `read_parquet([${files.map((file) => `'${file}'`).join(', ')}])`
  const on = names.map((name) => `a.${name} IS NOT DISTINCT FROM b.${name}`).join(' AND ')
  const duck = await (await DuckDBInstance.create(':memory:')).connect()
  const reader = await duck.runAndReadAll(`
    SELECT count(a."month"), count(b."month"), count(*) FILTER (a."month" IS NULL), count(*) FILTER (b."month" IS NULL)
    FROM ${rowsOf(own.files)} a FULL OUTER JOIN ${rowsOf(other.files)} b ON ${on}`)
  const [rows, there, missing, more] = (reader.getRows()[0] ?? []).map(Number) as [number, number, number, number]
  duck.closeSync()
  const isLineage = JSON.stringify([...own.lineage]) === JSON.stringify([...other.lineage])
  const months = MONTHS_OF_INPUTS.filter((month) => !own.lineage.has(month))
  const isSame = missing === 0 && more === 0 && rows === there && rows > 0 && isLineage && months.length === 0
  const found = `${rows} rows of DuckDB, ${there} of Spark; ${more} of DuckDB only, ${missing} of Spark only; lineage ${isLineage ? 'the same' : 'DIFFERS'}`
  say(`${isSame ? 'ok  ' : 'FAIL'} ${dataset.id}: ${own.lineage.size} months, ${found}${months.length > 0 ? `; no ${months.join()}` : ''}`)
  return isSame
}

async function tableIn(
  { lake, store }: ScratchContext,
  dataset: Dataset,
): Promise<{ readonly files: readonly string[]; readonly lineage: ReadonlyMap<string, string> } | null> {
  const state = await lake.table(dataset).load()
  if (!state) return null
  const files = (await liveFiles(state)).map(({ key }) => store.location(key).replace('file://', ''))
  return { files, lineage: new Map([...madeParts(state.properties)].sort()) }
}
