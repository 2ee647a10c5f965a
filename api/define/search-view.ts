import type { Point } from '../../lake/schema/columns.ts'
import type { Plan } from '../../lake/schema/dataset.ts'

/** Something that a search found. */
export interface SearchHit {
  readonly collection: string
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly position: Point | null
  readonly province_code: string | null
  /** Greater is better; only comparable within one answer. */
  readonly score: number
  /** From the point that was given; null without one or without a position. */
  readonly distance_m: number | null
  /** The parts of title and subtitle that match, in UTF-16 units. */
  readonly highlights: readonly SearchHighlight[]
  /** Path of the endpoint that shows it, and the plan that this needs. */
  readonly url: string
  readonly plan: Plan
}

/** A part of a text that matches. */
export interface SearchHighlight {
  readonly field: 'title' | 'subtitle'
  readonly start: number
  readonly length: number
}

/** What to look for. */
export interface SearchAsk {
  readonly q: string
  readonly collections: readonly string[] | null
  readonly province_code: string | null
  readonly near: Point | null
}

/** Hits, best first, at most 1000, and how many documents match by collection. */
export interface SearchFound {
  readonly hits: readonly SearchHit[]
  readonly counts: readonly { readonly collection: string; readonly hits: number }[]
}

/** A collection as the index has it. */
export interface SearchCollectionView {
  readonly id: string
  readonly title: string
  readonly about: string
  /** Null where the collection cannot be searched; then the reason is set. */
  readonly documents: number | null
  readonly unavailable_reason: string | null
  readonly fields: readonly { readonly field: string; readonly weight: number }[]
  readonly datasets: readonly string[]
  readonly detail_path: string | null
  readonly plan: Plan | null
}

/** The search index of a process. */
export interface SearchView {
  /** Text that changes with the documents. */
  readonly version: string
  /** When a document last changed, ms since the epoch; 0 without any. */
  readonly changed_at: number
  readonly collections: readonly SearchCollectionView[]
  search(ask: SearchAsk): Promise<SearchFound>
  /** What a text that is still being typed may become. */
  suggest(ask: SearchAsk): Promise<SearchFound>
  /** What is within a radius of a point, nearest first. */
  nearby(around: Point & { readonly radius_m: number }, collections: readonly string[] | null): Promise<SearchFound>
}
