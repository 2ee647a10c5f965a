import { join } from 'node:path'
import { pino } from 'pino'
import { openAccess } from '../../../api/auth/access.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { type Limiter, openLimiter } from '../../../api/auth/limits/limiter.ts'
import { openMailer } from '../../../api/auth/mail/mail.ts'
import { readPlans, TIERS } from '../../../api/auth/plans.ts'
import { openRequestLog } from '../../../api/auth/usage/request-log.ts'
import { type ApiOptions, startApi } from '../../../api/main/server.ts'
import { openEvents } from '../../../lake/events/open.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { openLive } from '../../../lake/live/read.ts'
import type { Lake } from '../../../lake/open.ts'
import { startRedis } from '../../redis.ts'

/** An API under measurement, and a key for it. */
export interface BenchApi {
  readonly url: string
  /** A key of the ENTERPRISE plan. */
  readonly key: string
  close(): Promise<void>
}

/** The parts that the API runs over. The caller closes them; `home` is a folder for its mails. */
export interface BenchApiOptions extends Pick<ApiOptions, 'lake' | 'live' | 'clock' | 'endpoints'> {
  readonly redisUrl: string
  readonly home: string
}

/** The parts of an API with its own Redis: its lake, a publisher of live state if it has one, and the path that is requested. */
export interface LiveBench extends Pick<ApiOptions, 'endpoints'> {
  readonly lake: Lake
  readonly home: string
  readonly publish?: (redis: ReturnType<typeof openRedis>) => Promise<void>
  readonly path: string
}

/** Limits so high that no request is refused; requests are still counted. */
const PLANS = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, { minute: 1e9, day: 1e9, concurrency: 1e6 }]))))

/** Opens limits that fail if Redis fails. */
export function benchLimiter(redisUrl: string): Limiter {
  return openLimiter({
    redisUrl,
    timeout_ms: 10_000,
    onSwitch: (error) => {
      if (error) throw error
    },
  })
}

/**
 * Starts the API with its own secret for keys and with limits in the given Redis; without limits the measurement would be
 * incomplete.
 */
export async function startBenchApi({ redisUrl, home, ...options }: BenchApiOptions): Promise<BenchApi> {
  const log = pino({ level: 'warn' })
  const { store } = options.lake
  const mailer = openMailer({ smtpUrl: null, from: 'bench@localhost', outbox: `${home}/outbox`, log })
  const access = openAccess({ store, redisUrl, peppers: parsePeppers(newPepperText()), mailer, log })
  const limiter = benchLimiter(redisUrl)
  const { key } = await access.accounts.create({ email: 'bench@example.org', label: null, language: 'es', plan: 'ENTERPRISE' })
  const lost = (reason: Error | number): never => {
    throw reason instanceof Error ? reason : new Error(`${reason} requests are not counted`)
  }
  const requests = openRequestLog({ store, clock: options.clock ?? Date.now, onError: lost, onLost: lost })
  const events = openEvents({ store, redisUrl })
  const api = await startApi({ ...options, store, events, access, limiter, requests, plans: PLANS, log, host: '127.0.0.1', port: 0 })
  return {
    url: api.url,
    key,
    close: async () => {
      await api.close()
      events.close()
      await requests.close()
      limiter.close()
      await access.close()
      await mailer.close()
    },
  }
}

/** Starts the API with its own Redis, as the service does, once the live state exists; closing it also closes the lake. */
export async function startLiveApi({ lake, home, publish, path, ...options }: LiveBench): Promise<BenchApi> {
  const server = await startRedis({ folder: join(home, 'redis'), appendOnly: false })
  const redis = openRedis(server.url)
  await publish?.(redis)
  redis.disconnect()
  const live = openLive({ redisUrl: server.url })
  if (publish) await live.ready
  const api = await startBenchApi({ ...options, lake, live, redisUrl: server.url, home })
  return {
    url: `${api.url}${path}`,
    key: api.key,
    close: async () => {
      await api.close()
      await live.close()
      await lake.close()
      await server.stop()
    },
  }
}
