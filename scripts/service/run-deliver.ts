import { startDeliverer } from '../../api/features/webhooks/deliverer.ts'
import { readConfig } from '../../lake/config.ts'
import { openEvents } from '../../lake/events/open.ts'
import { openServiceAccess } from './access.ts'
import { webhookRules } from './caller-settings.ts'
import { endWithSupervisor, onStop, reportReady } from './child.ts'
import { openServiceStore, serviceLog } from './store.ts'

endWithSupervisor()
const config = readConfig(process.env)
const log = serviceLog(config, 'deliver')
if (!config.redisUrl) throw new Error('REDIS_URL is not set; scripts/start sets it')
const rules = webhookRules(config)
const store = await openServiceStore(config)
const { access, close: closeAccess } = await openServiceAccess(config, { store, redisUrl: config.redisUrl, log })
const events = openEvents({ store, redisUrl: config.redisUrl })
const deliverer = startDeliverer({
  store,
  events,
  peppers: access.peppers,
  rules,
  log,
  isEntitled: (account) => access.accounts.hasPlan(account, 'ENTERPRISE'),
  onTrouble: ({ id, url, account }, trouble) => void access.mailWebhook({ id, url, account, ...trouble }),
})

onStop(async () => {
  await deliverer.close()
  await closeAccess()
  events.close()
  await store.close()
})
reportReady({})
