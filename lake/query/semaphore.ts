import { QueryError } from './errors.ts'
import { after, mostWait_ms, WaitedTooLong, workRank } from './work-kind.ts'

interface Waiter {
  /** See `workRank`: the lowest is admitted first. */
  readonly rank: number
  readonly since: number
  readonly admit: () => void
  readonly refuse: (error: unknown) => void
}

/** Weight of the newest time in the moving average. */
const NEWEST_WEIGHT = 0.2

/** A waiter of any rank gets every second slot after this time, ms: constant work of a lower rank must not stop it. */
const AGED_MS = 120_000

/** A semaphore with a bounded queue: the work of the lowest rank first, first come first served within one. */
export class Semaphore {
  /** How many may be taken at once. */
  readonly places: number
  readonly #most: number
  readonly #aged_ms: number
  readonly #waiting: Waiter[] = []
  #taken = 0
  /** True if the last one was admitted because it had waited so long. */
  #wasAged = false
  /** How long a slot is used, in ms: a moving average that weights the newest most. */
  #held_ms = 0
  #closed: Error | null = null

  constructor(options: { readonly places: number; readonly queue: number; readonly aged_ms?: number }) {
    this.places = options.places
    this.#most = options.queue
    this.#aged_ms = options.aged_ms ?? AGED_MS
  }

  /** How many slots are taken, and how many callers wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting.length }
  }

  /** Waits until a slot is free for this work, without taking it. Throws as `take`. */
  async free(signal: AbortSignal): Promise<void> {
    const release = await this.take(signal)
    release()
  }

  /**
   * Takes a slot, waiting in turn; resolves to its release function. Throws `busy` with the estimated waiting time if the queue
   * is full, the signal's reason if it is aborted first, and `WaitedTooLong` in work with a longest wait (`waitingAtMost`).
   */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#closed) throw this.#closed
    signal.throwIfAborted()
    if (this.#taken < this.places) {
      this.#taken++
      return this.#release()
    }
    if (this.#waiting.length >= this.#most)
      throw new QueryError('busy', `all ${this.places} query slots are taken and ${this.#waiting.length} queries wait; try again later`, {
        retry_after_s: Math.max(1, Math.ceil((this.#waiting.length * this.#held_ms) / this.places / 1000)),
      })
    await this.#turn(signal)
    return this.#release()
  }

  /** Rejects all current and future waiters. */
  close(error: Error): void {
    this.#closed = error
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(error)
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const most_ms = mostWait_ms()
      const leave = (reason: unknown): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        waiter.refuse(reason)
      }
      const onAbort = (): void => leave(signal.reason)
      const cancel = after(most_ms, () => leave(new WaitedTooLong('a query slot', most_ms)))
      const settled = (): void => {
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        rank: workRank(),
        since: performance.now(),
        admit: () => {
          settled()
          resolve()
        },
        refuse: (error) => {
          settled()
          reject(error)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  /** Removes the waiter whose turn it is from the queue; undefined if nobody waits. */
  #next(): Waiter | undefined {
    const [oldest] = this.#waiting
    if (!oldest) return undefined
    const first = this.#waiting.reduce((best, one) => (one.rank < best.rank ? one : best))
    const isAged = performance.now() - oldest.since > this.#aged_ms
    // Only every second time: aged work alone could otherwise keep live work waiting for ever.
    this.#wasAged = isAged && !(this.#wasAged && first.rank < oldest.rank)
    const next = this.#wasAged ? oldest : first
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    return next
  }

  #release(): () => void {
    let held = true
    const began = performance.now()
    return () => {
      if (!held) return
      held = false
      const held_ms = performance.now() - began
      this.#held_ms = this.#held_ms === 0 ? held_ms : this.#held_ms + (held_ms - this.#held_ms) * NEWEST_WEIGHT
      const next = this.#next()
      if (next) return next.admit()
      this.#taken--
    }
  }
}
