/** Upper bounds of the duration classes, in ms. The last class also contains everything longer. */
export const BOUNDS_MS: readonly number[] = Object.freeze([
  ...[1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700],
  ...[1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000],
])

/** Outcomes of the requests to a group of paths. */
export interface GroupCounts {
  requests: number
  /** Requests rejected as client errors or over a limit (4xx). */
  refused: number
  /** Requests that failed with a server error (5xx). */
  failed: number
  /** Number of requests that were not rejected, by duration class of `BOUNDS_MS`. */
  readonly durations: number[]
}

/** Empty counts. */
export function newGroupCounts(): GroupCounts {
  return { requests: 0, refused: 0, failed: 0, durations: allClasses([]) }
}

/** Counts a request by its status and its duration, in ms. */
export function countReply(counts: GroupCounts, status: number, took_ms: number): void {
  counts.requests++
  if (status >= 400 && status < 500) {
    counts.refused++
    return
  }
  if (status >= 500) counts.failed++
  const { durations } = counts
  const last = BOUNDS_MS.length - 1
  let at = 0
  while (at < last && took_ms > (BOUNDS_MS[at] as number)) at++
  durations[at] = (durations[at] as number) + 1
}

/** Adds counts to others. */
export function addGroupCounts(to: GroupCounts, more: Readonly<GroupCounts>): void {
  to.requests += more.requests
  to.refused += more.refused
  to.failed += more.failed
  for (let at = 0; at < BOUNDS_MS.length; at++) to.durations[at] = (to.durations[at] as number) + (more.durations[at] as number)
}

/**
 * The duration in ms within which a share of the requests (0 to 1) ended, rounded up to the bound of its class. Null without
 * requests.
 */
export function quantile_ms({ durations }: Readonly<GroupCounts>, share: number): number | null {
  const all = durations.reduce((sum, count) => sum + count, 0)
  const wanted = Math.ceil(all * share)
  let ended = 0
  for (const [at, bound] of BOUNDS_MS.entries()) {
    ended += durations[at] as number
    if (ended > 0 && ended >= wanted) return bound
  }
  return null
}

/** Without trailing zeros. */
export function trimmed(durations: readonly number[]): readonly number[] {
  return durations.slice(0, durations.findLastIndex((count) => count > 0) + 1)
}

/** With zeros for the classes that `trimmed` cut off. */
export function allClasses(durations: readonly number[]): number[] {
  return BOUNDS_MS.map((_, at) => durations[at] ?? 0)
}
