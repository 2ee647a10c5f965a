import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { Access } from '../../../api/auth/access.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { openServiceAccess } from '../../commands/access.ts'
import { type Child, startChild } from '../../commands/child.ts'
import { cliConfig } from '../../commands/parts.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { type ChaosContext, openContext } from './context.ts'
import { startOwnRedis } from './stage.ts'

/** Incidents have landed within this time, ms. */
const LANDED_WITHIN_MS = 180_000
const REST_MS = 250

/** The service's worker over simulated publishers, with a Redis and API processes started as the service starts them. */
export interface ApiStage {
  /** Keys and accounts in a separate process, as the operator's commands use them. */
  readonly access: Access
  readonly context: ChaosContext
  /** Starts an API process on the same port as the first one. */
  startApi(): Promise<ApiProcess>
  /** Kills Redis by SIGKILL. */
  killRedis(): Promise<void>
  /** Restarts it, empty. */
  startRedis(): Promise<void>
  /** The last lines that its processes wrote. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

/** An API process. */
export interface ApiProcess {
  readonly url: string
  /** Kills it by SIGKILL. */
  kill(): Promise<void>
  /** Stops it and waits for its end; returns the exit code. */
  stop(): Promise<number | null>
}

/** Opens the stage and waits until incidents have landed. */
export async function openApiStage(folder: string, env: Readonly<Record<string, string>> = {}): Promise<ApiStage> {
  await mkdir(folder, { recursive: true })
  let redis = await startOwnRedis(folder)
  const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, scale: 'small' } })
  const lines: string[] = []
  const children: Child[] = []
  const base = {
    ...process.env,
    ...{ UV_THREADPOOL_SIZE: '12', SOURCE_MODE: 'simulated', DATA_DIR: folder, LAKE_URL: '', KEY_PEPPER: '', SMTP_URL: '' },
    ...{ REDIS_URL: redis.url, PUBLISHERS_URL: publishers.url, QUERY_MEMORY: '512MB', LAND_EVERY_S: '10' },
    ...{ API_WORKERS: '1', HOST: '127.0.0.1', ...env },
  }
  const start = <T>(name: 'worker' | 'api', more: Readonly<Record<string, string>>): Promise<{ child: Child; ready: T }> =>
    startChild<T>({
      name,
      script: new URL(`../../commands/run-${name}.ts`, import.meta.url).pathname,
      env: { ...base, ...more },
      onLine: (line) => {
        lines.push(line)
        if (lines.length > 200) lines.shift()
      },
      onSpawn: (child) => children.push(child),
    })
  await start('worker', {})
  const context = await openContext({ folder, redisUrl: redis.url, publishers: null, now: Date.now })
  const haveLanded = async (): Promise<boolean> => (await landedIn(context, incidents, 'dgt_incidents')).seqs.length > 0
  await until('incidents landed', LANDED_WITHIN_MS, haveLanded)
  const log = pino({ level: 'silent' })
  const { access, close: closeAccess } = await openServiceAccess(cliConfig(folder), { store: context.store, redisUrl: redis.url, log })
  let port = '0'
  return {
    access,
    context,
    lines,
    startApi: async () => {
      const { child, ready } = await start<{ url: string }>('api', { PORT: port })
      port = new URL(ready.url).port
      return {
        url: ready.url,
        kill: async () => {
          process.kill(child.pid, 'SIGKILL')
          await child.ended
        },
        stop: async () => {
          await child.stop()
          return child.ended
        },
      }
    },
    killRedis: () => redis.kill(),
    startRedis: async () => {
      redis = await startOwnRedis(folder)
    },
    close: async () => {
      for (const child of children.toReversed()) await child.stop(40_000)
      await closeAccess()
      await context.close()
      await publishers.close()
      await redis.stop()
    },
  }
}

/** Waits until a condition is true and returns how long that took, ms; throws after `within_ms`. */
export async function until(what: string, within_ms: number, isTrue: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() - began > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`)
    await sleep(REST_MS)
  }
  return Math.round(performance.now() - began)
}
