import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Access, openAccess } from '../../api/auth/access.ts'
import { openPeppers } from '../../api/auth/keys/pepper-file.ts'
import { openMailer } from '../../api/auth/mail/mail.ts'
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
