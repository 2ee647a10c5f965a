import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import {
  type AcceptedFetch,
  acceptedAfter,
  acceptedFrom,
  acceptFetch,
  dropAccepted,
  findAccepted,
  logEnds,
  newestAccepted,
  rejectedIds,
  withdrawAccepted,
} from '../../../lake/raw/archive.ts'
import { openStore } from '../../../lake/store/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'

const stores: ObjectStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function open(): Promise<ObjectStore> {
  const store = await openStore({ url: pathToFileURL(tempFolder()).href })
  stores.push(store)
  return store
}

/** Keeps a log whose fetches the guard accepted at ever newer data times, and operators at any before or after. */
async function log(store: ObjectStore, feed: string, steps: readonly { readonly ahead: number; readonly late: number | null }[]) {
  const kept: AcceptedFetch[] = []
  let newest = 1_000_000
  for (const { ahead, late } of steps) {
    const at = late === null ? newest + ahead : Math.max(1, newest - late)
    newest = Math.max(newest, at)
    const facts = { bodies: [], rows: {}, blocks: {}, said_missing: {}, quarantined: 0, unknown_codes: 0, rejected: null }
    const data_time = new Date(at * 1000).toISOString()
    const seq = kept.length + 1
    const accepted_by = late === null ? 'guard' : 'operator'
    kept.push({ ...facts, feed, fetch_id: `${feed}.${seq}`, fetched_at: data_time, data_time, seq, accepted_by })
    await acceptFetch(store, kept.at(-1) as AcceptedFetch)
  }
  return kept
}

const time = ({ data_time }: AcceptedFetch): number => Date.parse(data_time)
const step = fc.record({ ahead: fc.integer({ min: 1, max: 50 }), late: fc.option(fc.integer({ min: -30, max: 300 }), { freq: 3 }) })

test('finds the fetches from a time on, the newest and the ends of a log as reading all of it would', async () => {
  const store = await open()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 0, max: 10 }), fc.nat(), async (steps, dropped, pick) => {
      const feed = `feed${run++}`
      const all = await log(store, feed, steps)
      for (const { seq } of all.slice(0, dropped)) await dropAccepted(store, feed, seq)
      const left = all.slice(dropped)
      expect(await logEnds(store, feed)).toEqual(left.length === 0 ? null : { first: dropped + 1, last: all.length })
      const from = left.length === 0 ? 0 : time(left[pick % left.length] as AcceptedFetch)
      expect(await acceptedFrom(store, feed, from)).toEqual(left.filter((one) => time(one) >= from))
      expect(await acceptedFrom(store, feed, from + 1)).toEqual(left.filter((one) => time(one) > from))
      const newest = Math.max(...left.map(time))
      expect((await newestAccepted(store, feed))?.data_time ?? null).toBe(left.length === 0 ? null : new Date(newest).toISOString())
      expect(await acceptedAfter(store, feed, dropped + 1, 2)).toEqual(left.slice(1, 3))
    }),
    { numRuns: byTier(6, 60) },
  )
})

test('does so too where records are gone, damaged or withdrawn', async () => {
  const store = await open()
  let run = 0
  const fate = fc.constantFrom('kept', 'kept', 'kept', 'gone', 'damaged', 'withdrawn')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fate), { minLength: 1, maxLength: 30 }), fc.nat(), async (drawn, pick) => {
      const feed = `torn${run++}`
      const all = await log(
        store,
        feed,
        drawn.map(([one]) => one),
      )
      const those = (wanted: string): AcceptedFetch[] => all.filter((_, at) => drawn[at]?.[1] === wanted)
      for (const { seq } of those('gone')) await dropAccepted(store, feed, seq)
      for (const { seq } of those('damaged')) await store.put(`raw/${feed}/log/${String(seq).padStart(10, '0')}.json`, Buffer.from('{"se'))
      for (const one of those('withdrawn')) await withdrawAccepted(store, one, 'a test')
      const left = those('kept')
      const held = all.filter(({ seq }) => drawn[seq - 1]?.[1] !== 'gone').map(({ seq }) => seq)
      expect(await logEnds(store, feed)).toEqual(held.length === 0 ? null : { first: held[0], last: held.at(-1) })
      expect(await acceptedAfter(store, feed, 0)).toEqual(left)
      expect(await acceptedAfter(store, feed, 0, 2)).toEqual(left.slice(0, 2))
      const from = left.length === 0 ? 0 : time(left[pick % left.length] as AcceptedFetch)
      expect(await acceptedFrom(store, feed, from)).toEqual(left.filter((one) => time(one) >= from))
      const newest = left.length === 0 ? null : Math.max(...left.map(time))
      expect((await newestAccepted(store, feed))?.data_time ?? null).toBe(newest === null ? null : new Date(newest).toISOString())
      expect((await rejectedIds(store, feed)).sort()).toEqual(
        those('withdrawn')
          .map(({ fetch_id }) => fetch_id)
          .sort(),
      )
      for (const one of all.slice(0, 3)) {
        const kind = drawn[one.seq - 1]?.[1]
        const expected = { accepted: kind === 'kept' ? one : null, withdrawn: kind === 'withdrawn' }
        expect(await findAccepted(store, one.fetch_id)).toEqual(expected)
      }
    }),
    { numRuns: byTier(6, 60) },
  )
})
