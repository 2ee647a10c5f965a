import type { Charge, QuotaStatus } from './policy.ts'

/** Windows longer than this have their waits spread, in s: whoever was stopped for hours would else come back in the same second. */
const SPREAD_FROM_S = 3600
/** Most that a wait is spread by, in s. */
const SPREAD_S = 60

/** A reply's circumstances that decide what it says of limits. */
export interface LimitHeaderOptions {
  /** Status of the reply. One of 3xx does not say that nothing remains, or clients would wait before they follow or use what they have. */
  readonly status: number
  /** A number from 0 up to 1, as of `Math.random`: how waits for long windows are spread. */
  readonly random: () => number
}

/**
 * What a reply says of limits: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11: lists of strings with parameters,
 * RFC 9651), X-RateLimit-* of the policy with the least left, and Retry-After in seconds where the charge was refused. Names are in lower
 * case. A `t` is never less than the truth, and Retry-After never less than the `t` of what refused.
 */
export function limitHeaders(charge: Charge, { status, random }: LimitHeaderOptions): Record<string, string> {
  const headers: Record<string, string> = { 'ratelimit-policy': policyList(charge.quotas) }
  const spread = charge.quotas.map((one) => ({ ...one, reset_s: one.reset_s + spreadOf(one, random) }))
  const shown = status >= 300 && status < 400 ? spread.filter(({ remaining }) => remaining > 0) : spread
  const tightest = shown.reduce<QuotaStatus | null>((least, one) => (least === null || isTighter(one, least) ? one : least), null)
  if (tightest) {
    headers['ratelimit'] = shown.map(({ policy, remaining, reset_s }) => `"${policy.name}";r=${remaining};t=${reset_s}`).join(', ')
    headers['x-ratelimit-limit'] = String(tightest.policy.limit)
    headers['x-ratelimit-remaining'] = String(tightest.remaining)
    headers['x-ratelimit-reset'] = String(tightest.reset_s)
  }
  const waits = spread.filter(({ violated }) => violated).map(({ reset_s }) => reset_s)
  if (waits.length > 0) headers['retry-after'] = String(Math.max(...waits))
  return headers
}

/** The names of the policies that refused, as the problem `quota-exceeded` lists them. */
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

/** Whether a policy stops its client sooner than another: one that refuses before one that does not, then less left, then a longer wait. */
function isTighter(one: QuotaStatus, other: QuotaStatus): boolean {
  if (one.violated !== other.violated) return one.violated
  return one.remaining !== other.remaining ? one.remaining < other.remaining : one.reset_s > other.reset_s
}
