import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import type { Feed, FeedRequest } from '../../../jobs/feeds/define.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { FAULTS, type FaultName } from '../../../scripts/stand-in/faults.ts'
import type { FeedStandIn } from '../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../scripts/stand-in/publishers/list.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

const SEED = 3
const START = Date.UTC(2026, 10, 18, 9, 30)
const never = new AbortController().signal

/** The outcome of a run under a fault, and words that its log line and freshness state must contain. */
interface Expected {
  readonly outcome: 'accepted' | 'unchanged' | 'rejected' | 'failed'
  readonly words?: RegExp
  readonly options?: Record<string, unknown>
  readonly missing?: RegExp
}

/** The facts of a feed and its publisher that decide how a fault ends. */
interface Facts {
  readonly expects: FeedRequest['expects']
  readonly hasOldLayout: boolean
}

const accepted: Expected = { outcome: 'accepted' }

const HALF = /rows after \d+|rows, at least|blocks missing/

/**
 * Every switch of the stand-in, for any feed; null where the feed does not have the fault. A new switch fails the test below
 * until it is added.
 */
const EXPECTED: Record<FaultName, (facts: Facts) => Expected | null> = {
  latency: () => ({ outcome: 'failed', words: /out of time/, options: { ms: 5000 } }),
  status: () => ({ outcome: 'failed', words: /answered 503/ }),
  cut: () => ({ outcome: 'failed', words: /broke off after \d+ bytes/ }),
  truncated: ({ expects }) =>
    expects === 'zip' || expects === 'tar' || expects === 'protobuf'
      ? { outcome: 'failed', words: /not a whole zip|damaged gzip|begins with/ }
      : { outcome: 'rejected', words: /ends early|cut off: line|JSON|rows after \d+|rows, at least|blocks missing/ },
  html: () => ({ outcome: 'failed', words: /an HTML page/ }),
  gzip_bomb: () => ({ outcome: 'failed', words: /unpacks to more than \d+ bytes/ }),
  xml_bomb: ({ expects }) =>
    expects === 'xml'
      ? { outcome: 'rejected', words: /document type declaration/ }
      : { outcome: 'failed', words: new RegExp(`expects ${expects}`) },
  wrong_type: () => accepted,
  redirect_loop: () => ({ outcome: 'failed', words: /redirects more than 5 times/ }),
  stale: () => ({ outcome: 'rejected', words: /is older than the last accepted/, options: { age_s: 7200 } }),
  repeated: () => ({ outcome: 'unchanged' }),
  clock_skew: () => ({ outcome: 'rejected', words: /is ahead of the fetch/ }),
  half_empty: () => ({ outcome: 'rejected', words: HALF }),
  block_missing: () => accepted,
  unknown_codes: () => accepted,
  old_layout: ({ hasOldLayout }) => (hasOldLayout ? accepted : null),
}

/** Commuter trains come and go, at night to none: half of them is a valid publication. A missing one is absent once, of three. */
const TRAINS: Partial<Record<FaultName, Expected>> = { half_empty: accepted }

/** A timetable states no time either, and is the same for a day: two hours before the newest there was the one before it. */
const TIMETABLE: Partial<Record<FaultName, Expected>> = { stale: { outcome: 'unchanged' }, clock_skew: accepted }

/**
 * An on-demand fetch has any number of documents: half of them is a valid one, and the next one covers other places. An older
 * issue adds nothing. A future issue is refused row by row, as invalid documents are.
 */
const ON_DEMAND: Partial<Record<FaultName, Expected>> = {
  stale: { outcome: 'unchanged' },
  repeated: accepted,
  half_empty: accepted,
  clock_skew: { outcome: 'rejected', words: /rows quarantined/ },
  truncated: { outcome: 'rejected', words: /rows quarantined/ },
}

/** Files replaced each hour or more often, with their last change as validator: an older one is "not modified" (304). */
const HOURLY: Partial<Record<FaultName, Expected>> = {
  stale: { outcome: 'unchanged' },
  clock_skew: { outcome: 'rejected', words: /rows quarantined/ },
}

/** The document states no time: an older one cannot be detected, and a wrong clock is in no field. */
const TIMELESS: Partial<Record<FaultName, Expected>> = { stale: accepted, clock_skew: accepted }

/**
 * Aircraft come and go as trains do. Blocked ones are removed from an answer before it is kept, so that a cut one is no answer.
 */
