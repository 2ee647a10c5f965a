import type { Peppers } from './keys/pepper.ts'
import { openLimiter } from './limits/limiter.ts'
import { type Policy, perDay, perHour } from './limits/policy.ts'

/** Limits of actions that cost us or others something. */
const LIMITS = {
  /** New keys requested from one IP address. */
  'create-from-address': [perHour(5), perDay(20)],
  /** New keys requested for one e-mail address. */
  'create-for-email': [perDay(6)],
  /** Mails about new keys to one e-mail address. */
  'mail-to-email': [perDay(3)],
  /** Links to its account that were asked for. */
  'link-to-email': [perHour(5), perDay(10)],
  /** Mails requested from one IP address. */
  'mail-from-address': [perHour(5), perDay(20)],
} as const

/** What is limited. */
export type Attempt = keyof typeof LIMITS

/** Counts attempts in sliding windows. */
export interface Attempts {
  /**
   * Counts an attempt of a subject (IP address or e-mail). Returns 0, or the seconds until one is allowed without counting it.
   */
  take(attempt: Attempt, subject: string): Promise<number>
  close(): void
}

const ONE = Object.freeze({ hour: 1, day: 1 })
const TIMEOUT_MS = 1000

/** Counts in Redis, by the hash of the subject. While Redis is away, each process admits its share of half of each limit. */
export function openAttempts({ redisUrl, peppers }: { readonly redisUrl: string; readonly peppers: Peppers }): Attempts {
  const limiter = openLimiter({ redisUrl, prefix: 'access:attempts:', timeout_ms: TIMEOUT_MS, onSwitch: () => undefined })
  return {
    take: async (attempt, subject) => {
      const policies: readonly Policy[] = LIMITS[attempt]
      const slot = `${attempt}:${peppers.current.hash(subject).slice(0, 32)}`
      return (await limiter.charge(slot, policies, ONE)).retry_after_s
    },
    close: () => limiter.close(),
  }
}
