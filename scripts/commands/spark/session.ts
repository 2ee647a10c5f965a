import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { LIST, listValue, VARCHAR } from '@duckdb/node-api'
import type { RowsElsewhere } from '../../../jobs/derive/parts.ts'
import { SPARK, SPARK_SETTINGS, sparkText } from '../../../lake/query/dialect.ts'
import { Bound, sql } from '../../../lake/query/sql.ts'

const PROGRAM = join(import.meta.dirname, 'run_queries.py')
/** Name of our catalogue in Spark's queries. */
const CATALOGUE = 'lake'
/** How much of the end of the log is searched: a Java error with its causes. */
const LOG_CHARACTERS = 64_000

/** Where Spark runs, and how it reads the lake. */
export interface SparkOptions {
  /** Python with `pyspark`, and the files of Iceberg's runtime and its bundle for S3, separated by commas. */
  readonly python: string
  readonly jars: string
  /** `local[2]`, `spark://host:7077`, or another master. */
  readonly master: string
  /** Address of the Iceberg REST catalogue, and a key that reads all tables. */
  readonly uri: string
  readonly token: string
  /** Folder for the rows, which Spark's workers write and this process reads, inside DuckDB's sandbox. */
  readonly folder: string
  /** Further settings of Spark. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A session of Spark. */
export interface SparkRows {
  /** Spark's version. */
  readonly version: string
  /** Makes the rows of a part from the states of its inputs. Throws with Spark's message. */
  readonly rows: RowsElsewhere
  close(): Promise<void>
}

/** Opens a session of Spark in a process of its own. Throws if it does not start. */
export async function openSpark({ python, jars, master, uri, token, folder, settings: more = {} }: SparkOptions): Promise<SparkRows> {
  const catalogue = `spark.sql.catalog.${CATALOGUE}`
  const settings = {
    ...SPARK_SETTINGS,
    'spark.jars': jars,
    'spark.sql.extensions': 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
    [catalogue]: 'org.apache.iceberg.spark.SparkCatalog',
    [`${catalogue}.type`]: 'rest',
    [`${catalogue}.uri`]: uri,
    [`${catalogue}.token`]: token,
    'spark.ui.enabled': 'false',
    ...more,
  }
  const child = spawn(python, [PROGRAM, JSON.stringify({ master, settings })], { stdio: ['pipe', 'pipe', 'pipe'] })
  const replies = linesOf(child)
  const { ready } = await replies()
  let parts = 0
  return {
    version: String(ready),
    async rows(part, pins) {
      if (!part.rowsIn) throw new Error(`part ${part.version} is not for Spark`)
      const into = join(folder, `spark-${process.pid}-${++parts}`)
      const query = sparkText(part.rowsIn(SPARK), CATALOGUE, pins)
      child.stdin.write(`${JSON.stringify({ query, folder: into })}\n`)
      const { failed } = await replies()
      if (failed !== undefined) throw new Error(`Spark could not make ${part.version}: ${failureIn(String(failed))}`)
      const files = (await readdir(into)).filter((name) => name.endsWith('.parquet')).map((name) => join(into, name))
      return sql`SELECT * FROM read_parquet(${new Bound(listValue(files), LIST(VARCHAR))})`
    },
    async close() {
      child.stdin.end()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      for (let part = 1; part <= parts; part++) await rm(join(folder, `spark-${process.pid}-${part}`), { recursive: true, force: true })
    },
  }
}

/**
 * The line of an error or of the end of a log that says what failed: Java's innermost cause, or Python's error. Without a trace
 * the first line of an error, and the last one of a log.
 */
export function failureIn(text: string, { isLog = false } = {}): string {
  const lines = text.trim().split('\n')
  const java = lines.findLast((line) => /^Caused by: [\w.$]+: \S/.test(line)) ?? lines.find((line) => /^: \S/.test(line))
  const python = lines.includes('Traceback (most recent call last):') && lines.findLast((line) => /^[\w.]+: \S/.test(line))
  return java?.replace(/^(Caused by)?: /, '') || python || (lines.at(isLog ? -1 : 0) as string)
}

/** Returns the next reply of the program at each call; throws with what its log says if it has ended. */
function linesOf(child: ChildProcess): () => Promise<Readonly<Record<string, unknown>>> {
  let log = ''
  child.on('error', ({ message }) => {
    log += message
  })
  child.stderr?.on('data', (bytes: Buffer) => {
    log = (log + bytes.toString()).slice(-LOG_CHARACTERS)
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`Spark has ended: ${failureIn(log, { isLog: true })}`)
      if (value.startsWith('{')) return JSON.parse(value) as Readonly<Record<string, unknown>>
    }
  }
}
