import type { Ask } from './ranking.ts'
import type { IndexedDocument } from './segment.ts'

/** What the thread of the index is told or asked. Collections go by their numbers. */
export type Question =
  | { readonly kind: 'collect'; readonly collection: number; readonly isFirst: boolean; readonly documents: readonly IndexedDocument[] }
  | { readonly kind: 'build'; readonly id: number; readonly collection: number; readonly weights: readonly number[] }
  | {
      readonly kind: 'rank'
      readonly id: number
      readonly ask: Ask
      readonly collections: readonly number[] | null
      readonly limit: number
    }
  | {
      readonly kind: 'near'
      readonly id: number
      readonly around: { readonly lat: number; readonly lon: number; readonly radius_m: number }
      readonly collections: readonly number[] | null
      readonly limit: number
    }
  | { readonly kind: 'memory'; readonly id: number }

/** What it answers to all but `collect`. */
export interface Answer {
  readonly id: number
  readonly given?: unknown
  readonly error?: Error
}
