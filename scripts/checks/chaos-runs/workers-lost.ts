import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import type { Child } from '../../service/child.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { judgeApart, runWorker } from './children.ts'
import type { Scenario } from './scenario.ts'
import { serviceParts, startOwnRedis, until } from './stage.ts'

/** Feeds whose rows are compared at the end: a stream needs a receiver and a feed on demand a person. */
const POLLED = feeds.filter(({ stream, onDemand }) => !stream && !onDemand)
/** Feeds of a minute at most: others are not due while a run waits. */
const FAST = POLLED.filter(({ every_s, archive }) => !archive && every_s <= 60)
const FIRST_WITHIN_MS = 240_000
/** Time in which a killed worker is noticed, ms. */
const NOTICED_MS = 20_000
/** Kills of a run, one worker and the other in turn. */
const MAX_KILLS = 4
/** Longest time between a kill and the next, ms: it hits landings, archives and derivations. */
const MAX_REST_MS = 15_000

/** Kills one of two workers of the service while archives wait, and starts another in its place. */
export const workersLost: Scenario = {
  name: 'workers',
  about: 'SIGKILL of one of two workers of the service, with archives waiting, and another in its place',
  async run({ folder, rounds }) {
    const server = await startOwnRedis(folder)
    const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, scale: 'small' } })
    const redis = openRedis(server.url)
    const settings = { REDIS_URL: server.url, PUBLISHERS_URL: publishers.url, LAKE_URL: join(folder, 'store'), LAND_EVERY_S: '20' }
    const service = serviceParts(folder, settings)
    let started = 0
    const start = async (): Promise<Child> => (await service.start('worker', { DATA_DIR: join(folder, `worker-${++started}`) })).child
    const attempts = async (): Promise<ReadonlyMap<string, number>> =>
      new Map([...(await readFeedStates(redis))].map(([id, { last_attempt_at }]) => [id, last_attempt_at ?? 0]))
    const isFetched = async ({ id }: Feed, since: number): Promise<boolean> => ((await attempts()).get(id) ?? 0) > since
    const kills = Math.min(rounds, MAX_KILLS)
    try {
      const workers = await Promise.all([start(), start()])
      const isFirst = async (): Promise<boolean> => {
        const known = await attempts()
        return FAST.every(({ id }) => known.has(id))
      }
      await until('the fast feeds were fetched', FIRST_WITHIN_MS, isFirst)
      const took: Record<string, number> = {}
      const late: string[] = []
      for (let kill = 0; kill < kills; kill++) {
        const [killed] = workers.splice(0, 1) as [Child]
        const at = Date.now()
        process.kill(killed.pid, 'SIGKILL')
        await Promise.all(
          FAST.map(async (feed) => {
            const within_ms = 2000 * feed.every_s + NOTICED_MS
            const ms = await until(feed.id, within_ms, () => isFetched(feed, at)).catch((error: Error) => {
              late.push(`kill ${kill + 1}: ${error.message}`)
              return within_ms
            })
            took[feed.id] = Math.max(took[feed.id] ?? 0, ms)
          }),
        )
        workers.push(await start())
        await sleep(MAX_REST_MS * Math.random())
      }
      const codes = await service.stop()
      const problems = [
        ...late,
        ...codes.filter((code) => code !== null).map((code) => `a worker ended with ${code} when it was asked to stop`),
      ]
      if (codes.length !== kills) problems.push(`${codes.length} workers did not end by themselves, ${kills} were killed`)
      const at = { folder, redisUrl: server.url, feeds: POLLED.map(({ id }) => id) }
      problems.push(...(await runWorker({ ...at, publishers: publishers.url, iterations: 2, realTime: true })))
      return await judgeApart(at, { problems, detail: { killed: kills, fetched_again_ms: took } })
    } catch (error) {
      process.stderr.write(`${service.lines.slice(-20).join('\n')}\n`)
      throw error
    } finally {
      await service.stop()
      redis.disconnect()
      await publishers.close()
      await server.stop()
    }
  },
}
