import { Problem } from '../../kernel/problems.ts'
import type { Lease } from './leases.ts'

/** Runs work while a request has one of its caller's slots for queries of history. Rejects with a problem if none is left. */
export type InLease = <T>(work: () => Promise<T>) => Promise<T>

/** Makes the function that takes one slot for all concurrent queries of a request, and returns it after the last. */
export function leaseOnce(take: () => Promise<Lease>): InLease {
  let held: Promise<Lease> | null = null
  let users = 0
  return async (work) => {
    users++
    held ??= take()
    const lease = held
    try {
      await lease
      return await work()
    } finally {
      users--
      if (users === 0) {
        held = null
        lease.then(
          (one) => one.release(),
          () => undefined,
        )
      }
    }
  }
}

/** True for the problem of a caller without a free slot. */
export function isConcurrency(error: unknown): boolean {
  return error instanceof Problem && error.code === 'concurrency'
}
