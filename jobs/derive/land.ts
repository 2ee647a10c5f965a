import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type DuckDBValue, VARCHAR } from '@duckdb/node-api'
import { commit } from '../../lake/iceberg/commit.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { piecesOf } from '../../lake/query/parquet.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { scan, scanFiles } from '../../lake/query/scan.ts'
import type { Session } from '../../lake/query/session.ts'
import { Bound, column, fieldName, join, outputName, type Sql, sql } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import type { IngestContext } from '../ingest/context.ts'
import { dropUnused, PATIENCE_MS, writeRows } from '../ingest/tables.ts'
import { type Derived, type DerivedPart, filledBy, type ModelRows } from './define.ts'
import { lineageSummary, madeParts, type PlannedPart, partProperty } from './lineage.ts'

const run = promisify(execFile)
let found: Promise<string | null> | undefined

/** The Git commit of this process's code, 40 hex digits; null if it is not a checkout, or Git is missing. Cached. */
export function codeCommit(): Promise<string | null> {
  found ??= run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  return found
}

/** Rows of a part that are sorted or compared at once; they make one file. */
const AT_ONCE = 1_000_000
/** Most rows passed to a model. */
const MOST_GIVEN = 1_000_000

/** Where a part lands: the table's state as read, and the part's lineage in it. */
export interface Landing {
  readonly state: TableState
  readonly before: string | null
  readonly signal: AbortSignal
}

/**
 * Builds a part and lands it in one commit with its lineage, replacing the table's rows of the part; equal rows change only
 * the lineage. A model's other datasets land before, each in its own commit; a stopped run is repeated with the same result.
 * Returns the rows of `into`, or null if another process built the part meanwhile.
 */
export async function landPart(
  context: IngestContext,
  derived: Derived,
  { part, pins, place }: { readonly part: PlannedPart; readonly pins: SnapshotPins; readonly place: Landing },
): Promise<number | null> {
  const { signal } = place
  const computed = await computePart(context, derived, { part, pins, signal })
  for (const [into, rows] of computed?.sideOutputs ?? []) {
    if (!filledBy(derived).includes(into)) throw new Error(`${derived.into.id}: the model returned rows of undeclared ${into.id}`)
    const state = await context.lake.table(into).load()
    if (!state) throw new Error(`there is no table of ${into.id}`)
    const theirs = { state, before: madeParts(state.properties).get(part.version) ?? null, signal }
    if ((await landInto(context, derived, { into, part, pins, place: theirs, rows })) === null) return null
  }
  return landInto(context, derived, { into: derived.into, part, pins, place, rows: computed?.rows ?? null })
}

async function landInto(
  context: IngestContext,
  derived: Derived,
  made: {
    readonly into: Dataset
    readonly part: PlannedPart
    readonly pins: SnapshotPins
    readonly place: Landing
    /** Rows computed by a model; null if a query makes them. */
    readonly rows: readonly AnyRow[] | null
  },
): Promise<number | null> {
  const { into, part, pins, place, rows: computed } = made
  const { state, signal } = place
  const old = await filesOf(state, into, part.version)
  const { add, rows, isSame } = await context.lake.use({ timeout_ms: PATIENCE_MS, signal, pins }, async (session) => {
    const had = old.reduce((sum, file) => sum + file.rows, 0)
    const pieces = await piecesOfPart(session, part)
    const newest = await newestFetch(session, part)
    const add: DataFile[] = []
    let [rows, isSame] = [0, true]
    for (const piece of pieces) {
      const fresh = await stagePart(session, into, { part, piece, newest, computed })
      const [[count] = []] = await session.values(sql`SELECT count(*) FROM ${fresh}`)
      rows += Number(count)
      isSame &&= rows <= had && (await isEqual(session, { into, old, fresh, piece }))
      // A single piece that is equal need not be written; of several, others may differ.
      if (Number(count) > 0 && !(isSame && pieces.length === 1))
        add.push(...(await writeRows(context, session, { dataset: into, state, from: fresh, mostSorted: AT_ONCE })))
      await session.run(sql`DROP TABLE ${fresh}`)
    }
    return { rows, isSame: isSame && rows === had, add }
  })
  await context.onStep?.('parquet-written')
  const summary = lineageSummary(derived, part, pins)
  if (isSame) await context.store.deleteMany(add.map(({ key }) => key))
  const files = isSame ? { add: [], remove: [] } : { add, remove: old }
  const isLanded = await change(context, place, { version: part.version, lineage: part.lineage, ...files, summary })
  return isLanded ? rows : null
}

