import type { FeedListing } from '../../lake/live/freshness.ts'
import type { Lake } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { noDataYet } from '../define/no-data.ts'
import { type Problem, problem } from '../define/problems.ts'
import type { ServiceState } from './state.ts'

/** Seconds after which a feed without data is worth another look. */
const RETRY_S = 30

/** The properties of a feed that a dataset may wait for. */
type Awaited = Pick<FeedListing, 'id' | 'datasets' | 'enabled' | 'disabled_reason'>

/** Returns the problem of a dataset that no announced feed has delivered. */
export function neverDelivered(dataset: Dataset, feeds: readonly Awaited[]): Problem {
  const waits_for = waitsFor(dataset, feeds)
  return noDataYet(`No data of ${dataset.title} has arrived yet`, { missing: [dataset], waits_for, retry_after_s: RETRY_S })
}

/** Returns what must happen before a dataset has data: the ids of the feeds that fill it, or the steps before them in words. */
function waitsFor({ id }: Dataset, feeds: readonly Awaited[]): readonly string[] {
  if (feeds.length === 0) return ['the start of the worker, which has announced no feeds']
  const own = feeds.filter((feed) => feed.datasets.includes(id))
  const enabled = own.filter((feed) => feed.enabled)
  if (enabled.length > 0) return enabled.map((feed) => feed.id)
  if (own.length > 0) return own.map((feed) => `${feed.id} (turned off${feed.disabled_reason ? `: ${feed.disabled_reason}` : ''})`)
  return ['its first build from other datasets']
}

/** Returns the problem of an answer whose feeds have not yet written to the tables of these datasets. */
export function notLanded(feeds: readonly string[], missing: readonly Dataset[]): Problem {
  return noDataYet('Some data that this answer needs has not arrived yet', { missing, waits_for: feeds, retry_after_s: RETRY_S })
}

/** Returns the problem of a dataset whose current state exists but cannot be read. */
export function stateUnreadable(dataset: Dataset): Problem {
  const detail = `The current state of ${dataset.title} cannot be read at the moment, and no earlier state is in memory.`
  return problem('feed-unavailable', detail, { retry_after_s: RETRY_S })
}

/** Returns the problem of tables that the object store cannot deliver. */
export function tablesUnreadable(cause?: unknown): Problem {
  return problem('feed-unavailable', 'The tables of this answer cannot be read at the moment.', { retry_after_s: RETRY_S, cause })
}

/**
 * Returns why a dataset has no current state: there is none yet, or it cannot be read (for example, Redis was never reached).
 * Data that landed after the lake began was current once, so its state is unreadable. Data of an earlier archive never was.
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
