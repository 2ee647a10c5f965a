import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feeds } from '../../jobs/feeds/catalog.ts'
import type { Feed, FeedBody, FeedRequest } from '../../jobs/feeds/define.ts'
import { decodeReply } from '../../jobs/ingest/http.ts'
import { type Publication, parsePublication } from '../../jobs/ingest/parse.ts'
import { originOf } from '../../scripts/service/parts.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { standIn } from './helpers.ts'

/** The repeated hour of October, a summer evening, a minute into the new year: a small Spain shows the effects of time too. */
const MOMENTS = ['2026-10-25T01:30:00Z', '2026-07-18T18:00:00Z', '2026-12-31T23:01:00Z']

/** The blocks that a fallback plan leaves out, by feed and plan: its publications report them as missing. */
const LEFT_OUT: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'mitma_zone_points 1': { mobility_zone_points: ['GAU'] },
  'mitma_zone_areas 1': { mobility_zone_areas: ['GAU'] },
}

/** Streams have no requests. */
const polled = feeds.filter(({ stream }) => !stream)

test('every polled feed of the catalogue has a stand-in, and every stand-in has a feed', () => {
  expect(STAND_INS.map((standIn) => standIn.feed).sort()).toEqual(polled.map((feed) => feed.id).sort())
})

async function expectUnderstood(publishers: Publishers, feed: Feed, plan: number): Promise<void> {
  const { counts, report, data_time } = await read(publishers, feed, plan)
  expect([feed.id, report.quarantined, report.unknownCodes, report.missingBlocks]).toEqual([
    feed.id,
    {},
    {},
    LEFT_OUT[`${feed.id} ${plan}`] ?? {},
  ])
  for (const dataset of feed.into)
    expect(counts.get(dataset.id), dataset.id).toBeGreaterThanOrEqual(Math.max(1, feed.bands[dataset.id]?.atLeast ?? 0))
  expect(publishers.now() - data_time).toBeGreaterThanOrEqual(0)
  expect(publishers.now() - data_time).toBeLessThan(2 * feed.every_s * 1000)
}

// A month of madrid_history alone has hundreds of megabytes.
describe('the full Spain of a winter morning', { timeout: 600_000 }, () => {
  let publishers: Awaited<ReturnType<typeof standIn>>
  beforeAll(async () => {
    publishers = await standIn({ at: Date.parse('2026-01-20T07:30:00Z'), scale: 'full' })
  })
  afterAll(() => publishers?.close())

  test.each(polled.map((feed) => [feed.id, feed] as const))(
    '%s is read by each plan without an invalid row or an unknown code',
    async (_id, feed) => {
      for (const plan of feed.plans.keys()) await expectUnderstood(publishers, feed, plan)
    },
  )
})

test.each(MOMENTS)('the data of %s is read without an invalid row or an unknown code', async (moment) => {
  await using publishers = await standIn({ at: Date.parse(moment), scale: 'small' })
  for (const feed of polled) await expectUnderstood(publishers, feed, 0)
})

test('places by name and places by coordinates are the same', async () => {
  await using publishers = await standIn({ scale: 'small' })
  for (const feed of polled) {
    const { report } = await read(publishers, feed, 0)
    expect([...report.warnings.keys()].filter((text) => /disagree|differ|unknown (municipality|province)/i.test(text))).toEqual([])
  }
})

test('unknown codes are counted by the feeds', async () => {
  await using publishers = await standIn({ scale: 'small' })
  for (const feed of polled) {
    publishers.setFault({ feed: feed.id, fault: 'unknown_codes' })
    const { report } = await read(publishers, feed, 0)
    expect([feed.id, Object.keys(report.unknownCodes).length]).toEqual([feed.id, expect.toSatisfy((lists: number) => lists > 0)])
  }
})

async function read(publishers: Publishers, feed: Feed, nth: number): Promise<Publication> {
  const ask = async ({ url, accept }: FeedRequest): Promise<Buffer> => {
    const response = await fetch(originOf(publishers.url)(url), { headers: { accept } })
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const bodyOf = async (request: FeedRequest): Promise<FeedBody> => {
    const first = await ask(request)
    const next = request.twoStep?.to(first)
    if (next && 'refused' in next) throw new Error(`${request.url}: ${next.refused}`)
    const received = next ? await ask({ ...request, url: next.url }) : first
    return { name: request.name, bytes: await decodeReply(request, { url: request.url, headers: {}, received }) }
  }
  const { requests = [], directory, next } = feed.plans[nth] ?? {}
  const [first] = requests as readonly [FeedRequest]
  const listed = directory
    ? directory.files(await bodyOf(directory.index), directory.index.url).map((file) => ({ ...first, ...file }))
    : requests
  const bodies: FeedBody[] = []
  for (const request of listed) bodies.push(await bodyOf(request))
  for (let page = bodies.at(-1), { url } = first; next && page; ) {
    const step = next(page, url)
    if (step === null) break
    if ('refused' in step) throw new Error(`${url}: ${step.refused}`)
    url = step.url
    page = await bodyOf({ ...first, url, name: `${first.name}.${bodies.length + 1}` })
    bodies.push(page)
  }
  return parsePublication(feed, bodies, publishers.now())
}
