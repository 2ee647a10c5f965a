import type { Plan } from '../../lake/schema/dataset.ts'
import { StoreError } from '../../lake/store/errors.ts'
import { PROBLEMS, type Problem, type ProblemCode, problem } from '../kernel/problems.ts'
import type { KeyIndex, KeyLookup, KeyRejection, LiveKey } from './keys/key-index.ts'
import { limitHeaders, violatedPolicies } from './limits/headers.ts'
import type { Charge } from './limits/policy.ts'

const AUTHENTICATE = Object.freeze({ 'WWW-Authenticate': 'ApiKey realm="api"' })

const REFUSALS: Readonly<Record<KeyRejection, readonly [ProblemCode, string]>> = {
  malformed: ['invalid-key', 'contains no key: a key is tia_ and 36 letters and digits, of which the last six are a checksum.'],
  unknown: ['invalid-key', 'There is no such key.'],
  revoked: ['revoked-key', 'This key was revoked.'],
  expired: ['expired-key', 'This key has expired: it was rotated, or its e-mail address was not confirmed within 7 days.'],
}

/** Returns the problem of a missing key where any key will do. */
export function keyRequired(): Problem {
  return problem('key-required', 'This needs a key in the header X-API-Key; POST /api/keys gives a free one.', { headers: AUTHENTICATE })
}

/** Returns the problem of a missing key of a plan. A plan that costs money is found at `upgradeUrl`. */
export function planKeyRequired(plan: Plan, upgradeUrl: string): Problem {
  if (plan === 'FREE') return keyRequired()
  return problem('key-required', `This needs a key of the plan ${plan} in the header X-API-Key; see ${upgradeUrl}.`, {
    headers: AUTHENTICATE,
    extensions: { required_plan: plan, upgrade_url: upgradeUrl },
  })
}

/** Returns the problem of a key in a place where it is not read. */
export function keyInWrongPlace(): Problem {
  return problem('invalid-key', 'The key is in the header Authorization; send it in X-API-Key.', { headers: AUTHENTICATE })
}

/** Returns the problem of a key whose plan lacks the requested feature; `what` names the feature. */
export function planRequired(
  what: string,
  plans: { readonly required: Plan; readonly current: Plan; readonly upgradeUrl: string },
): Problem {
  const { required, current, upgradeUrl } = plans
  return problem('plan-required', `${what} needs the plan ${required}, and this key has ${current}; see ${upgradeUrl}.`, {
    extensions: { required_plan: required, current_plan: current, upgrade_url: upgradeUrl },
  })
}

/** Returns the problem of a caller with the plan's maximum of concurrent queries of history. */
export function tooManyQueries(most: number): Problem {
  const queries = most === 1 ? 'One query' : `${most} queries`
  return problem('concurrency', `${queries} of history may be under way at once; wait for an answer.`, { retry_after_s: 1 })
}

/** Returns the problem of a caller with the plan's maximum of open streams. */
export function tooManyStreams(most: number): Problem {
  const streams = most === 1 ? 'One stream' : `${most} streams`
  return problem('concurrency', `${streams} may be open at once; close one first.`, { retry_after_s: 15 })
}

/** Returns the problem of an invalid key in a header. A request with one is never answered as if it had none. */
export function keyProblem(refusal: KeyRejection, header: string): Problem {
  const [code, detail] = REFUSALS[refusal]
  return problem(code, refusal === 'malformed' ? `${header} ${detail}` : detail, { headers: AUTHENTICATE })
}

/**
 * Returns the problem of a request over a limit, with all its limit headers. `random` is as in `limitHeaders`; `advice` is a
 * sentence on how to get more.
 */
export function quotaExceeded(charge: Charge, random: () => number, advice = ''): Problem {
  const violated = violatedPolicies(charge)
  const limits = charge.quotas.filter((one) => one.violated).map(({ policy }) => `${policy.limit} in ${policy.window_s} s`)
  return problem(
    'quota-exceeded',
    `Too many requests: ${limits.join(', ')}. Retry-After is the time until the next one is admitted.${advice}`,
    {
      headers: limitHeaders(charge, { status: PROBLEMS['quota-exceeded'].status, random }),
      extensions: { 'violated-policies': violated },
    },
  )
}

/**
 * Returns the data of a key, at once if this process knows it. Throws, or rejects with, the problem of an invalid or unreadable
 * key; `header` is where it was sent.
 */
export function checkedKey(keys: KeyIndex, text: string, header = 'X-API-Key'): LiveKey | Promise<LiveKey> {
  const found = keys.lookUp(text)
  return found instanceof Promise ? found.catch(lookupFailed).then((one) => keyOf(one, header)) : keyOf(found, header)
}

function keyOf(found: KeyLookup, header: string): LiveKey {
  if (found.key === null) throw keyProblem(found.refusal, header)
  return found.key
}

function lookupFailed(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause
  throw problem('temporary-reduced-capacity', 'Keys cannot be looked up at the moment; this one was neither accepted nor rejected.', {
    retry_after_s: 5,
    cause,
  })
}
