import type { Logger } from 'pino'
import { type TrustedProxies, trustedProxies } from '../../api/auth/limits/address.ts'
import { type Limiter, openLimiter } from '../../api/auth/limits/limiter.ts'
import { type PlanTable, readPlans } from '../../api/auth/plans.ts'
import { openRequestLog, type RequestLog } from '../../api/auth/usage/request-log.ts'
import type { Config } from '../../lake/config.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

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

/** Opens the log of requests of the service. */
export function openServiceRequestLog(options: { readonly store: ObjectStore; readonly log: Logger }): RequestLog {
  const { store, log } = options
  return openRequestLog({
    store,
    clock: Date.now,
    onError: (err) => log.warn({ err }, 'usage and uptime not written; tried again within a minute'),
    onLost: (minutes, requests) => log.error({ minutes, requests }, 'usage and uptime that could not be written are given up'),
  })
}

/** Opens the limits of the service, of which `processes` run on this machine. */
export function openServiceLimiter(options: { readonly redisUrl: string; readonly processes: number; readonly log: Logger }): Limiter {
  const { redisUrl, processes, log } = options
  let isAlone = false
  return openLimiter({
    ...{ redisUrl, processes },
    onSwitch: (err) => {
      if (err) log.warn({ err }, 'Redis counts no requests: this process limits alone')
      else if (isAlone) log.info('Redis counts requests again')
      isAlone = err !== null
    },
  })
}
