import type { DuckDBValue } from '@duckdb/node-api'
import { commit } from '../../lake/iceberg/commit.ts'
import { createTable } from '../../lake/iceberg/create.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { tableKey } from '../../lake/iceberg/schema.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import type { Updated } from '../../lake/iceberg/update.ts'
import { type Landed, landedOf, landedProperties } from '../../lake/landed.ts'
import { piecesOf, storeFiles, type WrittenFile, writeParquet } from '../../lake/query/parquet.ts'
import { type StagedRows, stageRows } from '../../lake/query/rows.ts'
import { scan, scanFiles } from '../../lake/query/scan.ts'
import type { Session } from '../../lake/query/session.ts'
import { Bound, bindList, column, fieldName, fieldOf, fieldType, join, type Sql, sql } from '../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import type { IngestContext } from './context.ts'

/** Work on tables may take this long before something is wrong, ms. */
export const PATIENCE_MS = 30 * 60_000
/** Rows of a version that are sorted at once: as many as a row group has. */
export const MOST_SORTED = 61_440

/** A version is written once and whole, so that its files need not be one. */
function sortedAtOnce(dataset: Dataset): { readonly mostSorted?: number } {
  return dataset.land === 'replace' ? { mostSorted: MOST_SORTED } : {}
}

/** What the table of a dataset holds of a feed. */
export async function landedIn(context: IngestContext, dataset: Dataset, feed: string): Promise<Landed> {
  const state = await context.lake.table(dataset).load()
  return landedOf(state?.properties ?? {}, feed)
}

/** A table whose newest fetch of a feed lies so far behind that of the feed's other tables is filled in passing, not through memory. */
const BEHIND = 100

/** True where a table is far behind the others of its feed, as when its dataset came later to the feed. */
export function isBehind(landed: Landed, all: readonly Landed[]): boolean {
  const top = ({ seqs }: Landed): number => seqs.at(-1)?.[1] ?? 0
  return Math.max(...all.map(top)) - top(landed) > BEHIND
}

/** The newest row of each entity that a feed gave, with time from `from` on and, where told, before `before`; instants in ms. */
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

/** The newest time, before an instant (ms), of a row that a feed gave; null where there is none. */
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

/** True where a table may hold rows of an instant (ms) or later; told by the bounds of its files. */
export async function holdsFrom(context: IngestContext, dataset: Dataset, from: number): Promise<boolean> {
  const state = await context.lake.table(dataset).load()
  return state !== null && (await liveFiles(state, { [dataset.time]: { gte: from } })).length > 0
}

/** The keys of a table's rows in a range of time (both ends inclusive, ms), those of some fetches left out. */
export async function keysBetween(
  context: IngestContext,
  dataset: Dataset,
  range: { readonly from: number; readonly to: number; readonly key: (row: AnyRow) => string; readonly notFrom?: readonly string[] },
): Promise<Set<string>> {
  const names = join([...dataset.entity, dataset.time].map((name) => column(dataset, name)))
  const rows = scan(dataset, { [dataset.time]: { gte: range.from, lte: range.to } })
  const others = range.notFrom ? sql` WHERE fetch_id NOT IN ${fetchList(dataset, range.notFrom)}` : sql``
  const keys = new Set<string>()
  for await (const batch of context.lake.stream(sql`SELECT ${names} FROM ${rows}${others}`, { timeout_ms: PATIENCE_MS }))
    for (const row of batch) keys.add(range.key(row))
  return keys
}

/** What a landing commits: the rows, and what the table held of the feed before and holds after. */
export interface LandingRows {
  readonly feed: string
  /** At once, in batches that are made while they are staged, or staged already. */
  readonly rows: readonly AnyRow[] | AsyncIterable<readonly AnyRow[]> | StagedRows
  readonly base: Landed
  readonly next: Landed
}

/** Appends rows and the record of their fetches in one commit. False where the table no longer holds what `base` says. */
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

/** What a replacement did. */
export interface Replaced {
  readonly removed: number
  readonly added: number
  /** What the table holds of the feed now. */
  readonly landed: Landed
}

/**
 * Replaces exactly the rows of some fetches by others, and what has to give way to these: observations of the same key, other rows of the
 * same version. In one commit with the record of what is landed; files that hold none of them stay as they are, and equal rows change
 * nothing. Null where the table no longer holds what `base` says.
 */
