import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { commit } from '../../lake/iceberg/commit.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { TableState } from '../../lake/iceberg/table.ts'
import type { DataFile, LiveFile } from '../../lake/iceberg/types.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { piecesOf } from '../../lake/query/parquet.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { scan, scanFiles } from '../../lake/query/scan.ts'
import type { Session } from '../../lake/query/session.ts'
import { column, fieldName, join, type Sql, sql } from '../../lake/query/sql.ts'
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
    const fresh = await stagePart(session, into, { part, computed })
    const [[count] = []] = await session.values(sql`SELECT count(*) FROM ${fresh}`)
    const rows = Number(count)
    const had = old.reduce((sum, file) => sum + file.rows, 0)
    const found = { rows, isSame: rows === had && (await isEqual(session, { into, old, fresh })) }
    const written =
      found.isSame || found.rows === 0 ? [] : await writeRows(context, session, { dataset: into, state, from: fresh, mostSorted: AT_ONCE })
    return { ...found, add: written }
  })
  await context.onStep?.('parquet-written')
  const summary = lineageSummary(derived, part, pins)
  const isLanded = await change(context, place, { version: part.version, lineage: part.lineage, add, remove: isSame ? [] : old, summary })
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

/**
 * Puts a part's rows into a typed table, with the newest fetch that they are based on. Throws if they violate the dataset's
 * declaration.
 */
async function stagePart(
  session: Session,
  into: Dataset,
  { part, computed }: { readonly part: PlannedPart; readonly computed: readonly AnyRow[] | null },
): Promise<Sql> {
  const fields = physicalFields(tableColumns(into))
  const staged = await session.temporaryTable(fields)
  const own = physicalFields(into.columns).map(fieldName)
  const fetches = part.reads.map((rows) => sql`SELECT fetch_id FROM ${rows}`)
  await session.run(sql`
    INSERT INTO ${staged.name} BY NAME
    SELECT ${join(own)}, (SELECT max(fetch_id) FROM (${join(fetches, sql` UNION ALL `)})) AS fetch_id
    FROM (${computed ? sql`SELECT * FROM ${(await stageRows(session, into.columns, [computed])).table}` : (part.rows as Sql)})`)
  const key = join([...new Set([...into.entity, into.time])].map((name) => column(into, name)))
  const missing = join(
    fields.filter(({ required }) => required).map((field) => sql`${fieldName(field)} IS NULL`),
    sql` OR `,
  )
  const [[doubled, empty, foreign] = []] = await session.values(sql`
    SELECT count(*) - (SELECT count(*) FROM (SELECT ${key} FROM ${staged.name} GROUP BY ALL)), count(*) FILTER (WHERE ${missing}),
      count(*) FILTER (WHERE ${column(into, into.version as string)} <> ${part.version})
    FROM ${staged.name}`)
  const faults = [
    [doubled, 'keys that come twice'],
    [empty, 'rows without a value that each needs'],
    [foreign, 'rows of another version'],
  ] as const
  const found = faults.filter(([count]) => Number(count) > 0).map(([count, what]) => `${count} ${what}`)
  if (found.length > 0) throw new Error(`${into.id}: part ${part.version} has ${found.join(', ')}`)
  return staged.name
}

async function isEqual(
  session: Session,
  { into, old, fresh }: { readonly into: Dataset; readonly old: readonly LiveFile[]; readonly fresh: Sql },
): Promise<boolean> {
  if (old.length === 0) return false
  // Piece by piece: comparing all hours of a month of readings at once takes much memory.
  for (const piece of await piecesOf(session, { dataset: into, mostSorted: AT_ONCE }, fresh)) {
    const before = sql`SELECT * FROM ${scanFiles(into, old)} WHERE ${piece}`
    const after = sql`SELECT * FROM ${fresh} WHERE ${piece}`
    const [[differing] = []] = await session.values(sql`
      SELECT (SELECT count(*) FROM (${before} EXCEPT ALL ${after})) + (SELECT count(*) FROM (${after} EXCEPT ALL ${before}))`)
    if (Number(differing) > 0) return false
  }
  return true
}
