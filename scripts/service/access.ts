import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Access, openAccess } from '../../api/auth/access.ts'
import { openPeppers } from '../../api/auth/keys/pepper-file.ts'
import { type Limiter, openLimiter } from '../../api/auth/limits/limiter.ts'
import { openMailer } from '../../api/auth/mail/mail.ts'
import { openRequestLog, type RequestLog } from '../../api/auth/usage/request-log.ts'
import type { Config } from '../../lake/config.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { dataFolder } from './store.ts'

/** Accounts and keys of the service, with the resources that they use. */
export interface ServiceAccess {
  readonly access: Access
  /** Waits for mails under way. */
  close(): Promise<void>
}

/** Opens accounts and keys by configuration. Throws without the secret that the stored keys were made with. */
export async function openServiceAccess(
  config: Config,
  options: { readonly store: ObjectStore; readonly redisUrl: string; readonly log: Logger },
): Promise<ServiceAccess> {
  const { store, redisUrl, log } = options
  const folder = dataFolder(config)
  const peppers = await openPeppers({ store, configured: config.keyPepper, folder })
  const mailer = openMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, outbox: join(folder, 'outbox'), log })
  const access = openAccess({ store, redisUrl, peppers, mailer, log })
  return {
    access,
    close: async () => {
      await access.close()
      await mailer.close()
    },
  }
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
