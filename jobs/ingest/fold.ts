import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { LiveChange, LiveRow } from '../../lake/live/types.ts'
import { type AnyRow, type Dataset, REVIVAL_MS } from '../../lake/schema/dataset.ts'
import { instantOfRow, timePartition } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { CompletenessGroups } from '../feeds/define.ts'
import { type GroupFacts, type GroupState, groupsAfter, groupsOf } from './completeness-groups.ts'

/** Raised when the same fetches give other states or rows than before: checkpoints of former folds are then ignored. */
export const FOLD_VERSION = 1

/** The state of one entity. Instants in ms since the epoch. */
export interface Entry {
  /** The dataset's row with engine-filled columns; without the time column of a `changes` dataset, which is `updated_at`. */
  readonly row: AnyRow
  readonly status: 'ACTIVE' | 'MISSING' | 'ENDED'
  /** Data time of the publication that last changed it; an observation's own time. */
  readonly updated_at: number
  /** Data time of the last publication that had it. */
  readonly seen_at: number
  /** Newer complete publications without it, in a row. */
  readonly absent: number
}

/** The state of one dataset from one feed: a pure fold over accepted fetches in order of data time. */
export interface DatasetState {
  readonly entries: Map<string, Entry>
  /** Data time of the newest folded fetch; null before the first. */
  data_time: number | null
  /** As of the newest folded fetch. */
  blocks: GroupState
}

/** Facts of a fetch that the fold needs beside its rows. */
export interface FetchFacts {
  readonly fetch_id: string
  readonly data_time: number
  readonly blocks: GroupFacts
  /** The feed's block rule for the dataset; null if it has none. */
  readonly rule: CompletenessGroups | null
}

/** The effect of one fetch on a dataset: table rows and change log entries. */
export interface Advance {
  readonly rows: AnyRow[]
  readonly changes: LiveChange[]
}

/** A state before the first fetch. */
export function emptyState(): DatasetState {
  return { entries: new Map(), data_time: null, blocks: { counts: {}, missing: [], lost_at: {}, had_at: {} } }
}

/**
 * Applies a fetch to a state, in place, and returns the changes; for whole versions (`replace`) only the blocks are kept.
 * `key` hashes public ids. If a fetch's rows are lost (null), nothing was seen and no absence counts, but time advances.
 */
export function advance(
  dataset: Dataset,
  state: DatasetState,
  fetch: { readonly rows: readonly AnyRow[] | null; readonly facts: FetchFacts; readonly key: Buffer },
): Advance {
  const { rows, facts, key } = fetch
  state.blocks = groupsAfter(facts.rule, state.blocks, { ...facts.blocks, at: facts.data_time, before_at: state.data_time })
  if (dataset.writeMode === 'replace') return { rows: [], changes: [] }
  const done =
    dataset.writeMode === 'append' ? append(dataset, state, rows ?? [], facts) : applyChanges(dataset, state, { rows, facts, key })
  state.data_time = Math.max(facts.data_time, state.data_time ?? facts.data_time)
  if (dataset.writeMode === 'append') dropOld(dataset, state, facts.rule)
  return done
}

function append(dataset: Dataset, state: DatasetState, rows: readonly AnyRow[], facts: FetchFacts): Advance {
  const landed: AnyRow[] = []
  for (const row of rows) {
    landed.push({ ...row, fetch_id: facts.fetch_id })
    const key = entityKey(dataset, row)
    const at = instantOfRow(row, dataset.time)
    const before = state.entries.get(key)
    // The first of several observations of one instant counts, as in the table.
    if (!before || before.updated_at < at) state.entries.set(key, observation(dataset, row, facts.data_time))
    else if (before.updated_at === at) state.entries.set(key, { ...before, seen_at: facts.data_time })
  }
  return { rows: landed, changes: [] }
}

/**
 * Drops observations that are too old to be current state. Observations of missing blocks stay longer if the dataset declares
 * it.
 */
export function dropOld(dataset: Dataset, state: DatasetState, rule: CompletenessGroups | null): void {
  if (state.data_time === null) return
  const since = state.data_time - dataset.currentFor_ms
  const heldSince = oldestKept(dataset, state.data_time)
  for (const [key, entry] of state.entries)
    if (entry.updated_at < heldSince || (entry.updated_at < since && !isHeld(entry, rule, state.blocks))) state.entries.delete(key)
}

