import { expect, test } from 'vitest'
import { fileStore } from '../../lake/store/file.ts'
import { readFeedListings, writeFeedListings } from '../../lake/system.ts'
import { tempFolder } from '../helpers/temp.ts'

test('the list of feeds is written only where it differs, so that its time is that of the change', async () => {
  const store = await fileStore(tempFolder())
  const feed = { id: 'a', domain: 'road', source: 'b', datasets: ['c'], every_s: 60, urls: ['https://example.org/'], enabled: true }
  const modified = async (): Promise<number | undefined> => (await store.head('system/feeds.json'))?.modified_at
  await writeFeedListings(store, [feed])
  const first = await modified()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await writeFeedListings(store, [feed])
  expect(await modified()).toBe(first)
  await writeFeedListings(store, [{ ...feed, every_s: 30 }])
  expect(await modified()).not.toBe(first)
  expect(await readFeedListings(store)).toEqual([{ ...feed, every_s: 30 }])
})
