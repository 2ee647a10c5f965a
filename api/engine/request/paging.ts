import { firstIndex } from '../../../lake/first-index.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { ListReturn } from '../../kernel/endpoint.ts'
import { Turn } from '../../kernel/http/turns.ts'
import type { Order, Page, PageAsk, Position } from '../../kernel/page.ts'

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

function ranksOf({ record }: ListReturn, name: string): Order[number]['ranks'] {
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
export async function sorted<R extends AnyRow>(records: readonly R[], order: Order): Promise<readonly R[]> {
  const compare = compareBy(order)
  if (records.length <= RUN) return records.toSorted(compare)
  const turn = new Turn()
  let runs: (readonly R[])[] = []
  for (let at = 0; at < records.length; at += RUN) {
    if (turn.isOver) await turn.next()
    runs.push(records.slice(at, at + RUN).sort(compare))
  }
  while (runs.length > 1) {
    const merged: (readonly R[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedRuns(runs[at] as readonly R[], runs[at + 1] ?? [], { compare, turn }))
    runs = merged
  }
  return runs[0] as readonly R[]
}

async function mergedRuns<R extends AnyRow>(
  one: readonly R[],
  other: readonly R[],
  { compare, turn }: { readonly compare: ReturnType<typeof compareBy>; readonly turn: Turn },
): Promise<readonly R[]> {
  const first = one.at(-1)
  const second = other[0]
  if (!first || !second || compare(first, second) <= 0) return [...one, ...other]
  const merged: R[] = []
  let [left, right] = [0, 0]
  while (left < one.length && right < other.length) {
    const isLeft = compare(one[left] as AnyRow, other[right] as AnyRow) <= 0
    merged.push((isLeft ? one[left++] : other[right++]) as R)
    if (merged.length % RUN === 0 && turn.isOver) await turn.next()
  }
  for (; left < one.length; left++) merged.push(one[left] as R)
  for (; right < other.length; right++) merged.push(other[right] as R)
  return merged
}

/** Returns a record's position in an order. */
export function positionOf(order: Order, record: AnyRow): Position {
  return order.map(({ field }) => record[field] as string | number | boolean | null)
}

/** A page is picked without sorting if the list is this many times longer. */
const PICK_FROM = 4

/** Returns the records after a position in an order, at most `limit`. */
export async function pageOf<R extends AnyRow>(records: readonly R[], { order, after, limit }: PageAsk): Promise<Page<R>> {
  if (limit !== null && records.length > PICK_FROM * limit) return await pickedPage(records, { order, after, limit })
  const all = await sorted(records, order)
  const start = after === null ? 0 : firstAfter(all, order, after)
  const end = limit === null ? all.length : Math.min(all.length, start + limit)
  return { records: all.slice(start, end), total: all.length, hasMore: end < all.length }
}

/** The same for a list much longer than the page: one pass keeps the first records. */
async function pickedPage<R extends AnyRow>(
  records: readonly R[],
  { order, after, limit }: PageAsk & { readonly limit: number },
): Promise<Page<R>> {
  const compare = compareBy(order)
  const turn = new Turn()
  const last = after && recordAt(order, after)
  let first: R[] = []
  let bound: R | null = null
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
    bound = first[limit - 1] as R
  }
  first.sort(compare)
  return { records: first.slice(0, limit), total: records.length, hasMore: hasMore || first.length > limit }
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