/** Removes an obsolete part from the table. False if another process changed it meanwhile. */
export async function dropPart(context: IngestContext, into: Dataset, gone: Landing & { readonly version: string }): Promise<boolean> {
  const remove = await filesOf(gone.state, into, gone.version)
  return change(context, gone, { version: gone.version, lineage: null, add: [], remove, summary: { 'derived-part': gone.version } })
}

/** The files of a part, by its version. */
export function filesOf(state: TableState, dataset: Dataset, version: string): Promise<LiveFile[]> {
  return liveFiles(state, { [dataset.version as string]: { gte: version, lte: version } })
}

async function change(
  context: IngestContext,
  { state, before, signal }: Landing,
  to: {
    readonly version: string
    readonly lineage: string | null
    readonly add: readonly DataFile[]
    readonly remove: readonly LiveFile[]
    readonly summary: Readonly<Record<string, string>>
  },
): Promise<boolean> {
  const { add, remove, summary } = to
  const property = partProperty(to.version)
  const done = await commit({
    table: state.table,
    operation: remove.length === 0 ? 'append' : add.length === 0 ? 'delete' : 'overwrite',
    add,
    remove,
    summary,
    properties: () => ({ [property]: to.lineage }),
    unless: (current) => ((current.properties[property] ?? null) === before ? null : `${to.version} was made meanwhile`),
    signal,
    ...(context.onStep ? { onStep: context.onStep } : {}),
  })
  return dropUnused(context, add, done)
}

/** The rows of a part computed by a model; null if a query makes them. DuckDB is not used meanwhile. */
async function computePart(
  context: IngestContext,
  derived: Derived,
  { part, pins, signal }: { readonly part: PlannedPart; readonly pins: SnapshotPins; readonly signal: AbortSignal },
): Promise<ModelRows | null> {
  if (derived.by !== 'model') return null
  const what = part.rows as DerivedPart
  const limits = { timeout_ms: PATIENCE_MS, signal, maxRows: MOST_GIVEN }
  const read = (query: Sql, columns: Columns): Promise<AnyRow[]> => context.lake.query(query, { ...limits, columns, pins })
  const given = await read(derived.reads(what), derived.gives ?? tableColumns(derived.from[0] as Dataset))
  const { into } = derived
  const own = sql`SELECT * FROM ${scan(into, { [into.version as string]: { eq: part.version } })}`
  const before = await context.lake.query(own, { ...limits, columns: tableColumns(into) })
  const files = { store: context.store, now: context.now, commit: context.commit === undefined ? await codeCommit() : context.commit }
  const made = await derived.rows(what, { given, before, read, recent: part.recent ?? null, files, signal })
  return 'sideOutputs' in made ? made : { rows: made, sideOutputs: new Map() }
}

/** A piece of a part: the condition on rows of the inputs and of the part; null if it is built at once. */
type Piece = Sql | null

/**
 * The pieces of a part: each has one value of all columns of `by` but the last, of which it has a range, and at most `rows` rows
 * of the inputs, unless they all have one value. One piece if that is enough. Unlike those of `cutRows`, ranges of one column
 * skip row groups of the inputs.
 */
async function piecesOfPart(session: Session, { pieces, reads }: PlannedPart): Promise<Piece[]> {
  if (!pieces) return [null]
  const names = pieces.by.map(outputName)
  const inputs = reads.map((rows) => sql`SELECT ${join(names)} FROM ${rows}`)
  const counts = await session.values(sql`
    SELECT ${join(names)}, count(*) FROM (${join(inputs, sql` UNION ALL `)}) GROUP BY ALL ORDER BY ALL`)
  const found: { readonly same: readonly string[]; readonly after: string | null; upTo: string | null; rows: number }[] = []
  for (const row of counts) {
    const [same, value, rows] = [row.slice(0, -2) as string[], row.at(-2) as string, Number(row.at(-1))]
    const last = found.at(-1)
    const isNext = last !== undefined && last.same.every((one, at) => one === same[at])
    if (last && isNext && last.rows + rows <= pieces.rows) {
      last.rows += rows
      last.upTo = value
    } else found.push({ same, after: isNext ? last.upTo : null, upTo: value, rows })
  }
  if (found.length < 2) return [null]
  const ranged = names.at(-1) as Sql
  return found.map(({ same, after, upTo }) => {
    const conditions = same.map((value, at) => sql`${names[at] as Sql} = ${value}`)
    if (after !== null) conditions.push(sql`${ranged} > ${after}`)
    return join([...conditions, sql`${ranged} <= ${upTo}`], sql` AND `)
  })
}

