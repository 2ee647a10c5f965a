import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { batch, defineFeed } from '../../../jobs/feeds/define.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { acceptFetch, fetchId, keepBodies, type RawBody } from '../../../lake/raw/archive.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startRedis } from '../../redis.ts'
import { openContext } from '../scratch/context.ts'
import { BENCH_ENGINE } from './lake.ts'
import type { Bench, Done, Timer } from './measure.ts'

const START = Date.UTC(2026, 9, 2)
const EVERY_S = 20
const FETCHES = 40_000
/** Fetches that land together. */
const FETCHES_AT_ONCE = 500
/** Things in a publication, and how many of them each publication changes: as the live trips of Renfe. */
const [THINGS, CHANGED] = [350, 25]
/** Documents are repeated after this many publications. */
const DOCUMENTS = 420
const LIMIT_MS = 3000
const never = new AbortController().signal

/** A live feed of one small document. */
const feed = defineFeed({
  id: 'restarted',
  source: dgt,
  into: [v16Beacons],
  every_s: EVERY_S,
  get: { name: 'body', url: 'https://publisher.example/document.json', maxBytes: 1_000_000, expects: 'json' },
  bands: { v16_beacons: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  *rows(bodies) {
    const kms = JSON.parse(String(bodies[0]?.bytes)) as number[]
    const beacon = (km: number, at: number) => ({
      ...{ source: 'dgt', source_id: `beacon-${at}`, activated_at: START, road: 'A-7', km, direction: 'POSITIVE', province_code: '30' },
      ...{ municipality_code: null, municipality: null, position: { lat: 37.6, lon: -1.7 }, compass_direction: 'UNKNOWN' },
    })
    yield batch(v16Beacons, kms.map(beacon))
  },
})

/** The document of a publication: some things have moved since the one before. */
function documentAt(nth: number): Buffer {
  const turn = nth % DOCUMENTS
  return Buffer.from(JSON.stringify(Array.from({ length: THINGS }, (_, at) => Math.floor((turn * CHANGED + at) / THINGS))))
}

/** Accepts and lands a log, as a worker would have in nine days. */
async function fill(folder: string): Promise<void> {
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  const clock = { now: START }
  const context = await openContext({ folder, redisUrl: server.url, engine: BENCH_ENGINE, now: () => clock.now })
  try {
    const runner = makeRunner(context)
    const kept: (readonly RawBody[])[] = []
    const counts = { rows: { v16_beacons: THINGS }, blocks: {}, said_missing: {}, quarantined: 0, unknown_codes: 0 }
    for (let nth = 0; nth < FETCHES; nth++) {
      clock.now = START + nth * EVERY_S * 1000
      const [about, time] = [{ name: 'body', url: '', status: 200, headers: {} }, new Date(clock.now).toISOString()]
      const keep = () => keepBodies(context.store, feed.id, START, [{ ...about, received: documentAt(nth) }])
      const bodies = kept[nth % DOCUMENTS] ?? (await keep())
      kept[nth % DOCUMENTS] = bodies
      const fetch = { fetch_id: fetchId(feed.id, clock.now), feed: feed.id, fetched_at: time, data_time: time, bodies, ...counts }
      await acceptFetch(context.store, { ...fetch, rejected: null, seq: nth + 1, accepted_by: 'guard' })
      if ((nth + 1) % FETCHES_AT_ONCE === 0) await runner.land(feed, never)
    }
  } finally {
    await context.close()
    await server.stop()
  }
}

/** Restores live state in a new process with an empty Redis: from the newest checkpoint, or as if there were none. */
async function restart(folder: string, timer: Timer, from: 'checkpoint' | 'tables'): Promise<Done> {
  const own = await mkdtemp(join(folder, 'run-'))
  const server = await startRedis({ folder: own, appendOnly: false })
  let queries = 0
  const engine = { ...BENCH_ENGINE, onQuery: () => void queries++ }
  const now = () => START + FETCHES * EVERY_S * 1000
  const context = await openContext({ folder, redisUrl: server.url, engine, now })
  const { store } = context
  const list: ObjectStore['list'] = (prefix, options) => store.list(prefix.startsWith('state/') ? 'none/' : prefix, options)
  try {
    const runner = makeRunner(from === 'tables' ? { ...context, store: { ...store, list } } : context)
    await timer.part(() => runner.heal([feed]))
    const { bytes } = await readPart(context.redis, v16Beacons.id, feed.id)
    if (!bytes) throw new Error('no live state')
    if (queries > 0 !== (from === 'tables')) throw new Error(`${queries} queries of the lake from the ${from}`)
    return { rows: (await decodeSnapshot(bytes)).byKey.size }
  } finally {
    await context.close()
    await server.stop()
    await rm(own, { recursive: true, force: true })
  }
}

const expected = { rows: THINGS }
const ABOUT = `live state of a feed with ${FETCHES} landed fetches in a new process and an empty Redis, without a query of the lake`

/** A restart of a worker, in seconds and against one that reads its state from the table, as before there were checkpoints. */
export const RESTART: readonly Bench[] = [
  {
    name: 'restart/time',
    about: `${ABOUT}; in at most ${LIMIT_MS / 1000} s`,
    limit: 1,
    setUp: fill,
    async open(folder) {
      const measured = { expected, run: (timer: Timer) => restart(folder, timer, 'checkpoint') }
      return { measured, reference: { limit_ms: LIMIT_MS }, async close() {} }
    },
  },
  {
    name: 'restart/ratio',
    // The table is read in half the time of the release without checkpoints (f399f63), which took 14 times as long as now.
    about: `${ABOUT}; against reading it from the table`,
    limit: 0.2,
    setUp: fill,
    async open(folder) {
      const measured = { expected, run: (timer: Timer) => restart(folder, timer, 'checkpoint') }
      return { measured, reference: { expected, run: (timer: Timer) => restart(folder, timer, 'tables') }, async close() {} }
    },
  },
]
