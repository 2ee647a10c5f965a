import { QueryError } from '../../lake/query/errors.ts'

/** Limits of the queue. */
interface LineOptions {
  /** Pieces of work that may wait at once. */
  readonly most: number
  /** Longest wait, ms. */
  readonly longest_ms: number
  /** Retry-After of a refusal, in seconds. */
  readonly retry_s: number
}

/** A queue that does one piece of work at a time. Work is refused as `busy` if the queue is full or the wait is too long. */
export class WaitingLine {
  readonly #options: LineOptions
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** Pieces of work that wait. */
  get length(): number {
    return this.#waiting.length
  }

  /** Does a piece of work when its turn comes. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isTaken) await this.#turn()
    this.#isTaken = true
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#isTaken = false
    }
  }

  async #turn(): Promise<void> {
    const { most, longest_ms } = this.#options
    if (this.#waiting.length >= most) throw this.#busy(`${most} pieces of work wait for their turn already`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(begin), 1)
      reject(this.#busy(`its turn did not come within ${longest_ms} ms`))
    }, longest_ms)
    late.unref()
    const begin = (): void => {
      clearTimeout(late)
      resolve()
    }
    this.#waiting.push(begin)
    await promise
  }

  #busy(reason: string): QueryError {
    return new QueryError('busy', reason, { retry_after_s: this.#options.retry_s })
  }
}
