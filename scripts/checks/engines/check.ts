import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { OWN } from '../../../api/features/lake/own-tables.ts'
import { datasets } from '../../../lake/catalog.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import { openTable, stateAt, type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { codeBlocks, section } from '../../../test/helpers/markdown.ts'
import { oneRow, openDuck, ourSelect } from '../../../test/lake/iceberg/fixtures.ts'
import { buildScenes } from '../../../test/lake/iceberg/scenes.ts'
import { middleOf, type Question, rowsBeside, wholeTable } from './questions.ts'
import { type CatalogueAddress, fillLake, withCatalogue } from './service.ts'

/** A table in the form for the engines: its files, the questions, and our answers. */
interface Asked {
  readonly name: string
  readonly folder: string
  readonly metadata: string
  /** Our own SELECT of its files. */
  readonly select: string
  readonly questions: readonly (Question & { readonly answer: readonly (string | null)[] })[]
  /** Its oldest stored snapshot and that snapshot's number of rows; null in a table without data. */
  readonly oldest: { readonly snapshot: string; readonly rows: number } | null
}

const ENGINES = ['pyiceberg', 'duckdb', 'spark', 'datafusion', 'daft', 'iceberg-go', 'chdb', 'duckdb2', 'spark41'] as const
const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
/** The pages with examples that are run, and the headings above these. */
const EXAMPLES = [
  ['lake/README.md', '## From other engines'],
  ['api/features/docs/guides/bulk.md', '## The lake'],
  ['api/features/docs/guides/bulk.es.md', '## El lago'],
] as const
/** The tables of the catalogue. */
const PUBLIC = new Set(
  datasets.filter(({ visibility }) => visibility === 'public').map((one) => tableKey(one).split('/').slice(1).join('.')),
)
const READER = fileURLToPath(new URL('./read_tables.py', import.meta.url))

/** The states of every table of a lake folder (`<domain>/<dataset>/metadata`), by name `<domain>.<dataset>`. */
async function tablesOf(lake: string): Promise<Map<string, TableState>> {
  const store = await fileStore(join(lake, '..'))
  const base = lake.split('/').at(-1)
  const states = new Map<string, TableState>()
  // Tables of lake writers may have what only their engines read.
  for (const domain of (await readdir(lake)).sort().filter((one) => one !== OWN))
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
  const select = ourSelect(fields, paths)
  const relation = `(${select})`
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
    ...{ select, questions: answered },
    oldest: first === undefined ? null : { snapshot: String(first), rows: old.reduce((sum, file) => sum + file.rows, 0) },
  }
}

const skipped = (process.env.ENGINES_SKIPPED ?? '').split(' ')
const asked = ENGINES.filter((one) => !skipped.includes(one))
const failed = new Set<string>()

/** The tables of a lake folder with our own answers. Throws if there is none. */
async function askOurselves(lake: string): Promise<Asked[]> {
  const states = await tablesOf(lake)
  if (states.size === 0) throw new Error(`no table in ${lake}: expected the folder that contains <domain>/<dataset>`)
  const duck = await openDuck()
  const tables: Asked[] = []
  for (const [name, state] of states) tables.push(await ask(duck, name, state))
  duck.closeSync()
  return tables
}

/** Asks every available engine about tables, in place or in a catalogue, and records those with different answers. */
async function check(lake: string, tables: readonly Asked[], catalogue: CatalogueAddress | null): Promise<void> {
  const file = join(scratch, 'questions.json')
  await writeFile(file, JSON.stringify({ warehouse: lake, tables, catalogue }))
  for (const engine of asked) await run(engine, [READER, engine, file])
}

/** Runs a program of Python, which fails an engine by its exit code. */
async function run(engine: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  // Spark writes much to its standard error, which is shown only if the engine failed.
  const python = process.env[`ENGINES_PYTHON_${engine.toUpperCase()}`] ?? process.env.ENGINES_PYTHON ?? 'python3'
  const child = spawn(python, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  })
  const ended = once(child, 'exit')
  const [said, [code, signal]] = await Promise.all([text(child.stderr), ended as Promise<[number | null, string | null]>])
  if (code === 0) return
  failed.add(engine)
  process.stderr.write(`${said.slice(-5_000)}\n${engine} failed (${signal ?? code})\n`)
}

/** Runs the examples of pages, whose engine is the first that their code names, against a catalogue. */
async function runExamples({ uri, token }: CatalogueAddress): Promise<void> {
  const api = uri.replace('/lake/iceberg', '')
  for (const [page, heading] of EXAMPLES) {
    const blocks = codeBlocks(section(await readFile(join(PROJECT, page), 'utf8'), heading)).filter(({ language }) =>
      ['sql', 'python', 'py'].includes(language),
    )
    if (blocks.length === 0) throw new Error(`${page} has no examples below ${heading}`)
    for (const [at, { language, code }] of blocks.entries()) {
      const engine = language === 'sql' ? 'duckdb' : /pyiceberg|spark/.exec(code)?.[0]
      if (!engine || !(asked as readonly string[]).includes(engine)) continue
      const file = join(scratch, `example.${language}`)
      const jars = `"spark.jars", "${process.env.ENGINES_SPARK_JARS}"`
      await writeFile(file, code.replaceAll('$API', api).replaceAll('$KEY', token).replace('"spark.jars.packages", iceberg', jars))
      process.stdout.write(`example ${at + 1} of ${page}: ${engine}\n`)
      await run(engine, language === 'sql' ? [READER, 'sql', file] : [file], { API: api, KEY: token })
    }
  }
}

/** A question of each kind: a catalogue changes how files are found, not how they are pruned. */
const short = ({ questions, ...table }: Asked): Asked => ({ ...table, questions: questions.slice(0, 3) })

/** Checks the tables of a service: in place, in its catalogue, and by the examples of the documentation. */
async function checkService(lake: string): Promise<void> {
  const tables = await askOurselves(lake)
  await check(lake, tables.map(short), null)
  await withCatalogue(lake, join(scratch, 'catalogue'), async (address) => {
    await check(lake, tables.filter(({ name }) => PUBLIC.has(name)).map(short), address)
    await runExamples(address)
  })
}

const [named] = process.argv.slice(2)
const scratch = await mkdtemp(join(tmpdir(), 'engines-'))
try {
  if (named) await checkService(resolve(named))
  else {
    const root = join(scratch, 'store')
    const store = await fileStore(root)
    const duck = await openDuck()
    await buildScenes({ store, root, duck, folder: scratch, path: (key) => store.location(key) })
    duck.closeSync()
    await check(join(root, 'lake'), await askOurselves(join(root, 'lake')), null)
    await checkService(await fillLake(join(scratch, 'service')))
  }
  const verdict =
    failed.size > 0
      ? `${[...failed].join(', ')} read something else: see above`
      : asked.length > 0
        ? `${asked.join(', ')} read what we read`
        : 'no engine was asked'
  const left = ENGINES.filter((engine) => !asked.includes(engine))
  process.stdout.write(`${verdict}${left.length > 0 ? `; SKIPPED ${left.join(', ')}: see above` : ''}\n`)
  process.exitCode = failed.size > 0 ? 1 : 0
} finally {
  await rm(scratch, { recursive: true, force: true })
}
