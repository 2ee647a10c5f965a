import { expect, onTestFinished, test } from 'vitest'
import { openTableVersions } from '../../../lake/live/table-versions.ts'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptFetch,
  logAfter,
  newsAfter,
  withdrawAccepted,
  withdrawnSeqs,
} from '../../../lake/raw/archive.ts'
import { announceLogs } from '../../../lake/raw/log-position.ts'
import { countingStore } from '../../../lake/store/counting.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

const keyOf = (seq: number): string => `raw/a/log/${String(seq).padStart(10, '0')}.json`
const put = (store: ObjectStore, seq: number): Promise<void> => store.put(keyOf(seq), Buffer.from(JSON.stringify({ seq })))

/** A store of files that counts the listings of the log. */
async function counted(): Promise<{ readonly store: ObjectStore; readonly listings: () => number }> {
  const files = await fileStore(tempFolder())
  let listings = 0
  return {
    store: {
      ...files,
      list: (prefix, options) => {
        if (prefix === 'raw/a/log/') listings++
        return files.list(prefix, options)
      },
    },
    listings: () => listings,
  }
}

test('a turn finds what others accepted by name, in order, and lists the log only once', async () => {
  const { store, listings } = await counted()
  for (const seq of [7, 8, 9]) await put(store, seq)
  const seqs = async (after: number): Promise<number[]> => (await newsAfter(store, 'a', after)).map(({ seq }) => seq)
  expect(await seqs(9)).toEqual([])
  expect(listings()).toBe(1)
  for (const seq of [10, 11]) await put(store, seq)
  expect([await seqs(9), await seqs(11), await seqs(8)]).toEqual([[10, 11], [], [9, 10, 11]])
  expect(listings()).toBe(1)
  // The oldest, which each landing asks for.
  await acceptedAfter(store, 'a', 0, 1)
  const before = listings()
  expect((await acceptedAfter(store, 'a', 0, 1)).map(({ seq }) => seq)).toEqual([7])
  expect(listings()).toBe(before)
  await store.delete(keyOf(7))
  expect((await acceptedAfter(store, 'a', 0, 1)).map(({ seq }) => seq)).toEqual([8])
})

test('entries behind a lost one are found by the next listing, ten minutes later, and at once from a lost one', async () => {
  const { store } = await counted()
  for (const seq of [1, 2, 4, 5]) await put(store, seq)
  const seqs = async (after: number): Promise<number[]> => (await newsAfter(store, 'a', after)).map(({ seq }) => seq)
  expect(await seqs(1)).toEqual([2, 4, 5])
  expect(await seqs(2)).toEqual([])
  expect((await logAfter(store, 'a', 2)).map(({ seq }) => seq)).toEqual([4, 5])
  expect(await seqs(3)).toEqual([4, 5])
  expect((await newsAfter(store, 'a', 2, 0)).map(({ seq }) => seq)).toEqual([4, 5])
})

