import { type TrustedProxies, trustedProxies } from '../../api/auth/limits/address.ts'
import { type PlanTable, readPlans } from '../../api/auth/plans.ts'
import { type DestinationRules, readNetworks } from '../../api/features/webhooks/destination.ts'
import type { Config } from '../../lake/config.ts'

/** The configuration of plans and callers. */
export interface PlanSettings {
  readonly plans: PlanTable
  readonly upgradeUrl: string | null
  readonly trusted: TrustedProxies
}

/** Reads these settings from a configuration. Throws one error that names each mistake with its variable. */
export function readPlanSettings({ plans, upgradeUrl, trustedProxies: proxies }: Config): PlanSettings {
  const mistakes: string[] = []
  const read = <T>(variable: string, parse: () => T): T | undefined => {
    try {
      return parse()
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) mistakes.push(`${variable}: ${line}`)
      return undefined
    }
  }
  const table = read('PLANS', () => readPlans(plans))
  const trusted = read('TRUSTED_PROXIES', () => trustedProxies(proxies ?? ''))
  if (!table || !trusted) throw new Error(`mistakes in the configuration:\n  ${mistakes.join('\n  ')}`)
  return { plans: table, upgradeUrl, trusted }
}

/** Returns the destinations that webhooks may be sent to, by configuration. Throws an error that names the wrong setting. */
export function webhookRules({ mode, webhookLoopback, webhookNetworks }: Config): DestinationRules {
  if (webhookLoopback && mode === 'live') throw new Error('WEBHOOK_LOOPBACK is for trials: it is refused with live data')
  try {
    return { loopback: webhookLoopback, networks: readNetworks(webhookNetworks ?? '') }
  } catch (error) {
    throw new Error(`WEBHOOK_NETWORKS: ${(error as Error).message}`, { cause: error })
  }
}
