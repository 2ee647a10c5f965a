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
  const headers: Record<string, string> = { 'ratelimit-policy': policyList(charge.quotas) }
  const spread = charge.quotas.map((one) => ({ ...one, reset_s: one.reset_s + spreadOf(one, random) }))
  const shown = status >= 300 && status < 400 ? spread.filter(({ remaining }) => remaining > 0) : spread
  const tightest = shown.reduce<QuotaStatus | null>((least, one) => (least === null || isTighter(one, least) ? one : least), null)
  if (tightest) {
    headers['ratelimit'] = shown
      .map(({ policy, remaining, reset_s }) => `"${policy.name}";r=${remaining};t=${Math.min(reset_s, policy.window_s)}`)
      .join(', ')
    headers['x-ratelimit-limit'] = String(tightest.policy.limit)
    headers['x-ratelimit-remaining'] = String(tightest.remaining)
    headers['x-ratelimit-reset'] = String(tightest.reset_s)
  }
  const waits = spread.filter(({ violated }) => violated).map(({ reset_s }) => reset_s)
  if (waits.length > 0) headers['retry-after'] = String(Math.max(...waits))
  return headers
}

/** Returns the names of the violated policies, as the problem `quota-exceeded` lists them. */
export function violatedPolicies(charge: Charge): string[] {
  return charge.quotas.filter(({ violated }) => violated).map(({ policy }) => policy.name)
}

function policyList(quotas: readonly QuotaStatus[]): string {
  let list = ''
  for (const { policy } of quotas) list += `${list === '' ? '' : ', '}"${policy.name}";q=${policy.limit};w=${policy.window_s}`
  return list
}

function spreadOf({ policy }: QuotaStatus, random: () => number): number {
  return policy.window_s > SPREAD_FROM_S ? Math.floor(random() * (SPREAD_S + 1)) : 0
}

/** True if a policy stops its client sooner than another: a violated one first, then less left, then a longer wait. */
function isTighter(one: QuotaStatus, other: QuotaStatus): boolean {
  if (one.violated !== other.violated) return one.violated
  return one.remaining !== other.remaining ? one.remaining < other.remaining : one.reset_s > other.reset_s
}
