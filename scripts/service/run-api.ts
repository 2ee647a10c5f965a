import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { announceDeprecations } from '../../api/events/deprecations.ts'
import { describeInThread } from '../../api/main/describe/descriptions.ts'
import { startApi } from '../../api/main/server.ts'
import { readConfig } from '../../lake/config.ts'
import { openEvents } from '../../lake/events/open.ts'
import { openLive } from '../../lake/live/read.ts'
import { openTableVersions } from '../../lake/live/table-versions.ts'
import { countingStore } from '../../lake/store/counting.ts'
import { openServiceAccess, openServiceLimiter, openServiceRequestLog } from './access.ts'
import { readPlanSettings, webhookRules } from './caller-settings.ts'
import { endWithSupervisor, onStop, reportReady } from './child.ts'
import { openServiceMetrics } from './metrics.ts'
import { openServiceLake } from './parts.ts'
import { bucketAccess, openServiceStore, serviceLog } from './store.ts'

/** How long the port stays closed while live state does not come, as without Redis, in ms. */
const LIVE_WAIT_MS = 5000

endWithSupervisor()
const config = readConfig(process.env)
const log = serviceLog(config, 'api')
const planSettings = readPlanSettings(config)
if (!config.redisUrl) throw new Error('REDIS_URL is not set; scripts/start sets it')
const metrics = await openServiceMetrics(config)
const store = countingStore(await openServiceStore(config), metrics.countRequest)
const versions = openTableVersions(config.redisUrl)
const lake = await openServiceLake(config, store, { process: 'api', log, standBack: true, onQuery: metrics.countQuery, versions })
const { access, close: closeAccess } = await openServiceAccess(config, { store, redisUrl: config.redisUrl, log })
void access.tidy()
const limiter = openServiceLimiter({ processes: config.apiWorkers, redisUrl: config.redisUrl, log })
const live = openLive({ redisUrl: config.redisUrl, onError: (err) => log.warn({ err }, 'live state not read') })
// The first request to the open port gets the existing data.
await Promise.race([live.ready, sleep(LIVE_WAIT_MS)])
const events = openEvents({ store, redisUrl: config.redisUrl })
const { host, port, publicUrl, apiWorkers, requireHttps, supportContact, securityContact, catalogPublisher } = config
const address = { host, port, sharesPort: apiWorkers > 1, publicUrl, requireHttps }
// As late as this: it records that the process runs.
const requests = openServiceRequestLog({ store, log })
const measured = metrics.url === null ? null : metrics.registry
const api = await startApi({
  ...planSettings,
  ...address,
  store,
  lake,
  bucket: await bucketAccess(config),
  live,
  events,
  destinations: webhookRules(config),
  access,
  limiter,
  requests,
  log,
  supportContact,
  securityContact,
  catalogPublisher,
  metrics: measured,
  describe: describeInThread,
  isWarmed: true,
})
announceDeprecations(store, events.log, endpoints, Date.now()).catch((err: unknown) => log.warn({ err }, 'deprecations are not announced'))
metrics.follow({ engine: lake.engine, redisConnected: () => live.connected })

onStop(async () => {
  await api.close()
  await requests.close()
  limiter.close()
  await closeAccess()
  events.close()
  await live.close()
  await lake.close()
  versions.close()
  await store.close()
  await metrics.close()
})
reportReady({ url: api.url, metrics: metrics.url })
