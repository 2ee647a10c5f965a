import { commit } from '../../lake/iceberg/commit.ts'
import { DELETED_BEFORE, UNTIL } from '../../lake/landed.ts'
import { withLock } from '../../lake/live/lock.ts'
import type { SnapshotPins } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { isoInstant, offsetAt } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from '../ingest/context.ts'
import { refusedAmong } from '../ingest/usable.ts'
import { oneByOne } from '../one-by-one.ts'
import { type Derived, filledBy, inputsOf } from './define.ts'
import { dropPart, filesOf } from './land.ts'
import { coverageOfInputs, isSettled, madeParts, monthSpan, type PlannedPart, pinInputs, settledUntil } from './lineage.ts'
import {
  type AskedParts,
  type BuiltParts,
  buildParts,
  type DuePart,
  helpBuild,
  LOCK_TTL_MS,
  placeOf,
  planParts,
  type RowsElsewhere,
  stateOf,
} from './parts.ts'

/** Makes derived datasets in one process. */
export interface Deriver {
  /** Runs the due derivations that read the tables of a feed: called after each of its landings. */
  after(feed: Feed, signal: AbortSignal): Promise<void>
  /** Runs all due derivations: at start. */
  all(signal: AbortSignal): Promise<void>
  /** Rebuilds the nightly parts if it is night in Madrid (2 to 5 o'clock), and the derivations that read them. */
  nightly(signal: AbortSignal): Promise<void>
  /** Builds parts for another process; those that it builds or has built are skipped. Returns the parts built here. */
  help(asked: AskedParts, signal: AbortSignal): Promise<readonly string[]>
}

/** Which parts are made: all due parts, or only missing and empty ones. */
type Makes = 'all' | 'new'

/** The result of a derivation; `waits` if its inputs were not at one state, or another process was running it. */
export interface DeriveResult extends BuiltParts {
  readonly removed: readonly string[]
}

const NOTHING: DeriveResult = Object.freeze({ made: [], removed: [], rows: 0, waits: false })
const WAITS: DeriveResult = Object.freeze({ ...NOTHING, waits: true })

/**
 * Makes the deriver of a process. `feeds` are those of the whole catalogue. It runs the derivations that it owns, by default all;
 * `ask` reports parts that others may help with.
 */
export function makeDeriver(
  context: IngestContext,
  {
    derivations,
    feeds,
    isOwned = () => true,
    ask = () => undefined,
  }: {
    readonly derivations: readonly Derived[]
    readonly feeds: readonly Feed[]
    readonly isOwned?: (derived: Derived) => boolean
    readonly ask?: (parts: AskedParts) => void
  },
): Deriver {
  /** The versions of each derivation's tables before the last run that found nothing to do. */
  const settled = { all: new Map<Derived, string>(), new: new Map<Derived, string>() }
  const run = async (derived: Derived, makes: Makes, signal: AbortSignal): Promise<void> => {
    const tables = [derived.into, ...inputsOf(derived)].map((dataset) => context.lake.table(dataset))
    const versions = async (): Promise<string> => (await Promise.all(tables.map((table) => table.load()))).map((one) => one?.version).join()
    const seen = await versions()
    if (settled[makes].get(derived) === seen) return
    const began = performance.now()
    const { made, removed, rows, waits } = await derive(context, derived, { feeds, signal, makes, ask })
    if (made.length + removed.length > 0)
      context.log.info({ dataset: derived.into.id, made, removed, rows, ms: Math.round(performance.now() - began) }, 'derived')
    if (!waits && made.length + removed.length === 0) settled[makes].set(derived, seen)
  }
  /** Runs derivations in order. One that fails, or a table that cannot be used, keeps only those from running that need it. */
  const runEach = async (among: readonly Derived[], makes: (derived: Derived) => Makes, signal: AbortSignal): Promise<void> => {
    const due = among.filter(isOwned)
    const tables = [...new Set(due.flatMap((derived) => [...inputsOf(derived), ...filledBy(derived)]))]
    const refused = await refusedAmong(context, tables)
    const failed = new Set(tables.filter(({ id }) => refused.has(id)))
    await oneByOne(due, signal, async (derived) => {
      const fail = (): void => {
        for (const dataset of filledBy(derived)) failed.add(dataset)
      }
      const isRefused = filledBy(derived).some(({ id }) => refused.has(id))
      if (isRefused || inputsOf(derived).some((dataset) => failed.has(dataset))) return fail()
      await run(derived, makes(derived), signal).catch((error: unknown) => {
        fail()
        throw error
      })
    })
  }
  return {
    async after(feed, signal) {
      await runEach(dueAfter(derivations, feed), byDay, signal)
    },
    async all(signal) {
      await runEach(derivations, byDay, signal)
    },
    async nightly(signal) {
      if (!isNight(context.now())) return
      const filled = new Set<Dataset>()
      const due = derivations.filter((derived) => {
        const isDue = isNightly(derived) || inputsOf(derived).some((dataset) => filled.has(dataset))
        if (isDue) for (const dataset of filledBy(derived)) filled.add(dataset)
        return isDue
      })
      await runEach(due, () => 'all', signal)
    },
    async help(asked, signal) {
      const derived = derivations.find(({ into }) => into.id === asked.into)
      if (!derived) return []
      const began = performance.now()
      const { made, rows } = await helpBuild(context, derived, { asked, feeds, signal })
      if (made.length > 0)
        context.log.info({ dataset: asked.into, made, rows, helping: true, ms: Math.round(performance.now() - began) }, 'derived')
      return made
    },
  }
}

