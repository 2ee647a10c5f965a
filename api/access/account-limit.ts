import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallerOf } from './limits/address.ts'
import { limitHeaders } from './limits/headers.ts'
import type { Limiter } from './limits/limiter.ts'
import { type Charge, definePolicy, perMinute } from './limits/policy.ts'
import { quotaExceeded } from './refusals.ts'

/**
 * Requests to account paths from one address. Whoever rotates three keys by the page sends some ten in a minute, and an office behind one
 * address may do so together: 30 and 1,000 are in nobody's way, and keep a machine from having us look up keys that it made up, each of
 * which costs a read of the store. No record of usage holds these, so Redis alone knows the day's.
 */
const POLICIES = Object.freeze([perMinute(30), definePolicy({ name: 'day', limit: 1000, window_s: 86_400, bucket_s: 60, recorded: false })])
const ONE = Object.freeze({ minute: 1, day: 1 })

/** Limits every path of a scope together, by address and apart from all other paths; what they answer says where the caller stands. */
export function limitAccountPaths(
  scope: FastifyInstance,
  { limiter, callerOf }: { readonly limiter: Limiter; readonly callerOf: CallerOf },
): void {
  const charges = new WeakMap<FastifyRequest, Charge>()
  // Before a body is read. OPTIONS is a browser's own question and costs nothing.
  scope.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return
    const charge = await limiter.charge(`account:${callerOf(request.raw)}`, POLICIES, ONE)
    if (!charge.admitted) throw quotaExceeded(charge, Math.random)
    charges.set(request, charge)
  })
  scope.addHook('onSend', async (request, reply) => {
    const charge = charges.get(request)
    if (charge) reply.headers(limitHeaders(charge, { status: reply.statusCode, random: Math.random }))
  })
}
