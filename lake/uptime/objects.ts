import type { MinuteRecord } from '../minutes/objects.ts'

/** Upper bounds of the duration classes, in ms. The last class also contains everything longer. */
export const BOUNDS_MS: readonly number[] = Object.freeze([
  ...[1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700],
  ...[1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000],
])

/** Outcomes of the requests to a group of paths. */
export interface UptimeCounts {
  requests: number
  /** Requests rejected as client errors or over a limit (4xx). */
  refused: number
  /** Requests that failed with a server error (5xx). */
  failed: number
  /** Number of requests that were not rejected, by duration class of `BOUNDS_MS`. */
  readonly durations: number[]
}

/** Outcomes of a group's requests in a minute. */
export interface UptimeRow extends UptimeCounts {
  readonly group: string
  /** Marks of callers whose requests were not rejected, at most `MIN_CALLERS`. */
  readonly callers: readonly number[]
  /** True if this process's own probe of the group failed. */
  readonly isProbeFailed: boolean
}

/** The record of every API process for each minute that it ran: a minute without rows means no requests. */
export const UPTIME: MinuteRecord<UptimeRow> = Object.freeze({
  root: 'uptime/',
  encode: ({ group, requests, refused, failed, durations, callers, isProbeFailed }: UptimeRow): PlainCounts => [
    group,
    requests,
    refused,
    failed,
    trimmed(durations),
    callers,
    isProbeFailed,
  ],
  decode: (plain: unknown): UptimeRow => {
    const [group, requests, refused, failed, durations, callers = [], isProbeFailed = false] = plain as PlainCounts
    return { group, requests, refused, failed, durations: BOUNDS_MS.map((_, at) => durations[at] ?? 0), callers, isProbeFailed }
  },
})

/** Rows from before probes existed lack the last two. */
type PlainCounts = readonly [
  ...[group: string, requests: number, refused: number, failed: number, durations: readonly number[]],
  ...[callers?: readonly number[], isProbeFailed?: boolean],
]

/** Empty counts. */
export function newUptimeCounts(): UptimeCounts {
  return { requests: 0, refused: 0, failed: 0, durations: BOUNDS_MS.map(() => 0) }
}

/** Counts a request by its status and its duration, in ms. */
export function countReply(counts: UptimeCounts, status: number, took_ms: number): void {
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
export function addUptime(to: UptimeCounts, more: Readonly<UptimeCounts>): void {
  to.requests += more.requests
  to.refused += more.refused
  to.failed += more.failed
  for (let at = 0; at < BOUNDS_MS.length; at++) to.durations[at] = (to.durations[at] as number) + (more.durations[at] as number)
}

/**
 * The duration in ms within which a share of the requests (0 to 1) ended, rounded up to the bound of its class. Null without
 * requests.
 */
export function quantile_ms({ durations }: Readonly<UptimeCounts>, share: number): number | null {
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
