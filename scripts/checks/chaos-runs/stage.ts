import { join } from 'node:path'
import { type RedisServer, startRedis } from '../../redis.ts'
import { type Publishers, startPublishers } from '../../stand-in/server.ts'
import { atExit } from './at-exit.ts'
import { CHOSEN } from './chosen.ts'
import type { WorkerOrder } from './order.ts'

/** Shortly before the end of a month, so that new partitions begin during the failures. */
const START = Date.parse('2026-01-31T12:00:00Z')

/** Stand-in and Redis that the workers of a scenario share. */
export interface Stage {
  readonly publishers: Publishers
  readonly redis: RedisServer
  /** Default order of its workers and of the oracle. */
  readonly order: WorkerOrder
  close(): Promise<void>
}

/** Starts a Redis that ends with this process at the latest; by default it stores nothing on disk. */
export async function startOwnRedis(folder: string, { appendOnly = false }: { readonly appendOnly?: boolean } = {}): Promise<RedisServer> {
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly })
  const callOff = atExit(() => process.kill(server.pid, 'SIGKILL'))
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    callOff()
    await server[how]()
  }
  return { ...server, stop: () => end('stop'), kill: () => end('kill') }
}

/** Starts a stand-in whose clock only moves when a worker moves it, and a Redis that stores nothing on disk. */
export async function openStage(folder: string): Promise<Stage> {
  const redis = await startOwnRedis(folder)
  const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, speed: 0, start: START, scale: 'small' } })
  return {
    publishers,
    redis,
    order: { folder, redisUrl: redis.url, publishers: publishers.url, feeds: CHOSEN.map(({ id }) => id), iterations: 1 },
    close: async () => {
      await publishers.close()
      await redis.stop()
    },
  }
}
