import { datasetById, datasets } from '../../lake/catalog.ts'
import { TableRefused } from '../../lake/iceberg/errors.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { relocate } from '../../lake/iceberg/relocate.ts'
import { planDropColumn, planRollback, type Repair } from '../../lake/iceberg/repair.ts'
import { asRefused, listVersions, readVersion, type TableState, versionKey } from '../../lake/iceberg/table.ts'
import { coverageOf } from '../../lake/landed.ts'
import type { Lake } from '../../lake/open.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import { readFeedListings } from '../../lake/system.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, runSubcommand, say, table, type Values } from './output.ts'
import { withLake } from './service.ts'

const USAGE = `scripts/lake <command> [--data <dir>]

  tables               every table: rows, files, bytes, and its metadata file, as PyIceberg, Spark and Trino want it
  files <dataset>      the data files of a table's current snapshot
  sql '<select>'       a query over the datasets by their ids, in the sandbox, as a table; --rows <n> shows more than 100
  versions <dataset>   the kept versions of a table, newest first: when each was written, its rows and files
  rollback <dataset> <version>        make an earlier version of a table's metadata the newest again
  drop-column <dataset> <column>      remove a column that another engine added; both only say what they would do without --yes
  relocate             rewrite the paths of a lake that was moved, for other readers`

const OPTIONS = { data: { type: 'string' }, rows: { type: 'string', default: '100' }, yes: { type: 'boolean', default: false } } as const
const SQL_TIMEOUT_MS = 600_000

async function main(args: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  if (!/^[1-9]\d{0,5}$/.test(values.rows)) throw new Error(`--rows ${values.rows}: a number from 1 to 999999`)
  const inLake = (work: (lake: Lake) => Promise<void>) => withLake(cliConfig(values.data), work)
  await runSubcommand(
    USAGE,
    args,
    new Map([
      ['tables', [0, 0, () => inLake(showTables)]],
      ['files', [1, 1, (id: string) => inLake((lake) => showFiles(lake, id))]],
      ['sql', [1, 1, (select: string) => inLake((lake) => answer(lake, select, Number(values.rows)))]],
      ['versions', [1, 1, (id: string) => inLake((lake) => showVersions(lake, id))]],
      ['rollback', [2, 2, (id: string, version: string) => inLake((lake) => rollback(lake, id, version, values.yes))]],
      ['drop-column', [2, 2, (id: string, name: string) => inLake((lake) => dropColumn(lake, id, name, values.yes))]],
      ['relocate', [0, 0, () => inLake(moveTables)]],
    ]),
  )
}

async function showTables(lake: Lake): Promise<void> {
  const { store } = lake
  const feeds = await readFeedListings(store)
  const lines: Json[][] = []
  for (const dataset of datasets) {
    const figures = async (): Promise<Json[]> => {
      const snapshot = await lake.snapshot(dataset)
      if (!snapshot) return [null, null, null, null, 'not created yet']
      const { until } = coverageOf(dataset.id, snapshot.covered_until, feeds)
      const [rows, files, bytes] = await sizeOf(snapshot.state)
      const object = store.location(versionKey(snapshot.state.table.key, snapshot.version))
      return [rows, files, bytes, until === null ? null : isoInstant(until), object]
    }
    const found = await figures().catch(asRefused)
    lines.push([dataset.id, ...(found instanceof TableRefused ? [null, null, null, null, unusable(found)] : found)])
  }
  say(table(['dataset', 'rows', 'files', 'bytes', 'covered until', 'metadata'], lines))
}

const unusable = ({ reason }: TableRefused): string => `cannot be used: ${reason}`

/** Rows, files and bytes of a table's state. */
async function sizeOf(state: TableState): Promise<[number, number, number]> {
  const files = await liveFiles(state)
  const sum = (of: 'rows' | 'bytes'): number => files.reduce((total, file) => total + file[of], 0)
  return [sum('rows'), files.length, sum('bytes')]
}

