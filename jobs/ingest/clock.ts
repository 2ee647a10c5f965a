import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { IngestContext } from './context.ts'
import type { Verdict } from './guard.ts'
import type { FeedMemory } from './memory.ts'
import type { Publication } from './parse.ts'

/**
 * The fetch time to use if the publication states no time: just after the last fetch, if our clock went back slightly. This
 * keeps data times in order of acceptance. Null keeps the fetch's own time; a larger step back needs a person to decide.
 */
export function timeInOrder(publication: Publication, last: AcceptedFetch | null): number | null {
  if (!last || publication.report.publishedAt !== null) return null
  const before = Date.parse(last.data_time)
  const { data_time } = publication
  return data_time <= before && before - data_time <= CLOCK_TOLERANCE_MS ? before + 1 : null
}

/**
 * Rejects a fetch no newer than fetches that only the tables know, and states what to do if the last accepted fetch is ahead
 * of our clock.
 */
export function judgeTimes(publication: Publication, memory: FeedMemory, now: number): Verdict | null {
  const { last, landedUntil } = memory
  const newest = last ? Date.parse(last.data_time) : Number.NEGATIVE_INFINITY
  const { data_time } = publication
  const reject = (reason: string): Verdict => ({ kind: 'reject', reason, missing: {} })
  if (landedUntil !== null && newest < landedUntil && data_time <= landedUntil)
    return reject(
      `publication time ${isoInstant(data_time)} is not newer than ${isoInstant(landedUntil)}, which is in the tables but missing from the raw log`,
    )
  if (last && data_time < newest && newest > now + CLOCK_TOLERANCE_MS)
    return reject(
      `publication time ${isoInstant(data_time)} is older than the last accepted ${last.data_time} of ${last.fetch_id}, which is ahead of our ` +
        `clock (${isoInstant(now)}): if the clock is right, scripts/feeds withdraw ${last.fetch_id}`,
    )
  return null
}

/**
 * Describes a problem with our clock if a fetch has no other time; null if there is none. Compares with the store's clock: one
 * request per such fetch.
 */
export async function clockTrouble(context: IngestContext, publication: Publication): Promise<string | null> {
  if (!context.storeNow || context.mode === 'replay' || publication.report.publishedAt !== null) return null
  const theirs = await context.storeNow()
  const ours = context.now()
  if (Math.abs(ours - theirs) <= CLOCK_TOLERANCE_MS) return null
  return `our clock says ${isoInstant(ours)}, the store's ${isoInstant(theirs)}: a publication that states no time is not kept until they agree`
}
