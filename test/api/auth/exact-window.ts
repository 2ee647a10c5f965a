import type { Policy } from '../../../api/auth/limits/policy.ts'

/** A charge, at a moment in ms. */
interface Event {
  readonly at: number
  units: number
}

/** Every unit ever charged under a policy, each with its exact time. The use of any window is counted, not estimated. */
export class ExactWindow {
  readonly #events: Event[] = []
  readonly #strict: Tail
  readonly #loose: Tail

  constructor({ window_s, bucket_s }: Policy) {
    this.#strict = { length: window_s * 1000, includes: true, from: 0, units: 0 }
    this.#loose = { length: (window_s + bucket_s) * 1000, includes: false, from: 0, units: 0 }
  }

  /** Units of the last `window_s`, both ends included. Queries have ascending moments. */
  within(now: number): number {
    return this.#count(this.#strict, now)
  }

  /** Units that are less than `window_s + bucket_s` old. */
  withinLonger(now: number): number {
    return this.#count(this.#loose, now)
  }

  add(at: number, units: number): Event {
    const event = { at, units }
    this.#events.push(event)
    this.#strict.units += units
    this.#loose.units += units
    return event
  }

  /** Undoes a charge, as if it had never happened. */
  remove(event: Event): void {
    const index = this.#events.indexOf(event, Math.max(0, this.#events.length - 5000))
    for (const tail of [this.#strict, this.#loose]) if (index >= tail.from) tail.units -= event.units
    event.units = 0
  }

  #count(tail: Tail, now: number): number {
    for (let event = this.#events[tail.from]; event && isOver(tail, now - event.at); event = this.#events[++tail.from])
      tail.units -= event.units
    return tail.units
  }
}

interface Tail {
  readonly length: number
  /** Whether a charge exactly as old as the window is still in it. */
  readonly includes: boolean
  from: number
  units: number
}

function isOver({ length, includes }: Tail, age: number): boolean {
  return includes ? age > length : age >= length
}

/** Random numbers from 0 up to 1 that are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
