import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../lake/config.ts'
import type { QueryError } from '../../../lake/query/errors.ts'
import { Semaphore } from '../../../lake/query/semaphore.ts'

const { signal } = new AbortController()

/** The refusal of a place. */
async function refused(slots: Semaphore): Promise<QueryError> {
  return await slots.take(signal).then(
    () => Promise.reject(new Error('there was a place')),
    (error: QueryError) => error,
  )
}

test('many may wait by default, and each gets its turn', async () => {
  const queue = SETTINGS.queryQueue.fallback
  expect(queue).toBeGreaterThanOrEqual(64)
  const slots = new Semaphore({ places: 2, queue })
  let most = 0
  let running = 0
  const work = async (): Promise<void> => {
    const release = await slots.take(signal)
    most = Math.max(most, ++running)
    await sleep(1)
    running--
    release()
  }
  const all = Array.from({ length: queue + 2 }, work)
  expect(await refused(slots)).toMatchObject({ code: 'busy', retry_after_s: 1 })
  await Promise.all(all)
  expect([most, slots.load]).toEqual([2, { taken: 0, waiting: 0 }])
})

test('a refusal includes the expected wait of those in the queue', async () => {
  const slots = new Semaphore({ places: 1, queue: 8 })
  const hold = await slots.take(signal)
  await sleep(400)
  hold()
  const held = await slots.take(signal)
  const waiting = Array.from({ length: 8 }, async () => (await slots.take(signal))())
  const { retry_after_s } = await refused(slots)
  // Eight, of 0.4 s each.
  expect(retry_after_s).toBeGreaterThanOrEqual(4)
  expect(retry_after_s).toBeLessThanOrEqual(8)
  held()
  await Promise.all(waiting)
})
