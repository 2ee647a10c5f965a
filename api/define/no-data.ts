import type { Dataset } from '../../lake/schema/dataset.ts'
import { type Problem, problem } from './problems.ts'

/** Why there is no data yet. */
export interface NoData {
  /** Datasets that lack what was asked for. */
  readonly missing: readonly Pick<Dataset, 'id'>[]
  /** What has to happen first: feeds by id, or other steps in words. */
  readonly waits_for: readonly string[]
  /** Seconds after which another request makes sense. */
  readonly retry_after_s: number
}

/** The problem of what has no data yet, which is no outage. `what` says what is missing, without a full stop. */
export function noDataYet(what: string, { missing, waits_for, retry_after_s }: NoData): Problem {
  return problem('no-data-yet', `${what}: it waits for ${waits_for.join(' and ')}.`, {
    retry_after_s,
    extensions: { missing: missing.map(({ id }) => id), waits_for },
  })
}
