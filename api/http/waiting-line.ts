import { QueryError } from '../../lake/query/errors.ts'

/** How much waits, and how long. */
interface LineOptions {
  /** Pieces of work that may wait for their turn at once. */
  readonly most: number
  /** Longest time for which one waits until it is begun, ms. */
  readonly longest_ms: number
  /** Seconds after which who is refused may come again. */
  readonly retry_s: number
}

/** Work that is done one piece after the other. What finds no place in the line, or waits too long in it, is refused as `busy`. */
export class WaitingLine {
  readonly #options: LineOptions
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** Pieces of work that wait for their turn. */
  get length(): number {
    return this.#waiting.length
  }

  /** Does a piece of work when it is its turn. */
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
