import { expect, test } from 'vitest'
import { perDay, perMinute } from '../../../api/access/limits/policy.ts'
import { ProcessLimits } from '../../../api/access/limits/process-limits.ts'

const POLICIES = [perMinute(10), perDay(12)]

test('all processes together grant half, and each at least one', () => {
  const shares = [1, 2, 3, 8].map((processes) => new ProcessLimits({ processes, clock: () => 0 }).share(60))
  expect(shares).toEqual([30, 15, 10, 3])
  expect(new ProcessLimits({ processes: 4, clock: () => 0 }).share(3)).toBe(1)
})

test('the windows slide as those in Redis do', () => {
  let now_s = 500
  const limits = new ProcessLimits({ processes: 1, clock: () => now_s })
  const admitted = (): boolean => limits.charge('a', POLICIES, [1, 1]).admitted
  expect(Array.from({ length: 6 }, admitted)).toEqual([true, true, true, true, true, false])
  now_s += 60
  expect(admitted()).toBe(false)
  now_s += 1
  expect([admitted(), admitted()]).toEqual([true, false])
  expect(limits.charge('a', POLICIES, [1, 0]).admitted).toBe(true)
})

test('beside Redis it refuses nothing but for as long after an outage as what was admitted before counts', () => {
  let now_s = 500
  const limits = new ProcessLimits({ processes: 1, clock: () => now_s })
  const note = (): boolean => limits.note('a', POLICIES, [1, 1]) === null
  // Redis' seconds begin at another time: what it admits has left its window, if not this one.
  expect(Array.from({ length: 12 }, note)).toEqual(Array(12).fill(true))
  limits.begin()
  expect(limits.charge('a', POLICIES, [1, 1]).admitted).toBe(false)
  now_s += 30
  limits.end()
  expect(note()).toBe(false)
  now_s += 31
  expect(Array.from({ length: 11 }, note)).toEqual([...Array(10).fill(true), false])
  now_s += 31
  expect(note()).toBe(true)
})

test('so many slots are remembered, those that were asked for last', () => {
  const limits = new ProcessLimits({ processes: 1, clock: () => 0 })
  const first = limits.charge('first', POLICIES, [5, 5])
  for (let n = 0; n < 24_000; n++) limits.charge(`s${n}`, POLICIES, [1, 1])
  expect(limits.charge('first', POLICIES, [1, 1]).admitted).toBe(false)
  for (let n = 0; n < 51_000; n++) limits.charge(`t${n}`, POLICIES, [1, 1])
  expect(limits.charge('first', POLICIES, [3, 3]).admitted).toBe(true)
  // What was charged before is of windows that are no more.
  limits.takeBack(first.charged)
  expect(limits.charge('first', POLICIES, [0, 0]).standings.map(({ remaining }) => remaining)).toEqual([2, 3])
})
