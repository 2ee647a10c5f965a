import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { openRedis } from '../../lake/live/connect.ts'
import { claimUsageMail } from '../../lake/requests/mails.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Language } from '../kernel/language.ts'
import { type Accounts, openAccounts } from './accounts.ts'
import { type Attempts, openAttempts } from './attempts.ts'
import { type KeyIndex, openKeyIndex } from './keys/key-index.ts'
import type { Peppers } from './keys/pepper.ts'
import type { Mailer } from './mail/mail.ts'
import { linkMail, type MailReason, usageMail } from './mail/mail-texts.ts'
import { type WebhookTrouble, webhookMail } from './mail/webhook-mail.ts'
import { openTokens, type Tokens } from './sessions/tokens.ts'
import type { DayUsed } from './usage/day-watch.ts'

/** What accounts and keys need. The caller, who opened the store and the mailer, closes them. */
export interface AccessOptions {
  readonly store: ObjectStore
  readonly redisUrl: string
  readonly peppers: Peppers
  readonly mailer: Mailer
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly clock?: () => number
}

/** Everything that decides about access. */
export interface Access {
  /** Resolves the text of a key, for every request that has one. */
  readonly keys: KeyIndex
  readonly accounts: Accounts
  readonly attempts: Attempts
  readonly tokens: Tokens
  readonly peppers: Peppers
  /**
   * Mails a link to an account, within the address's daily limit of mails. Never rejects. `page` is the URL of the account's
   * page.
   */
  mailLink(options: MailedLink): Promise<void>
  /**
   * Mails a key's owner how much of its daily quota is used, once per slot, day and level. The address must be confirmed and the
   * account must want these mails. Never rejects. `page` is as for `mailLink`.
   */
  mailUsage(used: DayUsed & { readonly page: string }): Promise<void>
  /** Mails the owner of a webhook that it fails or was disabled. Never rejects. */
  mailWebhook(trouble: WebhookTrouble & { readonly account: string }): Promise<void>
  /**
   * Brings the records derived from the store up to date and fills Redis, in one process at a time. Does nothing while Redis is
   * away, or if another process has done it since the call.
   */
  tidy(): Promise<void>
  close(): Promise<void>
}

/** A link to be mailed. */
export interface MailedLink {
  readonly reason: MailReason
  readonly email: string
  readonly account: string
  readonly language: Language
  readonly page: string
}

/** How long keys of an unconfirmed address work, in days, if mails are sent. */
const UNCONFIRMED_DAYS = 7
const DAY_MS = 86_400_000
/** How long others wait for a process that was killed during this work, and the polling interval, ms. */
const TIDY_MS = 60_000
const LOOK_MS = 500
/** When the last completed run began, in ms by the clock of Redis. */
const TIDIED = 'access:tidied'
const COMMAND_TIMEOUT_MS = 5000

/** Opens accounts and keys. */
export function openAccess({ store, redisUrl, peppers, mailer, log, clock = Date.now }: AccessOptions): Access {
  const keys = openKeyIndex({ store, redisUrl, peppers, clock })
  const attempts = openAttempts({ redisUrl, peppers })
  const tokens = openTokens({ store, peppers, clock })
  const until_days = mailer.isSmtp ? UNCONFIRMED_DAYS : null
  const accounts = openAccounts({ store, index: keys, peppers, clock, unconfirmed_ms: until_days === null ? null : until_days * DAY_MS })
  const stop = new AbortController()
  let tidying: Promise<void> | null = null
  const tidy = async (): Promise<void> => {
    const redis = openRedis(redisUrl, { commandTimeout_ms: COMMAND_TIMEOUT_MS })
    try {
      const asked = await timeOf(redis)
      while ((await redis.set('access:tidy', '1', 'PX', TIDY_MS, 'NX')) !== 'OK') await sleep(LOOK_MS, undefined, { signal: stop.signal })
      try {
        // A killed process may have left work undone a moment ago: only a run that began later is enough.
        if (Number(await redis.get(TIDIED)) >= asked) return
        const began = await timeOf(redis)
        await accounts.tidy(stop.signal)
        await tokens.tidy()
        await redis.set(TIDIED, began)
      } finally {
        await redis.del('access:tidy')
      }
    } catch (err) {
      if (!stop.signal.aborted) log.warn({ err }, 'the records of keys could not all be brought in line')
    } finally {
      redis.disconnect()
    }
  }
  return {
    keys,
    accounts,
    attempts,
    tokens,
    peppers,
    mailWebhook: async ({ account, ...about }) => {
      try {
        const contact = await accounts.contact(account)
        if (contact) mailer.send({ to: contact.email, ...webhookMail(contact.language, about) })
      } catch (err) {
        log.warn({ err }, 'the owner of a failing webhook was not mailed')
      }
    },
    mailLink: async ({ reason, email, account, language, page }) => {
      try {
        if ((await attempts.take(reason === 'manage' ? 'link-to-email' : 'mail-to-email', email)) > 0) return
        const isConfirmed = (await accounts.contact(account))?.isConfirmed === true
        const token = await tokens.link(account)
        // The account may have been removed meanwhile.
        if (token === null) return
        const link = `${page}?token=${token}`
        mailer.send({ to: email, ...linkMail(reason, { language, link, until_days: isConfirmed ? null : until_days }) })
      } catch (err) {
        // A new key is shown all the same.
        log.warn({ err, reason }, 'link not mailed')
      }
    },
    mailUsage: async ({ key, level, date, limit, page }) => {
      try {
        const { account, slot } = key
        const contact = await accounts.contact(account)
        if (!contact?.isConfirmed || !((await accounts.usageMails(account)) ?? key.plan !== 'FREE')) return
        const hint = (await accounts.list(account)).find(({ id }) => id === key.id)?.hint
        if (!hint || !(await claimUsageMail(store, { date, slot, level }))) return
        mailer.send({ to: contact.email, ...usageMail(contact.language, { level, limit, key: `${hint.first}…${hint.last}`, page }) })
      } catch (err) {
        log.warn({ err, level }, 'usage mail not sent')
      }
    },
    tidy: () => {
      tidying ??= tidy().finally(() => {
        tidying = null
      })
      return tidying
    },
    close: async () => {
      stop.abort()
      await tidying
      keys.close()
      attempts.close()
    },
  }
}

async function timeOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1000 + Number(micros) / 1000
}
