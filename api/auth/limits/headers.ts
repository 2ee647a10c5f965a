import type { Charge, QuotaStatus } from './policy.ts'

/** The waits of longer windows (s) are spread, as otherwise all clients stopped for hours would return in the same second. */
const SPREAD_FROM_S = 3600
/** Longest addition to a wait, in s. */
const SPREAD_S = 60

/** The facts about a reply that decide its limit headers. */
export interface LimitHeaderOptions {
  /** Status of the reply. A 3xx never reports 0 remaining: clients would wait before they follow it or use their copy. */
  readonly status: number
  /** Returns a number from 0 up to 1, as `Math.random`, to spread the waits of long windows. */
  readonly random: () => number
}

/**
 * Returns a reply's limit headers, in lower case: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11, RFC
 * 9651), X-RateLimit-* of the policy with the least left, and Retry-After (s) of a refusal. `t` is at most the window, as
 * the draft has it. Retry-After and X-RateLimit-Reset may be longer, as a bucket may end later: they are never too short.
 */
export function limitHeaders(charge: Charge, { status, random }: LimitHeaderOptions): Record<string, string> {
  const isRedirect = status >= 300 && status < 400
  let [policies, limits, wait_s] = ['', '', -1]
  let tightest: QuotaStatus | null = null
  for (const quota of charge.quotas) {
    const { policy, remaining, violated } = quota
    const reset_s = quota.reset_s + spreadOf(quota, random)
    policies += `${policies && ', '}"${policy.name}";q=${policy.limit};w=${policy.window_s}`
    if (violated) wait_s = Math.max(wait_s, reset_s)
    if (isRedirect && remaining === 0) continue
    limits += `${limits && ', '}"${policy.name}";r=${remaining};t=${Math.min(reset_s, policy.window_s)}`
    const shown = { policy, remaining, reset_s, violated }
    if (tightest === null || isTighter(shown, tightest)) tightest = shown
  }
  const headers: Record<string, string> = { 'ratelimit-policy': policies }
  if (tightest) {
    headers['ratelimit'] = limits
    headers['x-ratelimit-limit'] = String(tightest.policy.limit)
    headers['x-ratelimit-remaining'] = String(tightest.remaining)
    headers['x-ratelimit-reset'] = String(tightest.reset_s)
  }
  if (wait_s >= 0) headers['retry-after'] = String(wait_s)
  return headers
}

/** Returns the names of the violated policies, as the problem `quota-exceeded` lists them. */
export function violatedPolicies(charge: Charge): string[] {
  return charge.quotas.filter(({ violated }) => violated).map(({ policy }) => policy.name)
}

function spreadOf({ policy }: QuotaStatus, random: () => number): number {
  return policy.window_s > SPREAD_FROM_S ? Math.floor(random() * (SPREAD_S + 1)) : 0
}

/** True if a policy stops its client sooner than another: a violated one first, then less left, then a longer wait. */
function isTighter(one: QuotaStatus, other: QuotaStatus): boolean {
  if (one.violated !== other.violated) return one.violated
  return one.remaining !== other.remaining ? one.remaining < other.remaining : one.reset_s > other.reset_s
}
