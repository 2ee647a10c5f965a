import { afterAll, beforeAll, expect, test } from 'vitest'
import { cursors } from '../../../api/engine/request/cursor.ts'
import { lakeState } from '../../../api/engine/request/lake-state.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { Lake } from '../../../lake/open.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, landRows, openTestLake } from '../../lake/query/fixtures.ts'

const FAST = Date.UTC(2026, 0, 5, 12)
const SLOW = Date.UTC(2026, 0, 5, 11)
const feed = (id: string, enabled = true): FeedListing => ({
  ...{ id, enabled, domain: 'test', source: id, datasets: ['everything'], every_s: 60, urls: [] },
})
const by = cursors(Buffer.alloc(32, 1))
let lake: Lake

beforeAll(async () => {
  lake = await openTestLake(tempFolder())
  const properties = { 'landed-until.fast': new Date(FAST).toISOString(), 'landed-until.slow': new Date(SLOW).toISOString() }
  const blank = Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null]))
  await landRows(lake, everything, [{ ...blank, id: 1, observed_at: SLOW, fetch_id: 'slow.1' }], { properties })
})
afterAll(() => lake.close())

test('a dataset of two feeds is covered until the slower one, and its newest rows are the faster one’s', async () => {
  const both = await lakeState({ lake, cursors: by, feeds: [feed('fast'), feed('slow')] }, [everything], { name: null })
  expect(both).toMatchObject({ covered_from: SLOW, latest_row_at: SLOW, covered_until: SLOW, newest: FAST })
  const one = await lakeState({ lake, cursors: by, feeds: [feed('fast'), feed('slow', false)] }, [everything], { name: null })
  expect(one).toMatchObject({ covered_until: FAST, newest: FAST })
  expect(one.name).not.toBe(both.name)
})

test('a named state gives the same again, whichever feeds run by then', async () => {
  const both = await lakeState({ lake, cursors: by, feeds: [feed('fast'), feed('slow')] }, [everything], { name: null })
  const again = await lakeState({ lake, cursors: by, feeds: [] }, [everything], { name: both.name })
  expect(again).toMatchObject({ name: both.name, covered_until: SLOW, newest: FAST })
})

test('a state begins with its earliest row, in whichever file it is, and stays as it was read', async () => {
  const several = await openTestLake(tempFolder())
  try {
    const blank = Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null]))
    const land = (id: number, observed_at: number): Promise<unknown> =>
      landRows(several, everything, [{ ...blank, id, observed_at, fetch_id: `fast.${id}` }], {
        properties: { 'landed-until.fast': new Date(FAST).toISOString() },
      })
    const asked = { lake: several, cursors: by, feeds: [feed('fast')] }
    await land(1, SLOW)
    const first = await lakeState(asked, [everything], { name: null })
    await land(2, SLOW - 60_000)
    await land(3, FAST)
    const now = await lakeState(asked, [everything], { name: null })
    expect([first, now].map(({ covered_from, latest_row_at }) => [covered_from, latest_row_at])).toEqual([
      [SLOW, SLOW],
      [SLOW - 60_000, FAST],
    ])
    expect(await lakeState(asked, [everything], { name: first.name })).toMatchObject({ name: first.name, covered_from: SLOW })
  } finally {
    await several.close()
  }
})

test('a landing without rows is covered, a missing landing is not', async () => {
  const empty = await openTestLake(tempFolder())
  try {
    const asked = { lake: empty, cursors: by, feeds: [feed('fast')] }
    expect(await lakeState(asked, [everything], { name: null })).toMatchObject({ name: '', covered_until: null, newest: null })
    await landRows(empty, everything, [], { properties: { 'landed-until.fast': new Date(FAST).toISOString() } })
    expect(await lakeState(asked, [everything], { name: null })).toMatchObject({
      name: '',
      covered_from: null,
      covered_until: FAST,
      newest: FAST,
    })
    // With one in front of it that has nothing: it is waited for while a feed of it is turned on.
    const other = { ...everything, id: 'other' }
    const fed = (enabled: boolean): FeedListing => ({ ...feed('other', enabled), datasets: ['other'] })
    const state = (enabled: boolean) => lakeState({ ...asked, feeds: [...asked.feeds, fed(enabled)] }, [other, everything], { name: null })
    expect([(await state(true)).covered_until, (await state(false)).covered_until]).toEqual([null, FAST])
    // A dataset that no feed fills is derived, and waited for.
    expect((await lakeState(asked, [other, everything], { name: null })).covered_until).toBeNull()
  } finally {
    await empty.close()
  }
})

test('partitions of a first build count as no data until the build is reported complete', async () => {
  const making = await openTestLake(tempFolder())
  try {
    const blank = Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null]))
    const land = (id: number, properties: Record<string, string>): Promise<unknown> =>
      landRows(making, everything, [{ ...blank, id, observed_at: SLOW, fetch_id: `fast.${id}` }], { properties })
    const state = (): ReturnType<typeof lakeState> => lakeState({ lake: making, cursors: by, feeds: [] }, [everything], { name: null })
    await land(1, { 'derived.2026-01': 'r1 2026-01=1x1' })
    expect(await state()).toMatchObject({ name: '', covered_until: null, covered_from: null })
    expect((await state()).pins.get('everything')).toBeNull()
    await land(2, { 'derived.2026-02': 'r1 2026-02=1x1', 'landed-until.fast': new Date(FAST).toISOString() })
    expect(await state()).toMatchObject({ covered_until: FAST, covered_from: SLOW })
    // Once the first build is complete, the state stays while partitions are built again.
    await land(3, { 'derived.2026-03': 'r1 2026-03=1x1' })
    expect(await state()).toMatchObject({ covered_until: FAST, covered_from: SLOW })
  } finally {
    await making.close()
  }
})
