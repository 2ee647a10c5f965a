/**
 * The order of a list, from the first criterion to the last. Nulls sort last in both directions. The key ends it, so it is total.
 */
export type Order = readonly Criterion[]

interface Criterion {
  readonly field: string
  readonly falling: boolean
  /**
   * The positions of codes in their code list, if the list is sorted by them; null for fields that are not codes, and in the key.
   */
  readonly ranks: ReadonlyMap<unknown, number> | null
}

/** The end of a page: the last record's values of the order's fields. */
export type Position = readonly (string | number | boolean | null)[]

/** The records of a list that a reply shows: those after a position in an order, at most `limit`. */
export interface PageAsk {
  readonly order: Order
  readonly after: Position | null
  readonly limit: number | null
}

/** The whole list, in its own order. */
export const WHOLE_LIST: PageAsk = Object.freeze({ order: [], after: null, limit: null })

/** The records of a page, the number of records of the whole list, and whether it has more after the page. */
export interface Page<R> {
  readonly records: readonly R[]
  readonly total: number
  readonly hasMore: boolean
}
