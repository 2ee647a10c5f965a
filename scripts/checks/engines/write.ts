import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { removeOrphans } from '../../../lake/iceberg/expire.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { claimLake } from '../../../lake/system.ts'
import { type Fault, startFaultProxy } from '../../../test/helpers/fault-proxy.ts'
import { startS3 } from '../../../test/helpers/s3-server.ts'
import { openServiceAccess } from '../../service/access.ts'
import { cliConfig } from '../../service/store.ts'
import { judgeApart, runWorker, startWorker } from '../chaos-runs/children.ts'
import { CHOSEN } from '../chaos-runs/chosen.ts'
import type { Findings } from '../chaos-runs/scenario.ts'
import { openStage, serviceParts } from '../chaos-runs/stage.ts'
import { exitBy, folderUntilExit } from '../run.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import type { CatalogueAddress } from './service.ts'

const WRITER = fileURLToPath(new URL('./write_tables.py', import.meta.url))
const ENGINES = ['pyiceberg', 'spark'] as const
const skipped = (process.env.ENGINES_SKIPPED ?? '').split(' ')
const PLANS = JSON.stringify({ ENTERPRISE: { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 } })
/** Pause of the worker between two landings: five times as many as `LAND_EVERY_S` allows at most. */
const REST_MS = 1000
const LOCK_MS = 20_000
/** Younger files than this may belong to a commit that is being made. */
const GRACE_MS = 120_000
/** Share of the requests to the bucket that fail, and how. */
const FAULT_SHARE = 0.02
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'slow', ms: 300 },
  { kind: 'cut-request', bytes: 700 },
  { kind: 'cut-reply', bytes: 300 },
  { kind: 'lost' },
  { kind: 'lost', status: 502 },
]
/** Tables of the fastest feeds, of both kinds that keep rows for good. */
const TABLES = [...new Set(CHOSEN.flatMap(({ into }) => into))].filter((one) => one.writeMode !== 'replace' && one.visibility === 'public')

const nameOf = (dataset: Dataset): string => tableKey(dataset).split('/').slice(1).join('.')

/** Rows that a writer has left, by table and fetch id, and its commits: made, made again, given up, and those after a fault. */
interface Journal {
  readonly commits: number
  readonly again: number
  readonly given_up: number
  readonly unknown: number
  readonly alive: Readonly<Record<string, Readonly<Record<string, number>>>>
}

await exitBy(main)
process.exit()

/**
 * Lets engines write through the catalogue of two APIs beside landings of two workers, compaction and upkeep; by `--s3` on a
 * bucket behind a faulty network. True if no row was lost or changed.
 */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { s3: { type: 'boolean', default: false } } })
  const commits = Number(positionals[0] ?? '40')
  if (!Number.isInteger(commits) || commits < 1) throw new Error(`--write ${positionals[0]}: a number of commits, from 1 on`)
  const engines = ENGINES.filter((one) => !skipped.includes(one))
  const bucket = values.s3 ? await openBucket() : null
  if (engines.length === 0 || (values.s3 && !bucket)) {
    process.stdout.write(`${bucket || !values.s3 ? 'no engine could write' : 'there is no S3 server'}: SKIPPED\n`)
    return true
  }
  const folder = await folderUntilExit('engines-write-')
  const stage = await openStage(folder)
  const service = serviceParts(folder, { REDIS_URL: stage.redis.url, PUBLISHERS_URL: stage.publishers.url, PLANS, ...bucket?.env })
  const direct = { folder, redisUrl: stage.redis.url, ...(bucket && { s3: bucket.direct }) }
  const order = { ...stage.order, ...direct, rest_ms: REST_MS }
  try {
    const failures = await runWorker({ ...order, iterations: 4 })
    const context = await openContext(direct)
    await claimLake(context.store, 'simulated', Date.now())
    const writes = { ...order, ...(bucket && { s3: bucket.faulty }), lock_ms: LOCK_MS, iterations: 1_000_000 }
    // One of them moves the clock on; no two have the same time, which ids of fetches have.
    const workers = [startWorker(writes), startWorker({ ...writes, advance_ms: 1 })]
    const token = await writerKey(folder, context, stage.redis.url)
    const catalogues: CatalogueAddress[] = []
    for (const _ of workers) {
      const { ready } = await service.start<{ url: string }>('api', { PORT: '0' })
      catalogues.push({ uri: `${ready.url}/lake/iceberg`, token })
    }
    const asked = { spark_jars: process.env.ENGINES_SPARK_JARS ?? '', tables: TABLES.map(nameOf), commits, removes: false }
    const upkeep = new AbortController()
    const cleaning = cleanUntil(context, upkeep.signal)
    bucket?.fail()
    const lines = await Promise.all(
      engines.map((engine, at) =>
        run(engine, join(folder, `${engine}.json`), { ...asked, catalogue: catalogues[at], seed: at + 1, is_faulty: bucket !== null }),
      ),
    )
    const journals = lines.map((line) => JSON.parse(line) as Journal)
    const faults = bucket?.mend() ?? 0
    upkeep.abort()
    await cleaning
    for (const worker of workers) worker.signal('SIGTERM')
    await Promise.all(workers.map(({ ended }) => ended))
    const reported = workers.flatMap((worker) => worker.reported)
    const failed = reported.flatMap((one) => one.failures)
    const problems = [...failures, ...(bucket ? [] : failed), ...(await lost(context, journals))]
    await context.close()
    // Then the tables must be what the raw log gives: their rows go by the same way as they came.
    if (engines.includes('pyiceberg'))
      await run('pyiceberg', join(folder, 'remove.json'), { ...asked, catalogue: catalogues[0], seed: 0, removes: true, is_faulty: false })
    problems.push(...(await service.stop()).map((code) => `the API ended with ${code}`))
    problems.push(...(await runWorker({ ...order, iterations: 4 })))
    const landings = reported.filter(({ iteration }) => iteration % 2 === 0).length
    const detail = { tables: asked.tables, landings, ...sumOf(journals), failed_turns: failed.length, faults }
    return report(engines, await judgeApart({ ...direct, feeds: stage.order.feeds }, { problems, detail }))
  } catch (error) {
    process.stderr.write(`${service.lines.slice(-20).join('\n')}\n`)
    throw error
  } finally {
    await service.stop()
    await stage.close()
    await bucket?.close()
  }
}

