import type { KeptAsk } from '../define/endpoint.ts'
import type { KeptLake } from './kept-lake.ts'

/** Reads what only adds to an answer, and tells whether some of it could not be read. */
export function extrasOf(kept: Pick<KeptLake, 'get'>): {
  readonly get: KeptAsk<readonly []>['extra']
  readonly told: () => { readonly isPartial: boolean }
} {
  let isPartial = false
  return {
    get: (slice, key) =>
      kept.get(slice, key).catch(() => {
        isPartial = true
        return null
      }),
    told: () => ({ isPartial }),
  }
}
