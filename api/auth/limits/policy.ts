/** A quota over a sliding window, counted in buckets. */
export interface Policy {
  /** Its name for clients, in RateLimit and `violated-policies`. */
  readonly name: string
  /** Units admitted in any window. */
  readonly limit: number
  /** Length of the window, in seconds. */
  readonly window_s: number
  /** Length of a bucket, in seconds; divides the window. */
  readonly bucket_s: number
}

/** The units of each policy that a request costs, by the policy's name; unnamed policies cost nothing. */
export type Weights = Readonly<Record<string, number>>

/** The state of a quota for one caller. */
export interface QuotaStatus {
  readonly policy: Policy
  /** Units that may still be used now. */
  readonly remaining: number
  /**
   * Seconds until the oldest units leave the window. For a violated policy, until the charge fits; if nothing is used, the length
   * of the window. Never too short.
   */
  readonly reset_s: number
  /** True if the charge does not fit. */
  readonly violated: boolean
}

/** The result of a charge. */
export interface Charge {
  readonly admitted: boolean
  /** One for each policy, in order, after the charge. Nothing is charged if any is violated. */
  readonly quotas: readonly QuotaStatus[]
  /** Seconds after which the same charge is admitted if nothing else is charged; 0 if it was admitted. */
  readonly retry_after_s: number
  /** Who decided: Redis, or this process alone while Redis is away. */
  readonly by: 'redis' | 'process'
  /** The charged units, for `refund`; empty if it was refused. */
  readonly charged: readonly Charged[]
}

/** Units charged under a policy, and their bucket: the clock's second divided by `bucket_s`. */
export interface Charged {
  readonly slot: string
  readonly policy: Policy
  readonly units: number
  readonly bucket: number
}

/** Most units that a policy grants or a bucket counts. */
const MAX_UNITS = 2 ** 31
const POLICY_NAME = /^[a-z][a-z0-9-]*$/

/** Makes a policy. Throws a RangeError for a name or numbers that are not allowed. */
export function definePolicy(policy: Policy): Policy {
  const { name, limit, window_s, bucket_s } = policy
  if (!POLICY_NAME.test(name)) throw new RangeError(`policy ${name}: its name is not of a-z, 0-9 and -`)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_UNITS) throw new RangeError(`policy ${name}: limit ${limit}`)
  if (!Number.isInteger(bucket_s) || bucket_s < 1 || !Number.isInteger(window_s / bucket_s) || window_s < bucket_s)
    throw new RangeError(`policy ${name}: a window of ${window_s} s is not made of buckets of ${bucket_s} s`)
  return Object.freeze(policy)
}

/** A quota per minute, in buckets of a second: units count for 60 to 61 s. */
export function perMinute(limit: number): Policy {
  return definePolicy({ name: 'minute', limit, window_s: 60, bucket_s: 1 })
}

/** A quota per hour, in buckets of a minute: units count for 60 to 61 minutes. */
export function perHour(limit: number): Policy {
  return definePolicy({ name: 'hour', limit, window_s: 3600, bucket_s: 60 })
}

/** A quota per 24 hours, in buckets of five minutes: units count for 24 hours to 24 hours and 5 minutes. */
export function perDay(limit: number): Policy {
  return definePolicy({ name: 'day', limit, window_s: 86_400, bucket_s: 300 })
}

/** Returns the units of a charge under each policy, in order. Throws a RangeError for a weight that is not a whole number. */
export function unitsOf(weights: Weights, policies: readonly Policy[]): number[] {
  return policies.map(({ name }) => {
    const units = weights[name] ?? 0
    if (!Number.isInteger(units) || units < 0 || units > MAX_UNITS) throw new RangeError(`policy ${name}: weight ${units}`)
    return units
  })
}

/** Seconds until no policy is violated any more. */
export function retryAfter(quotas: readonly QuotaStatus[]): number {
  return quotas.reduce((most, { violated, reset_s }) => (violated ? Math.max(most, reset_s) : most), 0)
}
