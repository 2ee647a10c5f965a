import PQueue from 'p-queue'
import { QueryError } from '../../../lake/query/errors.ts'

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
  readonly #queue = new PQueue({ concurrency: 1 })

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** Pieces of work that wait. */
  get length(): number {
    return this.#queue.size
  }

  /** Does a piece of work when its turn comes. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { most, longest_ms } = this.#options
    if (this.#queue.size >= most) throw this.#busy(`${most} pieces of work wait for their turn already`)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(this.#busy(`its turn did not come within ${longest_ms} ms`)), longest_ms)
    timer.unref()
    const begin = (): Promise<T> => {
      clearTimeout(timer)
      return work()
    }
    return await this.#queue.add(begin, { signal: late.signal })
  }

  #busy(reason: string): QueryError {
    return new QueryError('busy', reason, { retry_after_s: this.#options.retry_s })
  }
}
