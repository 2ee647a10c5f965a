import type { InLease } from '../../auth/limits/in-lease.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import type { CachedViews } from '../state/cached-views.ts'

/** Reads optional parts of an answer, and records whether one could not be read. */
export function optionalQueries(
  kept: Pick<CachedViews, 'optional'>,
  lease: InLease,
): {
  readonly get: MemoryAsk<readonly []>['optional']
  readonly status: () => { readonly isPartial: boolean }
} {
  let isPartial = false
  return {
    get: async (query, key) => {
      const found = await kept.optional(query, key, lease)
      isPartial ||= found === null
      return found
    },
    status: () => ({ isPartial }),
  }
}
