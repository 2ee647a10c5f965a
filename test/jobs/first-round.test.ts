import { expect, test } from 'vitest'
import { feeds } from '../../jobs/feeds/catalog.ts'
import type { Feed } from '../../jobs/feeds/define.ts'
import { makeFirstRound } from '../../jobs/first-round.ts'

const archive = feeds.find((feed) => feed.archive) as Feed
const [one, other] = feeds.filter((feed) => !feed.archive) as [Feed, Feed]
const LONG_MS = 60_000

test('archives wait until all other feeds have landed once, whatever came of it', async () => {
  const round = makeFirstRound([archive, one, other], LONG_MS)
  const order: string[] = []
  const fetch = (feed: Feed) => round.fetch(feed, async () => void order.push(feed.id))
  const waiting = fetch(archive)
  await fetch(one)
  await expect(round.fetch(other, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  const landing = round.land(
    one,
    async () => undefined,
    async () => undefined,
  )
  await Promise.resolve()
  expect(order).toEqual([one.id])
  await expect(
    round.land(
      other,
      () => Promise.reject(new Error('full')),
      async () => undefined,
    ),
  ).rejects.toThrow('full')
  await Promise.all([waiting, landing])
  expect(order).toEqual([one.id, archive.id])
})

test('work after a landing waits until all requested ones have landed; a landing before the first fetch does not count', async () => {
  const round = makeFirstRound([archive, one, other], LONG_MS)
  const order: string[] = []
  const land = (feed: Feed, name: string) =>
    round.land(
      feed,
      async () => void order.push(name),
      async () => void order.push(`after ${name}`),
    )
  const early = land(one, 'too early')
  await round.fetch(one, async () => undefined)
  await round.fetch(other, async () => undefined)
  const first = land(one, 'one')
  await Promise.resolve()
  expect(order).toEqual(['too early', 'one'])
  await Promise.all([land(other, 'other'), early, first])
  expect(order.slice(0, 3)).toEqual(['too early', 'one', 'other'])
  expect(order).toHaveLength(6)
})

test('the wait ends by itself, for another worker may do it, and when the worker stops', async () => {
  const short = makeFirstRound([archive, one], 40)
  const began = performance.now()
  await Promise.all([
    short.fetch(archive, async () => undefined),
    short.land(
      archive,
      async () => undefined,
      async () => undefined,
    ),
  ])
  expect(performance.now() - began).toBeGreaterThan(35)
  const stopped = makeFirstRound([archive, one], LONG_MS)
  stopped.end()
  expect(await stopped.fetch(archive, async () => 'asked')).toBe('asked')
  expect(
    await stopped.land(
      archive,
      async () => 'landed',
      async () => undefined,
    ),
  ).toBe('landed')
  expect(await makeFirstRound([archive], LONG_MS).fetch(archive, async () => 'asked')).toBe('asked')
})

test('the phase is LOADING until what is derived from the first landings is there, and BACKFILLING until archives are', async () => {
  const round = makeFirstRound([archive, one, other], LONG_MS)
  const derived = Promise.withResolvers<void>()
  for (const feed of [one, other]) await round.fetch(feed, async () => undefined)
  const landings = [one, other].map((feed) =>
    round.land(
      feed,
      async () => undefined,
      () => derived.promise,
    ),
  )
  await round.landed
  expect(round.phase).toBe('LOADING')
  derived.resolve()
  await Promise.all(landings)
  expect(round.phase).toBe('BACKFILLING')
  await round.restore(async () => false)
  expect(round.phase).toBe('BACKFILLING')
  await round.restore(async () => true)
  expect(round.phase).toBe('STEADY')
})
