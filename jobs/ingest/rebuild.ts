import { addSeqs, hasSeq, type Landed } from '../../lake/landed.ts'
import { type AcceptedFetch, acceptedAfter, byDataTime } from '../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { instantOfRow } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseAccepted } from './derive.ts'
import { ABSENCES, type DatasetState, REVIVAL_MS } from './fold.ts'
import { restoreState } from './restore.ts'
import { keysBetween, landedIn, landRows, replaceRows } from './tables.ts'

/** Fetches whose rows are derived anew in one commit. */
const FETCHES_AT_ONCE = 500
const ROWS_AT_ONCE = 1_500_000
/** Fetches at the beginning of an archive that lost earlier ones: from these it is told what was absent. */
const KEPT_TO_BEGIN = 16

/** Which rows to derive anew. Instants of data time in ms since the epoch, both inclusive; `to` null means to the end. */
export interface RebuildOptions {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly from: number
  readonly to: number | null
  /** Told after each fetch, for a progress bar. */
  readonly onProgress?: (done: number, all: number) => void
}

/** What a rebuild did: fetches looked at, rows taken out and put in; nothing where the rows were the same. */
export interface RebuildResult {
  readonly fetches: number
  readonly removed: number
  readonly added: number
}

/**
 * Derives the rows of a range of fetches anew from the raw archive and replaces exactly theirs; unchanged rows commit nothing. A `changes`
 * table goes on past `to` until a stretch of later fetches gives the rows it has, so that it is again what the fetches in order would have
 * given. Fetches that the archive lost stay as they landed, and so do the first ones left, from which the state before is told.
 * An interrupted rebuild is marked in the table and goes on at the next start.
 */
export async function rebuild(context: IngestContext, options: RebuildOptions): Promise<RebuildResult> {
  const { feed, dataset, from, to } = options
  let landed = await landedIn(context, dataset, feed.id)
  const range = (await derivable(context, feed, landed)).filter(({ data_time }) => Date.parse(data_time) >= from)
  const total = { fetches: 0, removed: 0, added: 0 }
  if (range.length === 0) return total
  const state = await restoreState(context, { feed, dataset, landed, before: Date.parse((range[0] as AcceptedFetch).data_time) })
  let at = 0
  while (at < range.length) {
    const chunk = await deriveChunk(context, { ...options, state, range, at })
    at += chunk.fetches.length
    const reached = Date.parse((chunk.fetches.at(-1) as AcceptedFetch).data_time)
    const after = at < range.length ? Date.parse((range[at] as AcceptedFetch).data_time) : null
    const beyond = to !== null && Date.parse((chunk.fetches[0] as AcceptedFetch).data_time) > to
    const asked = to !== null && reached <= to && after !== null && after > to
    // Observations never depend on what came before; states do, and are looked at until they have met again.
    const isAsked = asked && dataset.land !== 'changes'
    const complete = after === null || isAsked
    const next: Landed = {
      seqs: addSeqs(
        landed.seqs,
        chunk.fetches.map(({ seq }) => seq),
      ),
      until: Math.max(landed.until ?? 0, reached),
      rebuildFrom: complete ? null : after,
      rebuilds: landed.rebuilds,
    }
    const done = await replaceRows(context, dataset, {
      feed: feed.id,
      fetchIds: chunk.fetches.map(({ fetch_id }) => fetch_id),
      rows: chunk.rows,
      base: landed,
      next,
    })
    if (!done) throw new Error(`${dataset.id}: somebody else landed fetches of ${feed.id} during the rebuild; run it again`)
    total.fetches += chunk.fetches.length
    total.removed += done.removed
    total.added += done.added
    landed = done.landed
    if (complete) break
    if (beyond && done.removed + done.added === 0) {
      await landRows(context, dataset, { feed: feed.id, rows: [], base: landed, next: { ...landed, rebuildFrom: null } })
      break
    }
  }
  return total
}

async function deriveChunk(
  context: IngestContext,
  options: RebuildOptions & { readonly state: DatasetState; readonly range: readonly AcceptedFetch[]; readonly at: number },
): Promise<{ fetches: AcceptedFetch[]; rows: AnyRow[] }> {
  const { feed, dataset, state, range } = options
  const fetches: AcceptedFetch[] = []
  const rows: AnyRow[] = []
  for (let at = options.at; at < range.length && fetches.length < FETCHES_AT_ONCE && rows.length < ROWS_AT_ONCE; at++) {
    const accepted = range[at] as AcceptedFetch
    // A chunk never crosses the end of the asked range, and beyond it is only as long as it takes to see that nothing differs any more.
    if (
      fetches.length > 0 &&
      options.to !== null &&
      Date.parse(accepted.data_time) > options.to &&
      Date.parse((fetches.at(-1) as AcceptedFetch).data_time) <= options.to
    )
      break
    if (options.to !== null && Date.parse(accepted.data_time) > options.to && isStretch(fetches)) break
    const publication = await parseAccepted(context, feed, accepted)
    for (const row of advancePart(feed, { dataset, state }, { accepted, publication, idKey: context.idKey }).rows) rows.push(row)
    fetches.push(accepted)
    options.onProgress?.(at + 1, range.length)
  }
  return { fetches, rows: dataset.land === 'append' ? await firstOfEachKey(context, dataset, { rows, fetches }) : rows }
}

/** Keeps of each key the first observation, those in the table from other fetches included. */
async function firstOfEachKey(
  context: IngestContext,
  dataset: Dataset,
  chunk: { rows: AnyRow[]; fetches: readonly AcceptedFetch[] },
): Promise<AnyRow[]> {
  if (chunk.rows.length === 0) return chunk.rows
  const key = (row: AnyRow): string => `${entityKey(dataset, row)}\u001f${instantOfRow(row, dataset.time)}`
  const times = chunk.rows.reduce<[number, number]>(
    ([from, to], row) => [Math.min(from, instantOfRow(row, dataset.time)), Math.max(to, instantOfRow(row, dataset.time))],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  const before = Date.parse((chunk.fetches[0] as AcceptedFetch).data_time)
  // Only what earlier fetches gave counts; an observation that a later fetch repeated gives way to the one in its place.
  const taken =
    times[0] < before
      ? await keysBetween(context, dataset, {
          from: times[0],
          to: Math.min(times[1], before - 1),
          key,
          notFrom: chunk.fetches.map(({ fetch_id }) => fetch_id),
        })
      : new Set<string>()
  return chunk.rows.filter((row) => {
    const id = key(row)
    if (taken.has(id)) return false
    taken.add(id)
    return true
  })
}

/** Long enough that an absence counted otherwise, or a life that went on, would have shown. */
function isStretch(fetches: readonly AcceptedFetch[]): boolean {
  if (fetches.length < ABSENCES + 1) return false
  return Date.parse((fetches.at(-1) as AcceptedFetch).data_time) - Date.parse((fetches[0] as AcceptedFetch).data_time) > REVIVAL_MS
}

/** The fetches that can be derived anew: all that the archive holds or, where it lost its first ones, all but those it has to begin from. */
async function derivable(context: IngestContext, feed: Feed, landed: Landed): Promise<AcceptedFetch[]> {
  const all = (await acceptedAfter(context.store, feed.id, 0)).sort(byDataTime)
  const first = Math.min(...all.map(({ seq }) => seq))
  return all.length > 0 && first > 1 && hasSeq(landed.seqs, first - 1) ? all.slice(KEPT_TO_BEGIN) : all
}
