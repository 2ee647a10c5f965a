import { hasSeq, type Landed, listSeqs } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted, withdrawnSeqs } from '../../lake/raw/archive.ts'
import { type AnyRow, type Dataset, REVIVAL_MS } from '../../lake/schema/dataset.ts'
import { instantOfRow, partitionStart } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { CompletenessGroups, Feed } from '../feeds/define.ts'
import { type GroupState, groupFactsOf, groupsAfter, groupsOf, ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { parseIfKept } from './derive.ts'
import { countsNow, type DatasetState, dropOld, type Entry, emptyState, observation, oldestKept } from './fold.ts'
import { latestRows, newestTime } from './tables.ts'

const SYSTEM = ['fetch_id', 'status', 'is_baseline', 'updated_at', 'last_seen_at']
/** Log records read at once, and the most that are replayed. */
const [AT_ONCE, MOST_REPLAYED] = [64, 512]

/** What to restore: the state after everything landed, or just before an instant of data time. */
interface RestoreOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly landed: Landed
  readonly before?: number | null
}

/**
 * Restores a dataset's state from its table. Rows say what each thing is; when it was last seen, its absences since and the
 * missing blocks are replayed from the newest landed fetches, as many as an active thing can have been absent from.
 */
export async function restoreState(context: IngestContext, options: RestoreOptions): Promise<DatasetState> {
  const { feed, dataset, landed } = options
  const state = emptyState()
  if (landed.until === null) return state
  let fetches = await newestLanded(context, options, AT_ONCE)
  if (dataset.writeMode !== 'replace') await readEntries(context, state, { ...options, newest: fetches.at(-1) ?? null })
  let replay = planReplay(options, state, fetches)
  for (let most = AT_ONCE; !replay.isEnough && fetches.length >= most && most < MOST_REPLAYED; ) {
    most *= 2
    fetches = await newestLanded(context, options, most)
    replay = planReplay(options, state, fetches)
  }
  const rule = ruleOf(feed, dataset.id)
  state.blocks = replay.blocks
  for (const { accepted, at, blocks } of replay.steps) {
    const publication = await parseIfKept(context, feed, accepted, 'it counts as neither seen nor absent')
    if (publication) see(dataset, state, publication.rows.get(dataset.id) as AnyRow[], { at, blocks, rule })
  }
  if (dataset.writeMode === 'append') dropOld(dataset, state, rule)
  return state
}

/** Marks the things of a publication as seen, and counts the absence of others, without a change of any row. */
function see(
  dataset: Dataset,
  { entries }: DatasetState,
  rows: readonly AnyRow[],
  { at, blocks, rule }: Pick<Step, 'at' | 'blocks'> & { readonly rule: CompletenessGroups | null },
): void {
  const isSeen = (row: AnyRow, { status, updated_at }: Entry): boolean =>
    dataset.writeMode === 'append' ? updated_at === instantOfRow(row, dataset.time) : status === 'ACTIVE' && updated_at < at
  const present = new Set<string>()
  for (const row of rows) {
    const key = entityKey(dataset, row)
    const entry = entries.get(key)
    present.add(key)
    if (entry && isSeen(row, entry)) entries.set(key, { ...entry, seen_at: at, absent: 0 })
  }
  if (dataset.writeMode === 'append') return
  for (const [key, entry] of entries)
    if (!present.has(key) && entry.status === 'ACTIVE' && entry.updated_at < at && countsNow(entry, rule, blocks))
      entries.set(key, { ...entry, absent: entry.absent + 1 })
}

