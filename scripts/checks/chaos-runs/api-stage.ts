import { pino } from 'pino'
import type { Access } from '../../../api/auth/access.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { openServiceAccess } from '../../service/access.ts'
import { cliConfig } from '../../service/store.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { serviceParts, startOwnRedis, until } from './stage.ts'

/** Incidents have landed within this time, ms. */
const LANDED_WITHIN_MS = 180_000

/** The service's worker over simulated publishers, with a Redis and API processes started as the service starts them. */
export interface ApiStage {
  /** Keys and accounts in a separate process, as the operator's commands use them. */
  readonly access: Access
  readonly context: ScratchContext
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
export async function openApiStage(folder: string, env: Readonly<Record<string, string>>): Promise<ApiStage> {
  let redis = await startOwnRedis(folder)
  const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, scale: 'small' } })
  const service = serviceParts(folder, { REDIS_URL: redis.url, PUBLISHERS_URL: publishers.url, ...env })
  await service.start('worker')
  const context = await openContext({ folder, redisUrl: redis.url })
  const haveLanded = async (): Promise<boolean> => (await landedIn(context, incidents, 'dgt_incidents')).seqs.length > 0
  await until('incidents landed', LANDED_WITHIN_MS, haveLanded)
  const log = pino({ level: 'silent' })
  const { access, close: closeAccess } = await openServiceAccess(cliConfig(folder), { store: context.store, redisUrl: redis.url, log })
  let port = '0'
  return {
    access,
    context,
    lines: service.lines,
    startApi: async () => {
      const { child, ready } = await service.start<{ url: string }>('api', { PORT: port })
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
      await service.stop()
      await closeAccess()
      await context.close()
      await publishers.close()
      await redis.stop()
    },
  }
}
