import { expect, test } from 'vitest'
import type { Feed, FeedBody } from '../../jobs/feeds/define.ts'
import { fgcTrains } from '../../jobs/feeds/rail/fgc-trains.ts'
import { collect } from '../../jobs/ingest/collect.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { fgcTrainsAt } from '../../scripts/stand-in/world/fgc-trains.ts'
import { METRO_NETWORKS } from '../../scripts/stand-in/world/metro-networks.ts'
import { standIn } from './helpers.ts'

/** The feed with pages of another size. */
function inPagesOf(limit: number): Feed {
  const plans = fgcTrains.plans.map((plan) => ({
    ...plan,
    requests: plan.requests.map((request) => ({ ...request, url: request.url.replace('limit=100', `limit=${limit}`) })),
  }))
  return { ...fgcTrains, plans }
}

async function collected(publishers: Publishers, feed: Feed): Promise<readonly FeedBody[]> {
  const signal = new AbortController().signal
  const found = await collect(feed, {
    origin: originOf(publishers.url),
    last: null,
    signal,
    userAgent: 'test',
    now: publishers.now,
    patience: 0.01,
  })
  if (found.kind !== 'bodies') throw new Error(found.kind)
  expect(found.received.map(({ name }) => name)).toEqual(found.decoded.map(({ name }) => name))
  return found.decoded
}

async function rowsOf(publishers: Publishers, bodies: readonly FeedBody[]): Promise<readonly AnyRow[]> {
  const { rows, report } = await parsePublication(fgcTrains, bodies, publishers.now())
  expect(report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  return rows.get('rail_positions') as readonly AnyRow[]
}

test('the trains of all lines, the same in one page as in many', async () => {
  await using publishers = await standIn()
  const [page, pages] = [await collected(publishers, fgcTrains), await collected(publishers, inPagesOf(20))]
  expect([page.map(({ name }) => name), pages.map(({ name }) => name)]).toEqual([['trains'], ['trains', 'trains.2', 'trains.3']])
  const rows = await rowsOf(publishers, page)
  expect(await rowsOf(publishers, pages)).toEqual(rows)
  expect(rows.length).toSatisfy((count: number) => count > 45 && count < 80)
  expect(new Set(rows.map((row) => row['line'])).size).toBe(13)
  expect(rows.filter((row) => row['is_on_time'] === false).length).toBeGreaterThan(0)
  expect(rows.filter((row) => row['occupied_coaches'] !== null).length).toBeGreaterThan(10)
  expect(new Set(rows.map((row) => row['vehicle_status']))).toEqual(new Set(['STOPPED_AT', 'IN_TRANSIT_TO']))
})

test('a train keeps its circulation from one publication to the next, and moves', async () => {
  await using publishers = await standIn()
  const placesOf = async (): Promise<Map<unknown, string>> =>
    new Map(
      (await rowsOf(publishers, await collected(publishers, fgcTrains))).map((row) => [row['source_id'], JSON.stringify(row['position'])]),
    )
  const before = await placesOf()
  publishers.advance(60_000)
  const after = await placesOf()
  const same = [...before.keys()].filter((id) => after.has(id))
  expect(same.length).toBeGreaterThan(0.8 * before.size)
  expect(same.filter((id) => after.get(id) !== before.get(id)).length).toBeGreaterThan(0.6 * before.size)
})

test('a page that fails fails the publication; unknown codes are counted', async () => {
  await using publishers = await standIn()
  publishers.setFault({ feed: 'fgc_trains', fault: 'unknown_codes' })
  const { report } = await parsePublication(fgcTrains, await collected(publishers, fgcTrains), publishers.now())
  expect(report.unknownCodes).toEqual({ rail_train_direction: { X: expect.any(Number) } })
  publishers.clearFaults()
  publishers.setFault({ feed: 'fgc_trains', fault: 'status', status: 503 })
  await expect(collected(publishers, inPagesOf(20))).rejects.toThrow('503')
})

test('trains stop at stations of the timetable', () => {
  const stations = new Set(METRO_NETWORKS['fgc_gtfs']?.lines.flatMap(({ places = [] }) => places.map(({ id }) => id)))
  const codes = fgcTrainsAt(7, Date.parse('2026-11-21T08:31:00Z')).flatMap(({ stops }) => stops)
  expect(codes.length).toBeGreaterThan(500)
  expect(codes.filter((code) => !stations.has(code))).toEqual([])
})
