import { hasSeq, type Landed } from '../../lake/landed.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { type AnyRow, type Dataset, REVIVAL_MS } from '../../lake/schema/dataset.ts'
import { instantOfRow, partitionStart } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { Feed } from '../feeds/define.ts'
import { type Backwards, type GroupHistory, groupHistory, readBackwards } from './backwards.ts'
import { groupFactsOf, groupsOf, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { parseIfKept } from './derive.ts'
import { countsAbsence, countsNow, type DatasetState, dropOld, type Entry, emptyState, observation, oldestKept } from './fold.ts'
import { latestRows, newestTime } from './tables.ts'

const SYSTEM = ['fetch_id', 'status', 'is_baseline', 'updated_at', 'last_seen_at']

/** What to restore: the state after everything landed, or just before an instant of data time. */
export interface RestoreOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly landed: Landed
  readonly before?: number
}

/** Restores a dataset's state from its table and the raw archive: the same state as the fold had when those fetches landed. */
export async function restoreState(context: IngestContext, options: RestoreOptions): Promise<DatasetState> {
  const { feed, dataset, landed, before = null } = options
  const state = emptyState()
  if (landed.until === null) return state
  const log = readBackwards(context, { feed: feed.id, landed, before })
  const newest = await log.at(0)
  if (dataset.writeMode !== 'replace') await restoreEntries(context, state, { ...options, newest })
  if (!newest) {
    if (dataset.writeMode === 'append') dropOld(dataset, state, null)
    return state
  }
  const history = groupsOfActive(state, log, options)
  if (dataset.writeMode === 'changes') await countAbsences(context, state, { ...options, log, history })
  state.blocks = (await history.at(0)) ?? state.blocks
  if (dataset.writeMode === 'append') {
    await seeAgain(context, state, { ...options, newest, log })
    dropOld(dataset, state, ruleOf(feed, dataset.id))
  }
  return state
}

/** Reads the active things, as if the publication that last changed each had been the last with it. */
async function restoreEntries(
  context: IngestContext,
  state: DatasetState,
  options: RestoreOptions & { readonly newest: AcceptedFetch | null },
): Promise<void> {
  const { feed, dataset, landed, newest, before = null } = options
  // The log may have lost the newest of them, the table has not.
  const held = before === null ? landed.until : await newestTime(context, dataset, { feed: feed.id, before })
  const base = newest ? Math.max(Date.parse(newest.data_time), held ?? 0) : held
  if (base === null) return
  state.data_time = base
  const rows = await latestRows(context, dataset, {
    feed: feed.id,
    from: dataset.writeMode === 'append' ? oldestKept(dataset, base) : partitionStart(dataset, base - REVIVAL_MS),
    before,
  })
  for (const row of rows) {
    const entry = dataset.writeMode === 'append' ? observed(dataset, row, base) : restored(dataset, row)
    if (entry.status !== 'ENDED' || base - entry.updated_at <= REVIVAL_MS) state.entries.set(entityKey(dataset, row), entry)
  }
}

/**
 * The blocks of active things, back to when the oldest was seen. A thing with several blocks counts for none, but may have
 * been in one alone: it is followed back to its start.
 */
function groupsOfActive(state: DatasetState, log: Backwards, { feed, dataset }: RestoreOptions): GroupHistory {
  const rule = ruleOf(feed, dataset.id)
  const active = [...state.entries.values()].filter(({ status }) => status === 'ACTIVE')
  let since = Number.POSITIVE_INFINITY
  for (const { row, updated_at } of active) {
    const isShared = rule !== null && groupsOf(row, rule.column).length > 1
    since = Math.min(since, isShared && dataset.life ? instantOfRow(row, dataset.life.since) : updated_at)
  }
  return groupHistory(log, { dataset: dataset.id, rule, names: groupsOfAll(feed, dataset, active), since })
}

function groupsOfAll(feed: Feed, dataset: Dataset, entries: Iterable<Entry>): Set<string> {
  const blocks = new Set<string>()
  const rule = ruleOf(feed, dataset.id)
  if (rule) for (const { row } of entries) for (const block of groupsOf(row, rule.column)) blocks.add(block)
  return blocks
}

/** An observed thing that the newest publication may not have had. */
function observed(dataset: Dataset, row: AnyRow, base: number): Entry {
  return observation(dataset, declared(row), Math.min(instantOfRow(row, dataset.time), base - 1))
}

/**
 * Finds the things whose newest observation was in the newest landed publication, or in the last one before a block was
 * missing.
 */
