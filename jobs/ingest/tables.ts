import type { DuckDBValue } from '@duckdb/node-api'
import { commit } from '../../lake/iceberg/commit.ts'
import { createTable } from '../../lake/iceberg/create.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { declaredSpecId } from '../../lake/iceberg/migrate.ts'
import { tableKey } from '../../lake/iceberg/schema.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import type { Updated } from '../../lake/iceberg/update.ts'
import { type Landed, landedOf, landedProperties, rebuiltFrom } from '../../lake/landed.ts'
import { piecesOf, storeFiles, type WrittenFile, writeParquet } from '../../lake/query/parquet.ts'
import { type StagedRows, stageRows } from '../../lake/query/rows.ts'
import { IS_OURS, scan, scanFiles } from '../../lake/query/scan.ts'
import type { Session } from '../../lake/query/session.ts'
import { Bound, bindList, column, fieldName, fieldOf, fieldType, join, type Sql, sql } from '../../lake/query/sql.ts'
import { type StoredField, storedFields } from '../../lake/query/stored-fields.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import type { IngestContext } from './context.ts'

/** Work on tables may take this long before something is wrong, ms. */
export const PATIENCE_MS = 30 * 60_000
/** Rows of a version sorted at once: a row group's size. */
export const MOST_SORTED = 61_440

/** A version is written once and completely, so it may have several files. */
function sortedAtOnce(dataset: Dataset): { readonly mostSorted?: number } {
  return dataset.writeMode === 'replace' ? { mostSorted: MOST_SORTED } : {}
}

/** What a dataset's table contains of a feed. */
export async function landedIn(context: IngestContext, dataset: Dataset, feed: string): Promise<Landed> {
  return (await heldIn(context, dataset, feed)).landed
}

/** What a dataset's table contains of a feed, and the table's UUID; null without a table. */
export interface Held {
  readonly dataset: Dataset
  readonly landed: Landed
  readonly table: string | null
}

/** What a dataset's table contains of a feed, with the table's identity. */
export async function heldIn(context: IngestContext, dataset: Dataset, feed: string): Promise<Held> {
  const state = await context.lake.table(dataset).load()
  return { dataset, landed: landedOf(state?.properties ?? {}, feed), table: state?.metadata['table-uuid'] ?? null }
}

/** A table this far behind the feed's other tables is filled in the background, not through memory. */
const BEHIND = 100

/** True if a table is far behind the feed's other tables, as after its dataset was added to the feed. */
export function isBehind(landed: Landed, all: readonly Landed[]): boolean {
  const top = ({ seqs }: Landed): number => seqs.at(-1)?.[1] ?? 0
  return Math.max(...all.map(top)) - top(landed) > BEHIND
}

/** The newest row of each entity from a feed, with time from `from` on and, if set, before `before`; instants in ms. */
export async function latestRows(
  context: IngestContext,
  dataset: Dataset,
  range: { readonly feed: string; readonly from: number; readonly before: number | null },
): Promise<AnyRow[]> {
  const time = { gte: range.from, ...(range.before === null ? {} : { lt: range.before }) }
  const entity = join(dataset.entity.map((name) => column(dataset, name)))
  const rows = scan(dataset, { [dataset.time]: time, fetch_id: fetchesOf(range.feed) })
  const order = sql`${column(dataset, dataset.time)} DESC, fetch_id DESC`
  return context.lake.query(sql`SELECT * FROM ${rows} QUALIFY row_number() OVER (PARTITION BY ${entity} ORDER BY ${order}) = 1`, {
    timeout_ms: PATIENCE_MS,
  })
}

/** The newest row time from a feed before an instant (ms); null if there is none. */
export async function newestTime(
  context: IngestContext,
  dataset: Dataset,
  range: { readonly feed: string; readonly before: number },
): Promise<number | null> {
  const rows = scan(dataset, { [dataset.time]: { lt: range.before }, fetch_id: fetchesOf(range.feed) })
  const [row] = await context.lake.query(sql`SELECT max(${column(dataset, dataset.time)}) AS newest FROM ${rows}`, {
    timeout_ms: PATIENCE_MS,
  })
  return (row?.newest as number | null | undefined) ?? null
}

