import type { TableRefused } from '../../../lake/iceberg/errors.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { WorkerPhase } from '../../../lake/live/workers.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { SystemState } from '../../kernel/endpoint.ts'
import { InvalidParam, Problem, problem } from '../../kernel/problems.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import type { ServiceState } from '../state/state.ts'

/** Seconds after which a feed without data is worth another look. */
const RETRY_S = 30
/** Seconds after a fetch within which its data is usually shown. */
const LANDING_S = 10

/** The properties of a feed that a dataset may wait for. */
type Awaited = Pick<FeedListing, 'id' | 'datasets' | 'enabled' | 'disabled_reason'>

/** Returns the problem of a dataset that no announced feed has delivered. */
export function neverDelivered(dataset: Dataset, feeds: readonly Awaited[]): Problem {
  const waits_for = waitsFor(dataset, feeds)
  return noDataYet(`No data of ${dataset.title} has arrived yet`, { missing: [dataset], waits_for })
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
  return noDataYet('Some data that this answer needs has not arrived yet', { missing, waits_for: feeds })
}

/** Most seconds of a Retry-After for data that has not arrived. */
const MAX_RETRY_S = 3600
/** Seconds after which data that waits for no single feed is worth another look, by how much of the workers' data has arrived. */
const RETRY_BY_PHASE_S = { LOADING: RETRY_S, BACKFILLING: 300, STEADY: MAX_RETRY_S } as const
const RETRIED: readonly unknown[] = ['no-data-yet', 'feed-unavailable']

/** What is known about arriving data. */
export interface Arriving extends Pick<SystemState, 'feeds' | 'states'> {
  readonly phase: WorkerPhase
}

/**
 * Adds Retry-After to the problem of missing data: by the next attempt if all awaited feeds fail, else by how much of the data
 * has arrived. A value that data still arriving may have is no error: its rejection becomes `no-data-yet`.
 */
export function withRetry(error: unknown, { feeds, states, phase }: Arriving, now: number): unknown {
  const found = error instanceof InvalidParam ? mayArrive(error, { feeds, states }) : error
  if (!(found instanceof Problem) || !RETRIED.includes(found.code)) return found
  const { extensions = {}, retry_after_s } = found.options
  const [waits, missing] = [extensions['waits_for'], extensions['missing']].map((list) => new Set(Array.isArray(list) ? list : []))
  const awaited = feeds.filter(({ id }) => waits?.has(id))
  const filling = feeds.filter(({ enabled, datasets }) => enabled && datasets.some((id) => missing?.has(id)))
  const nextAttempts = (awaited.length > 0 ? awaited : filling).map(({ id }) => {
    const { failing_since = null, next_attempt_at = null } = states.get(id) ?? {}
    return failing_since === null ? null : next_attempt_at
  })
  const attempts = nextAttempts.filter((at) => at !== null && at > now) as number[]
  // One that has not failed, or is due, may land at any moment.
  if (attempts.length > 0 && attempts.length === nextAttempts.length) {
    const next_attempt_at = isoInstant(Math.min(...attempts))
    const wait_s = Math.ceil((Math.min(...attempts) - now) / 1000) + LANDING_S
    return problem(found.code, `${found.message} The last fetch failed; the next one is at ${next_attempt_at}.`, {
      ...found.options,
      retry_after_s: Math.min(wait_s, MAX_RETRY_S),
      extensions: { ...extensions, next_attempt_at },
    })
  }
  if (retry_after_s !== undefined) return found
  // Without any known feed the worker starts.
  const wait_s = awaited.length > 0 || feeds.length === 0 ? RETRY_S : RETRY_BY_PHASE_S[phase]
  return problem(found.code, found.message, { ...found.options, retry_after_s: wait_s })
}

/** Returns the problem of a value that feeds whose data still arrives may bring; without one the error itself. */
function mayArrive(error: InvalidParam, { feeds, states }: Pick<Arriving, 'feeds' | 'states'>): InvalidParam | Problem {
  const { of, parameter, value } = error
  const arriving = feeds.filter(({ id, enabled, datasets }) => {
    const { last_success_at = null, backfill = null } = states.get(id) ?? {}
    const isWhole = last_success_at !== null && (backfill === null || backfill.present >= backfill.files)
    return enabled && !isWhole && of.some((dataset) => datasets.includes(dataset.id))
  })
  if (arriving.length === 0) return error
  return noDataYet(`No data of ${parameter}=${value} has arrived yet`, { missing: of, waits_for: arriving.map(({ id }) => id) })
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

/** Returns the problem of an answer that needs a table which cannot be used as it is. */
export function tableRefused(cause: TableRefused): Problem {
  return problem('feed-unavailable', `This data cannot be read until its operator mends the ${cause.message}.`, {
    retry_after_s: MAX_RETRY_S,
    cause,
  })
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