/** The newest fetch that a part is based on, null without rows. */
async function newestFetch(session: Session, { reads }: PlannedPart): Promise<DuckDBValue> {
  const fetches = reads.map((rows) => sql`SELECT fetch_id FROM ${rows}`)
  const [[newest = null] = []] = await session.values(sql`SELECT max(fetch_id) FROM (${join(fetches, sql` UNION ALL `)})`)
  return newest
}

/**
 * Puts a piece of a part's rows into a typed table, with the newest fetch that the part is based on. Throws if they violate the
 * dataset's declaration, or are outside the piece.
 */
async function stagePart(
  session: Session,
  into: Dataset,
  given: { readonly part: PlannedPart; readonly piece: Piece; readonly newest: DuckDBValue; readonly computed: readonly AnyRow[] | null },
): Promise<Sql> {
  const { part, piece, newest, computed } = given
  const fields = physicalFields(tableColumns(into))
  const staged = await session.temporaryTable(fields)
  const own = physicalFields(into.columns).map(fieldName)
  const rows = piece && part.pieces ? part.pieces.rowsWhere(piece) : (part.rows as Sql)
  await session.run(sql`
    INSERT INTO ${staged.name} BY NAME
    SELECT ${join(own)}, ${new Bound(newest, VARCHAR)} AS fetch_id
    FROM (${computed ? sql`SELECT * FROM ${(await stageRows(session, into.columns, [computed])).table}` : rows})`)
  const key = join([...new Set([...into.entity, into.time])].map((name) => column(into, name)))
  const missing = join(
    fields.filter(({ required }) => required).map((field) => sql`${fieldName(field)} IS NULL`),
    sql` OR `,
  )
  const [[doubled, empty, foreign, outside] = []] = await session.values(sql`
    SELECT count(*) - (SELECT count(*) FROM (SELECT ${key} FROM ${staged.name} GROUP BY ALL)), count(*) FILTER (WHERE ${missing}),
      count(*) FILTER (WHERE ${column(into, into.version as string)} <> ${part.version}), count(*) FILTER (WHERE NOT (${piece ?? sql`true`}))
    FROM ${staged.name}`)
  const faults = [
    [doubled, 'keys that come twice'],
    [empty, 'rows without a value that each needs'],
    [foreign, 'rows of another version'],
    [outside, 'rows that a piece of the inputs cannot give'],
  ] as const
  const found = faults.filter(([count]) => Number(count) > 0).map(([count, what]) => `${count} ${what}`)
  if (found.length > 0) throw new Error(`${into.id}: part ${part.version} has ${found.join(', ')}`)
  return staged.name
}

async function isEqual(
  session: Session,
  {
    into,
    old,
    fresh,
    piece: whole,
  }: { readonly into: Dataset; readonly old: readonly LiveFile[]; readonly fresh: Sql; readonly piece: Piece },
): Promise<boolean> {
  if (old.length === 0) return false
  // Piece by piece: comparing all hours of a month of readings at once takes much memory.
  for (const piece of await piecesOf(session, { dataset: into, mostSorted: AT_ONCE }, fresh)) {
    const before = sql`SELECT * FROM ${scanFiles(into, old)} WHERE ${piece} AND ${whole ?? sql`true`}`
    const after = sql`SELECT * FROM ${fresh} WHERE ${piece}`
    const [[differing] = []] = await session.values(sql`
      SELECT (SELECT count(*) FROM (${before} EXCEPT ALL ${after})) + (SELECT count(*) FROM (${after} EXCEPT ALL ${before}))`)
    if (Number(differing) > 0) return false
  }
  return true
}
