import type { FeedListing } from '../../lake/live/freshness.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ReadOf } from '../define/endpoint.ts'
import type { CachedViews } from './cached-views.ts'
import type { ServiceState } from './state.ts'

/** A dataset that an answer could not use. */
export interface MissingDataset {
  readonly dataset: string
  /** NOT_ENABLED if the service does not fetch it, NOT_ARRIVED if nothing of it has arrived yet. */
  readonly reason: 'NOT_ENABLED' | 'NOT_ARRIVED'
}

/**
 * Makes the function that finds the datasets of a read that have no data: never published, or never landed in the lake. Datasets
 * without feeds are derived from the others and are left out.
 */
export function missingFinder(
  { from, lake = [], madeFrom = [] }: Pick<ReadOf<'memory'>, 'from' | 'lake' | 'madeFrom'>,
  { state, kept }: { readonly state: Pick<ServiceState, 'snapshot' | 'system'>; readonly kept: Pick<CachedViews, 'state'> },
): () => Promise<readonly MissingDataset[]> {
  const all = [...new Set<Dataset>([...from, ...lake, ...madeFrom.map(({ dataset }) => dataset)])]
  const reads = all.map((dataset) => ({ dataset, table: { lake: [dataset], needs: [dataset] } }))
  const isThere = async ({ dataset, table }: (typeof reads)[number], feeds: readonly FeedListing[]): Promise<boolean> =>
    from.includes(dataset) ? state.snapshot(dataset) !== null : (await kept.state(table, feeds)).covered_until !== null
  return async () => {
    const { feeds } = state.system()
    const found = await Promise.all(
      reads.map(async (read): Promise<readonly MissingDataset[]> => {
        const { id } = read.dataset
        const own = feeds.filter(({ datasets }) => datasets.includes(id))
        if (own.length === 0 || (await isThere(read, feeds))) return []
        return [{ dataset: id, reason: own.some(({ enabled }) => enabled) ? 'NOT_ARRIVED' : 'NOT_ENABLED' }]
      }),
    )
    return found.flat()
  }
}
