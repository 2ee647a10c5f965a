import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptedFrom,
  acceptFetch,
  dropRejected,
  findAccepted,
  keepBodies,
  logAfter,
  type RawFetch,
  readRejected,
  withdrawAccepted,
} from '../../lake/raw/archive.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { Feed, FeedBody } from '../feeds/define.ts'
import { isBulk, makeBulk } from './bulk.ts'
import { decodeKept } from './collect.ts'
import { expectedGroups } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { readKept } from './derive.ts'
import { type FeedMemory, syncMemory } from './memory.ts'
import { type Publication, parsePublication } from './parse.ts'
import { countsOf, recordedExpectation } from './pipeline.ts'
import { beginningOf } from './rebuild.ts'
import { recordedClock } from './repeated-hour.ts'

/** Retries when another process accepted a fetch in the meantime. */
const MOST_RACES = 5

/**
 * Accepts a fetch that the guard rejected, on behalf of an operator. Throws if the id is unknown or the fetch cannot be
 * parsed.
 */
export async function acceptRejected(context: IngestContext, memory: FeedMemory, id: string): Promise<AcceptedFetch> {
  const raw = await readRejected(context.store, id)
  if (!raw) throw new Error(`no rejected fetch ${id}; scripts/feeds list shows those that wait`)
  const { feed } = memory
  const kept = await readKept(context, raw)
  const publication = await publicationOf(context, feed, raw, await decodeKept(feed, kept))
  const data_time = isoInstant(publication.data_time)
  if (publication.data_time > context.now() + CLOCK_TOLERANCE_MS)
    throw new Error(
      `${id} has the time ${data_time}, ahead of our clock (${isoInstant(context.now())}): it would block every earlier fetch`,
    )
  const [begin] = await logAfter(context.store, feed.id, 0, 1)
  const [oldest] = begin && begin.seq > 1 ? await acceptedAfter(context.store, feed.id, 0, 1) : []
  if (oldest && data_time < oldest.data_time)
    throw new Error(`${id} is from ${data_time}; the fetches around it are past their retention, the archive begins at ${oldest.data_time}`)
  const fetchedAt = Date.parse(raw.fetched_at)
  // The recorded expectation, if the data time is still the same.
  const { expected: recorded, ...rest } = raw
  const expected = recorded && raw.data_time === data_time ? recorded : await expectedGroups(context, feed, publication.data_time)
  let current = memory
  for (let race = 0; race < MOST_RACES; race++) {
    // If another process accepts a fetch of this time after this check, it takes the number tried below.
    const newer = await acceptedFrom(context.store, feed.id, publication.data_time)
    const twin = newer.find((accepted) => accepted.data_time === data_time)
    if (twin) throw new Error(`${id} is the publication of ${data_time}, which is accepted already as ${twin.fetch_id}`)
    const accepted: AcceptedFetch = {
      ...rest,
      ...countsOf(feed, publication),
      ...recordedExpectation(expected),
      // Bodies are stored by the month of the fetch's position in the log, so retention does not need to search old months.
      bodies: await keepBodies(context.store, feed.id, Math.max(fetchedAt, Date.parse(current.last?.fetched_at ?? raw.fetched_at)), kept),
      data_time,
      seq: current.seq + 1,
      accepted_by: 'operator',
    }
    if (await acceptFetch(context.store, accepted)) {
      await dropRejected(context.store, id)
      return accepted
    }
    current = await syncMemory(context, current)
  }
  throw new Error(`${id}: lost ${MOST_RACES} races for the next place in the log; try again`)
}

/**
 * Withdraws an accepted fetch and moves it to the rejected ones; the next landing removes its rows. False if it was already
 * withdrawn. Throws for an unknown id, or if the state before it can no longer be restored.
 */
export async function withdrawFetch(context: IngestContext, feed: Feed, id: string): Promise<boolean> {
  const { accepted, withdrawn } = await findAccepted(context.store, id)
  if (!accepted && withdrawn) return false
  if (!accepted) throw new Error(`no accepted fetch ${id} in the raw log of ${feed.id}`)
  const { kept } = await beginningOf(context, feed)
  if (kept.has(accepted.seq)) throw new Error(`${id} is among the oldest fetches of the archive; what follows cannot be derived without it`)
  await withdrawAccepted(context.store, accepted, `withdrawn by an operator on ${isoInstant(context.now())}`)
  return true
}

/** Parses a rejected fetch; its rows are made again when it lands. */
async function publicationOf(context: IngestContext, feed: Feed, raw: RawFetch, bodies: readonly FeedBody[]): Promise<Publication> {
  const { fetch_id } = raw
  const fetchedAt = Date.parse(raw.fetched_at)
  if (!isBulk(feed)) return parsePublication(feed, bodies, fetchedAt, { near: recordedClock(raw).near })
  const made = await makeBulk(context, feed, { bodies, fetch_id, fetchedAt, signal: new AbortController().signal })
  await made.staged.drop()
  return made.publication
}
