import type { FeedListing } from '../../lake/live/freshness.ts'
import type { Lake } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { noDataYet } from '../define/no-data.ts'
import { type Problem, problem } from '../define/problems.ts'
import type { ServiceState } from './state.ts'

/** Seconds after which a feed that has not delivered yet may have. */
const RETRY_S = 30

/** What is known of a feed that a dataset may wait for. */
type Awaited = Pick<FeedListing, 'id' | 'datasets' | 'enabled' | 'disabled_reason'>

/** The problem of a dataset that none of the announced feeds has delivered. */
export function neverDelivered(dataset: Dataset, feeds: readonly Awaited[]): Problem {
  const waits_for = waitsFor(dataset, feeds)
  return noDataYet(`No data of ${dataset.title} has arrived yet`, { missing: [dataset], waits_for, retry_after_s: RETRY_S })
}

/** What has to happen before a dataset has data: the feeds that fill it, where they are known, else what comes before them. */
function waitsFor({ id }: Dataset, feeds: readonly Awaited[]): readonly string[] {
  if (feeds.length === 0) return ['the start of the worker, which has announced no feeds']
  const own = feeds.filter((feed) => feed.datasets.includes(id))
  const enabled = own.filter((feed) => feed.enabled)
  if (enabled.length > 0) return enabled.map((feed) => feed.id)
  if (own.length > 0) return own.map((feed) => `${feed.id} (turned off${feed.disabled_reason ? `: ${feed.disabled_reason}` : ''})`)
  return ['its first build from other datasets']
}

/** The problem of an answer that needs feeds which have not landed yet in the tables of these datasets. */
export function notLanded(feeds: readonly string[], missing: readonly Dataset[]): Problem {
  return noDataYet('What this answer needs has not all arrived yet', { missing, waits_for: feeds, retry_after_s: RETRY_S })
}

/** The problem of a dataset whose current state cannot be read although there was one. */
export function stateUnreadable(dataset: Dataset): Problem {
  const detail = `The current state of ${dataset.title} cannot be read at the moment; nothing of it is in memory.`
  return problem('feed-unavailable', detail, { retry_after_s: RETRY_S })
}

/** The problem of tables that the object store does not give. */
export function tablesUnreadable(cause?: unknown): Problem {
  return problem('feed-unavailable', 'The tables of this answer cannot be read at the moment.', { retry_after_s: RETRY_S, cause })
}

/**
 * Why there is no current state of a dataset: none yet, or one that cannot be read, as where Redis was never reached. Data in the table that
 * has landed since the lake was begun was current once; what an archive holds of the time before was not.
 */
export async function absentState(
  dataset: Dataset,
  { state, lake }: { readonly state: ServiceState; readonly lake: Lake },
): Promise<Problem> {
  if (!state.live.hasRead) return stateUnreadable(dataset)
  const table = await lake.snapshot(dataset)
  const landed = Object.values(table?.covered_until ?? {})
  if (landed.some((until) => until >= state.begun_at)) return stateUnreadable(dataset)
  return neverDelivered(dataset, state.system().feeds)
}
