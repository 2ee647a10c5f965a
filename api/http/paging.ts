import type { Json } from '../../lake/schema/columns.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { ListReturn } from '../define/endpoint.ts'

/** The order of a list: fields from the first criterion to the last; nulls come last, rising or falling. Total, as the key ends it. */
export type Order = readonly { readonly field: string; readonly falling: boolean }[]

/** Where a page ends: the last record's values of the order's fields. */
export type Position = readonly (string | number | boolean | null)[]

/** The order that a request asks for, or the list's own. */
export function orderOf(returns: ListReturn, sort: string | null): Order {
  const first = sort ?? returns.order
  const field = first.replace(/^-/, '')
  const falling = first.startsWith('-')
  // The key goes the same way, so that a list by time reads the same from both ends.
  return [{ field, falling }, ...returns.key.filter((name) => name !== field).map((name) => ({ field: name, falling }))]
}

/** Compares records by an order. Texts compare by their UTF-16 units, the same on every machine. */
export function compareBy(order: Order): (one: AnyRow, other: AnyRow) => number {
  return (one, other) => {
    for (const { field, falling } of order) {
      const result = compareValues(one[field], other[field], falling)
      if (result !== 0) return result
    }
    return 0
  }
}

/** A record's place in an order. */
export function positionOf(order: Order, record: AnyRow): Position {
  return order.map(({ field }) => record[field] as string | number | boolean | null)
}

/** One page of records that are in the order: those after a position, at most `limit`, and where they end if there are more. */
export function pageOf<R>(
  records: readonly R[],
  options: { readonly order: Order; readonly after: Position | null; readonly limit: number | null },
): { readonly records: readonly R[]; readonly end: Position | null } {
  const { order, after, limit } = options
  const start = after === null ? 0 : firstAfter(records as readonly AnyRow[], order, after)
  const end = limit === null ? records.length : Math.min(records.length, start + limit)
  const page = records.slice(start, end)
  return { records: page, end: end < records.length ? positionOf(order, page.at(-1) as AnyRow) : null }
}

/** The position that a cursor holds. */
export function readPosition(value: Json): Position {
  return value as Position
}

function firstAfter(records: readonly AnyRow[], order: Order, after: Position): number {
  const last = Object.fromEntries(order.map(({ field }, at) => [field, after[at]]))
  const compare = compareBy(order)
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(records[middle] as AnyRow, last) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

function compareValues(one: unknown, other: unknown, falling: boolean): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  return (one as string) < (other as string) === falling ? 1 : -1
}
