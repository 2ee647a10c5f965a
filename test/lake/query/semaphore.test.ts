import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../../lake/config.ts'
import type { QueryError } from '../../../lake/query/errors.ts'
import { Semaphore } from '../../../lake/query/semaphore.ts'
import { asWork, type WorkKind } from '../../../lake/query/work-kind.ts'

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

test('live landings go first, then requests, restores, archives and derivations; within a kind in order', async () => {
  const slots = new Semaphore({ places: 1, queue: 20 })
  const release = await slots.take(signal)
  const order: string[] = []
  const asked = ['derive', 'archive', 'restore', 'request', 'live', 'derive', 'live'] as const
  const all = asked.map((kind, at) =>
    asWork(kind, async () => {
      // The kind belongs to the work, however deep the call is.
      await sleep(1)
      const leave = await slots.take(signal)
      order.push(`${kind} ${at}`)
      leave()
    }),
  )
  await sleep(30)
  release()
  await Promise.all(all)
  expect(order).toEqual(['live 4', 'live 6', 'request 3', 'restore 2', 'archive 1', 'derive 0', 'derive 5'])
})

/** What enters a semaphore, by kind of work, in the order of admission. */
function entering(slots: Semaphore): { readonly order: string[]; readonly enter: (kind: WorkKind) => Promise<void> } {
  const order: string[] = []
  const enter = (kind: WorkKind): Promise<void> =>
    asWork(kind, async () => {
      const leave = await slots.take(signal)
      order.push(kind)
      leave()
    })
  return { order, enter }
}

test('work of the last kind that has waited long enough is next, however much live work comes', async () => {
  const slots = new Semaphore({ places: 1, queue: 20, aged_ms: 30 })
  const release = await slots.take(signal)
  const { order, enter } = entering(slots)
  const waiting = [enter('derive'), enter('live')]
  await sleep(60)
  waiting.push(enter('live'))
  release()
  await Promise.all(waiting)
  expect(order).toEqual(['derive', 'live', 'live'])
})

test('of much work that has waited too long, each goes in turn with live work', async () => {
  const slots = new Semaphore({ places: 1, queue: 20, aged_ms: 30 })
  const release = await slots.take(signal)
  const { order, enter } = entering(slots)
  const waiting = Array.from({ length: 4 }, () => enter('derive'))
  await sleep(60)
  waiting.push(...Array.from({ length: 3 }, () => enter('live')))
  release()
  await Promise.all(waiting)
  expect(order).toEqual(['derive', 'live', 'derive', 'live', 'derive', 'live', 'derive'])
})

test('waiting for a free slot takes none', async () => {
  const slots = new Semaphore({ places: 1, queue: 2 })
  const release = await slots.take(signal)
  const waited = slots.free(signal)
  release()
  await waited
  expect(slots.load).toEqual({ taken: 0, waiting: 0 })
})