/** True if a table may have rows at an instant (ms) or later, by the bounds of its files. */
export async function holdsFrom(context: IngestContext, dataset: Dataset, from: number): Promise<boolean> {
  const state = await context.lake.table(dataset).load()
  return state !== null && (await liveFiles(state, { [dataset.time]: { gte: from } })).length > 0
}

/** The keys of our rows in a table in a time range (ms, both ends inclusive), without those of some fetches. */
export async function keysBetween(
  context: IngestContext,
  dataset: Dataset,
  range: { readonly from: number; readonly to: number; readonly key: (row: AnyRow) => string; readonly notFrom?: readonly string[] },
): Promise<Set<string>> {
  const names = join([...dataset.entity, dataset.time].map((name) => column(dataset, name)))
  const rows = scan(dataset, { [dataset.time]: { gte: range.from, lte: range.to } })
  const others = range.notFrom ? sql` AND fetch_id NOT IN ${fetchList(dataset, range.notFrom)}` : sql``
  const keys = new Set<string>()
  for await (const batch of context.lake.stream(sql`SELECT ${names} FROM ${rows} WHERE ${IS_OURS}${others}`, { timeout_ms: PATIENCE_MS }))
    for (const row of batch) keys.add(range.key(row))
  return keys
}

/** A landing's commit: the rows, and the table's record of the feed before and after. */
export interface LandingRows {
  readonly feed: string
  /** All at once, in batches made while staging, or already staged. */
  readonly rows: readonly AnyRow[] | AsyncIterable<readonly AnyRow[]> | StagedRows
  readonly base: Landed
  readonly next: Landed
}

/** Appends rows and the record of their fetches in one commit. False if the table's record differs from `base`. */
export async function landRows(context: IngestContext, dataset: Dataset, landing: LandingRows): Promise<boolean> {
  const state = await tableOf(context, dataset)
  const isEmpty = 'length' in landing.rows && landing.rows.length === 0
  const add = isEmpty
    ? []
    : await context.lake.use({ timeout_ms: PATIENCE_MS }, async (session) => {
        const staged = await stage(context, session, dataset, landing)
        try {
          return await writeRows(context, session, { dataset, state, from: staged.table })
        } finally {
          await staged.drop()
        }
      })
  await context.onStep?.('parquet-written')
  return dropUnused(context, add, await commit({ ...committing(context, state, landing), operation: 'append', add }))
}

/** The result of a replacement. */
export interface Replaced {
  readonly removed: number
  readonly added: number
  /** The table's record of the feed now. */
  readonly landed: Landed
}

/** A replacement: the ids of its fetches, and the data time (ms) before which no row changes; unknown by default. */
type ReplacingRows = LandingRows & { readonly fetchIds: readonly string[]; readonly from?: number }

/**
 * Replaces the rows of some fetches, and rows that the new ones supersede: observations of the same key, other rows of the
 * same version. One commit with the landed record; files without such rows stay, and equal rows change nothing. Null if the
 * table's record differs from `base`.
 */
export async function replaceRows(context: IngestContext, dataset: Dataset, landing: ReplacingRows): Promise<Replaced | null> {
  const state = await tableOf(context, dataset)
  const ids = [...landing.fetchIds].sort()
  const made = await context.lake.use({ timeout_ms: PATIENCE_MS }, async (session) => {
    const staged = await stage(context, session, dataset, landing)
    try {
      return await makeReplacement(context, session, { dataset, state, ids, feed: landing.feed, staged })
    } finally {
      await staged.drop()
    }
  })
  await context.onStep?.('parquet-written')
  const { removed, added, add, remove, isPlain } = made
  const operation = remove.length === 0 ? 'append' : add.length === 0 ? 'delete' : 'overwrite'
  const counted = isPlain || removed + added === 0 ? landing.next : { ...landing.next, rebuilds: landing.next.rebuilds + 1 }
  const next = landing.from === undefined ? counted : rebuiltFrom(landing.base, counted, landing.from)
  const done = await dropUnused(context, add, await commit({ ...committing(context, state, { ...landing, next }), operation, add, remove }))
  return done ? { removed, added, landed: next } : null
}

