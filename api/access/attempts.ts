import { openLimiter } from './limits/limiter.ts'
import { type Policy, perDay, perHour } from './limits/policy.ts'
import type { Peppers } from './pepper.ts'

/** How often one may do what costs us or others something. */
const LIMITS = {
  /** New keys requested from one address. */
  'create-from-address': [perHour(5), perDay(20)],
  /** New keys requested for one e-mail address. */
  'create-for-email': [perDay(6)],
  /** Mails to one e-mail address. */
  'mail-to-email': [perDay(3)],
  /** Mails requested from one address. */
  'mail-from-address': [perHour(5), perDay(20)],
} as const

/** What is limited. */
export type Attempt = keyof typeof LIMITS

/** Counts attempts in sliding windows. */
export interface Attempts {
  /** Counts an attempt of a subject (an address, an e-mail). Returns 0, or the seconds until one is allowed, and then counts nothing. */
  take(attempt: Attempt, subject: string): Promise<number>
  close(): void
}

const ONE = Object.freeze({ hour: 1, day: 1 })
const TIMEOUT_MS = 1000

/** Counts in Redis, by the hash of the subject; while Redis is away each process admits its part of half of each limit. */
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
