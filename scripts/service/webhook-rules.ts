import { type DestinationRules, readNetworks } from '../../api/features/webhooks/destination.ts'
import type { Config } from '../../lake/config.ts'

/** Returns the destinations that webhooks may be sent to, by configuration. Throws an error that names the wrong setting. */
export function webhookRules({ mode, webhookLoopback, webhookNetworks }: Config): DestinationRules {
  if (webhookLoopback && mode === 'live') throw new Error('WEBHOOK_LOOPBACK is for trials: it is refused with live data')
  try {
    return { loopback: webhookLoopback, networks: readNetworks(webhookNetworks ?? '') }
  } catch (error) {
    throw new Error(`WEBHOOK_NETWORKS: ${(error as Error).message}`, { cause: error })
  }
}
