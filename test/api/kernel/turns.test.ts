import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBy, pageOf, positionOf, sorted } from '../../../api/engine/request/paging.ts'
import { Turn } from '../../../api/kernel/http/turns.ts'
import type { Order, Page, Position } from '../../../api/kernel/page.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'

/** Blocks the event loop for the given time in ms. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('however many pieces of long work there are, other work comes in between', async () => {
  let between = 0
  let going = true
  const watch = (): void => {
    between++
    if (going) setImmediate(watch)
  }
  const ends: number[] = []
  const long = async (name: number): Promise<void> => {
    const turn = new Turn()
    for (let step = 0; step < 40; step++) {
      if (turn.isOver) await turn.next()
      work(2)
    }
    ends.push(name)
  }
  const all = [0, 1, 2, 3, 4, 5].map(async (name) => {
    await new Turn().next()
    await long(name)
  })
  setImmediate(watch)
  await Promise.all(all)
  going = false
  expect(ends.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
  // Of 240 steps of 2 ms, a share of 10 ms has six at most: forty shares or nearly so.
  expect(between).toBeGreaterThan(35)
})

test('a list is sorted as at a stretch, whatever its order was', async () => {
  const order: Order = [
    { field: 'value', falling: false, ranks: null },
    { field: 'id', falling: false, ranks: null },
  ]
  const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 50 }))
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 0, maxLength: 6000, size: 'max' }), fc.boolean(), async (values, isOrdered) => {
      const rows = values.map((one, id) => ({ value: one, id }))
      const expected = rows.toSorted(compareBy(order))
      expect(await sorted(isOrdered ? expected : rows, order)).toEqual(expected)
    }),
    { numRuns: 20 },
  )
})

test('pages of a list are those of the sorted list, whether they are picked or cut out of it', async () => {
  const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 9 }))
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 120 }), fc.integer({ min: 1, max: 40 }), fc.boolean(), async (values, limit, falling) => {
      const order: Order = ['value', 'id'].map((field) => ({ field, falling, ranks: null }))
      const rows = values.map((one, id) => ({ value: one, id }))
      const pages = []
      let after: Position | null = null
      do {
        const page: Page<AnyRow> = await pageOf(rows, { order, after, limit })
        pages.push(page.records)
        after = page.hasMore ? positionOf(order, page.records.at(-1) as AnyRow) : null
      } while (after)
      expect(pages.flat()).toEqual(rows.toSorted(compareBy(order)))
      expect(pages.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.max(1, Math.ceil(rows.length / limit)) }, (_, at) => Math.min(limit, rows.length - at * limit)),
      )
    }),
    { numRuns: 300 },
  )
})
