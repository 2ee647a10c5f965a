import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseLongUrl } from '../kernel/http/headers.ts'
import { quotaExceeded } from './access-problems.ts'
import type { CallerOf } from './limits/address.ts'
import { limitHeaders } from './limits/headers.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Charge, type Policy, perDay, perMinute } from './limits/policy.ts'

/** Paths that share a limit by address, separate from all other paths. */
export interface AddressLimit {
  /** Names the paths in the quota key of an address. */
  readonly name: string
  readonly policies: readonly Policy[]
  /** True if replies state the limit; false for replies that caches may keep. */
  readonly isStated: boolean
}

/**
 * Limit of the account paths. Rotating three keys on the page takes some ten requests a minute, possibly for a whole office. 30
 * and 1,000 allow that, and bound lookups of made-up keys, each of which reads the store. No usage record contains these
 * requests, so Redis alone counts the day.
 */
export const ACCOUNT_LIMIT: AddressLimit = Object.freeze({
  name: 'account',
  policies: [perMinute(30), perDay(1000)],
  isStated: true,
})

/** Limit of the webhook paths: a program that manages fifty of them sends some hundreds of requests at once. */
export const WEBHOOK_LIMIT: AddressLimit = Object.freeze({ name: 'webhooks', policies: [perMinute(300)], isStated: true })

/** Limit of descriptions, plans, documentation and health: a page takes a dozen requests, a monitor sends one a second. */
export const PLATFORM_LIMIT: AddressLimit = Object.freeze({ name: 'platform', policies: [perMinute(600)], isStated: false })

const ONE = Object.freeze({ minute: 1, day: 1 })

/** What limits by address work with. */
export interface AddressLimitParts {
  readonly limiter: Limiter
  readonly callerOf: CallerOf
}

/** Limits every path of a scope. */
export function limitByAddress(
  scope: FastifyInstance,
  { limiter, callerOf }: AddressLimitParts,
  { name, policies, isStated }: AddressLimit,
): void {
  // Before a body is read. OPTIONS never gets here: it is a browser's own request and costs nothing.
  const admit = async (request: FastifyRequest): Promise<void> => {
    const charge = await limiter.charge(`${name}:${callerOf(request.raw)}`, policies, ONE)
    if (!charge.admitted) throw quotaExceeded(charge, Math.random)
    if (isStated) charges.set(request, charge)
    refuseLongUrl(request.raw)
  }
  scope.addHook('onRequest', admit)
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, admit }
  })
}

const charges = new WeakMap<FastifyRequest, Charge>()

/** Returns the headers with the limit of a request of such a scope; nothing for others, and where replies do not state it. */
export function addressLimitHeaders(request: FastifyRequest, status: number): Readonly<Record<string, string>> {
  const charge = charges.get(request)
  return charge ? limitHeaders(charge, { status, random: Math.random }) : {}
}
