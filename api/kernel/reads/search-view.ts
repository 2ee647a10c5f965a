import type { Region } from '../../../lake/places/regions.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Plan } from '../../../lake/schema/dataset.ts'
import type { Page, PageAsk } from '../page.ts'

/** A result of a search. */
export interface SearchHit {
  readonly collection: string
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly position: Point | null
  readonly province_code: string | null
  /** Higher is better; only comparable within one reply. */
  readonly score: number
  /** Distance from the given point; null without a point or a position. */
  readonly distance_m: number | null
  /** The matching parts of title and subtitle, in UTF-16 units. */
  readonly highlights: readonly SearchHighlight[]
  /** Path of the endpoint that shows it, and the plan of that endpoint. */
  readonly url: string
  readonly plan: Plan
}

/** A matching part of a text. */
export interface SearchHighlight {
  readonly field: 'title' | 'subtitle'
  readonly start: number
  readonly length: number
}

/** The search request. */
export interface SearchAsk {
  readonly q: string
  readonly collections: readonly string[] | null
  readonly region: Region | null
  readonly near: Point | null
}

/** The request for everything around a point. */
export interface NearbyAsk extends Point {
  readonly radius_m: number
  readonly collections: readonly string[] | null
}

/** A page of the 1000 best hits, and match counts by collection. */
export interface SearchFound extends Page<SearchHit> {
  readonly counts: readonly { readonly collection: string; readonly hits: number }[]
}

/** A collection in the index. */
export interface SearchCollectionView {
  readonly id: string
  readonly title: string
  readonly about: string
  /** Null if the collection is not searchable; the reason is then set. */
  readonly documents: number | null
  readonly unavailable_reason: string | null
  readonly fields: readonly { readonly field: string; readonly weight: number }[]
  readonly datasets: readonly string[]
  readonly detail_path: string | null
  readonly plan: Plan | null
}

/** The search index of a process, by the plan of the caller. */
export interface SearchViews {
  readonly of: (plan: Plan) => SearchView
}

/**
 * The search index as callers of a plan see it. A collection has the plan of the endpoint that shows its documents. Below it,
 * they are found by names and codes only, and their hits have a title and a link, no place and no subtitle.
 */
export interface SearchView {
  /** Text that changes with the documents and their sources, and differs by plan. */
  readonly version: string
  /** When a source of the documents last changed, ms since the epoch; 0 without any. */
  readonly changed_at: number
  readonly collections: readonly SearchCollectionView[]
  /** Which of some collections, or of all, the plan sees by name only, with the plan of each. */
  restricted(collections: readonly string[] | null): readonly { readonly collection: string; readonly plan: Plan }[]
  search(ask: SearchAsk, page: PageAsk): Promise<SearchFound>
  /** Completions of a partly typed text. */
  suggest(ask: SearchAsk, page: PageAsk): Promise<SearchFound>
  /** Documents within a radius of a point, nearest first. */
  nearby(around: NearbyAsk, page: PageAsk): Promise<SearchFound>
}
