import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { dataAge_s, feedHealth, readFeedStates } from '../../../lake/live/freshness.ts'
import { acceptedAfter, rejectedIds } from '../../../lake/raw/archive.ts'
import { instantOf, offsetAt } from '../../../lake/schema/time.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
const YEAR = 365 * 24 * 60
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** The little feed of a publisher that states no time: the time of the fetch counts. */
const untimed: Feed = defineFeed({
  ...feed,
  rows: (bodies, clock, diagnostics) => feed.rows(bodies, clock, { ...diagnostics, publishedAt: () => undefined }),
})

const fetchAt = (count: number, km: number) => stage.publish(untimed, count, { beacons: { a: km } })
const kms = async (): Promise<unknown[]> => (await tableRows(stage.context, v16Beacons)).map(({ km }) => km)
const landAll = (): Promise<unknown> => stage.runner.land(feed, never)

describe('a publication from the future', () => {
  test('cannot be accepted by hand either', async () => {
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    const ahead = await stage.publish(feed, 2 * 24 * 60, { beacons: { a: 2 } }, 1)
    expect(ahead).toMatchObject({ outcome: 'rejected' })
    await expect(stage.runner.accept(feed, ahead.fetch_id as string)).rejects.toThrow(
      /has the time 2026-06-17T00:00:00.000Z, ahead of our clock \(2026-06-15T00:01:05.000Z\)/,
    )
    expect(await stage.publish(feed, 2, { beacons: { a: 3 } })).toMatchObject({ outcome: 'accepted' })
    // Once its time has come it can.
    await stage.publish(feed, 3, { beacons: { a: 4 } }, 2 * 24 * 60)
    await stage.runner.accept(feed, ahead.fetch_id as string)
    await landAll()
    expect(await kms()).toEqual([1, 3, 4, 2])
  })

  test('is no fresh data, and its age is no 0', () => {
    const now = minute(100)
    const state = {
      ...{ feed: 'little', last_fetch_id: null, rows: {}, quarantined: 0, unknown_codes: 0, missing_blocks: [], lost_fetches: 0 },
      ...{ last_attempt_at: now, last_success_at: now, fresh_at: now, last_error: null, failing_since: null },
    }
    expect(feedHealth({ ...state, data_time: minute(109) }, 60, now)).toBe('OK')
    expect(feedHealth({ ...state, data_time: minute(111) }, 60, now)).toBe('STALE')
    expect([minute(99), minute(109), minute(111)].map((at) => dataAge_s(at, now))).toEqual([60, 0, -660])
  })
})

