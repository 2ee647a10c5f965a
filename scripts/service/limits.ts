import type { Logger } from 'pino'
import { type Limiter, openLimiter } from '../../api/auth/limits/limiter.ts'
import { openRequestLog, type RequestLog } from '../../api/auth/usage/request-log.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

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