const isNightly = (derived: Derived): boolean => derived.by === 'model' && derived.isNightly === true
const byDay = (derived: Derived): Makes => (isNightly(derived) ? 'new' : 'all')
const NIGHT = { from: 2, to: 5 }

function isNight(now: number): boolean {
  const hour = new Date(now + offsetAt(now)).getUTCHours()
  return hour >= NIGHT.from && hour < NIGHT.to
}

/** The derivations that read a feed's tables, directly or through others, in execution order. */
export function dueAfter(derivations: readonly Derived[], { into }: Pick<Feed, 'into'>): Derived[] {
  const changed = new Set(into)
  return derivations.filter((derived) => {
    const isDue = inputsOf(derived).some((dataset) => changed.has(dataset))
    if (isDue) for (const dataset of filledBy(derived)) changed.add(dataset)
    return isDue
  })
}

/**
 * Updates a derived table to its inputs: builds missing and outdated parts, removes obsolete ones. Each part is one commit
 * with its lineage, so a stopped run leaves whole parts. With `makes` = `new`, existing parts and their coverage stay while a
 * new part is due, but only after all have been built once.
 */
export async function derive(
  context: IngestContext,
  derived: Derived,
  {
    feeds,
    signal,
    makes = 'all',
    ask,
    rowsElsewhere,
  }: {
    readonly feeds: readonly Feed[]
    readonly signal: AbortSignal
    readonly makes?: Makes
    readonly ask?: (parts: AskedParts) => void
    readonly rowsElsewhere?: RowsElsewhere
  },
): Promise<DeriveResult> {
  const lock = { redis: context.redis, name: `derive:${derived.into.id}`, ttl_ms: LOCK_TTL_MS, signal }
  const done = await withLock(lock, async (held) => {
    const pins = await pinInputs(context, derived)
    if (!isSettled(derived, pins, feeds)) return WAITS
    const covered = coverageOfInputs(derived, pins, feeds)
    const parts = await planParts(derived, pins, covered)
    // Until a table was complete once, its endpoints wait: nothing is postponed then.
    const wasWhole = Object.keys((await stateOf(context, derived.into)).properties).some((name) => name.startsWith(UNTIL))
    const { isWhole, ...result } = await makeParts(context, derived, {
      parts,
      pins,
      makes: wasWhole ? makes : 'all',
      signal: held,
      ask,
      rowsElsewhere,
    })
    const isThere = wasWhole || parts.length > 0 || derived.by !== 'model' || derived.waitsForParts !== true
    if (isWhole && isThere) for (const into of filledBy(derived)) await stateCoverage(context, { derived, into }, covered)
    return result
  })
  return done.ran ? done.value : WAITS
}

