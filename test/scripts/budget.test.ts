import { expect, test } from 'vitest'
import { overBudget, slowdown, slowest } from '../helpers/budget.ts'
import type { FileResult } from '../helpers/report.ts'
import { REFERENCE_MS } from '../helpers/speed.ts'

const file = (path: string, ms: number, tests: readonly number[], fixedWork_ms = REFERENCE_MS, load = 1): FileResult => ({
  ...{ path, ms, load_ms: 0, fixedWork_ms, load, cpu_ms: ms, state: 'passed', errors: [] },
  tests: tests.map((test_ms, nth) => ({ name: `test ${nth}`, state: 'passed', ms: test_ms, errors: [] })),
})

test('a run within its budget prints nothing', () => {
  expect(overBudget([file('a', 8000, [2000, 1]), file('b', 1, [])])).toEqual([])
})

test('a test, a file and the sum above their budget are named', () => {
  expect(overBudget([file('a', 100, [2001])])).toEqual([expect.stringMatching(/^over budget: a > test 0 took 2\.0 s of 2 s; .*deep/)])
  expect(overBudget([file('b', 8001, [1])])).toEqual([expect.stringMatching(/^over budget: b took 8\.0 s of 8 s/)])
  const many = Array.from({ length: 101 }, (_, nth) => file(`c${nth}`, 7999, []))
  expect(overBudget(many)).toEqual([expect.stringMatching(/^over budget: all files together took 807\.9 s of 800 s/)])
})

test('a slower machine has proportionally more time, and a faster one no less', () => {
  const slow = [1, 2, 3].map((nth) => file(`${nth}`, 15_000, [3900], 2 * REFERENCE_MS))
  expect(slowdown(slow)).toBe(2)
  expect(overBudget(slow)).toEqual([])
  expect(overBudget([...slow, file('a', 17_000, [], 2 * REFERENCE_MS)])).toEqual([expect.stringContaining('times 2.0')])
  expect(slowdown([file('a', 1, [], REFERENCE_MS / 2)])).toBe(1)
  expect(slowdown([file('a', 1, [], REFERENCE_MS, 6)])).toBe(3)
})

test('the slowest files are first', () => {
  expect(slowest([file('a', 1000, []), file('b', 3000, []), file('c', 2000, [])], 2)).toEqual(['    3.0 s  b', '    2.0 s  c'])
})
