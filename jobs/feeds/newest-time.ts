import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'

/** A publication whose newest time is older may have a clock that is ahead, ms. */
const FRESH_MS = 30 * 60_000

/**
 * The newest of the times (ms) that the parts of a publication state, without those of wrong clocks: later than the fetch. If no
 * other is of the last half hour, the publisher's clock may be ahead, and times up to the tolerance after the fetch count too. If
 * all are later, the newest: the guard then refuses the publication. −∞ without a time.
 */
export function newestTime(times: readonly number[], fetchedAt: number): number {
  const before = (limit: number): number =>
    times.reduce((latest, time) => (time <= limit ? Math.max(latest, time) : latest), Number.NEGATIVE_INFINITY)
  const newest = before(fetchedAt)
  if (newest >= fetchedAt - FRESH_MS) return newest
  const tolerated = before(fetchedAt + CLOCK_TOLERANCE_MS)
  return tolerated === Number.NEGATIVE_INFINITY ? before(Number.POSITIVE_INFINITY) : tolerated
}