/** The instant from which observations can be current state at a data time (ms), if they are held. */
export function oldestKept(dataset: Dataset, dataTime: number): number {
  return dataTime - Math.max(dataset.currentFor_ms, dataset.heldFor_ms)
}

/**
 * True if the newest publication cannot show whether an entity exists: one of its blocks is missing, and the last publication
 * with that block had the entity. If that one lacked it, it was already gone.
 */
function isHeld(entry: Entry, rule: CompletenessGroups | null, { missing, had_at }: GroupState): boolean {
  if (rule === null || missing.length === 0) return false
  return groupsOf(entry.row, rule.column).some((block) => missing.includes(block) && entry.seen_at >= (had_at[block] ?? 0))
}

/** The state of an observed thing: its newest row, that row's time, and the data time of the last publication with it. */
export function observation(dataset: Dataset, row: AnyRow, seen_at: number): Entry {
  return { row, status: 'ACTIVE', updated_at: instantOfRow(row, dataset.time), seen_at, absent: 0 }
}

function applyChanges(
  dataset: Dataset,
  state: DatasetState,
  fetch: { readonly rows: readonly AnyRow[] | null; readonly facts: FetchFacts; readonly key: Buffer },
): Advance {
  const { facts } = fetch
  const changed = new Map<string, LiveChange>()
  const opensPartition = state.data_time !== null && timePartition(dataset, state.data_time) !== timePartition(dataset, facts.data_time)
  for (const given of fetch.rows ?? []) {
    const key = entityKey(dataset, given)
    const change = seen(dataset, state, { key, given, facts, idKey: fetch.key })
    if (change) changed.set(key, change)
  }
  for (const [key, entry] of fetch.rows ? state.entries : []) {
    if (entry.seen_at === facts.data_time) continue
    const change = unseen(dataset, state, { key, entry, facts })
    if (change) changed.set(key, change)
  }
  const rows = [...changed].map(([key, change]) =>
    tableRow(dataset, state.entries.get(key) as Entry, { facts, baseline: false, kind: change.kind }),
  )
  if (opensPartition)
    for (const [key, entry] of state.entries)
      if (!changed.has(key) && entry.status !== 'ENDED') rows.push(tableRow(dataset, entry, { facts, baseline: true, kind: null }))
  return { rows, changes: [...changed.values()] }
}

function seen(
  dataset: Dataset,
  state: DatasetState,
  found: { readonly key: string; readonly given: AnyRow; readonly facts: FetchFacts; readonly idKey: Buffer },
): LiveChange | null {
  const { key, given, facts } = found
  const before = state.entries.get(key)
  const alive = before && (before.status !== 'ENDED' || facts.data_time - before.updated_at <= REVIVAL_MS)
  const row = dataset.life
    ? {
        ...given,
        [dataset.life.since]: alive ? before.row[dataset.life.since] : facts.data_time,
        [dataset.life.id]: alive
          ? before.row[dataset.life.id]
          : publicId({ dataset, key, since: facts.data_time, prefix: dataset.life.prefix, idKey: found.idKey }),
      }
    : given
  const entry: Entry = { row, status: 'ACTIVE', updated_at: facts.data_time, seen_at: facts.data_time, absent: 0 }
  if (!alive) {
    state.entries.set(key, entry)
    return new EntryChange(dataset, { kind: 'CREATED', key, entry, changed: [] })
  }
  const changed = differences(dataset, before.row, row)
  if (before.status !== 'ACTIVE') changed.push('status')
  if (changed.length === 0) {
    state.entries.set(key, { ...before, seen_at: facts.data_time, absent: 0 })
    return null
  }
  state.entries.set(key, entry)
  return new EntryChange(dataset, { kind: 'UPDATED', key, entry, changed })
}

function unseen(
  dataset: Dataset,
  state: DatasetState,
  found: { readonly key: string; readonly entry: Entry; readonly facts: FetchFacts },
): LiveChange | null {
  const { key, entry, facts } = found
  if (entry.status === 'ENDED') {
    if (facts.data_time - entry.updated_at > REVIVAL_MS) state.entries.delete(key)
    return null
  }
  if (dataset.absence === 'keeps' || entry.status === 'MISSING' || !countsNow(entry, facts.rule, state.blocks)) return null
  const absent = entry.absent + 1
  if (absent < dataset.absencesToEnd) {
    state.entries.set(key, { ...entry, absent })
    return null
  }
  const status = dataset.absence === 'ends' ? 'ENDED' : 'MISSING'
  const over: Entry = { ...entry, status, updated_at: facts.data_time, absent }
  state.entries.set(key, over)
  const kind = status === 'ENDED' ? 'ENDED' : 'UPDATED'
  return new EntryChange(dataset, { kind, key, entry: over, changed: kind === 'ENDED' ? [] : ['status'] })
}

