import type { Lake } from '../../lake/open.ts'
import type { ReadUnits, ReadUsageDays } from '../../lake/requests/usage.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import { type Problem, problem } from '../kernel/problems.ts'
import type { Access } from './access.ts'
import type { ListedKey, NewKey } from './accounts.ts'
import type { Attempt } from './attempts.ts'
import type { CallerOf } from './limits/address.ts'
import type { Limiter } from './limits/limiter.ts'
import type { PlanTable } from './plans.ts'
import type { BrowserSessions } from './sessions/sessions.ts'
import type { PathGroups } from './usage/path-groups.ts'

/** What the account paths work with. */
export interface AccountParts {
  readonly access: Access
  readonly sessions: BrowserSessions
  readonly baseUrl: () => string
  readonly limiter: Limiter
  /** Returns whom requests and attempts are counted to. */
  readonly callerOf: CallerOf
  readonly lake: Lake
  readonly units: ReadUnits
  readonly usageDays: ReadUsageDays
  readonly groups: Pick<PathGroups, 'take'>
  readonly plans: PlanTable
  readonly clock: () => number
}

/** Returns a key as replies show it. */
export function shown({ id, hint, label, plan, status, created_at, ends_at }: ListedKey): object {
  return {
    id,
    hint: `${hint.first}…${hint.last}`,
    label,
    plan,
    status,
    created_at: isoInstant(created_at),
    ends_at: ends_at === null ? null : isoInstant(ends_at),
  }
}

/** Returns a new key as the only reply with its text shows it. */
export function shownOnce(made: NewKey): object {
  return { key: made.key, ...shown(made) }
}

/** Returns the problem of a caller with too many attempts. */
export function tooMany(attempt: Attempt, wait_s: number): Problem {
  return problem('quota-exceeded', 'This was asked too often; see Retry-After.', {
    retry_after_s: wait_s,
    extensions: { 'violated-policies': [attempt] },
  })
}
