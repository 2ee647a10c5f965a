import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBy, type Order, sorted } from '../../api/http/paging.ts'
import { Turn } from '../../api/http/turns.ts'

/** Keeps the event loop for so many ms. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('however many pieces of long work there are, other work comes in between', async () => {
  let longest = 0
  let last = performance.now()
  let going = true
  const watch = (): void => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
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
  // 480 ms of work, in shares of 10 ms; other processes may hold up this one.
  expect(longest).toBeLessThan(100)
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