async function seeAgain(
  context: IngestContext,
  state: DatasetState,
  options: RestoreOptions & { readonly newest: AcceptedFetch; readonly log: Backwards },
): Promise<void> {
  const { feed, dataset, newest, log } = options
  const wanted = new Set([Date.parse(newest.data_time), ...Object.values(state.blocks.had_at)])
  for (let step = 0; wanted.size > 0; step++) {
    const accepted = await log.at(step)
    if (!accepted) break
    const seen_at = Date.parse(accepted.data_time)
    if (!wanted.delete(seen_at)) continue
    const publication = await parseIfKept(context, feed, accepted, 'all it had counts as not confirmed')
    for (const row of publication?.rows.get(dataset.id) ?? []) {
      const key = entityKey(dataset, row)
      const entry = state.entries.get(key)
      if (entry?.updated_at === instantOfRow(row, dataset.time))
        state.entries.set(key, { ...entry, seen_at: Math.max(seen_at, entry.seen_at) })
    }
  }
}

function restored(dataset: Dataset, row: AnyRow): Entry {
  const updated_at = instantOfRow(row, 'updated_at')
  const status = row.status as Entry['status']
  const seen_at = status === 'ACTIVE' ? updated_at : instantOfRow(row, 'last_seen_at')
  return { row: declared(row, dataset.time), status, updated_at, seen_at, absent: 0 }
}

/** The dataset's declared columns, without those named. */
function declared(row: AnyRow, ...less: string[]): AnyRow {
  const rest: AnyRow = {}
  for (const name in row) if (!SYSTEM.includes(name) && !less.includes(name)) rest[name] = row[name]
  return rest
}

/**
 * Finds, for each active thing, the last landed fetch that had it and how many counting fetches after it had not. A fetch is
 * skipped unread if it lacks the blocks of everything searched for, unless a thing has several blocks.
 */
async function countAbsences(
  context: IngestContext,
  state: DatasetState,
  options: RestoreOptions & { readonly log: Backwards; readonly history: GroupHistory },
): Promise<void> {
  const { feed, dataset, landed, log, history } = options
  const rule = ruleOf(feed, dataset.id)
  /** Steps at which a thing without a block is absent: which of them count is known once the thing is found. */
  const absences = new Map<string, number[]>()
  const isInNone = ({ row }: Entry): boolean => rule !== null && groupsOf(row, rule.column).length === 0
  const isShared = ({ row }: Entry): boolean => rule !== null && groupsOf(row, rule.column).length > 1
  const open = new Map([...state.entries].filter(([, entry]) => entry.status === 'ACTIVE'))
  let looked = { size: -1, blocks: new Set<string>(), gone: '', isGone: false }
  let step = 0
  // Things that do not end by absence need only the newest fetch, for `is_stale`: the search could read the whole log.
  for (; step === 0 || dataset.absence !== 'keeps'; step++) {
    const accepted = await log.at(step)
    if (!accepted) break
    const at = Date.parse(accepted.data_time)
    // A thing was present in the publication that last changed it, so earlier ones need not be read.
    for (const [key, { updated_at }] of open) if (updated_at >= at) await close(key, { at: updated_at, step })
    if (open.size === 0) return
    // A fetch that landed without rows gave the fold nothing, whether or not it can be read now.
    if (hasSeq(landed.lost, accepted.seq)) continue
    if (open.size !== looked.size) looked = { size: open.size, blocks: groupsOfAll(feed, dataset, open.values()), gone: '', isGone: false }
    const missing = ((await history.at(step))?.missing ?? []).filter((block) => looked.blocks.has(block))
    const { counts } = groupFactsOf(accepted, dataset.id)
    const gone = missing.filter((block) => !counts[block])
    if (gone.join() !== looked.gone) {
      const isGone = [...open.values()].every((entry) => !countsAbsence(entry, rule, gone) && !isShared(entry))
      looked = { ...looked, gone: gone.join(), isGone }
    }
    if (looked.isGone) continue
    const publication = await parseIfKept(context, feed, accepted, 'absences in it are not counted')
    if (!publication) continue
    const present = new Set((publication.rows.get(dataset.id) as AnyRow[]).map((row) => entityKey(dataset, row)))
    for (const [key, entry] of open) {
      if (present.has(key)) await close(key, { at, step })
      else if (isInNone(entry)) absences.get(key)?.push(step) ?? absences.set(key, [step])
      else if (countsAbsence(entry, rule, missing)) {
        const counted = { ...entry, absent: entry.absent + 1 }
        open.set(key, counted)
        state.entries.set(key, counted)
      }
    }
  }
  for (const [key, { updated_at }] of open) await close(key, { at: updated_at, step })

  /** Ends the search for a thing last seen at `at` (data time, ms), `step` steps back. */
  async function close(key: string, seen: { readonly at: number; readonly step: number }): Promise<void> {
    const entry = { ...(open.get(key) as Entry), seen_at: seen.at }
    open.delete(key)
    let { absent } = entry
    // The blocks back to where it was seen are known first.
    await history.at(seen.step)
    for (const step of absences.get(key) ?? []) {
      const groups = await history.at(step)
      if (groups && countsNow(entry, rule, groups)) absent++
    }
    state.entries.set(key, { ...entry, absent })
  }
}
