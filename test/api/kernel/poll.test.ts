import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { poll } from '../../../api/kernel/http/poll.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work is repeated, never twice at once, and goes on after a failure', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const errors: string[] = []
  const end = poll(
    () => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    },
    { every_ms: 10, onError: ({ message }) => errors.push(message) },
  )
  await vi.advanceTimersByTimeAsync(35)
  expect(runs).toHaveLength(1)
  runs[0]?.reject(new Error('first'))
  await vi.advanceTimersByTimeAsync(10)
  expect([runs.length, errors]).toEqual([2, ['first']])
  runs[1]?.resolve()
  await vi.advanceTimersByTimeAsync(10)
  expect(runs).toHaveLength(3)
  end()
  runs[2]?.reject(new Error('after the end'))
  await vi.advanceTimersByTimeAsync(100)
  expect([runs.length, errors]).toEqual([3, ['first']])
})
