import { parentPort } from 'node:worker_threads'
import type { Answer } from '../../kernel/question-thread.ts'
import { hitsWanted, type Indexed, namedFirst, pageOfHits } from './hits.ts'
import type { Question } from './messages.ts'
import { nearest, rank } from './ranking.ts'
import { type IndexedDocument, Segment } from './segment.ts'

// Worker thread with the search index of an API process: it builds and searches the index off the event loop.
const index = new Map<number, Indexed>()
const collected = new Map<number, IndexedDocument[]>()

/** The chosen collections that are built, in the order of their numbers. */
function searchedIn(collections: readonly number[]): Indexed[] {
  return collections.toSorted((one, other) => one - other).flatMap((collection) => index.get(collection) ?? [])
}

function memoryUsed(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

async function answerOf(question: Exclude<Question, { kind: 'collect' }>): Promise<unknown> {
  switch (question.kind) {
    case 'build': {
      const { collection, described } = question
      const documents = collected.get(collection) ?? []
      collected.delete(collection)
      // Queries are answered in between, from the previous documents.
      index.set(collection, { collection, described, segment: await Segment.build(documents, described.weights, pause) })
      return null
    }
    case 'rank': {
      const { ask, q, words, first, collections, limit, page } = question
      const searched = searchedIn(collections)
      return await pageOfHits(searched, namedFirst(searched, rank(searched, ask, hitsWanted(page, limit)), { q, words }), {
        page,
        limit,
        near: ask.near,
        words,
        first,
      })
    }
    case 'near': {
      const { around, town, collections, limit, page } = question
      const searched = searchedIn(collections)
      return await pageOfHits(searched, nearest(searched, around, { limit, town }), { page, limit, near: around, words: [], first: [] })
    }
    case 'memory':
      return memoryUsed()
  }
}

parentPort?.on('message', (question: Question) => {
  if (question.kind === 'collect') {
    collected.set(question.collection, [...(question.isFirst ? [] : (collected.get(question.collection) ?? [])), ...question.documents])
    return
  }
  const { id } = question
  answerOf(question).then(
    (given) => parentPort?.postMessage({ id, given } satisfies Answer),
    (error: Error) => parentPort?.postMessage({ id, error } satisfies Answer),
  )
})
