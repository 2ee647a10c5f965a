import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { removeOrphans } from '../../../lake/iceberg/expire.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { claimLake } from '../../../lake/system.ts'
import { openServiceAccess } from '../../service/access.ts'
import { cliConfig } from '../../service/store.ts'
import { judgeApart, runWorker, startWorker } from '../chaos-runs/children.ts'
import { CHOSEN } from '../chaos-runs/chosen.ts'
import type { Findings } from '../chaos-runs/scenario.ts'
import { openStage, serviceParts } from '../chaos-runs/stage.ts'
import { exitBy, folderUntilExit } from '../run.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'

const WRITER = fileURLToPath(new URL('./write_tables.py', import.meta.url))
const ENGINES = ['pyiceberg', 'spark'] as const
const skipped = (process.env.ENGINES_SKIPPED ?? '').split(' ')
const PLANS = JSON.stringify({ ENTERPRISE: { requests_per_minute: 1_000_000, requests_per_day: 1_000_000 } })
/** Pause of the worker between two landings: five times as many as `LAND_EVERY_S` allows at most. */
const REST_MS = 1000
/** Tables of the fastest feeds, of both kinds that keep rows for good. */
const TABLES = [...new Set(CHOSEN.flatMap(({ into }) => into))].filter((one) => one.writeMode !== 'replace' && one.visibility === 'public')

const nameOf = (dataset: Dataset): string => tableKey(dataset).split('/').slice(1).join('.')

/** Rows that a writer has left in the tables, by table and fetch id, and its commits: made, made again, and given up. */
interface Journal {
  readonly commits: number
  readonly again: number
  readonly given_up: number
  readonly alive: Readonly<Record<string, Readonly<Record<string, number>>>>
}

await exitBy(main)
process.exit()

/** Lets engines write through the catalogue beside landings, compaction and upkeep; true if no row was lost or changed. */
async function main(): Promise<boolean> {
  const commits = Number(process.argv[2] ?? '40')
  if (!Number.isInteger(commits) || commits < 1) throw new Error(`--write ${process.argv[2]}: a number of commits, from 1 on`)
  const engines = ENGINES.filter((one) => !skipped.includes(one))
  if (engines.length === 0) {
    process.stdout.write('no engine could write: SKIPPED\n')
    return true
  }
  const folder = await folderUntilExit('engines-write-')
  const stage = await openStage(folder)
  const service = serviceParts(folder, { REDIS_URL: stage.redis.url, PUBLISHERS_URL: stage.publishers.url, PLANS })
  try {
    const failures = await runWorker({ ...stage.order, iterations: 4 })
    const context = await openContext({ folder, redisUrl: stage.redis.url })
    await claimLake(context.store, 'simulated', Date.now())
    const worker = startWorker({ ...stage.order, iterations: 1_000_000, rest_ms: REST_MS })
    const { ready } = await service.start<{ url: string }>('api', { PORT: '0' })
    const catalogue = { uri: `${ready.url}/lake/iceberg`, token: await writerKey(folder, context, stage.redis.url) }
    const asked = { catalogue, spark_jars: process.env.ENGINES_SPARK_JARS ?? '', tables: TABLES.map(nameOf), commits, removes: false }
    const upkeep = new AbortController()
    const cleaning = cleanUntil(context, upkeep.signal)
    const lines = await Promise.all(engines.map((engine, at) => run(engine, join(folder, `${engine}.json`), { ...asked, seed: at + 1 })))
    const journals = lines.map((line) => JSON.parse(line) as Journal)
    upkeep.abort()
    await cleaning
    worker.signal('SIGTERM')
    await worker.ended
    const landings = Math.floor(Math.max(0, ...worker.reported.map(({ iteration }) => iteration)) / 2)
    const problems = [...failures, ...worker.reported.flatMap((one) => one.failures), ...(await lost(context, journals))]
    await context.close()
    // Then the tables must be what the raw log gives: their rows go by the same way as they came.
    if (engines.includes('pyiceberg')) await run('pyiceberg', join(folder, 'remove.json'), { ...asked, seed: 0, removes: true })
    problems.push(...(await service.stop()).map((code) => `the API ended with ${code}`))
    problems.push(...(await runWorker({ ...stage.order, iterations: 4 })))
    const { problems: all, detail } = await judgeApart(
      { folder, redisUrl: stage.redis.url, feeds: stage.order.feeds },
      { problems, detail: { tables: asked.tables, landings, ...sumOf(journals) } },
    )
    return report(engines, { problems: all, detail })
  } catch (error) {
    process.stderr.write(`${service.lines.slice(-20).join('\n')}\n`)
    throw error
  } finally {
    await service.stop()
    await stage.close()
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

/** Removes orphans while others write, as old as their tables: what a commit is about to name must be younger. */
async function cleanUntil(context: ScratchContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const dataset of TABLES) await removeOrphans({ table: context.lake.table(dataset), grace_ms: 120_000 })
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
    compactions_given_up: journals.reduce((sum, one) => sum + one.given_up, 0),
    their_rows: rows.reduce((sum, one) => sum + one, 0),
  }
}

function report(engines: readonly string[], { problems, detail }: Findings): boolean {
  process.stdout.write(`${problems.length === 0 ? 'ok' : 'FAIL'} ${engines.join(' and ')} wrote: ${JSON.stringify(detail)}\n`)
  for (const problem of problems.slice(0, 20)) process.stdout.write(`    ${problem.slice(0, 1000)}\n`)
  return problems.length === 0
}