async function makeParts(
  context: IngestContext,
  derived: Derived,
  given: {
    readonly parts: readonly PlannedPart[]
    readonly pins: SnapshotPins
    readonly makes: Makes
    readonly signal: AbortSignal
    readonly ask: ((parts: AskedParts) => void) | undefined
    readonly rowsElsewhere: RowsElsewhere | undefined
  },
): Promise<DeriveResult & { readonly isWhole: boolean }> {
  const { parts, pins, makes, signal, ask, rowsElsewhere } = given
  const removed: string[] = []
  let isWhole = true
  const { properties } = await stateOf(context, derived.into)
  const gone = madeParts(properties)
  const isFrozen = frozenParts(derived, pins, properties)
  for (const { version } of parts) gone.delete(version)
  for (const version of gone.keys()) if (isFrozen(version)) gone.delete(version)
  for (const [version, before] of gone) {
    signal.throwIfAborted()
    if (!(await dropPart(context, derived.into, { state: await stateOf(context, derived.into), before, version, signal })))
      return { made: [], removed, rows: 0, waits: true, isWhole: false }
    for (const into of filledBy(derived).slice(1))
      await dropPart(context, into, { ...(await placeOf(context, into, { version, signal })), version })
    removed.push(version)
  }
  const due: DuePart[] = []
  for (const part of parts) {
    const { before, state } = await placeOf(context, derived.into, { version: part.version, signal })
    if (before === part.lineage || isFrozen(part.version)) continue
    // A part that had too little data for any row counts as missing.
    if (makes === 'new' && before !== null && (await filesOf(state, derived.into, part.version)).length > 0) isWhole = false
    else due.push({ part, before })
  }
  const help = ask && derived.by !== 'model' ? { ask } : {}
  const built = await buildParts(context, derived, { due, pins, signal, ...help, ...(rowsElsewhere ? { rowsElsewhere } : {}) })
  return { ...built, removed, isWhole: isWhole && !built.waits }
}

/**
 * True for months that are not rebuilt: they were built, and an input with limited retention (`keep`) has since deleted some of
 * their rows, or the table itself all.
 */
function frozenParts(derived: Derived, pins: SnapshotPins, own: Readonly<Record<string, string>>): (version: string) => boolean {
  if (derived.by !== 'months') return () => false
  const before = (properties: Readonly<Record<string, string>> = {}): number => Date.parse(properties[DELETED_BEFORE] ?? '')
  const made = madeParts(own)
  const inputs = derived.from.map(({ id }) => before(pins.get(id)?.properties))
  return (version) => {
    const { from, to } = monthSpan(version)
    return made.has(version) && (to <= before(own) || inputs.some((one) => from < one))
  }
}

/**
 * Records the coverage of a table by feed: the minimum over all inputs, up to the settled days. Removes feeds that no longer
 * count, except those of other derivations of the same table.
 */
async function stateCoverage(
  context: IngestContext,
  { derived, into }: { readonly derived: Derived; readonly into: Dataset },
  covered: ReadonlyMap<string, number>,
): Promise<void> {
  const until = (at: number): number => (derived.by === 'months' ? settledUntil(derived, at) : at)
  const properties = [...covered].map(([feed, at]) => [`${UNTIL}${feed}`, isoInstant(until(at))])
  const table = context.lake.table(into)
  const former =
    into === derived.into ? Object.keys((await stateOf(context, into)).properties).filter((name) => name.startsWith(UNTIL)) : []
  await commit({
    table,
    operation: 'append',
    properties: () => ({ ...Object.fromEntries(former.map((name) => [name, null])), ...Object.fromEntries(properties) }),
  })
}
