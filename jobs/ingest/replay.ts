import { countSeqs, formatSeqs, hasSeq, isUnchangedUpTo, type Landed, lackingIn, listSeqs } from '../../lake/landed.ts'
import { type AcceptedFetch, byDataTime, readAccepted } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { type Checkpoint, type CheckpointPart, foldDigest, listCheckpoints, readCheckpoint } from './checkpoint.ts'
import type { IngestContext } from './context.ts'
import { advancePart, parseIfKept } from './derive.ts'
import type { DatasetState } from './fold.ts'
import { releaseOf } from './release.ts'
import { restoreState } from './restore.ts'
import type { Held } from './tables.ts'

/** Most fetches that are replayed from a checkpoint: beyond that, reading the table costs less. */
const MOST_REPLAYED = 500
/** Most checkpoints that are read to find a valid one. */
const MOST_READ = 4
/** Log records read at once. */
const AT_ONCE = 64

/** States of a feed's datasets, and where they come from. */
interface LoadedStates {
  /** By dataset id. */
  readonly states: ReadonlyMap<string, DatasetState>
  /** The newest checkpoint of this log, if there is one. */
  readonly checkpoint: Checkpoint | null
  /** True if no state had to be read from a table. */
  readonly areReplayed: boolean
}

/**
 * The states after everything that tables hold, or just before an instant of data time (`before`, ms): the newest checkpoint that
 * is valid for a table, else its rows, and the fetches that landed since. A checkpoint that is damaged or of another release is
 * ignored.
 */
export async function loadStates(
  context: IngestContext,
  feed: Feed,
  { held, before = null }: { readonly held: readonly Held[]; readonly before?: number | null },
): Promise<LoadedStates> {
  const unread = (error: Error): null => {
    context.log.warn({ feed: feed.id, reason: error.message }, 'checkpoint ignored: it cannot be read')
    return null
  }
  const digest = foldDigest(feed)
  const stored = (await listCheckpoints(context.store, feed.id).catch(unread)) ?? []
  const usable = stored.filter((one) => one.digest === digest && (before === null || one.data_time < before))
  const states = new Map<string, DatasetState>()
  let newest: Checkpoint | null = null
  for (const { key } of usable.slice(0, MOST_READ)) {
    const lacking = held.filter(({ dataset }) => !states.has(dataset.id))
    if (lacking.length === 0) break
    const checkpoint = await readCheckpoint(context.store, key).catch(unread)
    if (!checkpoint || !(await isOfThisLog(context, feed, checkpoint))) continue
    newest ??= checkpoint
    for (const [id, state] of await replayFrom(context, feed, { checkpoint, held: lacking, before })) states.set(id, state)
  }
  const others = held.filter(({ dataset }) => !states.has(dataset.id))
  if (stored.length > 0 && others.length > 0)
    context.log.info(
      { feed: feed.id, datasets: others.map(({ dataset }) => dataset.id) },
      'no stored checkpoint is valid: states are read from the tables',
    )
  for (const { dataset, landed } of others) states.set(dataset.id, await restoreState(context, { feed, dataset, landed, before }))
  return { states, checkpoint: newest, areReplayed: others.length === 0 }
}

/** False if the log has another fetch under a checkpoint's newest number: a backup was restored, or a log began again. */
async function isOfThisLog({ store }: IngestContext, feed: Feed, { seq, fetch_id }: Checkpoint): Promise<boolean> {
  return (await readAccepted(store, feed.id, seq))?.fetch_id === fetch_id
}

/** A part of a checkpoint that is brought up to its table. */
interface Advancing {
  readonly dataset: Dataset
  readonly state: DatasetState
  readonly landed: Landed
  /** Numbers that landed since. */
  readonly since: ReadonlySet<number>
  /** Data time that it has reached, ms. */
  readonly until: number
}

async function replayFrom(
  context: IngestContext,
  feed: Feed,
  from: { readonly checkpoint: Checkpoint; readonly held: readonly Held[]; readonly before: number | null },
): Promise<Map<string, DatasetState>> {
  const { checkpoint, before } = from
  const release = await releaseOf(context)
  const advancing = new Map<string, Advancing>()
  for (const { dataset, landed, table } of from.held) {
    const part = checkpoint.parts.get(dataset.id)
    const since = part && part.table === table ? landedSince(dataset, part, { now: landed, release, before }) : null
    if (!part || !since) continue
    advancing.set(dataset.id, { dataset, state: part.state, landed, since: new Set(since), until: part.landed.until ?? -Infinity })
  }
  const wanted = [...new Set([...advancing.values()].flatMap(({ since }) => [...since]))]
  if (before === null && wanted.length > MOST_REPLAYED) return new Map()
  const fetches: AcceptedFetch[] = []
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE)
    for (const [nth, accepted] of (await Promise.all(some.map((seq) => readAccepted(context.store, feed.id, seq)))).entries()) {
      const seq = some[nth] as number
      const data_time = accepted && timeOf(accepted)
      // Without its record, a fetch is one without rows only if it landed so. A late one changed the state before.
      const isUnusable = ({ since, until, landed }: Advancing): boolean =>
        since.has(seq) && (data_time === null ? !hasSeq(landed.lost, seq) : data_time <= until)
      for (const part of [...advancing.values()].filter(isUnusable)) leave(part)
      if (accepted && (before === null || timeOf(accepted) < before)) fetches.push(accepted)
    }
  }
  if (fetches.length > MOST_REPLAYED) return new Map()
  for (const accepted of fetches.sort(byDataTime)) {
    const next = [...advancing.values()].filter(({ since }) => since.has(accepted.seq))
    const reading = next.filter(({ landed }) => !hasSeq(landed.lost, accepted.seq))
    const publication = reading.length > 0 ? await parseIfKept(context, feed, accepted, 'states are read from the tables') : null
    if (!publication) reading.forEach(leave)
    for (const { dataset, state, landed } of next.filter((part) => advancing.has(part.dataset.id))) {
      const given = hasSeq(landed.lost, accepted.seq) ? null : publication
      advancePart(feed, { dataset, state }, { accepted, publication: given, idKey: context.idKey })
    }
  }
  return new Map([...advancing].map(([id, { state }]) => [id, state]))

  function leave({ dataset }: Advancing): void {
    advancing.delete(dataset.id)
  }
}

/**
 * The numbers that a table has landed since a checkpoint; null if the table is not a continuation of it (it was rolled back, or
 * its rows were rebuilt) or if another release landed some, which may have read them otherwise. Whole versions have no state that
 * a replacement of rows would change.
 */
function landedSince(
  dataset: Dataset,
  { landed: then }: CheckpointPart,
  { now, release, before }: { readonly now: Landed; readonly release: string; readonly before: number | null },
): number[] | null {
  if (now.rebuildFrom !== null && (before === null || before > now.rebuildFrom)) return null
  if (dataset.writeMode !== 'replace' && !isUnchangedUpTo(then.until ?? 0, then, now)) return null
  const since = lackingIn(then.seqs, now.seqs)
  const ofThen = (set: Landed['lost']): string => formatSeqs(lackingIn(since, set))
  const isContinued =
    lackingIn(now.seqs, then.seqs).length === 0 &&
    ofThen(now.lost) === formatSeqs(then.lost) &&
    ofThen(now.withdrawn) === formatSeqs(then.withdrawn)
  const isOurs = now.landedBy?.release === release && now.landedBy.after <= countSeqs(then.seqs)
  return isContinued && (since.length === 0 || isOurs) ? listSeqs(lackingIn(now.withdrawn, since)) : null
}

const timeOf = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