/** The newest landed fetches, in order of data time: at least `most`, if the log has them. */
async function newestLanded({ store }: IngestContext, options: RestoreOptions, most: number): Promise<AcceptedFetch[]> {
  const { feed, landed, before = null } = options
  const withdrawn = await withdrawnSeqs(store, feed.id)
  const seqs = listSeqs(landed.seqs)
  const counts = (fetch: AcceptedFetch): boolean => !withdrawn.has(fetch.seq) && (before === null || timeOf(fetch) < before)
  let read: AcceptedFetch[] = []
  for (let end = seqs.length; end > 0; end -= AT_ONCE) {
    const some = await Promise.all(seqs.slice(Math.max(0, end - AT_ONCE), end).map((seq) => readAccepted(store, feed.id, seq)))
    const found = some.filter((fetch) => fetch !== null)
    // The log begins later.
    if (found.length === 0) break
    read = [...found.filter(counts), ...read]
    // What the guard accepted is newer than all before it; what an operator accepted may have any data time.
    const oldest = read.find(({ accepted_by }) => accepted_by === 'guard')
    const newest = oldest ? read.filter((fetch) => timeOf(fetch) >= timeOf(oldest)) : []
    if (newest.length >= most) return newest.sort(byDataTime)
  }
  return read.sort(byDataTime)
}

/** A landed fetch to parse, its data time (ms), and the blocks after it. */
interface Step {
  readonly accepted: AcceptedFetch
  readonly at: number
  readonly blocks: GroupState
}

/** The blocks after some fetches, and which of these to parse; `isEnough` if earlier ones would change nothing. */
function planReplay(
  { feed, dataset, landed }: RestoreOptions,
  { entries }: DatasetState,
  fetches: readonly AcceptedFetch[],
): { readonly blocks: GroupState; readonly steps: readonly Step[]; readonly isEnough: boolean } {
  const rule = ruleOf(feed, dataset.id)
  const active = [...entries.values()].filter(({ status }) => status === 'ACTIVE')
  const blocksOf = ({ row }: Entry): string[] => (rule ? groupsOf(row, rule.column) : [])
  const ofOne = active.filter((entry) => blocksOf(entry).length === 1)
  const begin = fetches[0] ? timeOf(fetches[0]) : Number.NEGATIVE_INFINITY
  const isOlder = ({ row, updated_at }: Entry): boolean => (dataset.life ? instantOfRow(row, dataset.life.since) : updated_at) < begin
  // What is older and still active was there, or its block was missing.
  let blocks: GroupState = { counts: {}, missing: [...new Set(ofOne.filter(isOlder).flatMap(blocksOf))], lost_at: {}, had_at: {} }
  let before_at: number | null = null
  const all = fetches.map((accepted): Step => {
    const at = timeOf(accepted)
    blocks = groupsAfter(rule, blocks, { ...groupFactsOf(accepted, dataset.id), at, before_at })
    before_at = at
    return { accepted, at, blocks }
  })
  const names = [...new Set(active.flatMap(blocksOf))]
  const areOfOne = rule !== null && ofOne.length === active.length
  const lacksAll = ({ missing, counts }: GroupState): boolean =>
    active.length === 0 || (areOfOne && names.every((name) => missing.includes(name) && !counts[name]))
  const isComplete = ({ missing }: GroupState): boolean =>
    rule === null || (areOfOne ? !missing.some((name) => names.includes(name)) : missing.length === 0)
  const steps = all.filter((step) => !hasSeq(landed.lost, step.accepted.seq) && !lacksAll(step.blocks))
  const complete = steps.filter((step) => isComplete(step.blocks))
  // What ends by absence was in one of the last complete publications.
  const ends = dataset.writeMode === 'changes' && dataset.absence !== 'keeps'
  const first = complete.at(ends ? -dataset.absencesToEnd : -1)
  const wanted = [all.at(-1)?.at, ...Object.values(blocks.had_at)]
  return {
    blocks,
    steps: ends ? steps.slice(first ? steps.indexOf(first) : 0) : steps.filter(({ at }) => wanted.includes(at)),
    isEnough: active.length === 0 || first !== undefined,
  }
}

/** Reads the active things, as if the publication that last changed each had been the last with it. */
async function readEntries(
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

/** An observed thing that the newest publication may not have had. */
function observed(dataset: Dataset, row: AnyRow, base: number): Entry {
  return observation(dataset, declared(row), Math.min(instantOfRow(row, dataset.time), base - 1))
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

const timeOf = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
