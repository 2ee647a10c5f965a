import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { openRedis } from '../../lake/live/connect.ts'
import { type RedisServer, startRedis } from '../../scripts/redis.ts'

/** A redis-server for one test file. */
export interface TestRedis {
  /** Argument for `openRedis`, `openLive` and `startWorker`. */
  readonly url: string
  /** Kills the server; its data is lost, unless it was started with `appendOnly`. */
  kill(): Promise<void>
  /** Restarts it on the same socket. */
  restart(): Promise<void>
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/** Starts a private redis-server, by default without append-only file; if it is missing, fails with installation instructions. */
export async function startTestRedis({ appendOnly = false }: { appendOnly?: boolean } = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  let server: RedisServer = await startRedis({ folder, appendOnly })
  const { url } = server
  // Ends the server if the test process ends early.
  const atExit = (): void => {
    try {
      process.kill(server.pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', atExit)
  return {
    url,
    kill: () => server.kill(),
    restart: async () => {
      server = await startRedis({ folder, appendOnly, socket: url })
    },
    stop: async () => {
      process.off('exit', atExit)
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A private redis-server for the tests of a file, emptied before each of them; `take` receives its client before the first test.
 */
export function emptyRedis(take: (redis: Redis, server: TestRedis) => void): void {
  let server: TestRedis
  let redis: Redis
  beforeAll(async () => {
    server = await startTestRedis()
    redis = openRedis(server.url)
    take(redis, server)
  })
  beforeEach(async () => {
    await redis.flushall()
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
  })
}
