import { Worker, type WorkerOptions } from 'node:worker_threads'

/** An answer of a thread: what it gives, or why it cannot. */
export interface Answer {
  readonly id: number
  readonly given?: unknown
  readonly error?: Error
}

/** A thread that answers questions by their ids. */
export class QuestionThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, (answer: Pick<Answer, 'given' | 'error'>) => void>()
  readonly #name: string
  #next = 0
  #ended: Error | null = null

  /** `name` is for errors. `onEnd` is called if the thread ends unexpectedly; questions are then rejected. */
  constructor(file: URL, { name, onEnd, ...options }: WorkerOptions & { readonly name: string; readonly onEnd: (error: Error) => void }) {
    this.#name = name
    this.#worker = new Worker(file, options)
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
    this.#worker.on('exit', (code) => end(new Error(`the thread of the ${name} ended with ${code}`)))
  }

  /** Sends what needs no answer. */
  protected send(message: object): void {
    this.#worker.postMessage(message)
  }

  /** Sends a question with an id of its own, and returns the answer; `then` is called before any later answer arrives. */
  ask<T>(question: object, then?: () => void): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = this.#next++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, ({ given, error }) => {
        if (error) return reject(error)
        then?.()
        resolve(given as T)
      })
      this.#worker.postMessage({ ...question, id })
    })
  }

  /** Ends the thread, and rejects open and later questions. */
  async close(): Promise<void> {
    this.#refuse(new Error(`the ${this.#name} is closed`))
    await this.#worker.terminate()
  }

  /** Returns false if questions are rejected already. */
  #refuse(error: Error): boolean {
    if (this.#ended) return false
    this.#ended = error
    for (const settle of this.#waiting.values()) settle({ error })
    this.#waiting.clear()
    return true
  }
}
