import type { FeedListing } from '../../lake/live/freshness.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ReadOf } from '../define/endpoint.ts'
import type { CachedViews } from './cached-views.ts'
import type { ServiceState } from './state.ts'

/** A dataset that an answer could not use. */
export interface MissingDataset {
  readonly dataset: string
  /** NOT_ENABLED if the service does not fetch it, NOT_ARRIVED if nothing has arrived yet, STALE if nothing new arrives. */
  readonly reason: 'NOT_ENABLED' | 'NOT_ARRIVED' | 'STALE'
}

/** Why no feed delivers a dataset at present; null if one does. */
export function silenceOf(dataset: Dataset, state: Pick<ServiceState, 'snapshot' | 'system' | 'isStale'>): MissingDataset['reason'] | null {
  const enabled = state.system().feeds.filter((feed) => feed.enabled && feed.datasets.includes(dataset.id))
  if (enabled.length === 0) return 'NOT_ENABLED'
  if (state.snapshot(dataset) === null) return 'NOT_ARRIVED'
  const sources = dataset.sources.filter(({ id }) => enabled.some(({ source }) => source === id))
  return sources.every((source) => state.isStale(dataset, source)) ? 'STALE' : null
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
