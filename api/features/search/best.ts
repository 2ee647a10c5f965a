/** A document in the result. */
export interface RankedHit {
  readonly collection: number
  readonly document: number
  readonly score: number
}

/** Scores are counted in so many steps from 0 to 2, the greatest score. */
const STEPS = 4096

/** Scores and documents of hits. They are reused, because queries run one after the other. */
let scores = new Float64Array(STEPS)
let documents = new Uint32Array(STEPS)

/** The hits so far, of which the best are wanted. Hits are many, so that objects are only made of the best. */
export class Best {
  /** Collections in the order of their hits, with the number of hits before each. */
  readonly #collections: { readonly collection: number; readonly from: number }[] = []
  #hits = 0
  readonly counts = new Map<number, number>()
  total = 0

  /** Counts matching documents of a collection. */
  count(collection: number, matches: number): void {
    if (matches === 0) return
    this.total += matches
    this.counts.set(collection, (this.counts.get(collection) ?? 0) + matches)
  }

  /** Begins a collection: the next hits are of it, at most so many. */
  begin(collection: number, most: number): void {
    this.#collections.push({ collection, from: this.#hits })
    const size = this.#hits + most
    if (size <= scores.length) return
    const [before, beforeOf] = [scores, documents]
    scores = new Float64Array(2 * size)
    documents = new Uint32Array(2 * size)
    scores.set(before)
    documents.set(beforeOf)
  }

  add(document: number, score: number): void {
    if (score <= 0) return
    scores[this.#hits] = score
    documents[this.#hits++] = document
  }

  /** The best hits in order: at least so many, with all that score like the last of them, and those that are pinned. */
  inOrder(wanted: number, isPinned: ((collection: number, document: number) => boolean) | null): RankedHit[] {
    // Shown scores are rounded to less than a step: an equal one can be in the step below.
    const least = this.#leastStep(wanted) - 1
    const hits: RankedHit[] = []
    for (const [nth, { collection, from }] of this.#collections.entries()) {
      const end = this.#collections[nth + 1]?.from ?? this.#hits
      for (let at = from; at < end; at++) {
        const score = scores[at] as number
        const document = documents[at] as number
        if (stepOf(score) >= least || isPinned?.(collection, document)) hits.push({ collection, document, score })
      }
    }
    return hits.sort(byScore)
  }

  /** The greatest step from which on there are enough hits; 0 if all of them are wanted. */
  #leastStep(wanted: number): number {
    if (this.#hits <= wanted) return 0
    const steps = new Uint32Array(STEPS)
    for (let at = 0; at < this.#hits; at++) {
      const step = stepOf(scores[at] as number)
      steps[step] = (steps[step] as number) + 1
    }
    let step = STEPS
    for (let hits = 0; step > 0 && hits < wanted; ) hits += steps[--step] as number
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
