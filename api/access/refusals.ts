import type { Plan } from '../../lake/schema/dataset.ts'
import { StoreError } from '../../lake/store/errors.ts'
import { PROBLEMS, type Problem, type ProblemCode, problem } from '../define/problems.ts'
import type { KeyIndex, KeyLookup, KeyRefusal, LiveKey } from './key-index.ts'
import { limitHeaders, violatedPolicies } from './limits/headers.ts'
import type { Charge } from './limits/policy.ts'

const AUTHENTICATE = Object.freeze({ 'WWW-Authenticate': 'ApiKey realm="api"' })

const REFUSALS: Readonly<Record<KeyRefusal, readonly [ProblemCode, string]>> = {
  malformed: ['invalid-key', 'X-API-Key holds no key: a key is tia_ and 36 letters and digits, and its last six fit the others.'],
  unknown: ['invalid-key', 'There is no such key.'],
  revoked: ['revoked-key', 'This key was revoked.'],
  expired: ['expired-key', 'This key has expired: it was rotated, or its e-mail address was not confirmed within 7 days.'],
}

/** The problem of a request without a key where one is needed; `plan` is what the key has to have, if not any will do. */
export function keyRequired(plan: Plan | null = null): Problem {
  const which = plan === null || plan === 'FREE' ? 'a key' : `a key of the plan ${plan}`
  return problem('key-required', `This needs ${which} in the header X-API-Key; POST /api/keys gives a free one.`, {
    headers: AUTHENTICATE,
    ...(plan === null ? {} : { extensions: { required_plan: plan } }),
  })
}

/** The problem of a key that stands where it is not looked for. */
export function keyInWrongPlace(): Problem {
  return problem('invalid-key', 'The key stands in the header Authorization; it belongs in X-API-Key.', { headers: AUTHENTICATE })
}

/** The problem of a key whose plan does not contain what is asked for, told by `what`. */
export function planRequired(
  what: string,
  plans: { readonly required: Plan; readonly current: Plan; readonly upgradeUrl: string },
): Problem {
  const { required, current, upgradeUrl } = plans
  return problem('plan-required', `${what} needs the plan ${required}, and this key has ${current}; see ${upgradeUrl}.`, {
    extensions: { required_plan: required, current_plan: current, upgrade_url: upgradeUrl },
  })
}

/** The problem of a caller who has as many queries of history under way as the plan admits. */
export function tooManyQueries(most: number): Problem {
  return problem(
    'concurrency',
    `${most === 1 ? 'One query' : `${most} queries`} of history may be under way at once; wait for an answer.`,
    {
      retry_after_s: 1,
    },
  )
}

/** The problem of a caller who has as many streams open as the plan admits. */
export function tooManyStreams(most: number): Problem {
  return problem('concurrency', `${most === 1 ? 'One stream' : `${most} streams`} may be open at once; close one first.`, {
    retry_after_s: 15,
  })
}

/** The problem of a key that does not work; it is never answered as if there were none. */
export function refusedKey(refusal: KeyRefusal): Problem {
  const [code, detail] = REFUSALS[refusal]
  return problem(code, detail, { headers: AUTHENTICATE })
}

/**
 * The problem of a request over a limit, with everything that its reply says of limits; `random` as in `limitHeaders`, `advice` a sentence
 * on how to have more.
 */
export function quotaExceeded(charge: Charge, random: () => number, advice = ''): Problem {
  const violated = violatedPolicies(charge)
  const limits = charge.quotas.filter((one) => one.violated).map(({ policy }) => `${policy.limit} in ${policy.window_s} s`)
  return problem(
    'quota-exceeded',
    `More requests than are admitted: ${limits.join(', ')}. Retry-After says when the next one is.${advice}`,
    {
      headers: limitHeaders(charge, { status: PROBLEMS['quota-exceeded'].status, random }),
      extensions: { 'violated-policies': violated },
    },
  )
}

/** What a key stands for, at once where it is known in this process. Throws, or rejects with, the problem of one that does not work or cannot be looked up. */
export function checkedKey(keys: KeyIndex, text: string): LiveKey | Promise<LiveKey> {
  const found = keys.lookUp(text)
  return found instanceof Promise ? found.catch(lookupFailed).then(keyOf) : keyOf(found)
}

function keyOf(found: KeyLookup): LiveKey {
  if (found.key === null) throw refusedKey(found.refusal)
  return found.key
}

function lookupFailed(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause
  throw problem('temporary-reduced-capacity', 'Keys cannot be looked up at the moment; this one was neither taken nor refused.', {
    retry_after_s: 5,
    cause,
  })
}
