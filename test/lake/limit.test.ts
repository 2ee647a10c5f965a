import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLimit } from '../../lake/limit.ts'

test('so many pieces of work run at a time, the others in order, also after one that fails', async () => {
  const limited = createLimit(2)
  const begun: number[] = []
  let running = 0
  let most = 0
  const work = async (piece: number): Promise<number> => {
    begun.push(piece)
    most = Math.max(most, ++running)
    await sleep(5)
    running--
    if (piece === 1) throw new Error('broken')
    return piece
  }
  const ends = await Promise.allSettled(Array.from({ length: 6 }, (_, piece) => limited(() => work(piece))))
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect([most, begun]).toEqual([2, [0, 1, 2, 3, 4, 5]])
})