/**
 * True if an entity's absence from the newest publication counts: none of its blocks is missing. An entity without a block may
 * belong to any block except those that were missing when it was seen.
 */
export function countsNow(entry: Entry, rule: CompletenessGroups | null, { missing, lost_at }: GroupState): boolean {
  if (rule === null || groupsOf(entry.row, rule.column).length > 0) return countsAbsence(entry, rule, missing)
  return missing.every((block) => (lost_at[block] as number) <= entry.seen_at)
}

/** True if the absence of an entity with blocks counts: none of its blocks is missing from the publication. */
function countsAbsence(entry: { readonly row: AnyRow }, rule: CompletenessGroups | null, missing: readonly string[]): boolean {
  return missing.length === 0 || rule === null || !groupsOf(entry.row, rule.column).some((block) => missing.includes(block))
}

/** Names of the columns whose values differ, except the time column. */
function differences(dataset: Dataset, before: AnyRow, after: AnyRow): string[] {
  const changed: string[] = []
  for (const name in dataset.columns) {
    if (name === dataset.time || dataset.columns[name]?.retired) continue
    const one = before[name] ?? null
    const other = after[name] ?? null
    if (one === other) continue
    if (typeof one !== 'object' || typeof other !== 'object' || !isDeepStrictEqual(one, other)) changed.push(name)
  }
  return changed
}

function tableRow(
  dataset: Dataset,
  entry: Entry,
  state: { readonly facts: FetchFacts; readonly baseline: boolean; readonly kind: LiveChange['kind'] | null },
): AnyRow {
  return {
    ...entry.row,
    [dataset.time]: state.facts.data_time,
    fetch_id: state.facts.fetch_id,
    status: entry.status,
    is_baseline: state.baseline,
    updated_at: entry.updated_at,
    last_seen_at: entry.status === 'ACTIVE' ? null : entry.seen_at,
  }
}

/** A change of an entry. The row is built lazily: a first publication changes every entry. */
class EntryChange implements LiveChange {
  readonly kind: LiveChange['kind']
  readonly key: string
  readonly changed: readonly string[]
  readonly #dataset: Dataset
  readonly #entry: Entry

  constructor(dataset: Dataset, change: Pick<LiveChange, 'kind' | 'key' | 'changed'> & { readonly entry: Entry }) {
    this.kind = change.kind
    this.key = change.key
    this.changed = change.changed
    this.#dataset = dataset
    this.#entry = change.entry
  }

  get row(): LiveRow {
    const row = liveRow(this.#dataset, this.#entry, this.#entry.updated_at)
    return this.kind === 'ENDED' ? { ...row, last_seen_at: this.#entry.seen_at } : row
  }
}

/** The live form of an entry, relative to the data time of the newest publication. */
export function liveRow(dataset: Dataset, entry: Entry, dataTime: number): LiveRow {
  const { row, status, updated_at, seen_at } = entry
  const state = { status, updated_at, is_stale: seen_at < dataTime }
  return dataset.writeMode === 'changes' ? { ...row, [dataset.time]: updated_at, ...state } : { ...row, ...state }
}

/** Live rows of a state with their entity keys, one at a time, without ended things. `rule` is the dataset's block rule. */
export function* liveRows(dataset: Dataset, state: DatasetState, rule: CompletenessGroups | null): Generator<[key: string, row: LiveRow]> {
  for (const [key, entry] of state.entries) {
    if (entry.status === 'ENDED') continue
    const row = liveRow(dataset, entry, state.data_time ?? entry.seen_at)
    const held = dataset.writeMode === 'append' && row.is_stale && isHeld(entry, rule, state.blocks)
    yield [key, held ? { ...row, is_held: true } : row]
  }
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A public id: 80 bits of HMAC-SHA-256 over dataset, entity and start of its life, in Crockford's base 32. */
function publicId(life: { dataset: Dataset; key: string; since: number; prefix: string; idKey: Buffer }): string {
  const digest = createHmac('sha256', life.idKey)
    .update(`${life.dataset.id}\u001f${life.key}\u001f${new Date(life.since).toISOString()}`)
    .digest()
  let bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`)
  let text = ''
  for (let at = 0; at < 16; at++) {
    text = ALPHABET[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return `${life.prefix}_${text}`
}