/** Writes the files of a replacement and returns which files they replace; `isPlain` if there was nothing to replace. */
async function makeReplacement(
  context: IngestContext,
  session: Session,
  landing: {
    readonly dataset: Dataset
    readonly state: TableState
    readonly ids: readonly string[]
    readonly feed: string
    readonly staged: StagedRows
  },
): Promise<{ removed: number; added: number; add: DataFile[]; remove: LiveFile[]; isPlain: boolean }> {
  const { dataset, state, ids, feed, staged } = landing
  const { table: fresh, rows } = staged
  const versions = await freshVersions(session, dataset, fresh)
  const touched = await filesTouched(session, { state, dataset, ids, fresh, versions })
  if (touched.length === 0) {
    const add = staged.files
      ? await storeFiles(context.store, staged.files)
      : rows === 0
        ? []
        : await writeRows(context, session, { dataset, state, from: fresh })
    return { removed: 0, added: rows, add, remove: [], isPlain: ids.length === 0 }
  }
  const theirs = sql`(${ids.length > 0 ? sql`fetch_id IN ${fetchList(dataset, ids)}` : sql`false`}${givingWay(dataset, { feed, fresh, versions })})`
  const names = join(physicalFields(tableColumns(dataset)).map(fieldName))
  let [removed, added] = [0, 0]
  // Piece by piece, as written: comparing the rows of a version takes as much memory as sorting them.
  for (const piece of await piecesOf(session, { dataset, ...sortedAtOnce(dataset) }, fresh)) {
    const old = sql`SELECT * FROM ${scanFiles(dataset, touched)} WHERE ${theirs} AND ${piece}`
    const next = sql`SELECT * FROM ${fresh} WHERE ${piece}`
    // Under a name that no column has: how often a row occurs now, minus how often it did before.
    const [difference] = await session.values(sql`
      SELECT coalesce(sum(greatest(-"#", 0)), 0), coalesce(sum(greatest("#", 0)), 0)
      FROM (
        SELECT sum("#") AS "#"
        FROM (SELECT *, -1 AS "#" FROM (${old}) UNION ALL BY NAME SELECT *, 1 AS "#" FROM (${next}))
        GROUP BY ${names}
      )`)
    const [gone, come] = (difference ?? []).map(Number) as [number, number]
    removed += gone
    added += come
  }
  if (removed === 0 && added === 0) return { removed, added, add: [], remove: [], isPlain: false }
  const { fields, lost } = storedFields(dataset, state)
  const others = sql`SELECT * FROM ${scanFiles(dataset, touched, fields)} WHERE ${theirs} IS NOT TRUE`
  const keepsOthers = (staged.files || lost.length > 0) && (await session.values(sql`${others} LIMIT 1`)).length > 0
  if (keepsOthers && lost.length > 0)
    throw new Error(`table ${dataset.id}: other rows of its files have columns that cannot be written again: ${lost.join(', ')}`)
  if (staged.files && !keepsOthers)
    return { removed, added, add: await storeFiles(context.store, staged.files), remove: touched, isPlain: false }
  const from = sql`(${others} UNION ALL BY NAME SELECT * FROM ${fresh})`
  const kept = lost.length > 0 ? {} : { fields }
  return { removed, added, add: await writeRows(context, session, { dataset, state, from, ...kept }), remove: touched, isPlain: false }
}

