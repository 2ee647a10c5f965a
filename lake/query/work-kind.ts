import { AsyncLocalStorage } from 'node:async_hooks'
import { QueryError } from './errors.ts'

/** Kinds of work that query the lake, in the order in which they get a free slot. */
export const WORK_KINDS = ['live', 'request', 'restore', 'archive', 'derive'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** Work waited longer than it may for its feed's turn, or in it for a query slot. It is repeated later. */
export class WaitedTooLong extends QueryError {
  constructor(what: string, most_ms: number) {
    super('busy', `waited ${most_ms / 1000} s for ${what}, and gave way to others`)
  }
}

const current = new AsyncLocalStorage<{ readonly kind: WorkKind; readonly mostWait_ms: number }>()
const present = () => current.getStore() ?? { kind: 'request' as const, mostWait_ms: Number.POSITIVE_INFINITY }

/** Runs work whose queries, and those of everything it calls, have a kind. */
export function asWork<T>(kind: WorkKind, work: () => T): T {
  return current.run({ ...present(), kind }, work)
}

/** Runs work whose queries each wait at most this long (ms) for a slot, and then throw `WaitedTooLong`. */
export function waitingAtMost<T>(ms: number, work: () => T): T {
  return current.run({ ...present(), mostWait_ms: ms }, work)
}

/** Returns the rank of the present work, 0 for the first; outside `asWork` it is that of a request. */
export function workRank(): number {
  return WORK_KINDS.indexOf(present().kind)
}

/** Longest wait of the present work for a slot, ms; infinite outside `waitingAtMost`. */
export function mostWait_ms(): number {
  return present().mostWait_ms
}

/** Calls back after a time (ms), never if it is infinite; the result cancels it. Timers take 2^31 - 1 ms at most. */
export function after(ms: number, call: () => void): () => void {
  const timer = ms < 2 ** 31 ? setTimeout(call, ms) : undefined
  return () => clearTimeout(timer)
}
