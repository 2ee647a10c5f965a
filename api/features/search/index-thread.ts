import { Worker } from 'node:worker_threads'
import type { Answer, Described, FoundIn, NearQuestion, Question, RankQuestion } from './messages.ts'
import type { IndexedDocument } from './segment.ts'

/** Maximum heap of the thread, MB: several times its need. */
const MEMORY_MB = 512

type Answered = Exclude<Question, { kind: 'collect' }>
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
  build(collection: number, described: Described, then: () => void): Promise<void> {
    return this.#ask({ kind: 'build', collection, described }, then)
  }

  /** Searches for words. */
  rank(question: RankQuestion): Promise<FoundIn> {
    return this.#ask({ kind: 'rank', ...question })
  }

  /** Finds the nearest documents. */
  near(question: NearQuestion): Promise<FoundIn> {
    return this.#ask({ kind: 'near', ...question })
  }

  /** Memory use in bytes: heap and arrays. */
  memory(): Promise<number> {
    return this.#ask({ kind: 'memory' })
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

  #ask<T>(question: WithoutId<Answered>, then?: () => void): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = this.#next++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, ({ given, error }) => {
        if (error) return reject(error)
        then?.()
        resolve(given as T)
      })
      this.#worker.postMessage({ ...question, id } as Question)
    })
  }
}