/** Rows superseded by new ones: a later fetch's repetition of an observation, a feed's earlier rows of a version. */
function givingWay(
  dataset: Dataset,
  { feed, fresh, versions }: { readonly feed: string; readonly fresh: Sql; readonly versions: readonly DuckDBValue[] },
): Sql {
  if (dataset.writeMode === 'append') return sql` OR (${IS_OURS} AND ${sameKey(dataset)} IN (SELECT ${sameKey(dataset)} FROM ${fresh}))`
  if (dataset.writeMode === 'changes') return sql``
  if (versions.length === 0) return sql``
  const field = fieldOf(dataset, dataset.version as string)
  const list = join(versions.map((value) => new Bound(value, fieldType(field))))
  const { gte, lt } = fetchesOf(feed)
  return sql` OR (fetch_id >= ${gte} AND fetch_id < ${lt} AND ${fieldName(field)} IN (${list}))`
}

/**
 * The versions of new rows; none for a dataset without versions. Computed once, because every piece of the rows is compared
 * with them.
 */
async function freshVersions(session: Session, dataset: Dataset, fresh: Sql): Promise<DuckDBValue[]> {
  if (!dataset.version) return []
  const found = await session.values(sql`SELECT DISTINCT ${column(dataset, dataset.version)} FROM ${fresh}`)
  return found.flat()
}

/** Versions of a `replace` dataset whose rows come from one fetch. */
export async function versionsOf(context: IngestContext, dataset: Dataset, fetchId: string): Promise<unknown[]> {
  const rows = scan(dataset, { fetch_id: { gte: fetchId, lte: fetchId } })
  const version = column(dataset, dataset.version as string)
  const found = await context.lake.query(sql`SELECT DISTINCT ${version} AS version FROM ${rows}`, { timeout_ms: PATIENCE_MS })
  return found.map((row) => row.version)
}

/** Files that may have rows of some fetches, or rows that the new ones supersede. */
async function filesTouched(
  session: Session,
  landing: {
    readonly state: TableState
    readonly dataset: Dataset
    readonly ids: readonly string[]
    readonly fresh: Sql
    readonly versions: readonly DuckDBValue[]
  },
): Promise<LiveFile[]> {
  const { state, dataset, ids, fresh, versions } = landing
  const found = new Map<string, LiveFile>()
  const find = async (filter: Parameters<typeof liveFiles>[1]): Promise<void> => {
    for (const file of await liveFiles(state, filter)) found.set(file.key, file)
  }
  if (ids.length > 0) await find({ fetch_id: { gte: ids[0], lte: ids.at(-1) } })
  for (const value of versions) await find({ [dataset.version as string]: { gte: value, lte: value } })
  if (dataset.writeMode === 'append') {
    const time = column(dataset, dataset.time)
    const [range] = await session.values(sql`SELECT epoch_us(min(${time})), epoch_us(max(${time})) FROM ${fresh}`)
    const [from, to] = range as [bigint | null, bigint | null]
    if (from !== null && to !== null) await find({ [dataset.time]: { gte: Number(from) / 1000, lte: Number(to) / 1000 } })
  }
  return [...found.values()]
}

/** Stages the rows of a landing for DuckDB to sort and compare. */
async function stage(context: IngestContext, session: Session, dataset: Dataset, { rows }: LandingRows): Promise<StagedRows> {
  if ('table' in rows) return rows
  const [batches, options] = 'length' in rows ? [[rows], {}] : [rows, { spillTo: context.lake.engine.folder }]
  return stageRows(session, tableColumns(dataset), batches, options)
}

/** The key of a row as one value. */
const sameKey = (dataset: Dataset): Sql => sql`row(${join([...dataset.entity, dataset.time].map((name) => column(dataset, name)))})`

