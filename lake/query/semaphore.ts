import { QueryError } from './errors.ts'

interface Waiter {
  readonly admit: () => void
  readonly refuse: (error: Error) => void
}

/** Weight of the newest time in the moving average. */
const NEWEST_WEIGHT = 0.2

/** A semaphore with a bounded queue, first come first served. */
export class Semaphore {
  /** How many may be taken at once. */
  readonly places: number
  readonly #most: number
  readonly #waiting: Waiter[] = []
  #taken = 0
  /** How long a slot is used, in ms: a moving average that weights the newest most. */
  #held_ms = 0
  #closed: Error | null = null

  constructor(options: { readonly places: number; readonly queue: number }) {
    this.places = options.places
    this.#most = options.queue
  }

  /** How many slots are taken, and how many callers wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting.length }
  }

  /**
   * Takes a slot, waiting in turn; resolves to its release function. Throws `busy` with the estimated waiting time if the queue
   * is full, and the signal's reason if it is aborted first.
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
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiter)
    })
  }

  #release(): () => void {
    let held = true
    const began = performance.now()
    return () => {
      if (!held) return
      held = false
      const held_ms = performance.now() - began
      this.#held_ms = this.#held_ms === 0 ? held_ms : this.#held_ms + (held_ms - this.#held_ms) * NEWEST_WEIGHT
      const next = this.#waiting.shift()
      if (next) return next.admit()
      this.#taken--
    }
  }
}
