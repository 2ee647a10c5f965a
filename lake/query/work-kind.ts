import { AsyncLocalStorage } from 'node:async_hooks'

/** Kinds of work that query the lake, in the order in which they get a free slot. */
export const WORK_KINDS = ['live', 'request', 'restore', 'archive', 'derive'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

const current = new AsyncLocalStorage<WorkKind>()

/** Runs work whose queries, and those of everything it calls, are of a kind. */
export function asWork<T>(kind: WorkKind, work: () => T): T {
  return current.run(kind, work)
}

/** Returns the rank of the present work, 0 for the first; outside `asWork` it is that of a request. */
export function workRank(): number {
  return WORK_KINDS.indexOf(current.getStore() ?? 'request')
}
