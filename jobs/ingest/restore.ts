import { hasSeq, type Landed } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { instantOfRow, partitionStart } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { parseIfKept } from './derive.ts'
import { countsAbsence, currentSince, type DatasetState, type Entry, emptyState, observation, REVIVAL_MS } from './fold.ts'
import { latestRows, newestTime } from './tables.ts'

/** Fetches looked through for the last one that had a thing; only a block missing for so long reaches this. */
const MOST_LOOKED_AT = 200
const SYSTEM = ['fetch_id', 'status', 'is_baseline', 'updated_at', 'last_seen_at']

/** What to restore: the state after everything landed, or as it was just before an instant of data time. */
export interface RestoreOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly landed: Landed
  readonly before?: number
}

/** The state of a dataset as its table and the raw archive tell it: the same as the fold had when those fetches landed. */
export async function restoreState(context: IngestContext, options: RestoreOptions): Promise<DatasetState> {
  const { dataset, landed } = options
  const state = emptyState()
  if (landed.until === null || dataset.land === 'replace') return state
  const newest = await firstOf(landedBackwards(context, options))
  const base = newest
    ? Date.parse(newest.data_time)
    : options.before === undefined
      ? landed.until
      : await newestTime(context, dataset, { feed: options.feed.id, before: options.before })
  if (base === null) return state
  state.data_time = base
  const rows = await latestRows(context, dataset, {
    feed: options.feed.id,
    from: dataset.land === 'append' ? currentSince(dataset, base) : partitionStart(dataset, base - REVIVAL_MS),
    before: options.before ?? null,
  })
  for (const row of rows) {
    const entry = dataset.land === 'append' ? observed(dataset, row, base) : restored(dataset, row)
    if (entry.status !== 'ENDED' || base - entry.updated_at <= REVIVAL_MS) state.entries.set(entityKey(dataset, row), entry)
  }
  if (dataset.land === 'changes') await countAbsences(context, state, options)
  else if (newest) await seeAgain(context, state, { ...options, newest })
  return state
}

/** An observed thing that the newest publication is not known to have had. */
function observed(dataset: Dataset, row: AnyRow, base: number): Entry {
  return observation(dataset, declared(row), Math.min(instantOfRow(row, dataset.time), base - 1))
}

/** Finds the things whose newest observation the newest landed publication had, be it for the first time or again. */
async function seeAgain(
  context: IngestContext,
  state: DatasetState,
  options: RestoreOptions & { readonly newest: AcceptedFetch },
): Promise<void> {
  const { feed, dataset, newest } = options
  const publication = await parseIfKept(context, feed, newest, 'all it had counts as not confirmed')
  for (const row of publication?.rows.get(dataset.id) ?? []) {
    const key = entityKey(dataset, row)
    const entry = state.entries.get(key)
    if (entry?.updated_at === instantOfRow(row, dataset.time)) state.entries.set(key, { ...entry, seen_at: Date.parse(newest.data_time) })
  }
}

function restored(dataset: Dataset, row: AnyRow): Entry {
  const updated_at = instantOfRow(row, 'updated_at')
  const status = row.status as Entry['status']
  const seen_at = status === 'ACTIVE' ? updated_at : instantOfRow(row, 'last_seen_at')
  return { row: declared(row, dataset.time), status, updated_at, seen_at, absent: 0 }
}

/** The columns that the dataset declares, less those named. */
function declared(row: AnyRow, ...less: string[]): AnyRow {
  const rest: AnyRow = {}
  for (const name in row) if (!SYSTEM.includes(name) && !less.includes(name)) rest[name] = row[name]
  return rest
}

/** Finds for each thing that lives the last landed fetch that had it, and how many counting ones after it had not. */
async function countAbsences(context: IngestContext, state: DatasetState, options: RestoreOptions): Promise<void> {
  const { feed, dataset } = options
  const open = new Map([...state.entries].filter(([, entry]) => entry.status === 'ACTIVE'))
  let looked = 0
  for await (const accepted of landedBackwards(context, options)) {
    if (looked++ === MOST_LOOKED_AT) return
    // A thing was there in the publication that last changed it, so no earlier one need be read for it.
    for (const [key, { updated_at }] of open) if (updated_at >= Date.parse(accepted.data_time)) open.delete(key)
    if (open.size === 0) return
    const publication = await parseIfKept(context, feed, accepted, 'absences in it are not counted')
    if (!publication) continue
    const present = new Set((publication.rows.get(dataset.id) as AnyRow[]).map((row) => entityKey(dataset, row)))
    const facts = { missing: accepted.missing_blocks[dataset.id] ?? [], block: feed.blocks?.[dataset.id]?.column ?? null }
    for (const [key, entry] of open) {
      if (present.has(key)) {
        state.entries.set(key, { ...entry, seen_at: Date.parse(accepted.data_time) })
        open.delete(key)
      } else if (countsAbsence(entry, facts)) {
        const counted = { ...entry, absent: entry.absent + 1 }
        open.set(key, counted)
        state.entries.set(key, counted)
      }
    }
  }
}

/** The landed fetches of a feed by data time, newest first; in windows of sequences, since late ones are rare and settle near. */
async function* landedBackwards(context: IngestContext, options: RestoreOptions): AsyncGenerator<AcceptedFetch> {
  const { feed, landed, before } = options
  const WINDOW = 64
  for (let top = landed.seqs.at(-1)?.[1] ?? 0; top > 0; top -= WINDOW) {
    const seqs = Array.from({ length: Math.min(WINDOW, top) }, (_, at) => top - at).filter((seq) => hasSeq(landed.seqs, seq))
    const read = await Promise.all(seqs.map((seq) => readAccepted(context.store, feed.id, seq)))
    const found = read.filter((accepted) => accepted !== null)
    if (found.length === 0) return
    const wanted = found.filter(({ data_time }) => before === undefined || Date.parse(data_time) < before)
    yield* wanted.sort(byDataTime).reverse()
  }
}

async function firstOf<T>(items: AsyncGenerator<T>): Promise<T | null> {
  for await (const item of items) return item
  return null
}