describe('a feed whose time is our own clock', () => {
  test('goes on once the fetch of a clock that ran ahead is withdrawn', async () => {
    await fetchAt(0, 1)
    const ahead = await fetchAt(YEAR, 2)
    expect(ahead).toMatchObject({ outcome: 'accepted' })
    await stage.runner.land(untimed, never)
    expect(await fetchAt(1, 3)).toMatchObject({
      outcome: 'rejected',
      reason: expect.stringMatching(new RegExp(`is ahead of our clock .*scripts/feeds withdraw ${ahead.fetch_id}$`)),
    })
    expect((await readFeedStates(stage.context.redis)).get('little')).toMatchObject({ failing_since: minute(1) + 5000 })
    await stage.runner.withdraw(untimed, ahead.fetch_id as string, () => stage.runner.land(untimed, never))
    expect(await fetchAt(2, 4)).toMatchObject({ outcome: 'accepted' })
    const waiting = (await rejectedIds(stage.context.store, 'little')).filter((id) => id !== ahead.fetch_id)
    await stage.runner.accept(untimed, waiting[0] as string)
    await stage.runner.land(untimed, never)
    expect(await kms()).toEqual([1, 3, 4])
    expect((await stage.live('v16_beacons'))?.map(({ km }) => km)).toEqual([4])
  })

  test('keeps the order of its fetches where the clock was set back by a little', async () => {
    await fetchAt(5, 1)
    expect(await fetchAt(3, 2)).toMatchObject({ outcome: 'accepted', data_time: minute(5) + 5001 })
    expect(await fetchAt(4, 3)).toMatchObject({ outcome: 'accepted', data_time: minute(5) + 5002 })
    await stage.runner.land(untimed, never)
    expect(await kms()).toEqual([1, 2, 3])
    expect(new Set((await acceptedAfter(stage.context.store, 'little', 0)).map(({ fetch_id }) => fetch_id)).size).toBe(3)
    expect(await rebuild(stage.context, { feed: untimed, dataset: v16Beacons, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  })

  test('keeps nothing while our clock and the store’s differ', async () => {
    let theirs = minute(0)
    Object.assign(stage.context, { storeNow: () => Promise.resolve(theirs) })
    expect(await fetchAt(0, 1)).toMatchObject({ outcome: 'accepted' })
    expect(await fetchAt(YEAR, 2)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/our clock says 2027-.* the store's 2026-/),
    })
    expect(await rejectedIds(stage.context.store, 'little')).toEqual([])
    // A publication that states its own time needs no clock of ours.
    theirs = minute(YEAR)
    stage.restart()
    expect(await stage.publish(feed, 1, { beacons: { a: 3 } })).toMatchObject({ outcome: 'accepted' })
  })

  test('reports the state of an attempt even after an earlier one from a future time', async () => {
    await fetchAt(0, 1)
    const far = (Date.now() - minute(0)) / 60_000 + YEAR
    await fetchAt(far, 2)
    await fetchAt(1, 3)
    expect((await readFeedStates(stage.context.redis)).get('little')).toMatchObject({ last_attempt_at: minute(1) + 5000 })
  })
})

describe('local times in the hour that October repeats', () => {
  /** The little feed of a publisher that states local time without an offset. */
  const local: Feed = defineFeed({
    ...feed,
    rows: (bodies, clock, diagnostics) => {
      const publishedAt = (at: number): void => {
        const [date = '', time = ''] = new Date(at + offsetAt(at)).toISOString().slice(0, 19).split('T')
        diagnostics.publishedAt(instantOf(date, time, { near: clock.near ?? clock.fetched_at }))
      }
      return feed.rows(bodies, clock, { ...diagnostics, publishedAt })
    },
  })
  /** Minutes after midnight UTC on the day of the change: the hour before 60 is repeated by the hour after. */
  const midnight = (Date.UTC(2026, 9, 25) - minute(0)) / 60_000
  const publish = (at: number, fetched: number) => stage.publish(local, midnight + at, { beacons: { a: at + 1 } }, midnight + fetched)

  test('are never read as a time after the fetch, which would refuse what follows', async () => {
    expect(await publish(30, 87)).toMatchObject({ outcome: 'accepted', data_time: minute(midnight + 30) })
    expect(await publish(88, 88)).toMatchObject({ outcome: 'accepted', data_time: minute(midnight + 88) })
  })

  test('are of the second pass if the first one is older than what was accepted, and a replay agrees', async () => {
    const times = Array.from({ length: 14 }, (_, nth) => 10 * nth)
    for (const at of times) {
      // The publisher's clock is 55 s ahead.
      expect(await publish(at, at - 1)).toMatchObject({ outcome: 'accepted', data_time: minute(midnight + at) })
      expect(await publish(at, at + 1)).toMatchObject({ outcome: 'unchanged' })
    }
    await landAll()
    expect(await rebuild(stage.context, { feed: local, dataset: v16Beacons, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
    const accepted = await acceptedAfter(stage.context.store, 'little', 0)
    expect(accepted.map(({ data_time }) => Date.parse(data_time))).toEqual(times.map((at) => minute(midnight + at)))
    stage.restart()
    expect(await publish(140, 141)).toMatchObject({ outcome: 'accepted', data_time: minute(midnight + 140) })
  })

  test.each([
    [
      'bilbao_traffic',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', properties: { CodigoSeccion: '1', FechaHora: '2026-10-25 02:30:00.0' }, geometry: null }],
      }),
    ],
    ['barcelona_traffic', '1#20261025023000#2#2\n'],
    ['madrid_traffic', '<pms><fecha_hora>25/10/2026 02:30:00</fecha_hora></pms>'],
    ['renfe_flota', JSON.stringify({ fechaActualizacion: '2026-10-25T02:30:00', trenes: [] })],
  ])('of %s follow the latest instant of the clock', async (id, text) => {
    const [first, second] = [Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)]
    const read = feeds.find((one) => one.id === id) as Feed
    const bodies = [{ name: id, bytes: Buffer.from(text) }]
    const at = async (near?: number) =>
      (await parsePublication(read, bodies, second - 3 * 60_000, near === undefined ? {} : { near })).data_time
    expect([await at(), await at(second)]).toEqual([first, second])
  })
})

test('of two rejected fetches of one publication only one is accepted, however they race', async () => {
  await stage.publish(feed, 0, { beacons: { a: 1 } })
  await stage.publish(feed, 10, { beacons: { a: 2 } })
  const one = await stage.publish(feed, 5, { beacons: { a: 3 } }, 11)
  const other = await stage.publish(feed, 5, { beacons: { a: 4 } }, 12)
  const rival = await stage.another()
  const { store } = stage.context
  let raced = false
  const racing = {
    ...store,
    async putIfAbsent(key: string, body: Buffer) {
      if (!raced) {
        raced = true
        await rival.accept(feed, other.fetch_id as string)
      }
      return store.putIfAbsent(key, body)
    },
  }
  Object.assign(stage.context, { store: racing })
  await expect(stage.runner.accept(feed, one.fetch_id as string)).rejects.toThrow(`accepted already as ${other.fetch_id}`)
  Object.assign(stage.context, { store })
  expect(await acceptedAfter(store, feed.id, 0)).toHaveLength(3)
})
