import type { InLease } from '../access/limits/in-lease.ts'
import type { MemoryAsk } from '../define/endpoint.ts'
import type { KeptLake } from './kept-lake.ts'

/** Reads optional parts of an answer, and records whether one could not be read. */
export function extrasOf(
  kept: Pick<KeptLake, 'extra'>,
  lease: InLease,
): {
  readonly get: MemoryAsk<readonly []>['extra']
  readonly told: () => { readonly isPartial: boolean }
} {
  let isPartial = false
  return {
    get: async (slice, key) => {
      const found = await kept.extra(slice, key, lease)
      isPartial ||= found === null
      return found
    },
    told: () => ({ isPartial }),
  }
}
