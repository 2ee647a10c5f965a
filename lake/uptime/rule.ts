import { hash } from 'node:crypto'

/** A minute of a group is down if more than this share of its requests fail, */
export const FAILING_SHARE = 0.05
/** with at least this many requests, so that a few failures do not decide, */
export const MIN_REQUESTS = 20
/** from at least this many callers; or if our own probe of the group fails. */
export const MIN_CALLERS = 3

/** Data of one minute of a group, over all processes. */
export interface MinuteTally {
  /** Requests that did not fail. Rejected ones (4xx) are not counted. */
  answered: number
  failed: number
  /** Marks of callers; `MIN_CALLERS` of each process are enough. */
  readonly callers: Set<number>
  /** True if a process's own probe of the group failed. */
  isProbeFailed: boolean
}

/** Returns whether a group was down in a minute. */
export function isDown({ answered, failed, callers, isProbeFailed }: Readonly<MinuteTally>): boolean {
  if (isProbeFailed) return true
  const requests = answered + failed
  return requests >= MIN_REQUESTS && callers.size >= MIN_CALLERS && failed > FAILING_SHARE * requests
}

/** A number that distinguishes the callers of a minute by their quota key; too short to identify them. */
export function callerHash(quotaKey: string): number {
  return Number.parseInt(hash('sha256', quotaKey).slice(0, 4), 16)
}
