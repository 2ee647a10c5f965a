import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { openTable, stateAt, type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { oneRow, openDuck, ourSelect } from '../../../test/lake/iceberg/fixtures.ts'
import { buildScenes } from '../../../test/lake/iceberg/scenes.ts'
import { middleOf, type Question, rowsBeside, wholeTable } from './questions.ts'

/** A table in the form for the engines: its files, the questions, and our answers. */
interface Asked {
  readonly name: string
  readonly folder: string
  readonly metadata: string
  readonly questions: readonly (Question & { readonly answer: readonly (string | null)[] })[]
  /** Its oldest stored snapshot and that snapshot's number of rows; null in a table without data. */
  readonly oldest: { readonly snapshot: string; readonly rows: number } | null
}

const ENGINES = ['pyiceberg', 'duckdb', 'spark'] as const
const READER = fileURLToPath(new URL('./read_tables.py', import.meta.url))

/** The states of every table of a lake folder (`<domain>/<dataset>/metadata`), by name `<domain>.<dataset>`. */
async function tablesOf(lake: string): Promise<Map<string, TableState>> {
  const store = await fileStore(join(lake, '..'))
  const base = lake.split('/').at(-1)
  const states = new Map<string, TableState>()
  for (const domain of (await readdir(lake)).sort())
    for (const dataset of (await readdir(join(lake, domain)).catch(() => [])).sort()) {
      const state = await openTable({ store, key: `${base}/${domain}/${dataset}` }).load()
      if (state) states.set(`${domain}.${dataset}`, state)
    }
  return states
}

/** Our own answers about a table: from its live files, by field id. */
async function ask(duck: DuckDBConnection, name: string, state: TableState): Promise<Asked> {
  const { table, fields, metadata } = state
  const paths = (await liveFiles(state)).map((file) => `'${table.store.location(file.key).replaceAll("'", "''")}'`)
  const relation = `(${ourSelect(fields, paths)})`
  const questions = [wholeTable(fields)]
  for (const field of fields) {
    const middle = middleOf(field)
    const value = middle === null ? null : (await oneRow(duck, `SELECT ${middle} AS value FROM ${relation}`)).value
    if (typeof value !== 'string' || typeof field.type !== 'string') continue
    for (const operator of ['<=', '>'] as const) questions.push(rowsBeside({ column: field.name, type: field.type, operator, value }))
  }
  const answered = []
  for (const question of questions) {
    const row = await oneRow(duck, question.duckdb.replace('%s', relation))
    answered.push({ ...question, answer: Object.values(row).map((value) => (value === null ? null : String(value))) })
  }
  const [oldest] = metadata.snapshots.toSorted((a, b) => a['sequence-number'] - b['sequence-number'])
  const first = oldest?.['snapshot-id']
  const old = first === undefined ? [] : await liveFiles(stateAt(state, BigInt(first)))
  return {
    name,
    folder: table.store.location(table.key),
    metadata: table.store.location(versionKey(table.key, state.version)),
    questions: answered,
    oldest: first === undefined ? null : { snapshot: String(first), rows: old.reduce((sum, file) => sum + file.rows, 0) },
  }
}

/** Asks every available engine about every table; returns the names of all asked engines, and of those with different answers. */
async function check(lake: string, scratch: string): Promise<{ asked: readonly string[]; failed: readonly string[] }> {
  const states = await tablesOf(lake)
  if (states.size === 0) throw new Error(`no table in ${lake}: expected the folder that contains <domain>/<dataset>`)
  const duck = await openDuck()
  const tables: Asked[] = []
  for (const [name, state] of states) tables.push(await ask(duck, name, state))
  duck.closeSync()
  const file = join(scratch, 'questions.json')
  await writeFile(file, JSON.stringify({ warehouse: lake, spark_jar: process.env.ENGINES_SPARK_JAR ?? '', tables }))
  const skipped = (process.env.ENGINES_SKIPPED ?? '').split(' ')
  const asked = ENGINES.filter((one) => !skipped.includes(one))
  const failed: string[] = []
  for (const engine of asked) {
    // Spark writes much to its standard error, which is shown only if the engine failed.
    const child = spawn(process.env.ENGINES_PYTHON ?? 'python3', [READER, engine, file], { stdio: ['ignore', 'inherit', 'pipe'] })
    const ended = once(child, 'exit')
    const [said, [code, signal]] = await Promise.all([text(child.stderr), ended as Promise<[number | null, string | null]>])
    if (code === 0) continue
    failed.push(engine)
    process.stderr.write(`${said.slice(-5_000)}\n${engine} failed (${signal ?? code})\n`)
  }
  return { asked, failed }
}

const [named] = process.argv.slice(2)
const scratch = await mkdtemp(join(tmpdir(), 'engines-'))
try {
  if (!named) {
    const root = join(scratch, 'store')
    const store = await fileStore(root)
    const duck = await openDuck()
    await buildScenes({ store, root, duck, folder: scratch, path: (key) => store.location(key) })
    duck.closeSync()
  }
  const { asked, failed } = await check(named ? resolve(named) : join(scratch, 'store', 'lake'), scratch)
  const verdict =
    failed.length > 0
      ? `${failed.join(', ')} read something else: see above`
      : asked.length > 0
        ? `${asked.join(', ')} read what we read`
        : 'no engine was asked'
  const left = ENGINES.filter((engine) => !asked.includes(engine))
  process.stdout.write(`${verdict}${left.length > 0 ? `; SKIPPED ${left.join(', ')}: see above` : ''}\n`)
  process.exitCode = failed.length > 0 ? 1 : 0
} finally {
  await rm(scratch, { recursive: true, force: true })
}
