import type { IncomingMessage } from 'node:http'
import { problem } from '../define/problems.ts'
import type { KeyIndex, LiveKey } from './key-index.ts'
import type { CallerOf } from './limits/address.ts'
import type { Policy } from './limits/policy.ts'
import { type PlanTable, type PlanTerms, policiesOf, TIERS, type Tier } from './plans.ts'
import { checkedKey, keyInWrongPlace } from './refusals.ts'

/** Who asks, and under which terms. */
export interface Caller {
  readonly tier: Tier
  /** What the requests are counted by: of the key, or of the address. */
  readonly slot: string
  readonly key: LiveKey | null
  readonly terms: PlanTerms
  readonly policies: readonly Policy[]
}

/** Tells callers apart. */
export interface Callers {
  /** Whoever asks without a key: their address. */
  byAddress(raw: IncomingMessage): Caller
  /**
   * Who asks: the key where there is one, else the address. Throws, or rejects with, the problem of a key that does not work, is elsewhere
   * than in X-API-Key, or cannot be looked up.
   */
  of(raw: IncomingMessage): Caller | Promise<Caller>
  /** Who pays for a key that does not work: the address, apart from its requests without a key. */
  byInvalidKey(raw: IncomingMessage): Caller
  /** Tells that an address was over its limit of invalid keys: no more are looked up for it for so many seconds. */
  stopLookups(raw: IncomingMessage, wait_s: number): void
}

/** Longest time for which nothing is looked up for an address, in s: somebody behind it may have a key that works. */
const STOP_MOST_S = 60
/** Addresses that are remembered as stopped; the first go first. */
const STOPPED_MOST = 10_000

/** Makes what tells callers apart. */
export function openCallers(options: { readonly keys: KeyIndex; readonly callerOf: CallerOf; readonly plans: PlanTable }): Callers {
  const { keys, callerOf, plans } = options
  const policies = Object.fromEntries(TIERS.map((tier) => [tier, policiesOf(plans[tier])])) as Record<Tier, readonly Policy[]>
  const termsOf = (tier: Tier) => ({ tier, terms: plans[tier], policies: policies[tier] })
  const known = Object.fromEntries(TIERS.map((tier) => [tier, termsOf(tier)])) as Record<Tier, ReturnType<typeof termsOf>>
  /** Until when, by `performance.now()`, nothing is looked up for an address. */
  const stopped = new Map<string, number>()

  const byKey = (key: LiveKey): Caller => ({ ...known[key.plan], slot: key.slot, key })
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
  return {
    byAddress,
    byInvalidKey: (raw) => ({ ...known.ANONYMOUS, slot: `invalid-key:${callerOf(raw)}`, key: null }),
    of: (raw) => {
      const text = raw.headers['x-api-key']
      if (text === undefined) {
        if (holdsKey(raw.headers.authorization)) throw keyInWrongPlace()
        return byAddress(raw)
      }
      if (stopped.size > 0 && keys.atHand(String(text)) === null) refuseStopped(raw)
      const key = checkedKey(keys, String(text))
      return key instanceof Promise ? key.then(byKey) : byKey(key)
    },
    stopLookups: (raw, wait_s) => {
      if (stopped.size >= STOPPED_MOST) stopped.delete(stopped.keys().next().value as string)
      stopped.set(callerOf(raw), performance.now() + Math.min(wait_s, STOP_MOST_S) * 1000)
    },
  }
}

/** True where the header Authorization holds what looks like a key of ours, as it is or as the name or password of Basic (RFC 7617). */
function holdsKey(authorization: string | undefined): boolean {
  if (authorization === undefined) return false
  const basic = /^basic +([\w+/=-]+)$/i.exec(authorization)?.[1]
  return authorization.includes('tia_') || (basic !== undefined && Buffer.from(basic, 'base64').toString('latin1').includes('tia_'))
}
