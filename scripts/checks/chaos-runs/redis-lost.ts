import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livingWorkers } from '../../../lake/live/workers.ts'
import { livePart } from '../../../lake/live/write.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { judgeApart, runWorker } from './children.ts'
import { FASTEST } from './chosen.ts'
import type { Scenario } from './scenario.ts'
import { serviceParts, startOwnRedis, until } from './stage.ts'

/** The trial begins once all feeds have data, at the latest after this time, ms: archives wait up to 90 s for the others. */
const FIRST_WITHIN_MS = 240_000
/** Live state and freshness are restored within this time, ms. */
const BACK_WITHIN_MS = 60_000
/** The fastest feed has new data within this time, ms: its publications are up to 69 s apart and are polled every 60 s. */
const NEWS_WITHIN_MS = 150_000
const DOWN_MS = 3000
/** A stream needs a receiver and a feed on demand a person; this run has neither. */
const POLLED = feeds.filter(({ stream, onDemand }) => !stream && !onDemand)
const IDS = POLLED.map(({ id }) => id)

/** Kills the Redis of the service's worker and restarts it empty, then empties it while it runs. */
export const redisLost: Scenario = {
  name: 'redis-lost',
  about: 'Redis killed and started empty, and emptied while it runs',
  async run({ folder }) {
    let server = await startOwnRedis(folder)
    const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, scale: 'small' } })
    const asked: Redis = openRedis(server.url)
    const settings = { REDIS_URL: server.url, PUBLISHERS_URL: publishers.url, UV_THREADPOOL_SIZE: '8', LAND_EVERY_S: '20' }
    const service = serviceParts(folder, settings)
    try {
      await service.start('worker')
      const isComplete = async (): Promise<boolean> => (await lacking(asked)).length === 0
      const left = async (): Promise<string> => (await lacking(asked)).join(', ')
      const first_data_ms = await until('all feeds gave data', FIRST_WITHIN_MS, isComplete, left)
      const restarts: Record<string, number> = { first_data_ms }
      const loseIt = {
        killed: async () => {
          await server.kill()
          await sleep(DOWN_MS)
          server = await startOwnRedis(folder)
        },
        emptied: async () => void (await asked.flushall()),
      }
      for (const [how, lose] of Object.entries(loseIt)) {
        const seq = await newest(asked)
        await lose()
        restarts[`${how}_back_ms`] = await until(`${how}: everything is restored`, BACK_WITHIN_MS, isComplete, left)
        const now = await newest(asked)
        if (now < seq) throw new Error(`${how}: live state of ${FASTEST.id} decreased from fetch ${seq} to ${now}`)
        restarts[`${how}_news_ms`] = await until(`${how}: news`, NEWS_WITHIN_MS, async () => (await newest(asked)) > now)
      }
      const problems = (await service.stop()).map((code) => `the worker ended with ${code ?? 'a signal'} when it was asked to stop`)
      // Lands the rest.
      const at = { folder, redisUrl: server.url, feeds: IDS }
      problems.push(...(await runWorker({ ...at, publishers: publishers.url, iterations: 2, realTime: true })))
      return await judgeApart(at, { problems, detail: restarts })
    } catch (error) {
      process.stderr.write(`${service.lines.slice(-20).join('\n')}\n`)
      throw error
    } finally {
      await service.stop()
      asked.disconnect()
      await publishers.close()
      await server.stop()
    }
  },
}

/** Live parts, freshness and the announcement of the worker that are missing in Redis. */
async function lacking(redis: Redis): Promise<string[]> {
  const states = await readFeedStates(redis)
  const left = (await livingWorkers(redis)).length > 0 ? [] : ['the worker']
  for (const feed of POLLED) {
    if (!states.has(feed.id)) left.push(`freshness of ${feed.id}`)
    for (const dataset of feed.into.filter(({ live }) => live))
      if ((await livePart(redis, dataset.id, feed.id)) === null) left.push(`live ${dataset.id} of ${feed.id}`)
  }
  return left
}

async function newest(redis: Redis): Promise<number> {
  const shown = FASTEST.into.find(({ live }) => live)
  return (shown && (await livePart(redis, shown.id, FASTEST.id))?.seq) ?? 0
}
