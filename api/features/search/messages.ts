import type { Around, Ask } from './ranking.ts'
import type { IndexedDocument } from './segment.ts'

/** A message to the thread of the index. Collections are numbers. */
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
      readonly around: Around
      readonly collections: readonly number[] | null
      readonly limit: number
    }
  | { readonly kind: 'memory'; readonly id: number }

/** The thread's answer to any message but `collect`. */
export interface Answer {
  readonly id: number
  readonly given?: unknown
  readonly error?: Error
}
