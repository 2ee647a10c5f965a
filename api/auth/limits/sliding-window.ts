import type { Policy, QuotaStatus } from './policy.ts'

/**
 * Units used in a sliding window, by bucket. A bucket partly in the window counts whole: no window exceeds its limit, and no unit
 * counts for longer than the window plus a bucket. `charge-script.ts` does the same in Redis.
 */
export class SlidingWindow {
  #total = 0
  /** Buckets and their units, oldest first. */
  #buckets: number[] = []
  #units: number[] = []

  /** Units that count. */
  get total(): number {
    return this.#total
  }

  /** Drops what has left the window. If the clock was set back by more than a window, the window is emptied. */
  pass({ window_s, bucket_s }: Policy, now_s: number): void {
    const [current, count] = [Math.floor(now_s / bucket_s), window_s / bucket_s]
    const isSetBack = (this.#buckets.at(-1) ?? 0) > current + count
    let left = 0
    while (left < this.#buckets.length && (isSetBack || (this.#buckets[left] as number) < current - count))
      this.#total -= this.#units[left++] as number
    this.#buckets.splice(0, left)
    this.#units.splice(0, left)
  }

  /** Adds units now, and returns their bucket: the newest one if the clock was set back. */
  add({ bucket_s }: Policy, now_s: number, units: number): number {
    const last = this.#buckets.at(-1) ?? -1
    const bucket = Math.max(last, Math.floor(now_s / bucket_s))
    if (units === 0) return bucket
    if (bucket > last) {
      this.#buckets.push(bucket)
      this.#units.push(0)
    }
    this.#units[this.#units.length - 1] = (this.#units.at(-1) as number) + units
    this.#total += units
    return bucket
  }

  /** Removes units from a bucket, as far as it has them. */
  takeBack(bucket: number, units: number): void {
    const index = this.#buckets.lastIndexOf(bucket)
    if (index < 0) return
    const taken = Math.min(units, this.#units[index] as number)
    this.#units[index] = (this.#units[index] as number) - taken
    this.#total -= taken
  }

  /** Returns the seconds until so many units, or all, have left; the length of the window if it is empty. */
  untilFreed({ window_s, bucket_s }: Policy, now_s: number, wanted: number): number {
    let freed = 0
    for (const [index, units] of this.#units.entries()) {
      freed += units
      if (freed > 0 && (freed >= wanted || freed === this.#total))
        return ((this.#buckets[index] as number) + 1) * bucket_s + window_s - now_s
    }
    return window_s
  }
}

/** The result of a charge to windows, with the bucket of each. */
export interface WindowCharge {
  readonly admitted: boolean
  readonly quotas: readonly QuotaStatus[]
  readonly buckets: readonly number[]
}

/** Charges units to one window per policy at a second, unless any is violated. */
export function chargeWindows(
  windows: readonly SlidingWindow[],
  policies: readonly Policy[],
  { units, now_s }: { readonly units: readonly number[]; readonly now_s: number },
): WindowCharge {
  const each = policies.map((policy, n) => ({ policy, window: windows[n] as SlidingWindow, wanted: units[n] as number }))
  for (const { window, policy } of each) window.pass(policy, now_s)
  const violated = each.map(({ policy, window, wanted }) => wanted > 0 && window.total + wanted > policy.limit)
  const admitted = !violated.includes(true)
  const buckets = each.map(({ policy, window, wanted }) => window.add(policy, now_s, admitted ? wanted : 0))
  const quotas = each.map(({ policy, window, wanted }, n) => ({
    policy,
    remaining: Math.max(0, policy.limit - window.total),
    reset_s: window.untilFreed(policy, now_s, violated[n] ? window.total + wanted - policy.limit : 1),
    violated: violated[n] as boolean,
  }))
  return { admitted, quotas, buckets }
}
