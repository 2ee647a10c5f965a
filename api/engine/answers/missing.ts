import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { ReadOf, SystemState } from '../../kernel/endpoint.ts'
import type { CachedViews } from '../state/cached-views.ts'
import type { ServiceState } from '../state/state.ts'

/** A dataset, or the part of a dataset from one feed, that an answer could not use. */
export interface MissingDataset {
  readonly dataset: string
  /** The feed whose part is missing; unset if the whole dataset is. */
  readonly feed?: string
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

/** True for a dataset without any current state that an enabled feed fills by its cadence. */
export function isAwaited({ id }: Dataset, { live, system }: Pick<ServiceState, 'live' | 'system'>): boolean {
  return live.get(id) === null && system().feeds.some((feed) => feed.enabled && !feed.on_demand && feed.datasets.includes(id))
}

/**
 * Returns the parts of published datasets that enabled feeds have not delivered yet. A feed that fetches on demand lacks nothing.
 */
export function absentParts(datasets: readonly Dataset[], state: Pick<ServiceState, 'snapshot' | 'system'>): MissingDataset[] {
  const { feeds } = state.system()
  return datasets.flatMap((dataset) => {
    const parts = state.snapshot(dataset)?.parts
    const absent = feeds.filter(({ id, enabled, on_demand, datasets: filled }) => {
      const isOwn = enabled && !on_demand && filled.includes(dataset.id)
      return isOwn && parts !== undefined && !parts.some(({ feed }) => feed === id)
    })
    return absent.map(({ id }) => ({ dataset: dataset.id, feed: id, reason: 'NOT_ARRIVED' as const }))
  })
}

/** Returns the parts of tables that feeds have not landed in yet; each feed once, with the first of the tables that it fills. */
export function absentLandings(
  datasets: readonly Dataset[],
  lacking: readonly string[],
  { feeds }: Pick<SystemState, 'feeds'>,
): MissingDataset[] {
  return lacking.flatMap((id) => {
    const filled = feeds.find((feed) => feed.id === id)?.datasets ?? []
    const dataset = datasets.find((one) => filled.includes(one.id))
    return dataset ? [{ dataset: dataset.id, feed: id, reason: 'NOT_ARRIVED' }] : []
  })
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
