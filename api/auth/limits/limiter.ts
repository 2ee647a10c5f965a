import { randomUUID } from 'node:crypto'
import { openRedis } from '../../../lake/live/connect.ts'
import { defineScript, runScript } from '../../../lake/live/script.ts'
import { type ChargeCall, MAX_CALLS, runCharges, takeBack } from './charge-script.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type Lease, Leases } from './leases.ts'
import { LocalLimits } from './local-limits.ts'
import { type Charge, type Policy, unitsOf, type Weights } from './policy.ts'

/** Limits shared by all processes on one Redis. A Redis failure never rejects a call. */
export interface Limiter {
  /** False while Redis does not answer and this process limits alone. */
  readonly connected: boolean
  /** Why Redis refuses writes, such as READONLY or OOM; null if it accepts them or does not answer. */
  readonly refusal: string | null
  /**
   * Charges a slot (any text that names the limited caller) under every policy; if one is violated, nothing is charged. Rejects
   * with a RangeError if a weight is not a whole number.
   */
  charge(slot: string, policies: readonly Policy[], weights: Weights): Promise<Charge>
  /** Refunds a charge once, in its buckets; not if Redis fails. */
  refund(charge: Charge): Promise<void>
  /** Takes one of `most` concurrent queries of a slot; null if all are taken. */
  lease(slot: string, most: number): Promise<Lease | null>
  close(): void
}

/** Settings of a limiter. */
export interface LimiterOptions {
  readonly redisUrl: string
  /** Called with the reason when Redis fails, and with null when it works again. */
  readonly onSwitch: (reason: Error | null) => void
  /** Prefix of all keys; `quotas:` by default. */
  readonly prefix?: string
  /** Longest wait for Redis, in ms; 300 by default. */
  readonly timeout_ms?: number
  /** Time between two probes while Redis is away, in ms; 1000 by default. */
  readonly probe_ms?: number
  /** How long the lease of a killed process lasts, in ms; 15,000 by default. */
  readonly leaseTtl_ms?: number
  /** Processes that share the quotas, as long as Redis has not reported how many there are; 1 by default. */
  readonly processes?: number
  /** Returns the time in whole seconds, instead of Redis' clock. */
  readonly clock?: () => number
}

interface PendingCharge extends ChargeCall {
  readonly resolve: (charge: Charge) => void
}

/** Most charges that are kept until Redis first answers. */
const MAX_EARLY = 10_000
/** Time between two heartbeats of a process, and how long it counts without one, in ms. */
const BEAT_MS = 10_000
const SEEN_MS = 35_000

/** KEYS: processes, scored by last heartbeat. ARGV: this one's id, and how long one counts, in ms. Reply: their number. */
const BEAT = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`)

/** Opens limits. While Redis is away, this process limits alone (`LocalLimits`). The caller closes them. */
export function openLimiter(options: LimiterOptions): Limiter {
  const { redisUrl, onSwitch, prefix = 'quotas:', timeout_ms = 300, probe_ms = 1000, leaseTtl_ms = 15_000, clock = null } = options
  const redis = openRedis(redisUrl, { queueWhileAway: false, repeatBroken: false })
  const counters = { redis, prefix, clock }
  const id = randomUUID()
  let processes = options.processes ?? 1
  /** What was admitted before Redis first answered: it is charged there before anything else. Null afterwards. */
  let early: Map<Charge, ChargeCall> | null = new Map()
  const beat = async (): Promise<void> => {
    const seen = await breaker.run(() => runScript(redis, BEAT, { keys: [`${prefix}processes`], args: [id, SEEN_MS] }))
    if (seen !== undefined) processes = Number(seen)
  }
  const breaker = new CircuitBreaker({
    ...{ redis, timeout_ms, probe_ms, probeKey: `${prefix}probe` },
    onSwitch: (reason) => {
      if (reason === null) {
        for (const calls of chunks([...(early?.values() ?? [])])) void breaker.run(() => runCharges(counters, calls))
        early = null
        void beat()
      }
      onSwitch(reason)
    },
  })
  const beats = setInterval(() => void beat(), BEAT_MS)
  const local = new LocalLimits({ processes: () => processes, clock: clock ?? (() => Math.floor(performance.now() / 1000)) })
  const leases = new Leases({ redis, breaker, prefix, ttl_ms: leaseTtl_ms, share: (quota) => local.share(quota) })
  const refunded = new WeakSet<Charge>()
  let pending: PendingCharge[] = []
  let isFlushing = false

  const chargeLocally = ({ slot, policies, units }: ChargeCall): Charge => {
    const charge = local.charge(slot, policies, units)
    if (charge.admitted && early && early.size < MAX_EARLY) early.set(charge, { slot, policies, units })
    return charge
  }

  // Charges of one turn of the event loop are sent together, as are those that arrive while Redis works.
  const flush = async (): Promise<void> => {
    while (pending.length > 0) {
      const calls = pending
      pending = calls.splice(MAX_CALLS)
      const charges = await breaker.run(() => runCharges(counters, calls))
      for (const [n, call] of calls.entries()) call.resolve(charges?.[n] ?? chargeLocally(call))
    }
    isFlushing = false
  }

  return {
    get connected() {
      return breaker.connected
    },
    get refusal() {
      return breaker.refusal
    },
    charge: (slot, policies, weights) =>
      new Promise((resolve) => {
        pending.push({ slot, policies, units: unitsOf(weights, policies), resolve })
        if (!isFlushing) setImmediate(() => void flush())
        isFlushing = true
      }),
    refund: async (charge) => {
      const charged = charge.charged.filter(({ units }) => units > 0)
      if (refunded.has(charge) || charged.length === 0) return
      refunded.add(charge)
      if (charge.by === 'process') {
        early?.delete(charge)
        local.takeBack(charged)
      } else await breaker.run(() => takeBack(counters, charged))
    },
    lease: (slot, most) => leases.take(slot, most),
    close: () => {
      clearInterval(beats)
      leases.close()
      breaker.close()
      redis.disconnect()
    },
  }
}

function chunks(calls: readonly ChargeCall[]): ChargeCall[][] {
  return Array.from({ length: Math.ceil(calls.length / MAX_CALLS) }, (_, n) => calls.slice(n * MAX_CALLS, (n + 1) * MAX_CALLS))
}