test('nothing is asked while no number is announced, and an announced one is found at once, as one of this process is', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const files = await fileStore(tempFolder())
  let sent = 0
  /** One process's view of the store. */
  const process = async (onRequest = () => {}): Promise<ObjectStore> => {
    const store = countingStore(files, onRequest)
    const versions = openTableVersions(redis.url)
    onTestFinished(() => versions.close())
    announceLogs(store, versions)
    await until('announcements', () => versions.epoch !== null)
    return store
  }
  const [reader, writer] = [await process(() => sent++), await process()]
  const accept = (store: ObjectStore, seq: number): Promise<boolean> =>
    acceptFetch(store, { feed: 'a', seq, fetch_id: `a.${seq}` } as AcceptedFetch)
  const seqs = async (after: number): Promise<number[]> => (await newsAfter(reader, 'a', after)).map(({ seq }) => seq)

  expect(await seqs(0)).toEqual([])
  sent = 0
  expect([await seqs(0), await seqs(0)]).toEqual([[], []])
  expect(sent).toBe(0)
  await accept(writer, 1)
  await accept(writer, 2)
  await until('the announced ones', async () => (await seqs(0)).length === 2)
  sent = 0
  expect(await seqs(2)).toEqual([])
  expect(sent).toBe(0)
  expect([await seqs(1), await seqs(0)]).toEqual([[2], [1, 2]])
  await accept(reader, 3)
  expect([await seqs(2), await seqs(3)]).toEqual([[3], []])

  expect([...(await withdrawnSeqs(reader, 'a'))]).toEqual([])
  sent = 0
  await withdrawnSeqs(reader, 'a')
  expect([await seqs(0), sent]).toEqual([[1, 2, 3], 3])
  for (const seq of [2, 1]) {
    await withdrawAccepted(writer, { feed: 'a', seq, fetch_id: `a.${seq}` } as AcceptedFetch, 'wrong')
    await until('the withdrawal', async () => (await withdrawnSeqs(reader, 'a')).has(seq))
  }

  // A writer without Redis announces nothing: the next listing finds what it accepted, or whoever finds its number taken.
  await accept(files, 4)
  expect(await seqs(3)).toEqual([])
  expect((await newsAfter(reader, 'a', 3, 0)).map(({ seq }) => seq)).toEqual([4])
  await accept(files, 5)
  expect([await seqs(4), await accept(reader, 5), await seqs(4)]).toEqual([[], false, [5]])
  await redis.kill()
  await until('Redis away', async () => {
    sent = 0
    await seqs(5)
    return sent > 0
  })
  await accept(files, 6)
  expect(await seqs(5)).toEqual([6])
  await redis.restart()
})

test('numbers that were never seen between others are not taken for fetches', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const store = countingStore(await fileStore(tempFolder()), () => {})
  const versions = openTableVersions(redis.url)
  onTestFinished(() => versions.close())
  announceLogs(store, versions)
  await until('announcements', () => versions.epoch !== null)
  for (const seq of [1, 2, 3, 8, 9]) await put(store, seq)
  const seqs = async (after: number): Promise<number[]> => (await newsAfter(store, 'a', after)).map(({ seq }) => seq)
  expect(await seqs(1)).toEqual([2, 3, 8, 9])
  expect([await seqs(9), await seqs(8), await seqs(2), await seqs(0)]).toEqual([[], [9], [3], [1, 2, 3, 8, 9]])
  await acceptFetch(store, { feed: 'a', seq: 12, fetch_id: 'a.12' } as AcceptedFetch)
  expect([await seqs(12), await seqs(11), await seqs(9)]).toEqual([[], [12], []])
  expect((await newsAfter(store, 'a', 0, 0)).map(({ seq }) => seq)).toEqual([1, 2, 3, 8, 9, 12])
})

test('a number that is found taken while another read looks for the end is looked for again', async () => {
  const files = await fileStore(tempFolder())
  const gate = Promise.withResolvers<void>()
  let looks = 0
  const store: ObjectStore = {
    ...files,
    head: async (key) => {
      const found = await files.head(key)
      if (key === keyOf(2) && ++looks === 1) await gate.promise
      return found
    },
  }
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const versions = openTableVersions(redis.url)
  onTestFinished(() => versions.close())
  announceLogs(store, versions)
  await until('announcements', () => versions.epoch !== null)
  await put(files, 1)
  await newsAfter(store, 'a', 0)
  // Our number is taken once, so that the next read looks for the end by its name.
  expect(await acceptFetch(store, { feed: 'a', seq: 1, fetch_id: 'a.1' } as AcceptedFetch)).toBe(false)
  const reading = newsAfter(store, 'a', 1)
  await until('the look', () => looks === 1)
  // Another process, which announces nothing, takes 2; we find that out before the read ends.
  await put(files, 2)
  expect(await acceptFetch(store, { feed: 'a', seq: 2, fetch_id: 'a.2' } as AcceptedFetch)).toBe(false)
  gate.resolve()
  expect(await reading).toEqual([])
  expect((await newsAfter(store, 'a', 1)).map(({ seq }) => seq)).toEqual([2])
})
