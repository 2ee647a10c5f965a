import { parentPort } from 'node:worker_threads'
import type { Answer, Question } from './messages.ts'
import { nearest, type Ranked, rank, type Searched } from './ranking.ts'
import { type IndexedDocument, Segment } from './segment.ts'

// Worker thread with the search index of an API process: it builds and searches the index off the event loop.
const segments = new Map<number, Segment>()
const collected = new Map<number, IndexedDocument[]>()

function searchedIn(collections: readonly number[] | null): Searched[] {
  const chosen = [...segments].filter(([collection]) => collections === null || collections.includes(collection))
  return chosen.map(([collection, segment]) => ({ collection, segment })).sort((one, other) => one.collection - other.collection)
}

function memoryUsed(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function answerOf(question: Exclude<Question, { kind: 'collect' }>): Promise<unknown> {
  switch (question.kind) {
    case 'build': {
      const { collection, weights } = question
      const documents = collected.get(collection) ?? []
      collected.delete(collection)
      // Queries are answered in between, from the previous documents.
      segments.set(collection, await Segment.build(documents, weights, () => new Promise((resolve) => void setImmediate(resolve))))
      return null
    }
    case 'rank':
      return rank(searchedIn(question.collections), question.ask, question.limit) satisfies Ranked
    case 'near':
      return nearest(searchedIn(question.collections), question.around, question.limit) satisfies Ranked
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
