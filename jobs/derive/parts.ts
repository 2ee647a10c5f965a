import { setTimeout as delay } from 'node:timers/promises'
import { readVersion, type TableState } from '../../lake/iceberg/table.ts'
import { withLock } from '../../lake/live/lock.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { type Derived, inputsOf } from './define.ts'
import { type Landing, landPart } from './land.ts'
import { coverageOfInputs, coveredUntil, madeParts, type PlannedPart, planModel, planMonths, planVersions } from './lineage.ts'

/** What was built; `waits` if a part was changed meanwhile, or another process builds it. */
export interface BuiltParts {
  readonly made: readonly string[]
  readonly rows: number
  readonly waits: boolean
}

/** Parts that several processes may build: what they are made from, and what they were. */
export interface AskedParts {
  /** Id of the derived dataset. */
  readonly into: string
  /** The version of each input's table, by dataset id; null if there is no table. */
  readonly inputs: Readonly<Record<string, number | null>>
  /** The lineage of each part before, by version; null for a missing part. */
  readonly before: Readonly<Record<string, string | null>>
}

/** Computes the rows of a part in another engine; returns a SELECT of them. */
export type RowsElsewhere = (part: PlannedPart, pins: SnapshotPins) => Promise<Sql>

/** How long the lock of a derivation, or of a part, outlives a process that stopped, ms. */
export const LOCK_TTL_MS = 20_000
/** How often other processes are asked for help, and how long to wait for a part that one of them builds, ms. */
const ASK_EVERY_MS = 5000
const BUSY_MS = 250

/** The parts of a derivation from its inputs at these states. */
export async function planParts(derived: Derived, pins: SnapshotPins, covered: ReadonlyMap<string, number>): Promise<PlannedPart[]> {
  if (derived.by === 'versions') return planVersions(derived, pins)
  if (derived.by === 'model') return planModel(derived, pins, covered)
  return covered.size === 0 ? [] : planMonths(derived, pins, coveredUntil(derived, [...covered.values()]))
}

/** A part to build, and its lineage in the table when it was planned. */
export interface DuePart {
  readonly part: PlannedPart
  readonly before: string | null
}

/**
 * Builds parts under a lock each, so that several processes share them: each takes the next that no other builds. With `ask`
 * others are asked to help, and it waits for the parts that they build; if one of them dies, its part is built here. `waits` if a
 * part was changed from other inputs meanwhile.
 */
export async function buildParts(
  context: IngestContext,
  derived: Derived,
  given: {
    readonly due: readonly DuePart[]
    readonly pins: SnapshotPins
    readonly signal: AbortSignal
    readonly ask?: (parts: AskedParts) => void
    readonly rowsElsewhere?: RowsElsewhere
  },
): Promise<BuiltParts> {
  const { due, pins, signal, ask, rowsElsewhere } = given
  const isShared = due.length > 1 && derived.by !== 'model'
  const left = new Map(due.map((one) => [one.part.version, one]))
  const made: string[] = []
  let [rows, askedAt] = [0, Number.NEGATIVE_INFINITY]
  while (left.size > 0) {
    let isBusy = false
    for (const [version, { part, before }] of left) {
      signal.throwIfAborted()
      if (ask && left.size > 1 && performance.now() - askedAt >= ASK_EVERY_MS) {
        askedAt = performance.now()
        ask(askedParts(derived, pins, [...left.values()]))
      }
      const lock = { redis: context.redis, name: `derive:${derived.into.id}:${version}`, ttl_ms: LOCK_TTL_MS, signal }
      const done = await withLock(lock, async (held) => {
        const place = await placeOf(context, derived.into, { version, signal: held, isFresh: isShared })
        if (place.before === part.lineage) return 'there'
        if (place.before !== before) return null
        return landPart(context, derived, { part: rowsElsewhere ? await madeElsewhere(part, pins, rowsElsewhere) : part, pins, place })
      })
      if (!done.ran) {
        isBusy = true
        continue
      }
      if (done.value === null) return { made, rows, waits: true }
      left.delete(version)
      if (done.value === 'there') continue
      made.push(version)
      rows += done.value
    }
    if (isBusy && !ask) return { made, rows, waits: true }
    if (isBusy) await delay(BUSY_MS, undefined, { signal })
  }
  return { made, rows, waits: false }
}

/** The part with rows that another engine has made; in pieces they are read, but not made. */
async function madeElsewhere(part: PlannedPart, pins: SnapshotPins, rowsElsewhere: RowsElsewhere): Promise<PlannedPart> {
  const rows = await rowsElsewhere(part, pins)
  const pieces = part.pieces && { ...part.pieces, rowsWhere: (where: Sql) => sql`SELECT * FROM (${rows}) WHERE ${where}` }
  return { ...part, rows, ...(pieces ? { pieces } : {}) }
}

function askedParts(derived: Derived, pins: SnapshotPins, due: readonly DuePart[]): AskedParts {
  return {
    into: derived.into.id,
    inputs: Object.fromEntries(inputsOf(derived).map(({ id }) => [id, pins.get(id)?.version ?? null])),
    before: Object.fromEntries(due.map(({ part, before }) => [part.version, before])),
  }
}

/** Builds parts that another process asked for, from the same states of the inputs; none if one of these has expired. */
export async function helpBuild(
  context: IngestContext,
  derived: Derived,
  given: { readonly asked: AskedParts; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<BuiltParts> {
  const { asked, feeds, signal } = given
  const pins = new Map<string, TableState | null>()
  for (const dataset of inputsOf(derived)) {
    const version = asked.inputs[dataset.id] ?? null
    const state = version === null ? null : await readVersion(context.lake.table(dataset), version)
    if (version !== null && state === null) return { made: [], rows: 0, waits: true }
    pins.set(dataset.id, state)
  }
  const parts = await planParts(derived, pins, coverageOfInputs(derived, pins, feeds))
  const due = parts.flatMap((part) => {
    const before = asked.before[part.version]
    return before === undefined ? [] : [{ part, before }]
  })
  return buildParts(context, derived, { due, pins, signal })
}

/** Where a part lands: the table's current state, and its lineage of the part. */
export async function placeOf(
  context: IngestContext,
  into: Dataset,
  { version, signal, isFresh = false }: { readonly version: string; readonly signal: AbortSignal; readonly isFresh?: boolean },
): Promise<Landing> {
  const state = await stateOf(context, into, isFresh)
  return { state, before: madeParts(state.properties).get(version) ?? null, signal }
}

/** The state of a derived table. Throws without one. */
export async function stateOf(context: IngestContext, into: Dataset, isFresh = false): Promise<TableState> {
  const state = await context.lake.table(into).load({ isFresh })
  if (!state) throw new Error(`there is no table of ${into.id}`)
  return state
}