export async function replaceRows(
  context: IngestContext,
  dataset: Dataset,
  landing: LandingRows & { readonly fetchIds: readonly string[] },
): Promise<Replaced | null> {
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
  const next = isPlain || removed + added === 0 ? landing.next : { ...landing.next, rebuilds: landing.next.rebuilds + 1 }
  const done = await dropUnused(context, add, await commit({ ...committing(context, state, { ...landing, next }), operation, add, remove }))
  return done ? { removed, added, landed: next } : null
}

/** Writes the files of a replacement and says which they stand for; `isPlain` where nothing was there to be replaced. */
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
  // Piece by piece, as they are written, for rows of a version that are compared at once take as much memory as sorting them.
  for (const piece of await piecesOf(session, { dataset, ...sortedAtOnce(dataset) }, fresh)) {
    const old = sql`SELECT * FROM ${scanFiles(dataset, touched)} WHERE ${theirs} AND ${piece}`
    const next = sql`SELECT * FROM ${fresh} WHERE ${piece}`
    // Under a name that no column has: how often a row comes, less how often it was there.
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
  const others = sql`SELECT * FROM ${scanFiles(dataset, touched)} WHERE NOT (${theirs})`
  if (staged.files && (await session.values(sql`${others} LIMIT 1`)).length === 0)
    return { removed, added, add: await storeFiles(context.store, staged.files), remove: touched, isPlain: false }
  const from = sql`(${others} UNION ALL SELECT * FROM ${fresh})`
  return { removed, added, add: await writeRows(context, session, { dataset, state, from }), remove: touched, isPlain: false }
}

/** Rows that give way to new ones: a later fetch's repetition of an observation, a feed's earlier rows of a version. */
function givingWay(
  dataset: Dataset,
  { feed, fresh, versions }: { readonly feed: string; readonly fresh: Sql; readonly versions: readonly DuckDBValue[] },
): Sql {
  if (dataset.land === 'append') return sql` OR ${sameKey(dataset)} IN (SELECT ${sameKey(dataset)} FROM ${fresh})`
  if (dataset.land === 'changes') return sql``
  if (versions.length === 0) return sql``
  const field = fieldOf(dataset, dataset.version as string)
  const list = join(versions.map((value) => new Bound(value, fieldType(field))))
  const { gte, lt } = fetchesOf(feed)
  return sql` OR (fetch_id >= ${gte} AND fetch_id < ${lt} AND ${fieldName(field)} IN (${list}))`
}

/** The versions of new rows; none of a dataset without versions. Told once, for each piece of the rows is compared with them. */
async function freshVersions(session: Session, dataset: Dataset, fresh: Sql): Promise<DuckDBValue[]> {
  if (!dataset.version) return []
  const found = await session.values(sql`SELECT DISTINCT ${column(dataset, dataset.version)} FROM ${fresh}`)
  return found.flat()
}

/** Versions of a `replace` dataset whose rows are of one fetch. */
export async function versionsOf(context: IngestContext, dataset: Dataset, fetchId: string): Promise<unknown[]> {
  const rows = scan(dataset, { fetch_id: { gte: fetchId, lte: fetchId } })
  const version = column(dataset, dataset.version as string)
  const found = await context.lake.query(sql`SELECT DISTINCT ${version} AS version FROM ${rows}`, { timeout_ms: PATIENCE_MS })
  return found.map((row) => row.version)
}

/** Files that may hold rows of some fetches, or such as give way to the new rows. */
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
  if (dataset.land === 'append') {
    const time = column(dataset, dataset.time)
    const [range] = await session.values(sql`SELECT epoch_us(min(${time})), epoch_us(max(${time})) FROM ${fresh}`)
    const [from, to] = range as [bigint | null, bigint | null]
    if (from !== null && to !== null) await find({ [dataset.time]: { gte: Number(from) / 1000, lte: Number(to) / 1000 } })
  }
  return [...found.values()]
}

/** Puts the rows of a landing where the engine can sort and compare them. */
async function stage(context: IngestContext, session: Session, dataset: Dataset, { rows }: LandingRows): Promise<StagedRows> {
  if ('table' in rows) return rows
  const [batches, options] = 'length' in rows ? [[rows], {}] : [rows, { spillTo: context.lake.engine.folder }]
  return stageRows(session, tableColumns(dataset), batches, options)
}