async function showVersions(lake: Lake, id: string): Promise<void> {
  const one = lake.table(datasetById(id))
  const lines: Json[][] = []
  for (const version of (await listVersions(one)).toReversed()) {
    const state = await readVersion(one, version).catch(asRefused)
    if (state === null) continue
    const size = state instanceof TableRefused ? state : await sizeOf(state).catch(asRefused)
    const written = state instanceof TableRefused ? null : isoInstant(state.metadata['last-updated-ms'])
    lines.push([version, written, ...(size instanceof TableRefused ? [null, null, unusable(size)] : [size[0], size[1], null])])
  }
  if (lines.length === 0) throw new Error(`table ${id} is not created yet`)
  say(table(['version', 'written', 'rows', 'files', ''], lines))
}

async function showFiles(lake: Lake, id: string): Promise<void> {
  const dataset = datasetById(id)
  const snapshot = await lake.snapshot(dataset)
  if (!snapshot) throw new Error(`table ${id} is not created yet`)
  const timeId = dataset.columns[dataset.time]?.id as number
  const files = (await liveFiles(snapshot.state)).map((file) => {
    const { lower, upper } = file.metrics.get(timeId) ?? {}
    const instant = (bound: unknown): string | null => (typeof bound === 'bigint' ? isoInstant(Number(bound) / 1000) : null)
    return [file.key.slice(file.key.lastIndexOf('/') + 1), file.rows, file.bytes, instant(lower), instant(upper)]
  })
  files.sort((one, other) => String(one[3]).localeCompare(String(other[3])))
  say(table(['file', 'rows', 'bytes', `${dataset.time} from`, 'to'], files))
}

async function answer(lake: Lake, query: string, most: number): Promise<void> {
  const select = query.trim().replace(/;\s*$/, '')
  if (select === '') throw new Error(`sql needs a SELECT\n${USAGE}`)
  // DuckDB writes the values itself: instants and decimals with every digit.
  const asked = lake.text(`SELECT COLUMNS(*)::VARCHAR FROM (${select}\n)`, { timeout_ms: SQL_TIMEOUT_MS, datasets })
  const rows: AnyRow[] = []
  for await (const batch of asked) {
    rows.push(...batch)
    if (rows.length > most) break
  }
  const names = Object.keys(rows[0] ?? {})
  say(
    table(
      names,
      rows.slice(0, most).map((row) => names.map((name) => shown(row[name]))),
    ),
  )
  say(rows.length > most ? `the first ${most} rows; --rows shows more` : `${rows.length} rows`)
}

/** Returns a value for display; whole numbers beyond 2^53 keep every digit. */
function shown(value: unknown): Json {
  return typeof value === 'bigint' ? value.toString() : (value as Json)
}

async function rollback(lake: Lake, id: string, version: string, isMeant: boolean): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new Error(`${version}: no version; scripts/lake versions ${id} lists them`)
  await repair(await planRollback(lake.table(datasetById(id)), Number(version)), isMeant)
}

async function dropColumn(lake: Lake, id: string, name: string, isMeant: boolean): Promise<void> {
  const dataset = datasetById(id)
  await repair(await planDropColumn(lake.table(dataset), dataset, name), isMeant)
}

async function repair({ plan, apply }: Repair, isMeant: boolean): Promise<void> {
  say(plan)
  say(isMeant ? `done: version ${await apply()}` : 'nothing was done; --yes does it')
}

async function moveTables(lake: Lake): Promise<void> {
  for (const dataset of datasets) {
    const one = lake.table(dataset)
    const move = async (): Promise<string | null> => {
      if (!(await one.load())) return null
      return (await relocate(one)) ? 'paths rewritten' : 'is where its paths say'
    }
    const done = await move().catch(asRefused)
    if (done instanceof TableRefused) process.exitCode = 1
    if (done !== null) say(`${dataset.id}: ${done instanceof TableRefused ? unusable(done) : done}`)
  }
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
