import { expect, test } from 'vitest'
import { WaitingLine } from '../../../api/engine/state/read-queue.ts'
import { isQueryError } from '../../../lake/query/errors.ts'

/** Work that goes on until it is released, and the tasks begun so far. */
function held(): { readonly begun: string[]; readonly work: (name: string) => () => Promise<string>; readonly open: () => void } {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const work = (name: string) => async () => {
    begun.push(name)
    await gate.promise
    return name
  }
  return { begun, work, open: gate.resolve }
}

const refusal = (error: unknown): unknown => (isQueryError(error, 'busy') ? `busy ${error.retry_after_s}` : error)

test('work waits for its turn, in order, also after some that failed', async () => {
  const line = new WaitingLine({ most: 2, longest_ms: 10_000, retry_s: 5 })
  const { begun, work, open } = held()
  const failing = line.run(async () => {
    await work('a')()
    throw new Error('out of order')
  })
  const others = [line.run(work('b')), line.run(work('c'))]
  expect(begun).toEqual(['a'])
  open()
  await expect(failing).rejects.toThrow('out of order')
  expect(await Promise.all(others)).toEqual(['b', 'c'])
  expect(begun).toEqual(['a', 'b', 'c'])
})

test('more than may wait are refused at once, and there is room again once one has begun', async () => {
  const line = new WaitingLine({ most: 1, longest_ms: 10_000, retry_s: 5 })
  const { begun, work, open } = held()
  const taken = [line.run(work('a')), line.run(work('b'))]
  expect(refusal(await line.run(work('c')).catch((error: unknown) => error))).toBe('busy 5')
  open()
  await Promise.all(taken)
  expect(await line.run(work('d'))).toBe('d')
  expect(begun).toEqual(['a', 'b', 'd'])
})

test('a task that waits longer than its limit is refused and never begun', async () => {
  const line = new WaitingLine({ most: 5, longest_ms: 30, retry_s: 5 })
  const { begun, work, open } = held()
  const first = line.run(work('a'))
  expect(refusal(await line.run(work('b')).catch((error: unknown) => error))).toBe('busy 5')
  open()
  // A running task takes as long as it takes.
  expect(await first).toBe('a')
  expect(await line.run(work('c'))).toBe('c')
  expect(begun).toEqual(['a', 'c'])
})
