import type { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { offsetOf } from '../../jobs/schedule.ts'
import type { RunningWorker } from '../../jobs/worker.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { LIVE_KEYS } from '../../lake/live/keys.ts'
import { startTestRedis, type TestRedis } from '../helpers/redis.ts'
import { until } from '../helpers/until.ts'
import { feed, pause, QUICK, quickWorker, Witness, type WorkerProcess, workerProcess } from './workers.ts'

/** Cadence of the feeds, s. */
const EVERY_S = 0.3
const FEEDS = Array.from({ length: 12 }, (_, at) => feed(`feed_${at}`, EVERY_S))
const IDS = FEEDS.map(({ id }) => id)

let server: TestRedis
let redis: Redis
const workers: RunningWorker[] = []
const processes: WorkerProcess[] = []
beforeEach(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
afterEach(async () => {
  for (const { child } of processes.splice(0)) child.kill('SIGKILL')
  await Promise.all(workers.splice(0).map((worker) => worker.close()))
  redis.disconnect()
  await server.stop()
})

async function start(witness: Witness, name: string, feeds = FEEDS, work = () => pause(5)): Promise<RunningWorker> {
  const worker = await quickWorker({ redisUrl: server.url, feeds, runner: witness.runner(name, work) })
  workers.push(worker)
  return worker
}

/** Longest time between two fetches of a feed, ms, and how many of its ticks came twice. */
function gapsOf(witness: Witness, id: string, since: number): { readonly longest_ms: number; readonly twice: number } {
  const began = witness.runs.filter((run) => run.job === `fetch ${id}` && run.began >= since).map((run) => run.began)
  const gaps = [...began, performance.now()].map((at, nth) => at - (began[nth - 1] ?? since))
  const every_ms = EVERY_S * 1000
  const ticks = began.map((at) => Math.floor((performance.timeOrigin + at + 5 - offsetOf(`fetch:${id}`, every_ms)) / every_ms))
  return { longest_ms: Math.max(...gaps), twice: ticks.length - new Set(ticks).size }
}

/** Longest time that may pass between two fetches: two cadences, on a busy machine. */
const LONGEST_MS = 2 * EVERY_S * 1000 + 800

test('each fetch and landing of a feed is on one worker, with one, two and three workers, and joins and leaves lose no tick', async () => {
  const witness = new Witness()
  const since = performance.now()
  await start(witness, 'one')
  await pause(3 * EVERY_S * 1000)
  await start(witness, 'two')
  const third = await start(witness, 'three')
  const all = () => workers.flatMap(({ owned }) => [...owned])
  await until('each feed has one owner', () => all().length === IDS.length && new Set(all()).size === IDS.length)
  await pause(2 * QUICK.owners)
  const settled = witness.runs.length
  await pause(4 * EVERY_S * 1000)
  for (const id of IDS) {
    const of = witness.runs.slice(settled).filter(({ job }) => job.endsWith(` ${id}`))
    expect([id, new Set(of.map(({ worker }) => worker)).size]).toEqual([id, 1])
  }
  workers.splice(workers.indexOf(third), 1)
  await third.close()
  await pause(3 * EVERY_S * 1000)
  for (const id of IDS) {
    const { longest_ms, twice } = gapsOf(witness, id, since)
    expect([id, twice, witness.most.get(`fetch ${id}`)]).toEqual([id, 0, 1])
    expect(longest_ms).toBeLessThan(LONGEST_MS)
  }
})

test('a feed that a stopped worker was fetching is fetched by the next owner at once, whatever its cadence', async () => {
  const witness = new Witness()
  const daily = [feed('daily', 86_400)]
  const first = await quickWorker({
    ...{ redisUrl: server.url, feeds: daily },
    runner: witness.runner('first', (_, signal) => new Promise((_ok, fail) => signal.addEventListener('abort', fail))),
  })
  await until('a run', () => witness.count('fetch daily') === 1)
  await start(witness, 'second', daily)
  await first.close()
  await until('the next run', () => witness.runs.some(({ worker, job }) => worker === 'second' && job === 'fetch daily'), 3000)
  await pause(500)
  expect(witness.count('fetch daily')).toBe(2)
})

test('workers of a rolling upgrade with other sets of feeds fetch every feed that one of them knows', async () => {
  const witness = new Witness()
  const since = performance.now()
  const [old, added] = [FEEDS.slice(0, 8), FEEDS.slice(4)]
  const older = await start(witness, 'older', old)
  await until('the old feeds', () => old.every(({ id }) => witness.count(`fetch ${id}`) > 0))
  await start(witness, 'newer', added)
  await pause(3 * EVERY_S * 1000)
  const dropped = old.slice(0, 4).map(({ id }) => id)
  for (const id of dropped) expect(gapsOf(witness, id, since).longest_ms).toBeLessThan(LONGEST_MS)
  expect(witness.runs.filter(({ worker, job }) => worker === 'newer' && dropped.some((id) => job.endsWith(` ${id}`)))).toEqual([])
  workers.splice(workers.indexOf(older), 1)
  await older.close()
  await pause(3 * EVERY_S * 1000)
  for (const { id } of added) expect(gapsOf(witness, id, since + 1500).longest_ms).toBeLessThan(LONGEST_MS)
})

test('nothing moves and no tick comes twice when Redis is emptied under two workers', async () => {
  const witness = new Witness()
  const since = performance.now()
  for (const name of ['one', 'two']) await start(witness, name)
  await until('both own feeds', () => workers.reduce((sum, { owned }) => sum + owned.size, 0) === IDS.length)
  await pause(2 * EVERY_S * 1000)
  const before = workers.map(({ owned }) => [...owned])
  await redis.flushall()
  await pause(4 * EVERY_S * 1000)
  expect(await redis.hlen(LIVE_KEYS.workers)).toBe(2)
  expect(workers.map(({ owned }) => [...owned])).toEqual(before)
  for (const id of IDS) {
    const { longest_ms, twice } = gapsOf(witness, id, since)
    expect([id, twice]).toEqual([id, 0])
    expect(longest_ms).toBeLessThan(LONGEST_MS + QUICK.lock)
  }
})

test('after a kill -9 of one of two workers every feed is fetched again within two cadences and the time to notice', async () => {
  const [one, other] = [workerProcess(server.url, FEEDS, 20), workerProcess(server.url, FEEDS, 20)]
  processes.push(one, other)
  const fetched = ({ lines }: WorkerProcess, from = 0) =>
    new Set(lines.slice(from).flatMap((line) => /^begin fetch (\S+)/.exec(line)?.[1] ?? []))
  const isShared = (): boolean => {
    const [mine, theirs] = [one, other].map((each) => fetched(each, Math.max(0, each.lines.length - 40))) as [Set<string>, Set<string>]
    return mine.size > 0 && theirs.size > 0 && mine.size + theirs.size === IDS.length && [...mine].every((id) => !theirs.has(id))
  }
  await until('both fetch their own feeds', isShared, 20_000)
  const at = other.lines.length
  one.child.kill('SIGKILL')
  const took = await until('every feed', () => fetched(other, at).size === IDS.length, 10_000)
  // A lock outlives its worker for as long as a silent worker owns its feeds.
  expect(took).toBeLessThan(2 * EVERY_S * 1000 + QUICK.away + QUICK.beat + 1000)
})
