import { CLOCK_TOLERANCE_MS } from '../../lake/live/freshness.ts'

/** A publication whose newest time is older may have a clock that is ahead, ms. */
const FRESH_MS = 30 * 60_000

/**
 * The newest of the times (ms) that the parts of a publication state, without those of wrong clocks: later than the fetch. If no
 * other is of the last half hour, the publisher's clock may be ahead, and times up to the tolerance after the fetch count too. If
 * most are later than that, the newest: the guard then refuses the publication. −∞ without a time.
 */
export function newestTime(times: readonly number[], fetchedAt: number): number {
  const upTo = (limit: number): readonly number[] => times.filter((time) => time <= limit)
  const newest = newestOf(upTo(fetchedAt))
  if (newest >= fetchedAt - FRESH_MS) return newest
  const tolerated = upTo(fetchedAt + CLOCK_TOLERANCE_MS)
  return newestOf(2 * tolerated.length < times.length ? times : tolerated)
}

function newestOf(times: readonly number[]): number {
  return times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY)
}
