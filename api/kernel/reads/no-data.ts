import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Problem, problem } from '../problems.ts'

/** Why there is no data yet. */
export interface NoData {
  /** Datasets without the requested data. */
  readonly missing: readonly Pick<Dataset, 'id'>[]
  /** Required steps: feeds by id, or other steps in words. */
  readonly waits_for: readonly string[]
  /** Seconds after which another request makes sense, if the endpoint knows better than the feeds' next attempts. */
  readonly retry_after_s?: number
}

const WORDS = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * The problem of missing data, which is not an outage. `what` describes it, without a full stop. Retry-After is added where the
 * feeds' next attempts are known (`withRetry`).
 */
export function noDataYet(what: string, { missing, waits_for, retry_after_s }: NoData): Problem {
  return problem('no-data-yet', `${what}: it waits for ${WORDS.format(waits_for)}.`, {
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
    extensions: { missing: missing.map(({ id }) => id), waits_for },
  })
}
