import { expect, test } from 'vitest'
import { perDay, perMinute } from '../../../api/access/limits/policy.ts'
import { ProcessLimits } from '../../../api/access/limits/process-limits.ts'

const POLICIES = [perMinute(10), perDay(12)]

test('a share is half, less where more than two processes serve, and at least one', () => {
  const shares = [1, 2, 3, 8].map((processes) => new ProcessLimits({ processes, clock: () => 0 }).share(60))
  expect(shares).toEqual([30, 30, 20, 7])
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