/** The key of a row as one value. */
const sameKey = (dataset: Dataset): Sql => sql`row(${join([...dataset.entity, dataset.time].map((name) => column(dataset, name)))})`

/** Makes one or a few sorted files of some files of one partition; rows stay as they are. Null where one is no longer in the table. */
export async function rewriteFiles(
  context: IngestContext,
  dataset: Dataset,
  files: readonly LiveFile[],
): Promise<readonly DataFile[] | null> {
  const state = await tableOf(context, dataset)
  const add = await context.lake.use({ timeout_ms: PATIENCE_MS }, (session) =>
    writeRows(context, session, {
      dataset,
      state,
      from: sql`${scanFiles(dataset, files)}`,
      partition: (files[0] as LiveFile).partition,
      // Versions that lie over each other are sorted together.
      ...(dataset.land === 'replace' ? { mostSorted: Number.POSITIVE_INFINITY } : {}),
      sourceBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    }),
  )
  await context.onStep?.('parquet-written')
  const onStep = context.onStep && { onStep: context.onStep }
  const done = await commit({ table: context.lake.table(dataset), operation: 'replace', add, remove: files, ...onStep })
  return (await dropUnused(context, add, done)) ? add : null
}

/** Writes rows as files of a dataset's table and puts them into the store; no table names them until they are committed. */
export async function writeRows(
  context: IngestContext,
  session: Session,
  rows: {
    readonly dataset: Dataset
    readonly state: TableState
    readonly from: Sql
    readonly partition?: LiveFile['partition']
    readonly sourceBytes?: number
    /** Rows of a version that are sorted at once, and make a file; as many as a row group has unless told. */
    readonly mostSorted?: number
  },
): Promise<DataFile[]> {
  const { dataset, state, from, partition, mostSorted, sourceBytes = 0 } = rows
  const written = await writeParquet(session, {
    dataset,
    tableKey: tableKey(dataset),
    from,
    specId: state.metadata['default-spec-id'],
    sortOrderId: state.metadata['default-sort-order-id'],
    folder: context.lake.engine.folder,
    sourceBytes,
    ...(mostSorted === undefined ? sortedAtOnce(dataset) : { mostSorted }),
    ...(partition ? { partition } : {}),
  })
  return storeFiles(context.store, written)
}

/**
 * Writes what a query gives, with what is `told` of its rows, as the files that a dataset's table takes; they are not in the store yet. For rows of
 * one partition, which are sorted at once. A day of ten million lines is one file.
 */
export async function writeApart(
  context: IngestContext,
  session: Session,
  rows: {
    readonly dataset: Dataset
    readonly from: Sql
    readonly told: Readonly<Record<string, Sql>>
    readonly partition: readonly (number | string)[]
  },
): Promise<WrittenFile[]> {
  const { dataset, from, told, partition } = rows
  const { metadata } = await tableOf(context, dataset)
  return writeParquet(session, {
    dataset,
    tableKey: tableKey(dataset),
    from,
    told,
    specId: metadata['default-spec-id'],
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

/** How far each feed has landed, for whoever reads this snapshot later. */
function coverage(state: TableState, changed: Readonly<Record<string, string | null>>): Record<string, string> {
  const all = Object.entries({ ...state.properties, ...changed })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[0].startsWith('landed-until.') && entry[1] !== null))
}

/** Takes away the data files of a commit that is known to have given up; true for one that is in the table. */
export async function dropUnused(context: IngestContext, add: readonly DataFile[], done: Updated): Promise<boolean> {
  if (done.committed) return true
  context.log.info({ table: done.state.table.key, reason: done.reason }, 'commit given up')
  for (const { key } of add) await context.store.delete(key)
  return false
}

async function tableOf(context: IngestContext, dataset: Dataset): Promise<TableState> {
  const known = await context.lake.table(dataset).load()
  if (known) return known
  await createTable({ store: context.store, dataset, properties: { 'source-mode': context.mode } })
  return (await context.lake.table(dataset).load()) as TableState
}

/** All fetch ids of one feed: they begin with its id and a dot, and `/` is the next character after the dot. */
const fetchesOf = (feed: string): { gte: string; lt: string } => ({ gte: `${feed}.`, lt: `${feed}/` })

const fetchList = (dataset: Dataset, ids: readonly string[]): Sql =>
  bindList('fetch_id', tableColumns(dataset).fetch_id as ReturnType<typeof tableColumns>[string], ids)
