import { join } from 'node:path'
import { TIERS } from '../../../api/auth/plans.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { type Config, readConfig } from '../../../lake/config.ts'
import { claimLake, writeFeedListings } from '../../../lake/system.ts'
import { withService } from '../../commands/service.ts'
import { openServiceAccess } from '../../service/access.ts'
import { type Child, startChild } from '../../service/child.ts'
import { openServiceStore, serviceLog } from '../../service/store.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { startOwnRedis } from '../chaos-runs/stage.ts'

/** A key of the service under test, and its public name. */
export interface TestKey {
  readonly id: string
  readonly key: string
}

/** The API in a separate process over the stand-in's published data, without limits. */
export interface FuzzedService {
  readonly url: string
  /** A key of the highest plan. */
  readonly key: string
  /** Keys that may be rotated and revoked, each of its own account. */
  readonly spare: readonly TestKey[]
  /** True until the process of the API has ended. */
  isUp(): boolean
  close(): Promise<void>
}

const SPARE_KEYS = 100
/** Feeds with this interval or a shorter one are fetched twice, so that there are changes, s. */
const FAST_S = 300
const MUCH = Object.freeze({ minute: 1e9, day: 1e9, concurrency: 1e6 })
const UNLIMITED = JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, MUCH])))

/**
 * Starts it in a folder: its own Redis, the tables and live state of every feed, mails in a folder. `log` receives the API's log
 * lines.
 */
export async function startFuzzedService(folder: string, log: (line: string) => void): Promise<FuzzedService> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of closers.reverse()) await end()
    closers.length = 0
  }
  try {
    const redis = await startOwnRedis(folder)
    closers.push(() => redis.stop())
    const env = {
      ...{ PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', UV_THREADPOOL_SIZE: '12' },
      ...{ SOURCE_MODE: 'simulated', DATA_DIR: join(folder, 'data'), REDIS_URL: redis.url, LOG_LEVEL: 'warn' },
      // Every request comes from a different address, so that no address reaches its limits.
      ...{ HOST: '127.0.0.1', PORT: '0', PLANS: UNLIMITED, TRUSTED_PROXIES: '127.0.0.1' },
      // Without it the security file does not exist.
      SECURITY_CONTACT: 'mailto:security@example.org',
      // The catalogue is DCAT-AP-ES only with them.
      SUPPORT_CONTACT: 'mailto:support@example.org',
      CATALOG_PUBLISHER: 'http://datos.gob.es/recurso/sector-publico/org/Organismo/E0DAT0001',
    }
    const config = readConfig(env)
    await publishAll(config)
    const [{ key }, ...spare] = (await makeKeys(config)) as [TestKey, ...TestKey[]]
    const script = new URL('../../service/run-api.ts', import.meta.url).pathname
    let isUp = true
    const onSpawn = (child: Child): void => {
      closers.push(() => child.stop())
      void child.ended.then(() => {
        isUp = false
      })
    }
    const { ready } = await startChild<{ url: string }>({ name: 'api', script, env, onLine: log, onSpawn })
    return { url: ready.url, key, spare, isUp: () => isUp, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Fetches every polled feed from a stand-in and lands it, the fast ones twice. */
async function publishAll(config: Config): Promise<void> {
  const publishers = await startPublishers({ source: { kind: 'simulated', scale: 'small' } })
  await withService({ ...config, publishersUrl: publishers.url }, async (service) => {
    await claimLake(service.store, 'simulated', Date.now())
    const listings = feeds.map(({ id, domain, source, into, every_s }) => {
      const datasets = into.map((dataset) => dataset.id)
      return { id, domain, source: source.id, datasets, every_s, urls: [], enabled: true }
    })
    await writeFeedListings(service.store, listings)
    const polled = feeds.filter(({ stream }) => !stream)
    for (const feed of [...polled, ...polled.filter(({ every_s }) => every_s <= FAST_S)]) await service.runFeed(feed)
  }).finally(() => publishers.close())
}

/** Creates the keys, the one of the highest plan first. */
async function makeKeys(config: Config): Promise<TestKey[]> {
  const store = await openServiceStore(config)
  const { access, close } = await openServiceAccess(config, { store, redisUrl: config.redisUrl ?? '', log: serviceLog(config, 'fuzz') })
  try {
    const keys: TestKey[] = []
    for (let number = 0; number <= SPARE_KEYS; number++) {
      const plan = number === 0 ? 'ENTERPRISE' : 'FREE'
      keys.push(await access.accounts.create({ email: `fuzz-${number}@example.org`, label: null, language: 'es', plan }))
    }
    return keys
  } finally {
    await close()
    await store.close()
  }
}
