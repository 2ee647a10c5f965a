import { pino } from 'pino'
import { type Access, openAccess } from '../../api/access/access.ts'
import { type Limiter, openLimiter } from '../../api/access/limits/limiter.ts'
import { openMailer } from '../../api/access/mail.ts'
import { newPepperText, parsePeppers } from '../../api/access/pepper.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

/** Accounts and keys for the API of a bench: with a secret of its own, and nothing is mailed. */
export function benchAccess(options: { readonly store: ObjectStore; readonly redisUrl: string; readonly home: string }): Access {
  const { store, redisUrl, home } = options
  const log = pino({ level: 'warn' })
  const mailer = openMailer({ smtpUrl: null, from: 'bench@localhost', outbox: `${home}/outbox`, log })
  return openAccess({ store, redisUrl, peppers: parsePeppers(newPepperText()), mailer, log })
}

/** Limits for the API of a bench, which would measure something else without the Redis that it counts in. */
export function benchLimiter(redisUrl: string): Promise<Limiter> {
  const fail = (error: Error | null): void => {
    if (error) throw error
  }
  return openLimiter({ redisUrl, processes: 1, recorded: null, timeout_ms: 10_000, onSwitch: fail, onRecordError: fail })
}
