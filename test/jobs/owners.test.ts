import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownedBy, ownerOf } from '../../jobs/owners.ts'

const FEEDS = Array.from({ length: 96 }, (_, at) => `feed_${at}`)
const worker = (id: string, runs: readonly string[] = FEEDS) => ({ id, runs })
const owners = (workers: readonly ReturnType<typeof worker>[]): Map<string, string | null> =>
  new Map(FEEDS.map((name) => [name, ownerOf(name, workers)]))
const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 })

describe('the owner of a feed', () => {
  test('is one of the workers that can run it, the same whatever their order, and all agree on it', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (names, seed) => {
        const workers = names.map((id, at) =>
          worker(
            id,
            FEEDS.filter((_, nth) => (nth + at + seed) % 3 !== 0),
          ),
        )
        const found = owners(workers)
        expect(owners(workers.toReversed())).toEqual(found)
        for (const [name, owner] of found) {
          const able = workers.filter(({ runs }) => runs.includes(name)).map(({ id }) => id)
          if (able.length === 0) expect(owner).toBeNull()
          else expect(able).toContain(owner)
        }
        for (const { id } of workers) expect([...ownedBy(id, workers)]).toEqual(FEEDS.filter((name) => found.get(name) === id))
      }),
    )
  })

  test('changes only for what a worker that joins takes over, and for what one that leaves owned', () => {
    fc.assert(
      fc.property(ids, fc.uuid(), (names, joining) => {
        fc.pre(!names.includes(joining))
        const [before, after] = [owners(names.map((id) => worker(id))), owners([...names, joining].map((id) => worker(id)))]
        for (const name of FEEDS) if (after.get(name) !== before.get(name)) expect(after.get(name)).toBe(joining)
      }),
    )
  })

  test('is balanced: each of four workers owns between an eighth and a half of the feeds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 4, maxLength: 4 }), (names) => {
        const workers = names.map((id) => worker(id))
        for (const { id } of workers) {
          expect(ownedBy(id, workers).size).toBeGreaterThan(96 / 8 - 6)
          expect(ownedBy(id, workers).size).toBeLessThan(96 / 2)
        }
      }),
    )
  })

  test('stays on the only machine that has its key, and a worker of an earlier version owns nothing', () => {
    const [one, other] = [worker('one'), worker('other', FEEDS.slice(1))]
    expect(ownerOf('feed_0', [one, other])).toBe('one')
    expect(ownerOf('feed_0', [other, { id: 'older' }])).toBeNull()
    expect(ownedBy('gone', [one, other]).size).toBe(0)
  })
})
