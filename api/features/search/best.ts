/** A document in the result. */
export interface RankedHit {
  readonly collection: number
  readonly document: number
  readonly score: number
}

/** Scores are counted in so many steps from 0 to 2, the greatest score. */
const STEPS = 4096

/** The hits so far, of which the best are wanted. Hits are many, so that objects are only made of the best. */
export class Best {
  readonly #limit: number
  readonly #scores: number[] = []
  readonly #documents: number[] = []
  readonly #collections: number[] = []
  readonly counts = new Map<number, number>()
  total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts matching documents of a collection. */
  count(collection: number, documents: number): void {
    if (documents === 0) return
    this.total += documents
    this.counts.set(collection, (this.counts.get(collection) ?? 0) + documents)
  }

  add(collection: number, document: number, score: number): void {
    if (score <= 0) return
    this.#scores.push(score)
    this.#documents.push(document)
    this.#collections.push(collection)
  }

  inOrder(): RankedHit[] {
    const least = this.#leastStep()
    const hits: RankedHit[] = []
    for (let at = 0; at < this.#scores.length; at++) {
      const score = this.#scores[at] as number
      if (stepOf(score) >= least) hits.push({ collection: this.#collections[at] as number, document: this.#documents[at] as number, score })
    }
    return hits.sort(byScore).slice(0, this.#limit)
  }

  /** The greatest step from which on there are enough hits; 0 if all of them are wanted. */
  #leastStep(): number {
    if (this.#scores.length <= this.#limit) return 0
    const steps = new Uint32Array(STEPS)
    for (const score of this.#scores) steps[stepOf(score)] = (steps[stepOf(score)] as number) + 1
    let step = STEPS
    for (let hits = 0; step > 0 && hits < this.#limit; ) hits += steps[--step] as number
    return step
  }
}

function stepOf(score: number): number {
  return Math.min(STEPS - 1, Math.floor((score * STEPS) / 2))
}

/** Compares hits: the best first, then by collection and document. */
export function byScore(one: RankedHit, other: RankedHit): number {
  return other.score - one.score || one.collection - other.collection || one.document - other.document
}
