import type { UsageCounts } from '../../../lake/requests/log.ts'
import type { Answer } from './api-client.ts'

/** What a client counted for one key: answered requests and requests without an answer. */
export interface Tally extends UsageCounts {
  lost: number
}

/** An admitted request: it was charged between these two instants (ms by `performance.now()`). */
export interface Admitted {
  readonly sent: number
  readonly received: number
}

const MINUTE_MS = 60_000

/** Returns an empty tally. */
export function newTally(): Tally {
  return { answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: 0, lost: 0 }
}

/** Counts an answer by the API's rules: a 304, a refusal by a limit and a server error are not charged to the daily limit. */
export function addTo(tally: Tally, { status }: Answer): void {
  if (status === 0) tally.lost++
  else if (status >= 500) tally.server_error++
  else if (status === 429) tally.limited++
  else if (status === 304) tally.not_modified++
  else {
    tally[status >= 400 ? 'client_error' : 'answered']++
    tally.day_units++
  }
}

/** Most requests that were certainly admitted within one minute. */
export function mostInAMinute(admitted: readonly Admitted[]): number {
  return Math.max(0, ...admitted.map(({ sent: from }) => within(admitted, { from, to: from + MINUTE_MS })))
}

/** Requests that were certainly admitted between two instants. */
export function within(admitted: readonly Admitted[], { from, to }: { readonly from: number; readonly to: number }): number {
  return admitted.filter(({ sent, received }) => sent >= from && received <= to).length
}

/** Most requests that were in progress at the same time. */
export function mostAtOnce(admitted: readonly Admitted[]): number {
  return Math.max(0, ...admitted.map(({ sent: at }) => admitted.filter(({ sent, received }) => sent <= at && received >= at).length))
}
