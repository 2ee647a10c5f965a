import { commit } from '../../lake/iceberg/commit.ts'
import { TableRefused } from '../../lake/iceberg/errors.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { changeByOthers, ROWS_AT } from '../../lake/iceberg/other-writers.ts'
import { asRefused, readVersion, type TableState } from '../../lake/iceberg/table.ts'
import { CHANGED_ROWS, feedsIn, hasSeq, type Landed, landedOf, landedProperties, removeSeqs, toWithdraw } from '../../lake/landed.ts'
import { scanFiles } from '../../lake/query/scan.ts'
import { column, fieldName, join, sql } from '../../lake/query/sql.ts'
import {
  type AcceptedFetch,
  acceptedAfter,
  counting,
  feedOf,
  findFetches,
  newsAfter,
  readWithdrawn,
  withdrawnSeqs,
} from '../../lake/raw/archive.ts'
import { type Dataset, REVIVAL_MS } from '../../lake/schema/dataset.ts'
import { partitionStart } from '../../lake/schema/partitions.ts'
import { physicalFields, tableColumns } from '../../lake/schema/physical.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { Feed } from '../feeds/define.ts'
import type { IngestContext } from './context.ts'
import { rebuild } from './rebuild.ts'
import { isBehind, landedIn, PATIENCE_MS } from './tables.ts'

/** How often a landing compares the rows of a table while commits of others come first. */
const COMPARISONS = 5

/**
 * Places late fetches, finishes interrupted rebuilds, removes withdrawn rows and repairs what other writers did to rows, so that
 * everything left to land is newer than all that landed. It may take long; fetching continues.
 */
export async function mergeLateData(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<void> {
  for (const dataset of feed.into) await markLostRows(context, dataset, signal)
  const held = await Promise.all(feed.into.map(async (dataset) => ({ dataset, landed: await landedIn(context, dataset, feed.id) })))
  const withdrawn = await withdrawnSeqs(context.store, feed.id)
  for (const { dataset, landed } of held) {
    signal.throwIfAborted()
    const due = await Promise.all(toWithdraw(landed, withdrawn).map((seq) => readWithdrawn(context.store, feed.id, seq)))
    const { until } = landed
    if (until === null) continue
    const isFilling = isBehind(
      landed,
      held.map((one) => one.landed),
    )
    const after = isFilling ? null : await lastBeforeGap(context, feed.id, landed)
    const waiting = after === null ? [] : counting(await newsAfter(context.store, feed.id, after))
    const late = waiting.filter(({ seq, data_time }) => !hasSeq(landed.seqs, seq) && Date.parse(data_time) <= until)
    const times = [...late, ...due.filter((fetch) => fetch !== null)].map(({ data_time }) => Date.parse(data_time))
    const from = Math.min(...times, landed.rebuildFrom ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(from)) await rebuild(context, { feed, dataset, from, to: null })
  }
}

/** The last sequence before the first archived fetch that a table's record lacks. */
export async function lastBeforeGap(context: IngestContext, feed: string, landed: Landed): Promise<number> {
  const [begin, end] = landed.seqs[0] ?? [1, 0]
  if (begin === 1) return end
  // The archive may have lost earlier fetches.
  const [oldest] = await acceptedAfter(context.store, feed, 0, 1)
  return oldest && oldest.seq < begin ? 0 : end
}

/** A fetch whose rows in a table differ from what we wrote. Times in ms since the epoch. */
interface ChangedFetch {
  readonly fetch_id: string
  /** True if some of its rows are gone; false if only rows came back that we had removed. */
  readonly isLost: boolean
  /** The newest time of such a row. */
  readonly newest: number
}

/**
 * Marks a table whose rows another writer removed or changed, as by a rollback, for a rebuild from the raw log (`rebuild-from`):
 * the next landing of each feed makes it. What the raw log no longer has is logged, and named in the service's status.
 */
async function markLostRows(context: IngestContext, dataset: Dataset, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    const state = await context.lake.table(dataset).load({ isFresh: tries > 1 })
    const reason = state && (await markChanged(context, dataset, state))
    if (!reason) return
    if (tries === COMPARISONS)
      throw new Error(`table ${dataset.id}: rows of another writer were compared ${tries} times; each time ${reason}`)
  }
}

/** Does so for one state of the table. Returns why nothing could be recorded if another commit came first. */
async function markChanged(context: IngestContext, dataset: Dataset, state: TableState): Promise<string | null> {
  const change = changeByOthers(state)
  if (change.kind === 'none') return null
  if (change.kind !== 'changed') return settle(context, state, { marks: new Map(), text: null })
  const feeds = feedsIn(state.properties)
  const differing = change.before && (await changedFetches(context, dataset, { before: change.before, now: state }))
  // What others do to rows of their own is theirs.
  const changed = differing?.filter(({ fetch_id }) => feeds.includes(feedOf(fetch_id))) ?? null
  const marks = new Map<string, Mark>()
  const gone: string[] = []
  for (const feed of feeds) {
    const theirs = changed?.filter(({ fetch_id }) => feedOf(fetch_id) === feed) ?? null
    const found = await findFetches(context.store, feed, new Set(theirs?.map(({ fetch_id }) => fetch_id)))
    const kept = new Set(found.map(({ fetch_id }) => fetch_id))
    const unread = theirs?.filter(({ fetch_id, isLost }) => isLost && !kept.has(fetch_id)) ?? []
    gone.push(...unread.map(({ fetch_id }) => fetch_id))
    const [oldest] = await acceptedAfter(context.store, feed, 0, 1)
    const isFromStart = theirs === null || (oldest !== undefined && isStateOpen(dataset, unread, timeOf(oldest)))
    const times = [...found, ...(oldest && isFromStart ? [oldest] : [])].map(timeOf)
    if (times.length > 0) marks.set(feed, { from: Math.min(...times), seqs: found.map(({ seq }) => seq) })
  }
  const before = change.before?.snapshotId ?? null
  const text = await consequence(state, { before, marks, gone: gone.sort(), isKnown: changed !== null })
  const reason = await settle(context, state, { marks, text: changed?.length === 0 ? null : `${isoInstant(context.now())} ${text}` })
  if (reason === null && changed?.length !== 0)
    context.log[gone.length > 0 ? 'error' : 'warn']({ dataset: dataset.id }, `rows changed by another writer: ${text}`)
  return reason
}

