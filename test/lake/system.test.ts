import { expect, test } from 'vitest'
import { fileStore } from '../../lake/store/file.ts'
import { claimLake, readFeedListings, writeFeedListings } from '../../lake/system.ts'
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

test('a lake is claimed again in its own mode, with the record of its begin, and refused in another', async () => {
  const store = await fileStore(tempFolder())
  const begun = await claimLake(store, 'simulated', Date.UTC(2026, 0, 2))
  expect(begun).toEqual({ mode: 'simulated', created_at: '2026-01-02T00:00:00.000Z' })
  expect(await claimLake(store, 'simulated', Date.UTC(2026, 0, 3))).toEqual(begun)
  await expect(claimLake(store, 'live', Date.UTC(2026, 0, 3))).rejects.toThrow(/contains simulated data, it cannot take live data/)
})
