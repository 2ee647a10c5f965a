import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { feedById, feeds } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { startRedis } from '../../redis.ts'
import { openContext } from '../scratch/context.ts'
import { BENCH_ENGINE } from './lake.ts'
import type { Done, MemoryBench } from './measure.ts'

const STAND_IN = fileURLToPath(new URL('../../stand-in/main.ts', import.meta.url))
/** A Saturday morning, fixed, so that the generated data is the same on every machine. */
const START = '2026-11-21T08:31:00Z'
/** Limits of a process with one feed, and of one with all the others, whose pages of code and caches add up. */
const [LIMIT_MB, OTHERS_LIMIT_MB] = [400, 600]
const PUBLICATIONS = 3
const DAY_MS = 86_400_000

/** Feeds with the largest publications. */
const HEAVIEST = ['dgt_detectors', 'fuel_stations', 'mitma_trips', 'renfe_gtfs_cercanias', 'madrid_history']

/** Processes that fetch, publish and land three publications of feeds at full scale, the last one as after a restart. */
export const FEED_MEMORY: readonly MemoryBench[] = [
  ...HEAVIEST.map((id) => memoryBench(id, { what: `only runs ${id}`, limit_mb: LIMIT_MB, feeds: [feedById(id)] })),
  memoryBench('other-feeds', {
    what: 'runs all other feeds one after another',
    limit_mb: OTHERS_LIMIT_MB,
    feeds: feeds.filter(({ id, stream }) => !stream && !HEAVIEST.includes(id)),
  }),
]

function memoryBench(
  name: string,
  { what, limit_mb, feeds: ofFeeds }: { readonly what: string; readonly limit_mb: number; readonly feeds: readonly Feed[] },
): MemoryBench {
  return {
    name: `memory/${name}`,
    about: `peak memory of a process that ${what}, from bytes to live state and tables`,
    limit_mb,
    rounds: 3,
    expected: { publications: PUBLICATIONS * ofFeeds.length, rows: { min: ofFeeds.length } },
    run: (folder) => inFolder(folder, (alone) => runFeeds(ofFeeds, alone)),
  }
}

/** A pipeline in its own folder; its clock and the publishers' clock move together. */
interface Alone {
  readonly context: IngestContext
  turnOn(by_ms: number): Promise<void>
}

async function runFeeds(ofFeeds: readonly Feed[], { context, turnOn }: Alone): Promise<Done> {
  let [publications, rows] = [0, 0]
  for (const feed of ofFeeds) {
    // A feed that is fetched more often than it is published changes every night.
    const every_ms = feed.freshBy === 'fetch' ? DAY_MS : feed.every_s * 1000
    let runner = makeRunner(context)
    for (let nth = 1; nth <= PUBLICATIONS; nth++) {
      rows += await publishOnce(feed, runner)
      publications++
      if (nth === PUBLICATIONS - 1) runner = makeRunner(context)
      if (nth < PUBLICATIONS) await turnOn(every_ms)
    }
  }
  return { publications, rows }
}

async function inFolder(folder: string, work: (alone: Alone) => Promise<Done>): Promise<Done> {
  const standIn = await startStandIn()
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  const clock = { now: Date.parse(START) }
  const of = { folder, redisUrl: server.url, publishers: standIn.url, engine: BENCH_ENGINE, logLevel: 'error' }
  const context = await openContext({ ...of, now: () => clock.now })
  try {
    return await work({ context, turnOn: (by_ms) => turnOn(standIn.url, clock, by_ms) })
  } finally {
    await context.close()
    await server.stop()
    standIn.process.kill()
  }
}

/** Fetches and lands a publication; returns the number of landed rows. */
async function publishOnce(feed: Feed, runner: Runner): Promise<number> {
  const never = new AbortController().signal
  const { outcome, reason } = await runner.fetch(feed, never)
  if (outcome === 'failed' || outcome === 'rejected') throw new Error(`${feed.id}: ${outcome}: ${reason}`)
  return Object.values(await runner.land(feed, never)).reduce((sum, rows) => sum + rows, 0)
}

async function turnOn(publishers: string, clock: { now: number }, by_ms: number): Promise<void> {
  const reply = await fetch(`${publishers}/_control/clock`, { method: 'POST', body: JSON.stringify({ advance_ms: by_ms }) })
  if (!reply.ok) throw new Error(`the stand-in's clock was not moved: ${reply.status} ${await reply.text()}`)
  clock.now += by_ms
}

/** Starts the stand-in in a separate process, so that its memory is not counted; its clock only moves on request. */
async function startStandIn(): Promise<{ url: string; process: ChildProcess }> {
  const process_ = spawn(process.execPath, [STAND_IN, '--port', '0', '--speed', '0', '--start', START], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: process_.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1]
    if (url) return { url, process: process_ }
  }
  throw new Error('the stand-in ended before it was ready')
}
