import type { IncomingMessage } from 'node:http'
import { problem } from '../kernel/problems.ts'
import { checkedKey, keyInWrongPlace } from './access-problems.ts'
import type { KeyIndex, LiveKey } from './keys/key-index.ts'
import type { CallerOf } from './limits/address.ts'
import type { Policy } from './limits/policy.ts'
import { PAGE_POLICIES, PAGE_TOKEN, type PageTokens } from './page-access.ts'
import { type PlanTable, type PlanTerms, policiesOf, TIERS, type Tier } from './plans.ts'

/** The caller of a request, and the terms of the caller's plan. */
export interface Caller {
  readonly tier: Tier
  /** The slot that counts the requests: of the key, of the address, or of our pages at the address. */
  readonly slot: string
  readonly key: LiveKey | null
  readonly terms: PlanTerms
  readonly policies: readonly Policy[]
}

/** Identifies callers. */
export interface Callers {
  /** Returns the caller without a key: the address. */
  byAddress(raw: IncomingMessage): Caller
  /**
   * Returns the caller: the key if there is one, otherwise the address. Throws, or rejects with, the problem of a key that is
   * invalid, is outside X-API-Key, or cannot be looked up.
   */
  of(raw: IncomingMessage): Caller | Promise<Caller>
  /** Returns the caller that pays for an invalid key: the address, separate from its requests without a key. */
  byInvalidKey(raw: IncomingMessage): Caller
  /** Stops lookups of keys for an address that exceeded its limit of invalid keys, for some seconds. */
  stopLookups(raw: IncomingMessage, wait_s: number): void
}

/** Longest stop of lookups for an address, in s: others behind it may have valid keys. */
const MAX_STOP_S = 60
/** Most addresses that are stopped; the oldest go first. */
const MAX_STOPPED = 10_000

/** Opens the identification of callers. */
export function openCallers(options: {
  readonly keys: KeyIndex
  readonly callerOf: CallerOf
  readonly plans: PlanTable
  readonly pages: Pick<PageTokens, 'isValid'>
}): Callers {
  const { keys, callerOf, plans, pages } = options
  const policies = Object.fromEntries(TIERS.map((tier) => [tier, policiesOf(plans[tier])])) as Record<Tier, readonly Policy[]>
  const termsOf = (tier: Tier) => ({ tier, terms: plans[tier], policies: policies[tier] })
  const known = Object.fromEntries(TIERS.map((tier) => [tier, termsOf(tier)])) as Record<Tier, ReturnType<typeof termsOf>>
  /** The end of each address's stop, by `performance.now()`. */
  const stopped = new Map<string, number>()

  const made = new WeakMap<LiveKey, Caller>()
  const byKey = (key: LiveKey): Caller => {
    const before = made.get(key)
    if (before) return before
    const caller: Caller = { ...known[key.plan], slot: key.slot, key }
    made.set(key, caller)
    return caller
  }
  const refuseStopped = (raw: IncomingMessage): void => {
    const slot = callerOf(raw)
    const wait_ms = (stopped.get(slot) ?? 0) - performance.now()
    if (wait_ms <= 0) stopped.delete(slot)
    else
      throw problem('quota-exceeded', 'Too many invalid keys from this address.', {
        retry_after_s: wait_ms / 1000,
        extensions: { 'violated-policies': ['minute'] },
      })
  }

  const byAddress = (raw: IncomingMessage): Caller => ({ ...known.ANONYMOUS, slot: callerOf(raw), key: null })
  /** One of our own pages: without a key, but with a limit of its own. */
  const byPage = (raw: IncomingMessage): Caller => ({
    ...known.ANONYMOUS,
    policies: PAGE_POLICIES,
    slot: `page:${callerOf(raw)}`,
    key: null,
  })
  return {
    byAddress,
    byInvalidKey: (raw) => ({ ...known.ANONYMOUS, slot: `invalid-key:${callerOf(raw)}`, key: null }),
    of: (raw) => {
      const text = raw.headers['x-api-key']
      if (text === undefined) {
        if (holdsKey(raw.headers.authorization)) throw keyInWrongPlace()
        const token = raw.headers[PAGE_TOKEN]
        return token !== undefined && pages.isValid(String(token), callerOf(raw)) ? byPage(raw) : byAddress(raw)
      }
      if (stopped.size > 0 && keys.atHand(String(text)) === null) refuseStopped(raw)
      const key = checkedKey(keys, String(text), bearers.has(raw) ? 'Authorization: Bearer' : 'X-API-Key')
      return key instanceof Promise ? key.then(byKey) : byKey(key)
    },
    stopLookups: (raw, wait_s) => {
      if (stopped.size >= MAX_STOPPED) stopped.delete(stopped.keys().next().value as string)
      stopped.set(callerOf(raw), performance.now() + Math.min(wait_s, MAX_STOP_S) * 1000)
    },
  }
}

/** Requests whose key came as a bearer token. */
const bearers = new WeakSet<IncomingMessage>()

/** Takes a key that came as a bearer token, which is how clients of catalogues send one, as if it were in X-API-Key. */
export function takeBearer(raw: IncomingMessage): void {
  const { headers } = raw
  const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined || headers['x-api-key'] !== undefined) return
  headers['x-api-key'] = token
  delete headers.authorization
  bearers.add(raw)
}

/** True if the header Authorization seems to contain our key, plain or as the name or password of Basic (RFC 7617). */
function holdsKey(authorization: string | undefined): boolean {
  if (authorization === undefined) return false
  const basic = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1]
  return authorization.includes('tia_') || (basic !== undefined && Buffer.from(basic, 'base64').toString('latin1').includes('tia_'))
}
