import { type TrustedProxies, trustedProxies } from '../../api/auth/limits/address.ts'
import { type PlanTable, readPlans } from '../../api/auth/plans.ts'
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
