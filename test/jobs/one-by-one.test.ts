import { expect, test } from 'vitest'
import { oneByOne } from '../../jobs/one-by-one.ts'

test('a failure keeps no other item from the work, and is thrown at the end', async () => {
  const done: number[] = []
  const work = (bad: readonly number[]) =>
    oneByOne([1, 2, 3, 4], new AbortController().signal, async (item) => {
      if (bad.includes(item)) throw new Error(`no ${item}`)
      done.push(item)
    })
  await expect(work([2])).rejects.toThrow(/^no 2$/)
  expect(done).toEqual([1, 3, 4])
  const both: unknown = await work([1, 3]).catch((error: unknown) => error)
  expect(both).toBeInstanceOf(AggregateError)
  expect(both).toMatchObject({ message: 'no 1; no 3', cause: { message: 'no 1' } })
})

test('an aborted signal ends it', async () => {
  const stop = new AbortController()
  const done: number[] = []
  const work = oneByOne([1, 2, 3], stop.signal, async (item) => {
    done.push(item)
    stop.abort(new Error('stopped'))
  })
  await expect(work).rejects.toThrow('stopped')
  expect(done).toEqual([1])
})
