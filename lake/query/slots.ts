import { QueryError } from './errors.ts'

interface Waiter {
  readonly admit: () => void
  readonly refuse: (error: Error) => void
}

/** How much the newest time counts in the mean of the last ones. */
const NEWEST_WEIGHT = 0.2

/** A bounded number of places and a bounded queue for them, first come first served. */
export class Slots {
  /** How many may be taken at once. */
  readonly places: number
  readonly #most: number
  readonly #waiting: Waiter[] = []
  #taken = 0
  /** How long a place is held, in ms: the mean of the last ones, the newest counting most. */
  #held_ms = 0
  #closed: Error | null = null

  constructor(options: { readonly places: number; readonly queue: number }) {
    this.places = options.places
    this.#most = options.queue
  }

  /** How many places are taken, and how many wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting.length }
  }

  /**
   * Takes a place, waiting for it in turn; resolves to what gives it back. Throws `busy`, with the time that those who wait will probably
   * take, where the queue is full, and the signal's reason where it is aborted before a place is free.
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

  /** Refuses whoever waits or comes. */
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
