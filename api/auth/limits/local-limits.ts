import { LRUCache } from 'lru-cache'
import { type Charge, type Charged, type Policy, retryAfter } from './policy.ts'
import { chargeWindows, SlidingWindow } from './sliding-window.ts'

/** Most windows that are kept, the most recently used. As a size: `max` reserves their room at once, 3 MB. */
const MAX_WINDOWS = 100_000

/** The limits of one process while Redis is away. The last seen processes share half of each quota; each grants at least 1. */
export class LocalLimits {
  readonly #processes: () => number
  readonly #clock: () => number
  readonly #windows = new LRUCache<string, SlidingWindow>({ maxSize: MAX_WINDOWS, sizeCalculation: () => 1 })

  /** `processes` returns how many share the quotas; `clock` returns whole seconds, from any origin. */
  constructor({ processes, clock }: { readonly processes: () => number; readonly clock: () => number }) {
    this.#processes = processes
    this.#clock = clock
  }

  /** Returns the share of a quota that this process grants. */
  share(quota: number): number {
    return Math.max(1, Math.floor(quota / (2 * this.#processes())))
  }

  /** Decides a charge. `remaining` is what this process would still admit. */
  charge(slot: string, policies: readonly Policy[], units: readonly number[]): Charge {
    const windows = policies.map((policy) => this.#window(slot, policy))
    const shares = policies.map((policy) => ({ ...policy, limit: this.share(policy.limit) }))
    const { admitted, quotas, buckets } = chargeWindows(windows, shares, { units, now_s: this.#clock() })
    const charged = policies.map((policy, n): Charged => ({ slot, policy, units: units[n] as number, bucket: buckets[n] as number }))
    return {
      admitted,
      quotas: quotas.map((quota, n) => ({ ...quota, policy: policies[n] as Policy })),
      retry_after_s: retryAfter(quotas),
      by: 'process',
      charged: admitted ? charged : [],
    }
  }

  /** Refunds what this process charged. */
  takeBack(charged: readonly Charged[]): void {
    for (const { slot, policy, units, bucket } of charged) this.#window(slot, policy).takeBack(bucket, units)
  }

  #window(slot: string, { name }: Policy): SlidingWindow {
    const key = `${name}:${slot}`
    const window = this.#windows.get(key) ?? new SlidingWindow()
    this.#windows.set(key, window)
    return window
  }
}
