import { randomUUID } from 'node:crypto'
import { openRedis } from '../../../lake/live/connect.ts'
import { runCarry } from './carry-script.ts'
import { type ChargeCall, type ChargeReply, runCharges, takeBack } from './charge-script.ts'
import { Gate } from './gate.ts'
import { type Lease, Leases } from './leases.ts'
import { type Charge, type Charged, type MinuteCounts, type Policy, retryAfter, type Standing, unitsOf, type Weights } from './policy.ts'
import { ProcessLimits } from './process-limits.ts'
import type { Counters } from './state-script.ts'
import { Uncarried } from './uncarried.ts'

/** Limits that all processes on one Redis share. No call of it ever rejects because Redis fails. */
export interface Limiter {
  /** False while Redis does not answer and this process limits alone. */
  readonly connected: boolean
  /**
   * Charges a slot, any text that names who is limited, under every policy; refused under one, nothing is charged. Throws a RangeError for
   * weights that are no whole numbers of units.
   */
  charge(slot: string, policies: readonly Policy[], weights: Weights): Promise<Charge>
  /** Gives back what was charged, in the buckets it was charged in; once. Not where Redis fails or has lost it: it then stays charged. */
  refund(charge: Charge): Promise<void>
  /** Takes one of so many places for queries that a slot may have under way; null where all are taken. */
  lease(slot: string, most: number): Promise<Lease | null>
  close(): void
}

/** Where limits are kept, and what they are told. */
export interface LimiterOptions {
  readonly redisUrl: string
  /** Processes that share the quotas; counts while Redis is away. */
  readonly processes: number
  /**
   * What the record of usage holds of a slot, with all that was recorded until `since` (ms by `performance.now()`), for the policies that
   * are `recorded`. Asked before the first charge of a slot that Redis knows nothing of although it may have lost it; null where there is no
   * record.
   */
  readonly recorded: ((slot: string, since: number) => Promise<MinuteCounts>) | null
  /** Told when Redis fails, with the reason, and with null when it is back. */
  readonly onSwitch: (reason: Error | null) => void
  /** Told where the record of usage cannot be read; the slot is then limited by this process alone. */
  readonly onRecordError: (error: Error) => void
  /** Told of so many units of recorded policies that were admitted while Redis was away, and that it will not be told of. */
  readonly onLost: (units: number) => void
  /** What the names of all keys begin with; `limits:` unless told. */
  readonly prefix?: string
  /** Longest wait for Redis, in ms; 300 unless told. */
  readonly timeout_ms?: number
  /** Time between two looks whether Redis is back, in ms; 1000 unless told. */
  readonly probe_ms?: number
  /** Longest wait for the record of usage, and time until it is asked again after a failure, in ms; 2000 unless told. */
  readonly recordTimeout_ms?: number
  /** How long the place of a killed process stays taken, in ms; 15,000 unless told. */
  readonly leaseTtl_ms?: number
  /** The time in whole seconds, in place of that of Redis. */
  readonly clock?: () => number
}

interface Pending extends ChargeCall {
  readonly decide: (charge: Charge) => void
}

type Decided = Extract<ChargeReply, { readonly decided: true }>

/** Charges that one run of the script decides: at 15 µs each (measured) it keeps Redis from others for 2 ms. */
const CALLS_MAX = 128

/** A record that could not be read is asked again after so many of its time-outs. */
const UNREAD_TIMES = 5

