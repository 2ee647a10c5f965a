import { expect, test } from 'vitest'
import { IndexThread } from '../../../../api/features/search/index-thread.ts'

test('questions without an answer are refused when the thread is closed, and it is not reported as having ended unexpectedly', async () => {
  const ends: Error[] = []
  const thread = new IndexThread((error) => ends.push(error))
  const asked = expect(thread.memory()).rejects.toThrow('closed')
  await thread.close()
  await asked
  await expect(thread.memory()).rejects.toThrow('closed')
  expect(ends).toEqual([])
})

test('a thread that ends unexpectedly reports it once, and refuses questions before and after', async () => {
  const ends: Error[] = []
  const thread = new IndexThread((error) => ends.push(error))
  expect(await thread.memory()).toBeGreaterThan(0)
  // No documents at all break the thread.
  thread.collect(0, null as never, true)
  await expect(thread.memory()).rejects.toThrow('iterable')
  await expect(thread.memory()).rejects.toThrow('iterable')
  await thread.close()
  expect(ends.map(({ message }) => message)).toEqual([expect.stringContaining('iterable')])
})