/** Where the rebuild of a feed starts (data time, ms), and the sequences of the fetches with changed rows. */
interface Mark {
  readonly from: number
  readonly seqs: readonly number[]
}

/** Lost rows of a changelog that the state before the first raw fetch is read from: it starts anew there. */
function isStateOpen(dataset: Dataset, unread: readonly ChangedFetch[], oldest: number): boolean {
  const needed = partitionStart(dataset, oldest - REVIVAL_MS)
  return dataset.writeMode === 'changes' && unread.some(({ newest }) => newest >= needed)
}

/** The fetches whose rows differ between two states; null if a file of the earlier one is gone. */
async function changedFetches(
  context: IngestContext,
  dataset: Dataset,
  { before, now }: { readonly before: TableState; readonly now: TableState },
): Promise<ChangedFetch[] | null> {
  const [old, next] = [await liveFiles(before), await liveFiles(now)]
  const nameOf = ({ key, deletes }: (typeof old)[number]): string => [key, ...(deletes?.files ?? []).map((file) => file.key)].join('\n')
  const [inOld, inNext] = [new Set(old.map(nameOf)), new Set(next.map(nameOf))]
  const gone = old.filter((file) => !inNext.has(nameOf(file)))
  const come = next.filter((file) => !inOld.has(nameOf(file)))
  for (const { key } of gone) if ((await context.store.head(key)) === null) return null
  const names = join(physicalFields(tableColumns(dataset)).map(fieldName))
  return context.lake.use({ timeout_ms: PATIENCE_MS }, async (session) => {
    const found = await session.values(sql`
      SELECT fetch_id, bool_or("#" < 0), epoch_ms(max("##"))
      FROM (
        SELECT fetch_id, ${column(dataset, dataset.time)} AS "##", sum("#") AS "#"
        FROM (
          SELECT *, -1 AS "#" FROM ${scanFiles(dataset, gone)} UNION ALL BY NAME SELECT *, 1 AS "#" FROM ${scanFiles(dataset, come)}
        )
        GROUP BY ${names}
      )
      WHERE "#" <> 0 AND fetch_id IS NOT NULL
      GROUP BY fetch_id`)
    return found.map(([fetch_id, isLost, newest]) => ({ fetch_id: fetch_id as string, isLost: isLost as boolean, newest: Number(newest) }))
  })
}

/** Records in one commit that the rows were compared, and which feeds to rebuild. Returns why not if another one came first. */
async function settle(
  context: IngestContext,
  { table, snapshotId }: TableState,
  { marks, text }: { readonly marks: ReadonlyMap<string, Mark>; readonly text: string | null },
): Promise<string | null> {
  const marked = (landed: Landed, { from, seqs }: Mark): Landed => ({
    ...landed,
    rebuildFrom: Math.min(from, landed.rebuildFrom ?? from),
    // Their rows came back: they are removed again.
    withdrawn: removeSeqs(landed.withdrawn, seqs),
  })
  const done = await commit({
    table,
    operation: 'append',
    properties: ({ properties }) => ({
      ...Object.fromEntries(
        [...marks].flatMap(([feed, mark]) => Object.entries(landedProperties(feed, marked(landedOf(properties, feed), mark)))),
      ),
      ...(text === null ? {} : { [CHANGED_ROWS]: text }),
      [ROWS_AT]: String(snapshotId),
    }),
    unless: (current) => (current.snapshotId === snapshotId ? null : 'another commit came first'),
  })
  if (!done.committed) return done.reason
  context.log.debug({ table: table.key }, 'change by another writer recorded')
  return null
}

/** What is landed again, what cannot be, and the command that brings it back. */
async function consequence(
  state: TableState,
  of: {
    readonly before: bigint | null
    readonly marks: ReadonlyMap<string, Mark>
    readonly gone: readonly string[]
    readonly isKnown: boolean
  },
): Promise<string> {
  const { before, marks, gone, isKnown } = of
  const spans = [...marks].map(([feed, { from }]) => `${feed} from ${isoInstant(from)}`).join(', ')
  const again = spans === '' ? 'nothing can be landed again' : `landed again from the raw log: ${spans}`
  if (!isKnown) return `${again}; what else changed is unknown, since the state before is gone`
  if (gone.length === 0) return again
  const version = before === null ? null : await versionWith(state, before)
  const dataset = state.table.key.slice(state.table.key.lastIndexOf('/') + 1)
  const command =
    version === null ? 'no kept version has them' : `\`scripts/lake rollback ${dataset} ${version}\` brings them back for about an hour`
  return `${again}; rows of ${gone.length} fetches from ${gone[0]} to ${gone.at(-1)} are gone and no longer in the raw log; ${command}`
}

/** The newest kept version of a table with a snapshot as its current one; null if there is none. */
async function versionWith({ table, version }: TableState, snapshot: bigint): Promise<number | null> {
  for (let at = version - 1; at > 0; at--) {
    const found = await readVersion(table, at).catch(asRefused)
    if (!found) return null
    if (!(found instanceof TableRefused) && found.snapshotId === snapshot) return at
  }
  return null
}

const timeOf = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