/** Opens limits. Waits for Redis only a moment: where it is away this process limits alone until it is there. Who opens it closes it. */
export async function openLimiter(options: LimiterOptions): Promise<Limiter> {
  const { redisUrl, processes, recorded, onSwitch, onRecordError, onLost, prefix = 'limits:', clock = null } = options
  const { timeout_ms = 300, probe_ms = 1000, recordTimeout_ms = 2000, leaseTtl_ms = 15_000 } = options
  const redis = openRedis(redisUrl, { queueWhileAway: false, repeatBroken: false })
  const counters: Counters = { redis, prefix, clock }
  const here = clock ?? (() => Math.floor(performance.now() / 1000))
  const epoch = clock ?? (() => Math.floor(Date.now() / 1000))
  const alone = new ProcessLimits({ processes, clock: here })
  const uncarried = new Uncarried({
    here_ms: clock ? () => clock() * 1000 : () => performance.now(),
    epoch_ms: clock ? () => clock() * 1000 : Date.now,
    onLost,
  })
  const name = randomUUID()
  // What was admitted before is known to the record alone.
  let switched_at = performance.now()
  const onGate = (reason: Error | null): void => {
    switched_at = performance.now()
    if (reason) alone.begin()
    else {
      alone.end()
      carrySoon()
    }
    onSwitch(reason)
  }
  const gate = new Gate({ redis, timeout_ms, probe_ms, probeKey: `${prefix}probe`, onSwitch: onGate })
  const leases = new Leases({ redis, gate, prefix, ttl_ms: leaseTtl_ms, share: (quota) => alone.share(quota) })
  const records = recorded && readOnce((slot) => recorded(slot, switched_at), { timeout_ms: recordTimeout_ms, onError: onRecordError })
  const refunded = new WeakSet<Charge>()
  let charges: Pending[] = []
  let refunds: Charged[] = []
  let ended: (() => void)[] = []

  // A record that could not be read is not asked again at once: every charge would wait for it.
  let unread_until = Number.NEGATIVE_INFINITY
  const decideAlone = ({ slot, policies, units, decide }: Pending, { isUncounted }: { readonly isUncounted: boolean }): void => {
    const charge = (): void => {
      const charged = alone.charge(slot, policies, units)
      if (isUncounted) uncarried.note(charged)
      // Redis may be back since the record was asked.
      if (isUncounted && gate.open) carrySoon()
      decide(charged)
    }
    if (!records || performance.now() < unread_until || !alone.lacks(slot, policies)) return charge()
    // A day that was used up before stays so.
    void records(slot).then((found) => {
      if (!found) unread_until = performance.now() + UNREAD_TIMES * recordTimeout_ms
      else if (alone.lacks(slot, policies)) alone.learn(slot, policies, found, epoch())
      charge()
    })
  }

  /** Refuses what Redis has admitted and this process knows to be too much, and gives Redis back what it charged. */
  const refuse = (call: Pending, { standings, charged }: Decided, over: readonly Standing[]): void => {
    const all = standings.map((one) => over.find(({ policy }) => policy === one.policy) ?? one)
    flushSoon()
    refunds.push(...charged.filter(({ units }) => units > 0))
    call.decide({ admitted: false, standings: all, retry_after_s: retryAfter(all), by: 'process', charged: [] })
  }

  const runPart = async (part: readonly Pending[]): Promise<void> => {
    let isSent = false
    const replies = await gate.ask(() => {
      isSent = true
      return runCharges(counters, part)
    })
    for (const [n, call] of part.entries()) {
      const reply = replies?.[n]
      // What was sent Redis may have charged, although it did not say so in time: it is not carried, so that nobody pays twice.
      if (!reply) decideAlone(call, { isUncounted: !isSent })
      else if (reply.decided) {
        const { admitted, standings, charged } = reply
        const over = admitted ? alone.note(call.slot, call.policies, call.units) : null
        if (over) refuse(call, reply, over)
        else call.decide({ admitted, standings, retry_after_s: retryAfter(standings), by: 'redis', charged, noted_s: here() })
      } else {
        // What is decided without the record is in the record when Redis takes the slot from there.
        void records?.(call.slot).then((found) => (found ? push({ ...call, recorded: found }) : decideAlone(call, { isUncounted: false })))
      }
    }
  }

  const runRefunds = async (back: readonly Charged[], tell: readonly (() => void)[]): Promise<void> => {
    await gate.ask(() => takeBack(counters, back).then(() => true))
    for (const one of tell) one()
  }

  const canCarry = (): boolean => gate.open && !uncarried.isEmpty
  const carry = async (): Promise<void> => {
    const part = uncarried.next(charges.map(({ slot }) => slot))
    if (part) uncarried.settle(await gate.ask(() => runCarry(counters, { process: name, isRecorded: records !== null, ...part })))
  }

  // What one turn of the event loop asks for goes out together, and while Redis is asked, everything that comes meanwhile: a round trip
  // costs each process more than a charge does.
  let isAsking = false
  const flush = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    while (charges.length + refunds.length > 0 || canCarry()) {
      if (canCarry()) await carry()
      // Whoever is charged now has been carried; the others follow, a part with each turn, so that nobody waits for all of them.
      if (canCarry() && charges.some(({ slot }) => uncarried.has(slot))) continue
      const [calls, back, tell] = [charges, refunds, ended]
      charges = []
      refunds = []
      ended = []
      const parts = Array.from({ length: Math.ceil(calls.length / CALLS_MAX) }, (_, n) => calls.slice(n * CALLS_MAX, (n + 1) * CALLS_MAX))
      await Promise.all([...(back.length > 0 ? [runRefunds(back, tell)] : []), ...parts.map(runPart)])
    }
    isAsking = false
  }
  const flushSoon = (): void => {
    if (!isAsking && charges.length + refunds.length === 0) setImmediate(() => void flush())
  }
  const carrySoon = (): void => {
    setImmediate(() => void flush())
  }
  const push = (call: Pending): void => {
    if (!gate.open) return decideAlone(call, { isUncounted: true })
    flushSoon()
    charges.push(call)
  }

  await gate.start()
  return {
    get connected() {
      return gate.open
    },
    charge: async (slot, policies, weights) => {
      const units = unitsOf(weights, policies)
      return await new Promise<Charge>((decide) => push({ slot, policies, units, recorded: recorded ? null : 'none', decide }))
    },
    refund: async (charge) => {
      const charged = charge.charged.filter(({ units }) => units > 0)
      if (refunded.has(charge) || charged.length === 0) return
      refunded.add(charge)
      if (charge.by === 'process') alone.takeBack(charged)
      if (charge.noted_s !== undefined) alone.forget(charged, charge.noted_s)
      const there = charge.by === 'process' ? await uncarried.takeBack(charge) : charged
      if (there.length === 0) return
      await new Promise<void>((resolve) => {
        flushSoon()
        refunds.push(...there)
        ended.push(resolve)
      })
    },
    lease: (slot, most) => leases.take(slot, most),
    close: () => {
      leases.close()
      gate.close()
      uncarried.close()
      redis.disconnect()
    },
  }
}

/**
 * Reads the record of usage of a slot, once for all who ask meanwhile; null where it cannot be read in time, and for as long again after.
 */
function readOnce(
  read: (slot: string) => Promise<MinuteCounts>,
  { timeout_ms, onError }: { readonly timeout_ms: number; readonly onError: (error: Error) => void },
): (slot: string) => Promise<MinuteCounts | null> {
  const reading = new Map<string, Promise<MinuteCounts | null>>()
  return (slot) => {
    const under = reading.get(slot)
    if (under) return under
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the record of usage was not read within ${timeout_ms} ms`)), timeout_ms)
    })
    const found = Promise.race([(async () => await read(slot))(), late]).then(
      (counts) => {
        reading.delete(slot)
        return counts
      },
      (error: Error) => {
        setTimeout(() => reading.delete(slot), timeout_ms).unref()
        onError(error)
        return null
      },
    )
    void found.finally(() => clearTimeout(timer))
    reading.set(slot, found)
    return found
  }
}
