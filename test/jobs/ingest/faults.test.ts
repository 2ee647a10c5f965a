import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { FAULTS, type FaultName } from '../../../scripts/stand-in/faults.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

const START = Date.UTC(2026, 10, 18, 9, 30)
const never = new AbortController().signal

/** What becomes of a run under a fault, and words that its log line and freshness state must hold. */
interface Expected {
  readonly outcome: 'accepted' | 'unchanged' | 'rejected' | 'failed'
  readonly words?: RegExp
  readonly options?: Record<string, unknown>
  readonly missing?: RegExp
}

const FEEDS = ['dgt_incidents', 'madrid_traffic', 'fuel_stations'] as const

/** Every switch of the stand-in; a new one fails the test below until it is here. */
const EXPECTED: Record<FaultName, Expected | Partial<Record<(typeof FEEDS)[number], Expected>>> = {
  latency: { outcome: 'failed', words: /out of time/, options: { ms: 5000 } },
  status: { outcome: 'failed', words: /answered 503/ },
  cut: { outcome: 'failed', words: /broke off after \d+ bytes/ },
  truncated: { outcome: 'rejected', words: /ends early|JSON/ },
  html: { outcome: 'failed', words: /an HTML page/ },
  gzip_bomb: { outcome: 'failed', words: /unpacks to more than \d+ bytes/ },
  xml_bomb: {
    dgt_incidents: { outcome: 'rejected', words: /document type declaration/ },
    madrid_traffic: { outcome: 'rejected', words: /document type declaration/ },
    fuel_stations: { outcome: 'failed', words: /expects json/ },
  },
  wrong_type: { outcome: 'accepted' },
  redirect_loop: { outcome: 'failed', words: /redirects more than 5 times/ },
  stale: { outcome: 'rejected', words: /is older than the last accepted/, options: { age_s: 7200 } },
  repeated: { outcome: 'unchanged' },
  clock_skew: { outcome: 'rejected', words: /lies ahead of the fetch/ },
  half_empty: { outcome: 'rejected', words: /rows after \d+|rows, at least|blocks missing/, options: { share: 0.4 } },
  block_missing: {
    madrid_traffic: { outcome: 'accepted', missing: /traffic_readings\/M30/ },
    fuel_stations: { outcome: 'rejected', words: /fuel_stations: \d+ rows after \d+, 9\d\.\d %/ },
  },
  unknown_codes: { outcome: 'accepted' },
  old_layout: { madrid_traffic: { outcome: 'accepted' } },
}

function expectedOf(fault: FaultName, feed: (typeof FEEDS)[number]): Expected | undefined {
  const expected = EXPECTED[fault]
  return 'outcome' in expected ? expected : expected[feed]
}

/** The feed with little patience, so that a slow answer is soon too slow. */
function impatient(feed: Feed): Feed {
  return {
    ...feed,
    plans: feed.plans.slice(0, 1).map((plan) => ({ ...plan, requests: plan.requests.map((one) => ({ ...one, timeout_ms: 1500 })) })),
  }
}

describe.each(FEEDS)('%s under every fault of its publisher', (id) => {
  const feed = feedById(id)
  let redis: TestRedis
  let publishers: Publishers
  let context: TestContext
  let runner: Runner
  let lines: string[]

  beforeAll(async () => {
    redis = await startTestRedis()
    const scale = { sensors: 1200, ringSensors: 60, stations: 2600 }
    publishers = await startPublishers({ source: { kind: 'simulated', seed: 3, speed: 0, start: START, scale } })
    const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => publishers.now() })
    const sink = new PassThrough()
    lines = []
    sink.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')))
    context = { ...opened, origin: originOf(publishers.url), log: pino(sink) }
    runner = makeRunner(context)
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
  })
  afterAll(async () => {
    await context.close()
    await publishers.close()
    await redis.stop()
  })

  const live = () => Promise.all(feed.into.map((dataset) => livePart(context.redis, dataset.id, feed.id)))
  const state = async () => (await readFeedStates(context.redis)).get(feed.id)

  const faults = (Object.keys(FAULTS) as FaultName[]).filter((fault) => expectedOf(fault, id))
  test.each(faults)('%s', async (fault) => {
    const expected = expectedOf(fault, id) as Expected
    const before = { live: await live(), state: await state() }
    if (fault !== 'repeated') publishers.advance(feed.every_s * 1000)
    publishers.setFault({ feed: id, fault, ...expected.options })
    lines.length = 0
    // Only a slow answer is met with little patience: a busy machine is slow too.
    const hurried = fault === 'latency'
    const done = hurried ? await makeRunner(context).fetch(impatient(feed), never) : await runner.fetch(feed, never)
    publishers.clearFaults()
    expect(done.outcome, done.reason ?? '').toBe(expected.outcome)
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === 'feed fetched')
    expect(told).toMatchObject({ feed: id, outcome: expected.outcome })
    if (expected.words) {
      expect(told?.reason).toMatch(expected.words)
      expect((await state())?.last_error).toMatch(expected.words)
      expect((await state())?.last_success_at).toBe(before.state?.last_success_at)
      expect(await live()).toEqual(before.live)
    }
    if (expected.missing) expect((await state())?.missing_blocks.join()).toMatch(expected.missing)
    if (fault === 'unknown_codes') expect(done.unknown_codes).toBeGreaterThan(0)
    // The next good publication is taken, and the state says so.
    publishers.advance(feed.every_s * 1000)
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
    expect((await state())?.last_error).toBeNull()
  })
})

test('every fault switch is tried on at least one feed', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(FAULTS).sort())
})
