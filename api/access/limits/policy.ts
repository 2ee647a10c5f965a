/** A quota over a sliding window, counted in buckets. */
export interface Policy {
  /** How clients know it: an item of RateLimit and of `violated-policies`. */
  readonly name: string
  /** Units admitted in any window. */
  readonly limit: number
  /** Length of the window, in seconds. */
  readonly window_s: number
  /** Length of a bucket, in seconds; divides the window. */
  readonly bucket_s: number
  /** Whether its counts can be had from the record of usage when Redis has lost them; its buckets are minutes then. */
  readonly recorded: boolean
}

/** How many units of each policy a request costs, by the policy's name; those not named cost nothing. */
export type Weights = Readonly<Record<string, number>>

/** Where a slot stands with one policy. */
export interface Standing {
  readonly policy: Policy
  /** Units that may still be used now. */
  readonly remaining: number
  /**
   * Seconds within which no more than `remaining` can be used: until the oldest units leave the window; of a violated policy until what
   * was asked for fits. The length of the window where nothing is used. Never less than the truth.
   */
  readonly reset_s: number
  /** Whether it refuses what was asked for. */
  readonly violated: boolean
}

/** What became of a request to charge. */
export interface Charge {
  readonly admitted: boolean
  /** One for each policy, in their order, as of after the charge. Nothing is charged where any of them is violated. */
  readonly standings: readonly Standing[]
  /** Seconds after which the same charge is admitted if nothing else is charged; 0 where it was admitted. */
  readonly retry_after_s: number
  /** Who decided: Redis, or this process alone while Redis was away. */
  readonly by: 'redis' | 'process'
  /** What was charged, for `refund`; nothing where it was refused. */
  readonly charged: readonly Charged[]
  /** The second of this process that it was noted in, where Redis decided. */
  readonly noted_s?: number
}

/** Units that were charged under a policy. */
export interface Charged {
  readonly slot: string
  readonly policy: Policy
  readonly units: number
  /** The second of the window's own time that they were charged in. */
  readonly at_s: number
  /** Of the state that they were added to: one that is made anew has another. */
  readonly mark: number
}

/** Units that some minutes used, in order of time; `minute_s` is when a minute begins, in s since the epoch. */
export type MinuteCounts = readonly { readonly minute_s: number; readonly count: number }[]

/** Most units that a policy grants or a bucket holds. */
export const UNITS_MAX = 2 ** 31
/** Length of the buckets of a recorded policy, in s: usage is recorded by minutes. */
export const RECORDED_BUCKET_S = 60
const POLICY_NAME = /^[a-z][a-z0-9-]*$/

/** Makes a policy. Throws where its numbers cannot be counted with. */
export function definePolicy(policy: Policy): Policy {
  const { name, limit, window_s, bucket_s, recorded } = policy
  if (!POLICY_NAME.test(name)) throw new RangeError(`policy ${name}: its name is not of a-z, 0-9 and -`)
  if (!Number.isInteger(limit) || limit < 1 || limit > UNITS_MAX) throw new RangeError(`policy ${name}: limit ${limit}`)
  if (!Number.isInteger(bucket_s) || bucket_s < 1 || !Number.isInteger(window_s / bucket_s) || window_s < bucket_s)
    throw new RangeError(`policy ${name}: a window of ${window_s} s is not made of buckets of ${bucket_s} s`)
  if (recorded && bucket_s !== RECORDED_BUCKET_S)
    throw new RangeError(`policy ${name}: what is recorded by minutes needs buckets of a minute`)
  return Object.freeze(policy)
}

/** A quota per minute: in buckets of 1 s, so that what was used up to 61 s ago may still count. */
export function perMinute(limit: number): Policy {
  return definePolicy({ name: 'minute', limit, window_s: 60, bucket_s: 1, recorded: false })
}

/** A quota per 24 hours: in buckets of a minute, so that what was used up to 24 h and a minute ago may still count. */
export function perDay(limit: number): Policy {
  return definePolicy({ name: 'day', limit, window_s: 86_400, bucket_s: 60, recorded: true })
}

/** What a charge costs under each policy, in units and in their order. Throws where that is no number of units. */
export function unitsOf(weights: Weights, policies: readonly Policy[]): number[] {
  return policies.map(({ name }) => {
    const units = weights[name] ?? 0
    if (!Number.isInteger(units) || units < 0 || units > UNITS_MAX) throw new RangeError(`policy ${name}: weight ${units}`)
    return units
  })
}

/** Where a slot stands that has used so many units. */
export function standing(
  policy: Policy,
  found: { readonly total: number; readonly reset_s: number; readonly violated: boolean },
): Standing {
  return { policy, remaining: Math.max(0, policy.limit - found.total), reset_s: found.reset_s, violated: found.violated }
}

/** Seconds until no policy that is violated now refuses any more. */
export function retryAfter(standings: readonly Standing[]): number {
  return standings.reduce((most, { violated, reset_s }) => (violated ? Math.max(most, reset_s) : most), 0)
}
