import { Worker } from 'node:worker_threads'
import type { Answer, Question } from './messages.ts'
import type { Around, Ask, Ranked } from './ranking.ts'
import type { IndexedDocument } from './segment.ts'

/** Maximum heap of the thread, MB: several times its need. */
const MEMORY_MB = 512

type Asked = Exclude<Question, { kind: 'collect' }>
type WithoutId<Q> = Q extends unknown ? Omit<Q, 'id'> : never

/** The thread that builds and searches the index of a process. */
export class IndexThread {
  readonly #worker = new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
  readonly #waiting = new Map<number, (answer: Pick<Answer, 'given' | 'error'>) => void>()
  #next = 0
  #ended: Error | null = null

  /** `onEnd` is called if the thread ends unexpectedly; questions are then rejected. */
  constructor(onEnd: (error: Error) => void) {
    this.#worker.unref()
    this.#worker.on('message', ({ id, ...answer }: Answer) => {
      const settle = this.#waiting.get(id)
      this.#waiting.delete(id)
      settle?.(answer)
    })
    const end = (error: Error): void => {
      if (this.#refuse(error)) onEnd(error)
    }
    this.#worker.on('error', end)
    this.#worker.on('exit', (code) => end(new Error(`the thread of the search index ended with ${code}`)))
  }

  /** Sends documents for the next build of a collection. */
  collect(collection: number, documents: readonly IndexedDocument[], isFirst: boolean): void {
    this.#worker.postMessage({ kind: 'collect', collection, documents, isFirst } satisfies Question)
  }

  /** Builds a collection from the collected documents; `then` is called before any later answer arrives. */
  build(collection: number, weights: readonly number[], then: () => void): Promise<void> {
    return this.#ask({ kind: 'build', collection, weights }, then)
  }

  /** Searches; `finish` receives the numbers of documents before any later build is known. */
  rank<T>(ask: Ask, how: Chosen, finish: (ranked: Ranked) => T): Promise<T> {
    return this.#ask({ kind: 'rank', ask, ...how }, finish as (given: unknown) => T)
  }

  /** Finds the nearest documents; `finish` is called as in `rank`. */
  near<T>(around: Around, how: Chosen, finish: (ranked: Ranked) => T): Promise<T> {
    return this.#ask({ kind: 'near', around, ...how }, finish as (given: unknown) => T)
  }

  /** Memory use in bytes: heap and arrays. */
  memory(): Promise<number> {
    return this.#ask({ kind: 'memory' }, (given) => given as number)
  }

  async close(): Promise<void> {
    this.#refuse(new Error('the search index is closed'))
    await this.#worker.terminate()
  }

  /** Rejects open and later questions. Returns false if they are rejected already. */
  #refuse(error: Error): boolean {
    if (this.#ended) return false
    this.#ended = error
    for (const settle of this.#waiting.values()) settle({ error })
    this.#waiting.clear()
    return true
  }

  #ask<T>(question: WithoutId<Asked>, finish: (given: unknown) => T): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = this.#next++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, ({ given, error }) => {
        if (error) reject(error)
        else resolve(finish(given))
      })
      this.#worker.postMessage({ ...question, id } as Question)
    })
  }
}

/** Collections to search, null for all, and maximum hits. */
interface Chosen {
  readonly collections: readonly number[] | null
  readonly limit: number
}
