import type { AcceptedFetch, RawFetch } from '../../lake/raw/archive.ts'
import { isHourRepeated } from '../../lake/schema/time.ts'
import type { FeedClock } from '../feeds/define.ts'
import type { Publication } from './parse.ts'

/** Greatest advance of a publisher's clock for which times in a repeated hour may still belong to its second pass, ms. */
const AHEAD_MS = 5 * 60_000

/** The latest instant of a local time if the publisher's clock is ahead of the fetch, ms. */
export const nearAhead = (fetchedAt: number): number => fetchedAt + AHEAD_MS

/**
 * True if local times in the repeated hour were read as its first pass but may belong to its second, with a clock that is ahead:
 * the publication seems older than the last accepted one, or states a time after its fetch.
 */
export function mayBeAhead({ report, data_time, fetched_at }: Publication, last: AcceptedFetch | null): boolean {
  if (report.publishedAt === null || !isHourRepeated(fetched_at, AHEAD_MS)) return false
  return data_time > fetched_at || (last !== null && data_time < Date.parse(last.data_time))
}

/** The clock with which a recorded fetch was parsed: its publisher's clock was ahead if its data time is. */
export function recordedClock(fetch: Pick<RawFetch, 'fetched_at' | 'data_time'>): Required<FeedClock> {
  const fetched_at = Date.parse(fetch.fetched_at)
  return { fetched_at, near: Date.parse(fetch.data_time) > fetched_at ? nearAhead(fetched_at) : fetched_at }
}
