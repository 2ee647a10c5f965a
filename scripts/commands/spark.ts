import { derivations } from '../../jobs/derive/catalog.ts'
import { type Derived, filledBy, isForSpark } from '../../jobs/derive/define.ts'
import { derive } from '../../jobs/derive/derive.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, say, type Values } from './output.ts'
import { withService } from './service.ts'
import { openSpark, type SparkRows } from './spark/session.ts'

/** The derivations that Spark can make. */
export const ON_SPARK = derivations.filter(isForSpark)
const IDS = ON_SPARK.map(({ into }) => into.id)

const USAGE = `scripts/spark [--only ${IDS.join(',')}] [--master local[*]] [--api http://127.0.0.1:8080] [--data <dir>]

Makes the due months of ${IDS.join(', ')} with Spark, which reads the lake from the API's Iceberg catalogue,
and commits them with the lineage that a worker would write. TRAFFIC_API_KEY is a key of ENTERPRISE. With DERIVE_ENGINE=spark in the
settings of the workers, these leave the tables to this command: run it by cron after the days' end.
  --only     these tables only
  --master   a master of Spark: local[n], spark://host:7077, yarn. Its workers write rows into the spool of <dir>: a shared folder
  --api      address of the API`

const OPTIONS = {
  only: { type: 'string' },
  master: { type: 'string', default: 'local[*]' },
  api: { type: 'string', default: process.env['TRAFFIC_API_URL'] ?? 'http://127.0.0.1:8080' },
  data: { type: 'string' },
} as const

/** Makes what is due of derivations with Spark. Throws if inputs are not at one state, or another process is at work. */
export async function deriveOnSpark(context: IngestContext, spark: Pick<SparkRows, 'rows'>, due: readonly Derived[]): Promise<string[]> {
  const made: string[] = []
  for (const derived of due) {
    await prepareTables(context, filledBy(derived))
    const done = await derive(context, derived, { feeds, signal: new AbortController().signal, rowsElsewhere: spark.rows })
    made.push(...done.made.map((month) => `${derived.into.id} ${month}`))
    if (done.waits) throw new Error(`${derived.into.id} waits: its inputs change, or another process makes it; try again`)
  }
  return made
}

async function main(_: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  const token = process.env['TRAFFIC_API_KEY']
  if (!token) throw new Error('TRAFFIC_API_KEY is not set: a key of ENTERPRISE, see scripts/keys')
  const only = values.only?.split(',') ?? IDS
  const unknown = only.filter((id) => !IDS.includes(id))
  if (unknown.length > 0) throw new Error(`--only ${unknown.join()}: Spark makes ${IDS.join(', ')}`)
  await withService(cliConfig(values.data), async ({ context, lake }) => {
    const { SPARK_PYTHON: python = 'python3', SPARK_JARS: jars = '' } = process.env
    const uri = new URL('/lake/iceberg', values.api).href
    const spark = await openSpark({ python, jars, master: values.master, uri, token, folder: lake.engine.folder })
    try {
      const made = await deriveOnSpark(
        context,
        spark,
        ON_SPARK.filter(({ into }) => only.includes(into.id)),
      )
      say(made.length === 0 ? 'nothing is due' : `made with Spark ${spark.version}: ${made.join(', ')}`)
    } finally {
      await spark.close()
    }
  })
}

if (import.meta.main) await runCommand({ usage: USAGE, options: OPTIONS }, main)
