import { expect, test } from 'vitest'
import { memo } from '../../../api/kernel/reads/memo.ts'

test('is made once for the same arguments, and again where one of them differs', () => {
  let times = 0
  const sumOf = memo((one: { n: number }, ...others: readonly number[]) => ({
    made: ++times,
    sum: others.reduce((all, n) => all + n, one.n),
  }))
  const [first, second] = [{ n: 1 }, { n: 1 }]
  expect(sumOf(first, 2)).toEqual({ made: 1, sum: 3 })
  expect(sumOf(first, 2)).toBe(sumOf(first, 2))
  expect(sumOf(second, 2)).toEqual({ made: 2, sum: 3 })
  expect(sumOf(first, 2).made).toBe(1)
  expect(sumOf(first, 3)).toEqual({ made: 3, sum: 4 })
  expect(sumOf(first, 3, 0).made).toBe(4)
  expect(sumOf(first).made).toBe(5)
})

test('arguments that are created again are compared by their parts', () => {
  let times = 0
  const [state, other] = [{}, {}]
  const listOf = memo(
    (states: readonly object[], _at: number) => ({ made: ++times, states }),
    (states) => states as [object, ...object[]],
  )
  expect(listOf([state, other], 1).made).toBe(1)
  expect(listOf([state, other], 2).made).toBe(1)
  expect(listOf([state, {}], 2).made).toBe(2)
  expect(listOf([state], 2).made).toBe(3)
})
