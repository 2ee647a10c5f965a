import { hash } from 'node:crypto'

/** A minute of a group is down if more than this share of its requests fail, */
export const FAILING_SHARE = 0.05
/** of at least so many, which few failures of few callers do not decide, */
export const MIN_REQUESTS = 20
/** of at least so many callers; or if our own probe of the group fails. */
export const MIN_CALLERS = 3

/** What is known of a minute of a group, all processes together. */
export interface MinuteTally {
  /** Requests that did not fail. Those that were refused (4xx) count nowhere. */
  answered: number
  failed: number
  /** Marks of callers; `MIN_CALLERS` of each process are enough. */
  readonly callers: Set<number>
  /** True where a process's own probe of the group failed. */
  isProbeFailed: boolean
}

/** Tells whether a group was down in a minute. */
export function isDown({ answered, failed, callers, isProbeFailed }: Readonly<MinuteTally>): boolean {
  if (isProbeFailed) return true
  const requests = answered + failed
  return requests >= MIN_REQUESTS && callers.size >= MIN_CALLERS && failed > FAILING_SHARE * requests
}

/** A number that tells callers of a minute apart, by what they are charged by; too short to find out who they are. */
export function callerMark(quotaKey: string): number {
  return Number.parseInt(hash('sha256', quotaKey).slice(0, 4), 16)
}
