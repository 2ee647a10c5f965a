import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseLongUrl } from '../http/malformed.ts'
import type { CallerOf } from './limits/address.ts'
import { limitHeaders } from './limits/headers.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Charge, type Policy, perDay, perMinute } from './limits/policy.ts'
import { quotaExceeded } from './refusals.ts'

/** Paths that are limited together, by address and apart from all other paths. */
export interface AddressLimit {
  /** Names the paths in the slot of an address. */
  readonly name: string
  readonly policies: readonly Policy[]
  /** Whether answers say where the caller stands; not those that caches may keep. */
  readonly isTold: boolean
}

/**
 * Account paths. Whoever rotates three keys by the page sends some ten requests in a minute, and an office behind one address may do so
 * together: 30 and 1,000 are in nobody's way, and keep a machine from having us look up keys that it made up, each of which costs a read of
 * the store. No record of usage holds these, so Redis alone knows the day's.
 */
export const ACCOUNT_LIMIT: AddressLimit = Object.freeze({
  name: 'account',
  policies: [perMinute(30), perDay(1000)],
  isTold: true,
})

/** Paths of webhooks: a program that keeps fifty of them in order sends some hundreds at once. */
export const WEBHOOK_LIMIT: AddressLimit = Object.freeze({ name: 'webhooks', policies: [perMinute(300)], isTold: true })

/** Descriptions, plans, documentation and health: a page takes a dozen requests, a monitor one a second. */
export const PLATFORM_LIMIT: AddressLimit = Object.freeze({ name: 'platform', policies: [perMinute(600)], isTold: false })

const ONE = Object.freeze({ minute: 1, day: 1 })

/** Limits every path of a scope. */
export function limitByAddress(
  scope: FastifyInstance,
  { limiter, callerOf }: { readonly limiter: Limiter; readonly callerOf: CallerOf },
  { name, policies, isTold }: AddressLimit,
): void {
  const charges = new WeakMap<FastifyRequest, Charge>()
  // Before a body is read. OPTIONS is a browser's own question and costs nothing.
  scope.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return
    const charge = await limiter.charge(`${name}:${callerOf(request.raw)}`, policies, ONE)
    if (!charge.admitted) throw quotaExceeded(charge, Math.random)
    if (isTold) charges.set(request, charge)
    refuseLongUrl(request.raw)
  })
  if (!isTold) return
  scope.addHook('onSend', async (request, reply) => {
    const charge = charges.get(request)
    if (charge) reply.headers(limitHeaders(charge, { status: reply.statusCode, random: Math.random }))
  })
}
