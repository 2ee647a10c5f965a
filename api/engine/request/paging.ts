import { firstIndex } from '../../../lake/first-index.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { ListReturn } from '../../kernel/endpoint.ts'
import { Turn } from '../../kernel/http/turns.ts'

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

/** Returns the requested order, or the list's own. */
export function orderOf(returns: ListReturn, sort: string | null): Order {
  const first = sort ?? returns.order
  const field = first.replace(/^-/, '')
  const falling = first.startsWith('-')
  // The key has the same direction, so that a list by time reads the same from both ends.
  const key = [...(returns.ties ?? []), ...returns.key]
    .filter((name) => name !== field)
    .map((name) => ({ field: name, falling, ranks: null }))
  return [{ field, falling, ranks: ranksOf(returns, field) }, ...key]
}

function ranksOf({ record }: ListReturn, name: string): Criterion['ranks'] {
  const field = record.fields[name]
  if (!field || !('codes' in field) || !field.codes) return null
  return new Map(Object.keys(field.codes.codes).map((code, at) => [code, at]))
}

/**
 * Compares records by an order. Texts compare by UTF-16 units, the same on every machine; codes by their position in their list.
 */
export function compareBy(order: Order): (one: AnyRow, other: AnyRow) => number {
  return (one, other) => {
    for (const { field, falling, ranks } of order) {
      const result = ranks ? compareCodes(one[field], other[field], { falling, ranks }) : compareValues(one[field], other[field], falling)
      if (result !== 0) return result
    }
    return 0
  }
}

/** Most records that are sorted without a pause. */
const RUN = 1024

/** Sorts records without blocking the event loop for long: in short runs, which are then merged. */
export async function sorted(records: readonly AnyRow[], order: Order): Promise<readonly AnyRow[]> {
  const compare = compareBy(order)
  if (records.length <= RUN) return records.toSorted(compare)
  const turn = new Turn()
  let runs: (readonly AnyRow[])[] = []
  for (let at = 0; at < records.length; at += RUN) {
    if (turn.isOver) await turn.next()
    runs.push(records.slice(at, at + RUN).sort(compare))
  }
  while (runs.length > 1) {
    const merged: (readonly AnyRow[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedRuns(runs[at] as readonly AnyRow[], runs[at + 1] ?? [], { compare, turn }))
    runs = merged
  }
  return runs[0] as readonly AnyRow[]
}

async function mergedRuns(
  one: readonly AnyRow[],
  other: readonly AnyRow[],
  { compare, turn }: { readonly compare: ReturnType<typeof compareBy>; readonly turn: Turn },
): Promise<readonly AnyRow[]> {
  const first = one.at(-1)
  const second = other[0]
  if (!first || !second || compare(first, second) <= 0) return [...one, ...other]
  const merged: AnyRow[] = []
  let [left, right] = [0, 0]
  while (left < one.length && right < other.length) {
    const isLeft = compare(one[left] as AnyRow, other[right] as AnyRow) <= 0
    merged.push((isLeft ? one[left++] : other[right++]) as AnyRow)
    if (merged.length % RUN === 0 && turn.isOver) await turn.next()
  }
  for (; left < one.length; left++) merged.push(one[left] as AnyRow)
  for (; right < other.length; right++) merged.push(other[right] as AnyRow)
  return merged
}

/** Returns a record's position in an order. */
export function positionOf(order: Order, record: AnyRow): Position {
  return order.map(({ field }) => record[field] as string | number | boolean | null)
}

/** A page is picked without sorting if the list is this many times longer. */
const PICK_FROM = 4

/** A page of records, and its end position if there are more. */
interface Page {
  readonly records: readonly AnyRow[]
  readonly end: Position | null
}

/** Returns the records after a position in an order, at most `limit`. */
export async function pageOf(
  records: readonly AnyRow[],
  options: { readonly order: Order; readonly after: Position | null; readonly limit: number | null },
): Promise<Page> {
  const { order, after, limit } = options
  if (limit !== null && records.length > PICK_FROM * limit) return await pickedPage(records, { order, after, limit })
  const all = await sorted(records, order)
  const start = after === null ? 0 : firstAfter(all, order, after)
  const end = limit === null ? all.length : Math.min(all.length, start + limit)
  const page = all.slice(start, end)
  return { records: page, end: end < all.length ? positionOf(order, page.at(-1) as AnyRow) : null }
}

/** The same for a list much longer than the page: one pass keeps the first records. */
async function pickedPage(
  records: readonly AnyRow[],
  { order, after, limit }: { readonly order: Order; readonly after: Position | null; readonly limit: number },
): Promise<Page> {
  const compare = compareBy(order)
  const turn = new Turn()
  const last = after && recordAt(order, after)
  let first: AnyRow[] = []
  let bound: AnyRow | null = null
  let hasMore = false
  for (const [at, record] of records.entries()) {
    if (at % RUN === 0 && turn.isOver) await turn.next()
    if (last && compare(record, last) <= 0) continue
    if (bound && compare(record, bound) > 0) {
      hasMore = true
      continue
    }
    first.push(record)
    if (first.length < 2 * limit) continue
    first = first.sort(compare).slice(0, limit)
    hasMore = true
    bound = first[limit - 1] as AnyRow
  }
  first.sort(compare)
  const page = first.slice(0, limit)
  return { records: page, end: hasMore || first.length > limit ? positionOf(order, page[limit - 1] as AnyRow) : null }
}

/** Reads the position in a cursor. */
export function readPosition(value: Json): Position {
  return value as Position
}

/** Returns a record with only the fields of a position. */
function recordAt(order: Order, position: Position): AnyRow {
  return Object.fromEntries(order.map(({ field }, at) => [field, position[at]]))
}

function firstAfter(records: readonly AnyRow[], order: Order, after: Position): number {
  const last = recordAt(order, after)
  const compare = compareBy(order)
  return firstIndex(0, records.length, (at) => compare(records[at] as AnyRow, last) > 0)
}

/** Codes outside the list sort after those in it, by their text. */
function compareCodes(
  one: unknown,
  other: unknown,
  how: { readonly falling: boolean; readonly ranks: ReadonlyMap<unknown, number> },
): number {
  const { falling, ranks } = how
  if (one === other || one === null || other === null) return compareValues(one, other, falling)
  const [first, second] = [ranks.get(one) ?? ranks.size, ranks.get(other) ?? ranks.size]
  return first === second ? compareValues(one, other, falling) : compareValues(first, second, falling)
}

function compareValues(one: unknown, other: unknown, falling: boolean): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  return (one as string) < (other as string) === falling ? 1 : -1
}