const AIRCRAFT: Partial<Record<FaultName, Expected>> = {
  half_empty: accepted,
  truncated: { outcome: 'failed', words: /the answer is no JSON/ },
}

/** Facts that the feed alone explains: the blocks that its publisher lost. */
const SPECIAL: Readonly<Record<string, Partial<Record<FaultName, Expected>>>> = {
  madrid_traffic: { block_missing: { outcome: 'accepted', missing: /traffic_readings\/M30/ } },
  // The reporter of an incident is no block of it: without the emergency service's the publication is incomplete.
  dgt_incidents: { block_missing: { outcome: 'rejected', words: /incidents: \d+ rows after \d+, 8\d\.\d %/ } },
  sct_incidents: TIMELESS,
  // Works on one island's roads: in winter there may be few.
  mallorca_incidents: { ...TIMELESS, half_empty: accepted },
  valencia_traffic: TIMELESS,
  aena_flights: TIMELESS,
  miteco_ica: HOURLY,
  // In the first hours of a day any number of rows is valid.
  madrid_air: { ...HOURLY, half_empty: accepted },
  barcelona_air: HOURLY,
  // Small airports report only while open.
  metar: { stale: accepted, clock_skew: { outcome: 'rejected', words: /rows quarantined/ }, half_empty: accepted },
  adsb_lol: AIRCRAFT,
  opensky: AIRCRAFT,
  // The document states no time, but its observations do: older ones are known already, and none is of the next hour.
  aemet_observation: { stale: { ...accepted, options: { age_s: 14_400 } }, clock_skew: { outcome: 'rejected', words: /rows quarantined/ } },
  renfe_gtfs_cercanias: { ...TIMETABLE, block_missing: { outcome: 'rejected', words: /rail_trips: 51 missing/ } },
  renfe_gtfs_avldmd: TIMETABLE,
  // The stations with restricted sale are no block of the register.
  fuel_stations: { block_missing: { outcome: 'rejected', words: /fuel_stations: \d+ rows after \d+, 9\d\.\d %/ } },
  // A package is whole as an archive is, and the warnings of a day expire together: half as many may be all.
  aemet_warnings: { half_empty: accepted },
  aemet_forecast_hourly: ON_DEMAND,
  aemet_forecast_daily: ON_DEMAND,
  renfe_trip_updates: TRAINS,
  renfe_positions: TRAINS,
  // Each answer says how many records there are: one that cannot be read names no next page.
  fgc_trains: { ...TIMELESS, truncated: { outcome: 'failed', words: /trains is no JSON/ } },
  renfe_flota: TRAINS,
}

/** The feed with a short timeout, so that a slow reply soon exceeds it. */
function impatient(feed: Feed): Feed {
  return {
    ...feed,
    plans: feed.plans.slice(0, 1).map((plan) => ({ ...plan, requests: plan.requests.map((one) => ({ ...one, timeout_ms: 1500 })) })),
  }
}

/** Seconds between two contents of a feed that publishes each of them several times. */
const CONTENT_S: Readonly<Record<string, number>> = { madrid_air: 3600, metar: 1800, mallorca_incidents: 43_200 }

/** Advances the clock until a feed polled more often than it publishes has something new. */
function awaitPublication(publishers: Publishers, { id, every_s }: Feed): void {
  const { publishedAt } = STAND_INS.find((one) => one.feed === id) as FeedStandIn
  const before = publishedAt(SEED, publishers.now())
  do publishers.advance((CONTENT_S[id] ?? every_s) * 1000)
  while (publishedAt(SEED, publishers.now()) === before)
}

/** Polled feeds that publish something new each time. A slower feed may keep its document for months after the fault. */
const LIVELY = feeds.filter(({ every_s, stream, onDemand }) => every_s < 86_400 && !stream && !onDemand)

/** Faults that end before a feed's own code runs: tried with one feed of each kind of document. */
const TRANSPORT: readonly FaultName[] = ['latency', 'status', 'cut', 'html', 'gzip_bomb', 'wrong_type', 'redirect_loop']
const kindOf = (feed: Feed): FeedRequest['expects'] => (feed.plans[0]?.requests[0] as FeedRequest).expects
const FIRST_OF_KIND = new Map(LIVELY.toReversed().map((feed) => [kindOf(feed), feed.id]))

/** Feeds whose few rows may halve naturally: half of them is tried at full size alone, below. */
const mayHalve = ({ bands }: Feed): boolean => Object.values(bands).some(({ soon = [] }) => soon.some(({ ofAtLeast = 0 }) => ofAtLeast > 0))

