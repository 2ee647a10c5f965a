import { setTimeout as delay } from 'node:timers/promises'
import { commit } from '../../lake/iceberg/commit.ts'
import { readVersion, type TableState } from '../../lake/iceberg/table.ts'
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
import { dropPart, filesOf, type Landing, landPart } from './land.ts'
import {
  coverageOfInputs,
  coveredUntil,
  isSettled,
  madeParts,
  monthSpan,
  type PlannedPart,
  pinInputs,
  planModel,
  planMonths,
  planVersions,
  settledUntil,
} from './lineage.ts'

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

/** Parts that several processes may build: what they are made from, and what they were. */
export interface AskedParts {
  /** Id of the derived dataset. */
  readonly into: string
  /** The version of each input's table, by dataset id; null if there is no table. */
  readonly inputs: Readonly<Record<string, number | null>>
  /** The lineage of each part before, by version; null for a missing part. */
  readonly before: Readonly<Record<string, string | null>>
}

/** Which parts are made: all due parts, or only missing and empty ones. */
type Makes = 'all' | 'new'

/** The result of a derivation; `waits` if its inputs were not at one state, or another process was running it. */
export interface DeriveResult {
  readonly made: readonly string[]
  readonly removed: readonly string[]
  readonly rows: number
  readonly waits: boolean
}

const LOCK_TTL_MS = 20_000
/** How often other processes are asked for help, and how long to wait for a part that one of them builds, ms. */
const ASK_EVERY_MS = 5000
const BUSY_MS = 250
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
  }: {
    readonly feeds: readonly Feed[]
    readonly signal: AbortSignal
    readonly makes?: Makes
    readonly ask?: (parts: AskedParts) => void
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
    const { isWhole, ...result } = await makeParts(context, derived, { parts, pins, makes: wasWhole ? makes : 'all', signal: held, ask })
    const isThere = wasWhole || parts.length > 0 || derived.by !== 'model' || derived.waitsForParts !== true
    if (isWhole && isThere) for (const into of filledBy(derived)) await stateCoverage(context, { derived, into }, covered)
    return result
  })
  return done.ran ? done.value : WAITS
}

async function planParts(derived: Derived, pins: SnapshotPins, covered: ReadonlyMap<string, number>): Promise<PlannedPart[]> {
  if (derived.by === 'versions') return planVersions(derived, pins)
  if (derived.by === 'model') return planModel(derived, pins, covered)
  return covered.size === 0 ? [] : planMonths(derived, pins, coveredUntil(derived, [...covered.values()]))
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
  },
): Promise<DeriveResult & { readonly isWhole: boolean }> {
  const { parts, pins, makes, signal, ask } = given
  const removed: string[] = []
  let isWhole = true
  const gone = madeParts((await stateOf(context, derived.into)).properties)
  const isFrozen = frozenParts(derived, pins, new Set(gone.keys()))
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
  const built = await buildParts(context, derived, { due, pins, signal, ...(ask && derived.by !== 'model' ? { ask } : {}) })
  return { ...built, removed, isWhole: isWhole && !built.waits }
}

/** A part to build, and its lineage in the table when it was planned. */
interface DuePart {
  readonly part: PlannedPart
  readonly before: string | null
}

/**
 * Builds parts under a lock each, so that several processes share them: each takes the next that no other builds. With `ask`
 * others are asked to help, and it waits for the parts that they build; if one of them dies, its part is built here. `waits` if a
 * part was changed from other inputs meanwhile.
 */
async function buildParts(
  context: IngestContext,
  derived: Derived,
  given: {
    readonly due: readonly DuePart[]
    readonly pins: SnapshotPins
    readonly signal: AbortSignal
    readonly ask?: (parts: AskedParts) => void
  },
): Promise<Omit<DeriveResult, 'removed'>> {
  const { due, pins, signal, ask } = given
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
        return place.before === before ? landPart(context, derived, { part, pins, place }) : null
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

function askedParts(derived: Derived, pins: SnapshotPins, due: readonly DuePart[]): AskedParts {
  return {
    into: derived.into.id,
    inputs: Object.fromEntries(inputsOf(derived).map(({ id }) => [id, pins.get(id)?.version ?? null])),
    before: Object.fromEntries(due.map(({ part, before }) => [part.version, before])),
  }
}

/** Builds parts that another process asked for, from the same states of the inputs; none if one of these has expired. */
async function helpBuild(
  context: IngestContext,
  derived: Derived,
  given: { readonly asked: AskedParts; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<Omit<DeriveResult, 'removed'>> {
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

/**
 * True for months that are not rebuilt: they were built, and an input with limited retention has since deleted some of their
 * rows.
 */
function frozenParts(derived: Derived, pins: SnapshotPins, made: ReadonlySet<string>): (version: string) => boolean {
  if (derived.by !== 'months') return () => false
  const deleted = derived.from.map(({ id }) => Date.parse(pins.get(id)?.properties[DELETED_BEFORE] ?? ''))
  return (version) => made.has(version) && deleted.some((before) => monthSpan(version).from < before)
}

/** Where a part lands: the table's current state, and its lineage of the part. */
async function placeOf(
  context: IngestContext,
  into: Dataset,
  { version, signal, isFresh = false }: { readonly version: string; readonly signal: AbortSignal; readonly isFresh?: boolean },
): Promise<Landing> {
  const state = await stateOf(context, into, isFresh)
  return { state, before: madeParts(state.properties).get(version) ?? null, signal }
}

async function stateOf(context: IngestContext, into: Dataset, isFresh = false): Promise<TableState> {
  const state = await context.lake.table(into).load({ isFresh })
  if (!state) throw new Error(`there is no table of ${into.id}`)
  return state
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
