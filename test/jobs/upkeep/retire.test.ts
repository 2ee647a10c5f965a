import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptFetch,
  fetchId,
  keepBodies,
  keepRejected,
  rejectedIds,
} from '../../../lake/raw/archive.ts'
import { retireRaw } from '../../../lake/raw/retention.ts'
import { openStore } from '../../../lake/store/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'

const FEED = 'little'
const DAY = 86_400_000
const START = Date.UTC(2026, 0, 1)

const s3 = await startS3()
afterAll(() => s3?.stop())

const STORES: readonly [string, () => Promise<ObjectStore>][] = [
  ['files', () => openStore({ url: pathToFileURL(tempFolder()).href })],
  ['S3', () => openStore((s3 as NonNullable<typeof s3>).fresh())],
]

describe.each(STORES)('raw bytes past their retention on %s', (name, open) => {
  const it = test.skipIf(name === 'S3' && !s3)

  async function archive(days: readonly number[]): Promise<ObjectStore> {
    const store = await open()
    onTestFinished(() => store.close())
    await Promise.all(days.map((day, at) => accept(store, at + 1, START + day * DAY)))
    return store
  }

  const left = async (store: ObjectStore): Promise<number[]> => (await acceptedAfter(store, FEED, 0)).map(({ seq }) => seq)
  const span = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const landed = (): boolean => true

  async function months(store: ObjectStore): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    for await (const { key } of store.list(`raw/${FEED}/bytes/`)) {
      const month = key.split('/')[3] as string
      found[month] = (found[month] ?? 0) + 1
    }
    return found
  }

  it('go with their fetches; a month of bytes stays while one fetch of it does', async () => {
    const store = await archive(span(0, 99))
    expect(await retireRaw(store, { feed: FEED, before: START + 20 * DAY, landed })).toEqual({ fetches: 20, objects: 0 })
    expect(await left(store)).toEqual(span(21, 100))
    expect(await months(store)).toEqual({ '2026-01': 31, '2026-02': 28, '2026-03': 31, '2026-04': 10 })
    expect(await retireRaw(store, { feed: FEED, before: START + 33 * DAY, landed })).toEqual({ fetches: 13, objects: 31 })
    expect(await months(store)).toEqual({ '2026-02': 28, '2026-03': 31, '2026-04': 10 })
    expect(await retireRaw(store, { feed: FEED, before: START + 33 * DAY, landed })).toEqual({ fetches: 0, objects: 0 })
  })

  it('never go with the 64 newest fetches, however old', async () => {
    const store = await archive(span(0, 69))
    expect(await retireRaw(store, { feed: FEED, before: START + 1000 * DAY, landed })).toEqual({ fetches: 6, objects: 0 })
    expect(await left(store)).toEqual(span(7, 70))
    expect(Object.keys(await months(store))).toEqual(['2026-01', '2026-02', '2026-03'])
  })

  it('never go before they have landed, nor do later ones', async () => {
    const store = await archive(span(0, 129))
    const options = { feed: FEED, before: START + 100 * DAY, landed: (seq: number) => seq !== 3 }
    expect(await retireRaw(store, options)).toEqual({ fetches: 2, objects: 0 })
    expect(await left(store)).toEqual(span(3, 130))
    expect(Object.keys(await months(store))).toEqual(['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'])
    for (const fetch of await acceptedAfter(store, FEED, 0))
      for (const { object } of fetch.bodies) expect(await store.head(object), object).not.toBeNull()
  })

  it('are found by reading no more of the log than goes, however long it is', async () => {
    const store = await archive(span(0, 400))
    let reads = 0
    const get: ObjectStore['get'] = (key, range) => {
      reads++
      return store.get(key, range)
    }
    const counted: ObjectStore = { ...store, get }
    expect(await retireRaw(counted, { feed: FEED, before: START + 33 * DAY, landed })).toEqual({ fetches: 33, objects: 31 })
    expect(reads).toBe(33 + 1 + 64)
  })

  it('of rejected fetches go with their month', async () => {
    const store = await archive(span(0, 99))
    for (const day of [3, 40]) {
      const fetchedAt = START + day * DAY + 1000
      const bodies = await keepBodies(store, FEED, fetchedAt, [body(`rejected on day ${day}`)])
      await keepRejected(store, { ...facts(fetchedAt), bodies, rejected: 'too few rows' })
    }
    await retireRaw(store, { feed: FEED, before: START + 34 * DAY, landed })
    expect(await rejectedIds(store, FEED)).toEqual([fetchId(FEED, START + 40 * DAY + 1000)])
    expect(await months(store)).toMatchObject({ '2026-02': 29 })
  })
})

const body = (text: string) => ({
  name: 'document',
  url: 'https://publisher.example/',
  status: 200,
  headers: {},
  received: Buffer.from(text),
})

const facts = (fetchedAt: number): Omit<AcceptedFetch, 'bodies' | 'seq' | 'accepted_by'> => ({
  fetch_id: fetchId(FEED, fetchedAt),
  feed: FEED,
  fetched_at: new Date(fetchedAt).toISOString(),
  data_time: new Date(fetchedAt).toISOString(),
  rows: {},
  blocks: {},
  said_missing: {},
  quarantined: 0,
  unknown_codes: 0,
  rejected: null,
})

async function accept(store: ObjectStore, seq: number, fetchedAt: number): Promise<void> {
  const bodies = await keepBodies(store, FEED, fetchedAt, [body(`fetched at ${fetchedAt}`)])
  expect(await acceptFetch(store, { ...facts(fetchedAt), bodies, seq, accepted_by: 'guard' })).toBe(true)
}