/** Writes rows as files of a dataset's table and uploads them; no table refers to them before the commit. */
export async function writeRows(
  context: IngestContext,
  session: Session,
  rows: {
    readonly dataset: Dataset
    readonly state: TableState
    readonly from: Sql
    readonly partition?: LiveFile['partition']
    readonly sourceBytes?: number
    /** Rows of a version sorted at once into one file; a row group's size by default. */
    readonly mostSorted?: number
    /** In a rewrite: the columns of `storedFields`. */
    readonly fields?: readonly StoredField[]
  },
): Promise<DataFile[]> {
  const { dataset, state, from, partition, fields, mostSorted, sourceBytes = 0 } = rows
  const written = await writeParquet(session, {
    dataset,
    tableKey: tableKey(dataset),
    from,
    // The rows are split as declared: during an upgrade the default may be that of another version.
    specId: declaredSpecId(state.metadata, dataset),
    sortOrderId: state.metadata['default-sort-order-id'],
    folder: context.lake.engine.folder,
    sourceBytes,
    ...(mostSorted === undefined ? sortedAtOnce(dataset) : { mostSorted }),
    ...(partition ? { partition } : {}),
    ...(fields ? { fields } : {}),
  })
  return storeFiles(context.store, written)
}

/**
 * Writes a query's rows, with the constant and derived columns in `derivedColumns`, as local files for a dataset's table.
 * For rows of one partition, sorted at once. A day of ten million lines is one file.
 */
export async function writeApart(
  context: IngestContext,
  session: Session,
  rows: {
    readonly dataset: Dataset
    readonly from: Sql
    readonly derivedColumns: Readonly<Record<string, Sql>>
    readonly partition: readonly (number | string)[]
  },
): Promise<WrittenFile[]> {
  const { dataset, from, derivedColumns, partition } = rows
  const { metadata } = await tableOf(context, dataset)
  return writeParquet(session, {
    dataset,
    tableKey: tableKey(dataset),
    from,
    derivedColumns,
    specId: declaredSpecId(metadata, dataset),
    sortOrderId: metadata['default-sort-order-id'],
    folder: context.lake.engine.folder,
    partition,
  })
}

function committing(context: IngestContext, state: TableState, landing: LandingRows) {
  const { feed, base, next } = landing
  const expected = JSON.stringify(landedProperties(feed, base))
  return {
    table: state.table,
    properties: () => landedProperties(feed, next),
    summary: coverage(state, landedProperties(feed, next)),
    unless: (current: TableState) =>
      JSON.stringify(landedProperties(feed, landedOf(current.properties, feed))) === expected
        ? null
        : `fetches of ${feed} landed meanwhile`,
    ...(context.onStep ? { onStep: context.onStep } : {}),
  }
}

/** How far each feed has landed, for readers of this snapshot. */
function coverage(state: TableState, changed: Readonly<Record<string, string | null>>): Record<string, string> {
  const all = Object.entries({ ...state.properties, ...changed })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[0].startsWith('landed-until.') && entry[1] !== null))
}

/** Deletes the data files of a commit that did not happen; true if the commit is in the table. */
export async function dropUnused(context: IngestContext, add: readonly DataFile[], done: Updated): Promise<boolean> {
  if (done.committed) return true
  context.log.info({ table: done.state.table.key, reason: done.reason }, 'commit given up')
  for (const { key } of add) await context.store.delete(key)
  return false
}

/** The state of a dataset's table, which is created if there is none. */
export async function tableOf(context: IngestContext, dataset: Dataset): Promise<TableState> {
  const known = await context.lake.table(dataset).load()
  if (known) return known
  await createTable({ store: context.store, dataset, properties: { 'source-mode': context.mode } })
  return (await context.lake.table(dataset).load()) as TableState
}

/** All fetch ids of one feed: they start with its id and a dot, and `/` is the next character after the dot. */
const fetchesOf = (feed: string): { gte: string; lt: string } => ({ gte: `${feed}.`, lt: `${feed}/` })

const fetchList = (dataset: Dataset, ids: readonly string[]): Sql =>
  bindList('fetch_id', tableColumns(dataset).fetch_id as ReturnType<typeof tableColumns>[string], ids)
