import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addSeqs,
  countSeqs,
  coverageOf,
  formatSeqs,
  hasSeq,
  holdSame,
  holdsUpTo,
  isUnchangedUpTo,
  type Landed,
  type LandingFetch,
  lackingIn,
  landedOf,
  landedProperties,
  landedWith,
  listSeqs,
  parseSeqs,
  rebuiltFrom,
  removeSeqs,
  toWithdraw,
} from '../../lake/landed.ts'
import type { FeedListing } from '../../lake/live/freshness.ts'

test('a set of sequences has the added ones, in the shortest intervals, and survives its text', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 60 }))), (batches) => {
      let set = parseSeqs('')
      const model = new Set<number>()
      for (const batch of batches) {
        set = addSeqs(set, batch)
        for (const seq of batch) model.add(seq)
      }
      for (let seq = 0; seq <= 61; seq++) expect(hasSeq(set, seq)).toBe(model.has(seq))
      expect(countSeqs(set)).toBe(model.size)
      expect(parseSeqs(formatSeqs(set))).toEqual(set)
      for (let at = 1; at < set.length; at++)
        expect((set[at] as readonly [number, number])[0]).toBeGreaterThan((set[at - 1] as readonly [number, number])[1] + 1)
    }),
  )
})

/** Sequence numbers in no order. */
const seqs = fc.array(fc.integer({ min: 1, max: 40 }))

test('a set without some sequences has the others, in the shortest intervals', () => {
  fc.assert(
    fc.property(seqs, seqs, (held, gone) => {
      const left = removeSeqs(addSeqs([], held), gone)
      expect(left).toEqual(
        addSeqs(
          [],
          held.filter((seq) => !gone.includes(seq)),
        ),
      )
    }),
  )
})

test('a record takes fetches, those that gave no rows among them, and takes them back out when they do', () => {
  const fetch = (seq: number, lost = false) => ({ seq, data_time: seq * 1000, gives: lost ? ('lost' as const) : ('rows' as const) })
  const nothing = landedOf({}, 'x')
  const first = landedWith(nothing, [fetch(1), fetch(2, true), fetch(3, true)], 'a1')
  const landedBy = { release: 'a1', after: 0 }
  expect(first).toEqual({
    seqs: [[1, 3]],
    lost: [[2, 3]],
    withdrawn: [],
    until: 3000,
    rebuildFrom: null,
    rebuilds: 0,
    rebuilt: [],
    landedBy,
  })
  const mended = landedWith(first, [fetch(2)], 'a1')
  expect(mended).toEqual({ ...first, lost: [[3, 3]] })
  expect(landedWith(first, [fetch(4)], 'b2')).toMatchObject({ seqs: [[1, 4]], landedBy: { release: 'b2', after: 3 } })
  expect(landedWith(nothing, [], 'a1')).toEqual({ ...nothing, landedBy })
  const properties = Object.entries(landedProperties('x', mended)).filter((one): one is [string, string] => one[1] !== null)
  expect(landedOf(Object.fromEntries(properties), 'x')).toEqual(mended)
})

test('a record takes fetches that were withdrawn or lost their record without a time, and lists those whose rows have to go', () => {
  const fetches: LandingFetch[] = [
    { seq: 1, data_time: 1000, gives: 'rows' },
    { seq: 2, data_time: null, gives: 'withdrawn' },
    { seq: 3, data_time: null, gives: 'lost' },
  ]
  const landed = landedWith(landedOf({}, 'x'), fetches, 'a1')
  const sets = { seqs: [[1, 3]], lost: [[3, 3]], withdrawn: [[2, 2]] }
  expect(landed).toEqual({ ...sets, until: 1000, rebuildFrom: null, rebuilds: 1, rebuilt: [], landedBy: { release: 'a1', after: 0 } })
  expect(toWithdraw(landed, [1, 2, 3, 4])).toEqual([1, 3])
  const properties = Object.entries(landedProperties('x', landed)).filter((one): one is [string, string] => one[1] !== null)
  expect(landedOf(Object.fromEntries(properties), 'x')).toEqual(landed)
})

test('a record knows from when on its rows were replaced, and what was before', () => {
  const then: Landed = { ...landedOf({}, 'x'), seqs: [[1, 9]], until: 9000 }
  let now = rebuiltFrom(then, { ...then, rebuilds: 1 }, 5000)
  now = rebuiltFrom(now, { ...now, rebuilds: 3 }, 7000)
  expect(now.rebuilt).toEqual([
    [1, 5000],
    [2, 7000],
    [3, 7000],
  ])
  expect([4999, 5000].map((until) => isUnchangedUpTo(until, then, now))).toEqual([true, false])
  expect(isUnchangedUpTo(6999, { ...then, rebuilds: 1 }, now)).toBe(true)
  // A replacement whose beginning is unknown, and a table that was rolled back.
  expect(isUnchangedUpTo(1, then, { ...now, rebuilds: 4 })).toBe(false)
  expect(isUnchangedUpTo(1, now, then)).toBe(false)
  for (let nth = 0; nth < 40; nth++) now = rebuiltFrom(now, { ...now, rebuilds: now.rebuilds + 1 }, 8000)
  expect(now.rebuilt).toHaveLength(16)
  expect(isUnchangedUpTo(1, then, now)).toBe(false)
  const properties = Object.entries(landedProperties('x', now)).filter((one): one is [string, string] => one[1] !== null)
  expect(landedOf(Object.fromEntries(properties), 'x')).toEqual(now)
})