/** A bucket of an S3 server, and the same behind a network that can fail. */
interface Bucket {
  readonly direct: S3Options
  readonly faulty: S3Options
  /** Settings of a service on the bucket, behind that network. */
  readonly env: Readonly<Record<string, string>>
  fail(): void
  /** Ends the faults; returns how many requests had one. */
  mend(): number
  close(): Promise<void>
}

async function openBucket(): Promise<Bucket | null> {
  const server = await startS3()
  if (!server?.endpoint) return null
  const proxy = await startFaultProxy(server.endpoint)
  const faulty = server.fresh(proxy.url)
  const { url, credentials, region = 'us-east-1' } = faulty
  return {
    ...{ direct: { ...faulty, endpoint: server.endpoint }, faulty },
    env: {
      ...{ LAKE_URL: url, S3_ENDPOINT: proxy.url, S3_REGION: region, S3_PATH_STYLE: 'true' },
      ...{ AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '' },
    },
    fail: () => {
      for (const fault of FAULTS) proxy.inject(fault, { when: () => Math.random() < FAULT_SHARE / FAULTS.length })
    },
    mend: () => {
      proxy.clear()
      return proxy.seen.filter(({ fault }) => fault !== null).length
    },
    close: async () => {
      await proxy.close()
      await server.stop()
    },
  }
}

async function writerKey(folder: string, { store }: ScratchContext, redisUrl: string): Promise<string> {
  const { access, close } = await openServiceAccess(cliConfig(folder), { store, redisUrl, log: pino({ level: 'silent' }) })
  await access.keys.ready
  const wanted = { email: 'engines@example.org', label: null, language: 'en', plan: 'ENTERPRISE', isLakeWriter: true } as const
  const { key } = await access.accounts.create(wanted)
  await close()
  return key
}

/** Runs the program of an engine; throws with what it wrote if it fails. Returns its last line. */
async function run(engine: string, file: string, asked: object): Promise<string> {
  await writeFile(file, JSON.stringify(asked))
  const child = spawn(process.env.ENGINES_PYTHON ?? 'python3', [WRITER, engine, file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) process.stdout.write(`${line}\n`)
    last = line
  })
  const [said, [code]] = await Promise.all([text(child.stderr), ended])
  if (code !== 0) throw new Error(`${engine} failed (${code}): ${said.slice(0, 2000)}\n…\n${said.slice(-2000)}`)
  return last
}

/** Removes orphans while others write: what a commit is about to name must be younger than `GRACE_MS`. */
async function cleanUntil(context: ScratchContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const dataset of TABLES) await removeOrphans({ table: context.lake.table(dataset), grace_ms: GRACE_MS })
    await new Promise((resolve) => setTimeout(resolve, 5000))
  }
}

/** The rows of other writers that are not as the journals say. */
async function lost(context: ScratchContext, journals: readonly Journal[]): Promise<string[]> {
  const problems: string[] = []
  for (const dataset of TABLES) {
    const state = (await context.lake.table(dataset).load({ isFresh: true })) as TableState
    const pins = new Map([[dataset.id, state]])
    const rows = await context.lake.query(
      sql`SELECT fetch_id, CAST(count(*) AS INTEGER) AS rows FROM ${scan(dataset)} WHERE fetch_id LIKE 'pyiceberg-%' OR fetch_id LIKE 'spark-%' GROUP BY ALL`,
      { pins },
    )
    const found = new Map(rows.map(({ fetch_id, rows }) => [fetch_id as string, rows as number]))
    const expected = new Map(journals.flatMap(({ alive }) => Object.entries(alive[nameOf(dataset)] ?? {})))
    for (const tag of new Set([...found.keys(), ...expected.keys()]))
      if (found.get(tag) !== expected.get(tag))
        problems.push(`${dataset.id}: ${found.get(tag) ?? 0} rows of ${tag}, ${expected.get(tag) ?? 0} expected`)
  }
  return problems
}

function sumOf(journals: readonly Journal[]): Record<string, number> {
  const rows = journals.flatMap(({ alive }) => Object.values(alive).flatMap((tags) => Object.values(tags)))
  return {
    commits: journals.reduce((sum, one) => sum + one.commits, 0),
    made_again: journals.reduce((sum, one) => sum + one.again, 0),
    after_faults: journals.reduce((sum, one) => sum + one.unknown, 0),
    compactions_given_up: journals.reduce((sum, one) => sum + one.given_up, 0),
    their_rows: rows.reduce((sum, one) => sum + one, 0),
  }
}

function report(engines: readonly string[], { problems, detail }: Findings): boolean {
  process.stdout.write(`${problems.length === 0 ? 'ok' : 'FAIL'} ${engines.join(' and ')} wrote: ${JSON.stringify(detail)}\n`)
  for (const problem of problems.slice(0, 20)) process.stdout.write(`    ${problem.slice(0, 1000)}\n`)
  return problems.length === 0
}
