import { type Policy, type Standing, standing } from './policy.ts'

/**
 * Units used in a sliding window. Time passes in whole seconds. Where the clock goes back, the window stands still at the latest second it
 * has seen until the clock is there again, so that a clock that goes to and fro lets nothing leave early; set back by more than the window
 * holds, the clock was wrong before, and the window goes on from its latest second at once.
 *
 * Counted are the buckets of the last `window_s` seconds and the one that has begun: everything used within `window_s` of now lies in them,
 * both ends included, and nothing used `window_s + bucket_s` ago or earlier. So no window ever holds more than its limit, and what is
 * refused a count over `window_s + bucket_s` would refuse.
 *
 * The script of `charge-script.ts` does the same in Redis, step by step.
 */
export class Window {
  /** What the window's time is ahead of the clock, in s: other than 0 once that was set back far. */
  #ahead_s = 0
  /** The time, and the latest second seen. */
  #now_s: number
  #last_s: number
  /** Units in all buckets, and in that of the latest second. */
  #total = 0
  #current = 0
  /** Earlier buckets and their units, oldest first. */
  #buckets: number[] = []
  #units: number[] = []

  constructor(now_s: number) {
    this.#now_s = now_s
    this.#last_s = now_s
  }

  /** Units that count. */
  get total(): number {
    return this.#total
  }

  /** The latest second of the window's time: what is charged now is charged in it. */
  get last_s(): number {
    return this.#last_s
  }

  /** Lets time pass up to a second of the clock: what is too old leaves. */
  pass({ window_s, bucket_s }: Policy, now_s: number): void {
    if (this.#last_s - (now_s + this.#ahead_s) > window_s + bucket_s) this.#ahead_s = this.#last_s - now_s
    this.#now_s = now_s + this.#ahead_s
    const at = Math.max(this.#now_s, this.#last_s)
    const before = Math.floor(this.#last_s / bucket_s)
    const bucket = Math.floor(at / bucket_s)
    this.#last_s = at
    if (bucket === before) return
    if (this.#current > 0) {
      this.#buckets.push(before)
      this.#units.push(this.#current)
      this.#current = 0
    }
    const oldest = bucket - window_s / bucket_s
    let left = 0
    while (left < this.#buckets.length && (this.#buckets[left] as number) < oldest) this.#total -= this.#units[left++] as number
    this.#buckets.splice(0, left)
    this.#units.splice(0, left)
  }

  /** Adds units now. */
  add(weight: number): void {
    this.#total += weight
    this.#current += weight
  }

  /** Takes units back from the second they were added in. */
  takeBack({ bucket_s }: Policy, at_s: number, weight: number): void {
    const bucket = Math.floor(at_s / bucket_s)
    if (bucket === Math.floor(this.#last_s / bucket_s)) {
      const units = Math.min(weight, this.#current)
      this.#current -= units
      this.#total -= units
      return
    }
    const index = this.#buckets.lastIndexOf(bucket)
    if (index < 0) return
    const units = Math.min(weight, this.#units[index] as number)
    this.#units[index] = (this.#units[index] as number) - units
    this.#total -= units
  }

  /** Seconds until so many units have left, or all of them; the length of the window where there are none. */
  untilFreed({ window_s, bucket_s }: Policy, wanted: number): number {
    if (this.#total === 0) return window_s
    const leaves = (bucket: number): number => (bucket + 1) * bucket_s + window_s - this.#now_s
    let freed = 0
    for (let index = 0; index < this.#buckets.length; index++) {
      freed += this.#units[index] as number
      if (freed >= wanted || freed === this.#total) return leaves(this.#buckets[index] as number)
    }
    return leaves(Math.floor(this.#last_s / bucket_s))
  }
}

/** What was decided of a charge. */
export interface Decided {
  readonly admitted: boolean
  readonly standings: readonly Standing[]
}

/**
 * Decides a charge of so many units over one window for each policy, all of them at the present second, and charges it where none refuses.
 */
export function chargeWindows(windows: readonly Window[], policies: readonly Policy[], units: readonly number[]): Decided {
  const over = policies.map(({ limit }, n) => {
    const wanted = units[n] as number
    return wanted > 0 && (windows[n] as Window).total + wanted > limit
  })
  const admitted = !over.includes(true)
  if (admitted) for (const [n, window] of windows.entries()) window.add(units[n] as number)
  const standings = policies.map((policy, n) => {
    const window = windows[n] as Window
    const violated = over[n] as boolean
    const wanted = violated ? window.total + (units[n] as number) - policy.limit : 1
    return standing(policy, { total: window.total, reset_s: window.untilFreed(policy, wanted), violated })
  })
  return { admitted, standings }
}