test('a set lists what it has and what another lacks', () => {
  fc.assert(
    fc.property(seqs, seqs, (some, others) => {
      const [one, other] = [addSeqs([], some), addSeqs([], others)]
      const lacking = [...new Set(some)].filter((seq) => !others.includes(seq)).sort((first, second) => first - second)
      expect(lackingIn(other, one)).toEqual(addSeqs([], lacking))
      expect(listSeqs(lackingIn(other, one))).toEqual(lacking)
    }),
  )
})

test('a month of five-minute fetches is one interval', () => {
  expect(
    formatSeqs(
      addSeqs(
        [],
        Array.from({ length: 8640 }, (_, at) => at + 1),
      ),
    ),
  ).toBe('1-8640')
})

test('junk is refused', () => {
  for (const text of ['x', '1-', '5-1', '1,,2']) expect(() => parseSeqs(text)).toThrow('no set of sequences')
})

describe('the covered period of a dataset of several feeds', () => {
  const feed = (id: string, enabled = true): FeedListing => ({
    ...{ id, enabled, domain: 'road', source: id, every_s: 60, urls: [] },
    datasets: id === 'other' ? ['sensors'] : ['incidents'],
  })
  const landed = { dgt: 3000, sct: 1000, euskadi: 2000 }

  test('is the landing of the slowest of them; the newest row is that of the fastest', () => {
    const feeds = [feed('dgt'), feed('sct'), feed('euskadi')]
    expect(coverageOf('incidents', landed, feeds)).toEqual({ until: 1000, newest: 3000 })
  })

  test('is not held back by one that is turned off, that fills other datasets, or that never landed', () => {
    const feeds = [feed('dgt'), feed('sct', false), feed('euskadi'), feed('other'), feed('new')]
    expect(coverageOf('incidents', { ...landed, other: 500 }, feeds)).toEqual({ until: 2000, newest: 3000 })
  })

  test('is that of all where none runs any more or none is announced yet, and nothing where nothing landed', () => {
    expect(coverageOf('incidents', landed, [feed('sct', false)])).toEqual({ until: 1000, newest: 3000 })
    expect(coverageOf('incidents', landed, [])).toEqual({ until: 1000, newest: 3000 })
    expect(coverageOf('incidents', {}, [feed('dgt')])).toEqual({ until: null, newest: null })
  })
})

test.each([
  ['the same', ['1-8', '1-8'], true],
  ['one fetch less', ['1-8', '1-7'], false],
  ['nothing', ['1-8', ''], false],
  ['nothing at all', ['', ''], true],
  ['the same from where the younger begins', ['1-8', '5-8'], true],
  ['the same of three that begin one after the other', ['1-8', '5-8', '7-8'], true],
  ['less while the younger is still being filled', ['1-8', '5-6'], false],
  ['the next publication in the younger first', ['1-8', '5-9'], false],
  ['a publication in a new table first', ['1-8', '9'], false],
])('tables that hold %s', (_what, sets, expected) => {
  expect(
    holdSame(
      'x',
      sets.map((set) => ({ 'landed.x': set })),
    ),
  ).toBe(expected)
})

test('tables differ by the fetches withdrawn since both began, and while one is derived again', () => {
  const older = { 'landed.x': '1-8', 'withdrawn.x': '2,6' }
  expect(holdSame('x', [older, { 'landed.x': '5-8', 'withdrawn.x': '6' }])).toBe(true)
  expect(holdSame('x', [older, { 'landed.x': '5-8' }])).toBe(false)
  expect(holdSame('x', [older, { ...older, 'rebuild-from.x': '2026-01-02T00:00:00.000Z' }])).toBe(false)
})

test('a table has all up to a fetch where none before it is missing or half derived', () => {
  const hasUpTo = (properties: Record<string, string>): boolean[] => [1, 8, 9].map((seq) => holdsUpTo(properties, 'x', seq))
  expect(hasUpTo({})).toEqual([false, false, false])
  expect(hasUpTo({ 'landed.x': '1-8,10' })).toEqual([true, true, false])
  // Earlier fetches had left the raw log when the table was added.
  expect(hasUpTo({ 'landed.x': '2-9' })).toEqual([false, true, true])
  expect(hasUpTo({ 'landed.x': '9' })).toEqual([false, false, true])
  expect(hasUpTo({ 'landed.y': '1-9' })).toEqual([false, false, false])
  expect(hasUpTo({ 'landed.x': '1-9', 'rebuild-from.x': '2026-01-02T00:00:00.000Z' })).toEqual([false, false, false])
})
