import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, startRedis } from '../../redis.ts'
import { type Child, startChild } from '../../service/child.ts'
import { type Publishers, startPublishers } from '../../stand-in/server.ts'
import { atExit } from '../run.ts'
import { CHOSEN } from './chosen.ts'
import type { WorkerOrder } from './order.ts'

const REST_MS = 200
const STOP_MS = 40_000
const MOST_LINES = 200
/** Shortly before the end of a month, so that new partitions begin during the failures. */
const START = Date.parse('2026-01-31T12:00:00Z')

/** Waits until a condition is true and returns how long that took, ms; throws after `within_ms`, with `amiss` as the detail. */
export async function until(
  what: string,
  within_ms: number,
  isTrue: () => Promise<boolean>,
  amiss: () => Promise<string> = async () => '',
): Promise<number> {
  const began = performance.now()
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() - began > within_ms) throw new Error(`not within ${within_ms} ms: ${what} ${await amiss()}`)
    await sleep(REST_MS)
  }
  return Math.round(performance.now() - began)
}

/** Processes of the service, started as `scripts/start` starts them, with the last lines that they wrote. */
export interface ServiceParts {
  readonly lines: readonly string[]
  start<T>(name: 'worker' | 'api', more?: Readonly<Record<string, string>>): Promise<{ readonly child: Child; readonly ready: T }>
  /** Stops all of them, the last one first; returns the exit codes that are not 0 (null: a signal). */
  stop(): Promise<(number | null)[]>
}

/** Starts processes of the service on a data folder with these settings. */
export function serviceParts(folder: string, env: Readonly<Record<string, string>>): ServiceParts {
  const lines: string[] = []
  const children: Child[] = []
  const base = {
    ...process.env,
    ...{ UV_THREADPOOL_SIZE: '12', SOURCE_MODE: 'simulated', DATA_DIR: folder, LAKE_URL: '', KEY_PEPPER: '', SMTP_URL: '' },
    ...{ QUERY_MEMORY: '512MB', LAND_EVERY_S: '10', API_WORKERS: '1', HOST: '127.0.0.1', ...env },
  }
  return {
    lines,
    start: (name, more) =>
      startChild({
        name,
        script: new URL(`../../service/run-${name}.ts`, import.meta.url).pathname,
        env: { ...base, ...more },
        onLine: (line) => {
          lines.push(line)
          if (lines.length > MOST_LINES) lines.shift()
        },
        onSpawn: (child) => children.push(child),
      }),
    stop: async () => {
      const codes: (number | null)[] = []
      for (const child of children.splice(0).toReversed()) {
        await child.stop(STOP_MS)
        codes.push(await child.ended)
      }
      return codes.filter((code) => code !== 0)
    },
  }
}

/** Stand-in and Redis that the workers of a scenario share. */
export interface Stage {
  readonly publishers: Publishers
  readonly redis: RedisServer
  /** Default order of its workers and of the oracle. */
  readonly order: WorkerOrder
  close(): Promise<void>
}

/** Starts a Redis that ends with this process at the latest; it stores nothing on disk. */
export async function startOwnRedis(folder: string): Promise<RedisServer> {
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
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
