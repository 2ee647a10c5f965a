import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { IngestContext } from './context.ts'
import type { Verdict } from './guard.ts'
import type { FeedMemory } from './memory.ts'
import type { Publication } from './parse.ts'

/**
 * The time that a fetch counts as made where its publication states none: just after the last one, if our clock was set back by a little since.
 * Data times are then the order of acceptance. Null where the fetch keeps its own time; set back by more, one of both times is wrong, and
 * which one is for a person to say.
 */
export function timeInOrder(publication: Publication, last: AcceptedFetch | null): number | null {
  if (!last || publication.report.publishedAt !== null) return null
  const before = Date.parse(last.data_time)
  const { data_time } = publication
  return data_time <= before && before - data_time <= CLOCK_TOLERANCE_MS ? before + 1 : null
}

/** Rejects what is no newer than fetches that only the tables know, and says what to do where the last accepted one lies ahead of our clock. */
export function judgeTimes(publication: Publication, memory: FeedMemory, now: number): Verdict | null {
  const { last, landedUntil } = memory
  const newest = last ? Date.parse(last.data_time) : Number.NEGATIVE_INFINITY
  const { data_time } = publication
  const reject = (reason: string): Verdict => ({ kind: 'reject', reason, missing: {} })
  if (landedUntil !== null && newest < landedUntil && data_time <= landedUntil)
    return reject(
      `publication time ${isoInstant(data_time)} is not newer than ${isoInstant(landedUntil)}: the tables hold that, the raw log lost it`,
    )
  if (last && data_time < newest && newest > now + CLOCK_TOLERANCE_MS)
    return reject(
      `publication time ${isoInstant(data_time)} is older than the last accepted ${last.data_time} of ${last.fetch_id}, which lies ahead of our ` +
        `clock (${isoInstant(now)}): if the clock is right, scripts/feeds withdraw ${last.fetch_id}`,
    )
  return null
}

/**
 * What is wrong with our clock, where the time of a fetch is told by nothing else; null where nothing is. The store is asked for its time only
 * then, one request for each such fetch that is to be kept.
 */
export async function clockTrouble(context: IngestContext, publication: Publication): Promise<string | null> {
  if (!context.storeNow || context.mode === 'replay' || publication.report.publishedAt !== null) return null
  const theirs = await context.storeNow()
  const ours = context.now()
  if (Math.abs(ours - theirs) <= CLOCK_TOLERANCE_MS) return null
  return `our clock says ${isoInstant(ours)}, the store's ${isoInstant(theirs)}: a publication that states no time is not kept until they agree`
}
