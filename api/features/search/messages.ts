import type { Plan } from '../../../lake/schema/dataset.ts'
import type { Page, PageAsk } from '../../kernel/page.ts'
import type { SearchHit } from '../../kernel/reads/search-view.ts'
import type { Around, Ask } from './ranking.ts'
import type { IndexedDocument } from './segment.ts'

/** How hits of a collection are shown, and the weights of its fields by number. */
export interface Described {
  readonly id: string
  /** The request that shows a document, see `Collection.detail`, and its plan. */
  readonly detail: string
  readonly plan: Plan
  readonly weights: readonly number[]
}

/** A search for words, or around a point: in which collections, how many of the best hits, and which of those. */
interface Chosen {
  readonly collections: readonly number[]
  readonly limit: number
  readonly page: PageAsk
}

/** A search for words. */
export interface RankQuestion extends Chosen {
  readonly ask: Ask
  readonly q: string
  readonly words: readonly string[]
  /** Hits that go before all others. */
  readonly first: readonly SearchHit[]
}

/** A search around a point. */
export interface NearQuestion extends Chosen {
  readonly around: Around
  /** INE code of the municipality that goes first; null without one. */
  readonly town: string | null
}

/** A page of hits, and the number of matching documents by collection number. */
export interface FoundIn extends Page<SearchHit> {
  readonly counts: readonly (readonly [collection: number, hits: number])[]
}

/** A message to the thread of the index. Collections are numbers. */
export type Question =
  | { readonly kind: 'collect'; readonly collection: number; readonly isFirst: boolean; readonly documents: readonly IndexedDocument[] }
  | { readonly kind: 'build'; readonly id: number; readonly collection: number; readonly described: Described }
  | ({ readonly kind: 'rank'; readonly id: number } & RankQuestion)
  | ({ readonly kind: 'near'; readonly id: number } & NearQuestion)
  | { readonly kind: 'memory'; readonly id: number }
