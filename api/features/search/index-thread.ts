import { QuestionThread } from '../../kernel/question-thread.ts'
import type { Described, FoundIn, NearQuestion, Question, RankQuestion } from './messages.ts'
import type { IndexedDocument } from './segment.ts'

/** Maximum heap of the thread, MB: several times its need. */
const MEMORY_MB = 512

/** The thread that builds and searches the index of a process. */
export class IndexThread extends QuestionThread {
  /** `onEnd` is called if the thread ends unexpectedly; questions are then rejected. */
  constructor(onEnd: (error: Error) => void) {
    super(new URL('./thread.ts', import.meta.url), {
      ...{ name: 'search index', onEnd },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
  }

  /** Sends documents for the next build of a collection. */
  collect(collection: number, documents: readonly IndexedDocument[], isFirst: boolean): void {
    this.send({ kind: 'collect', collection, documents, isFirst } satisfies Question)
  }

  /** Builds a collection from the collected documents; `then` is called before any later answer arrives. */
  build(collection: number, described: Described, then: () => void): Promise<void> {
    return this.#question({ kind: 'build', collection, described }, then)
  }

  /** Searches for words. */
  rank(question: RankQuestion): Promise<FoundIn> {
    return this.#question({ kind: 'rank', ...question })
  }

  /** Finds the nearest documents. */
  near(question: NearQuestion): Promise<FoundIn> {
    return this.#question({ kind: 'near', ...question })
  }

  /** Memory use in bytes: heap and arrays. */
  memory(): Promise<number> {
    return this.#question({ kind: 'memory' })
  }

  #question<T>(question: WithoutId<Exclude<Question, { kind: 'collect' }>>, then?: () => void): Promise<T> {
    return this.ask(question, then)
  }
}

type WithoutId<Q> = Q extends unknown ? Omit<Q, 'id'> : never