describe.each(LIVELY.map((feed) => [feed.id, feed] as const))('%s under every fault of its publisher', (id, feed) => {
  const { hasOldLayout } = STAND_INS.find((one) => one.feed === id) as FeedStandIn
  const expects = kindOf(feed)
  let redis: TestRedis
  let publishers: Publishers
  let context: TestContext
  let runner: Runner
  let lines: string[]

  beforeAll(async () => {
    redis = await startTestRedis()
    publishers = await startPublishers({ source: { kind: 'simulated', seed: SEED, speed: 0, start: START, scale: 'small' } })
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

  const faults = (Object.keys(FAULTS) as FaultName[])
    .filter((fault) => EXPECTED[fault]({ expects, hasOldLayout }))
    .filter((fault) => !TRANSPORT.includes(fault) || id === FIRST_OF_KIND.get(expects))
    .filter((fault) => fault !== 'half_empty' || !mayHalve(feed))
  test.each(faults)('%s', async (fault) => {
    const expected = SPECIAL[id]?.[fault] ?? (EXPECTED[fault]({ expects, hasOldLayout }) as Expected)
    const before = { live: await live(), state: await state() }
    if (fault !== 'repeated') awaitPublication(publishers, feed)
    publishers.setFault({ feed: id, fault, ...expected.options })
    lines.length = 0
    // Only a slow answer is met with little patience: a busy machine is slow too.
    const hurried = fault === 'latency'
    const done = hurried ? await makeRunner(context).fetch(impatient(feed), never) : await runner.fetch(feed, never)
    publishers.clearFaults()
    expect(done.outcome, done.reason ?? '').toBe(expected.outcome)
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === 'feed fetched')
    expect(logged).toMatchObject({ feed: id, outcome: expected.outcome })
    if (expected.words) {
      expect(logged?.reason).toMatch(expected.words)
      expect((await state())?.last_error).toMatch(expected.words)
      expect((await state())?.last_success_at).toBe(before.state?.last_success_at)
      expect(await live()).toEqual(before.live)
    }
    if (expected.missing) expect((await state())?.missing_blocks.join()).toMatch(expected.missing)
    if (fault === 'unknown_codes') expect(done.unknown_codes).toBeGreaterThan(0)
    // The next good publication is taken, and the state says so.
    awaitPublication(publishers, feed)
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
    expect((await state())?.last_error).toBeNull()
  })
})

/**
 * Trains, aircraft, warnings and open airports may be any number at any time. A missing one is absent once, and a publication is
 * true of the ones that it names.
 */
const mayBeHalf = ({ id }: Feed): boolean => SPECIAL[id]?.half_empty === accepted

test('half may be missing only in feeds whose band declares so', () => {
  for (const feed of feeds.filter(mayBeHalf)) for (const band of Object.values(feed.bands)) expect(band.minRatio, feed.id).toBeLessThan(0.5)
})

/** Streams publish no documents (stream-faults.test.ts), and an import reads files of an operator (roads-import.deep.test.ts). */
test.each(feeds.filter((feed) => !feed.stream && !feed.importedBy && !mayBeHalf(feed)).map((feed) => [feed.id, feed] as const))(
  'half of the rows of %s never takes the place of the whole',
  async (id, feed) => {
    const redis = await startTestRedis()
    onTestFinished(() => redis.stop())
    const scale = mayHalve(feed) ? 'full' : 'small'
    // One year: an edition of another may be of any size.
    const publishers = await startPublishers({ source: { kind: 'simulated', seed: SEED, speed: 0, start: START - 92 * 86_400_000, scale } })
    onTestFinished(() => publishers.close())
    const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => publishers.now() })
    onTestFinished(() => opened.close())
    const runner = makeRunner({ ...opened, origin: originOf(publishers.url) })
    const live = () => Promise.all(feed.into.map((dataset) => livePart(opened.redis, dataset.id, id)))
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
    const before = await live()
    publishers.setFault({ feed: id, fault: 'half_empty' })
    for (let nth = 0; nth < 3; nth++) {
      // The document of a slow feed stays the same for weeks; in an archive the file of the same period has to be complete.
      if (LIVELY.includes(feed)) awaitPublication(publishers, feed)
      else if (!feed.archive) publishers.advance(31 * 86_400_000)
      expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(HALF) })
      expect(await live()).toEqual(before)
    }
  },
)

test('every fault switch is tried on at least one feed', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(FAULTS).sort())
})
