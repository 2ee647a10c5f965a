import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../../lake/schema/dataset.ts'
import type { Format } from '../kernel/formats.ts'
import type { Problem, ProblemCode } from '../kernel/problems.ts'
import { planKeyRequired, planRequired, quotaExceeded, tooManyQueries } from './access-problems.ts'
import type { Caller, Callers } from './callers.ts'
import { limitHeaders } from './limits/headers.ts'
import type { Lease } from './limits/leases.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Charge, Weights } from './limits/policy.ts'
import { type PlanTable, planOfFormat, TIERS, type Tier } from './plans.ts'
import type { DayWatch } from './usage/day-watch.ts'

/** Problems of an invalid key. */
const KEY_PROBLEMS: ReadonlySet<ProblemCode> = new Set(['invalid-key', 'revoked-key', 'expired-key'])

/** Polling interval of a request that waits for a free slot, ms. */
const LEASE_POLL_MS = 50

/** What visits work with. */
export interface ContextParts {
  readonly callers: Callers
  readonly limiter: Limiter
  readonly plans: PlanTable
  readonly upgradeUrl: () => string
  readonly days: Pick<DayWatch, 'see'>
}

/** The cost of an answer, of a 304, and the rest of an answer after the cost of a 304. */
export const FULL_COST: Weights = Object.freeze({ minute: 1, day: 1 })
export const REVALIDATED_COST: Weights = Object.freeze({ minute: 1, day: 0 })
export const REMAINING_COST: Weights = Object.freeze({ minute: 0, day: 1 })

/** One request: its caller, its charges, and the limit headers of its reply. */
export class RequestContext {
  readonly #parts: ContextParts
  readonly #raw: IncomingMessage
  readonly #charges: Charge[] = []
  /** When it began, by `performance.now()`. */
  readonly began = performance.now()
  #caller: Caller | null = null
  #last: Charge | null = null
  #dayUnits = 0

  constructor(parts: ContextParts, raw: IncomingMessage) {
    this.#parts = parts
    this.#raw = raw
  }

  /** The caller: the address until `identify` has found a key. */
  get caller(): Caller {
    this.#caller ??= this.#parts.callers.byAddress(this.#raw)
    return this.#caller
  }

  /** The caller's plan; null until the caller was needed. */
  get tier(): Tier | null {
    return this.#caller?.tier ?? null
  }

  /** The plan by which the caller sees data: FREE without a key. */
  get plan(): Plan {
    return this.caller.key?.plan ?? 'FREE'
  }

  /** Daily units that the request was charged, without refunds. */
  get dayUnits(): number {
    return this.#dayUnits
  }

  /** True if replies are for the caller alone. */
  get isPrivate(): boolean {
    return this.caller.key !== null
  }

  /** Identifies the caller, at once if this process knows the key. Throws, or rejects with, the problem of an invalid key. */
  identify(): void | Promise<void> {
    const found = this.#parts.callers.of(this.#raw)
    if (!(found instanceof Promise)) this.#caller = found
    else
      return found.then((caller) => {
        this.#caller = caller
      })
  }

  /** Throws the problem of a caller whose plan is too low for the feature that `what` names. */
  needs(plan: Plan, what: string): void {
    const { tier, key } = this.caller
    const { upgradeUrl } = this.#parts
    if (plan === 'FREE' || TIERS.indexOf(tier) >= TIERS.indexOf(plan)) return
    throw key === null
      ? planKeyRequired(plan, upgradeUrl())
      : planRequired(what, { required: plan, current: key.plan, upgradeUrl: upgradeUrl() })
  }

  /** Throws the problem of a caller whose plan lacks this representation. */
  needsFormat(format: Format): void {
    const { key, terms } = this.caller
    if (terms.formats.includes(format)) return
    const { plans, upgradeUrl } = this.#parts
    const required = planOfFormat(plans, format)
    throw key === null
      ? planKeyRequired(required, upgradeUrl())
      : planRequired(`format=${format}`, { required, current: key.plan, upgradeUrl: upgradeUrl() })
  }

  /** Charges the caller. Throws the problem of a caller over a limit. */
  async charge(weights: Weights): Promise<void> {
    const { slot, policies, tier, key } = this.caller
    const { limiter, plans, days } = this.#parts
    const charge = await limiter.charge(slot, policies, weights)
    this.#last = charge
    if (key) days.see(key, charge)
    if (charge.admitted) {
      this.#charges.push(charge)
      this.#dayUnits += weights['day'] ?? 0
    } else throw quotaExceeded(charge, Math.random, tier === 'ANONYMOUS' ? this.#adviceToAddress(plans) : '')
  }

  /** Returns the reason for a caller with a key who is counted by the address. */
  #adviceToAddress({ FREE }: PlanTable): string {
    return this.#raw.headers['x-api-key'] === undefined
      ? ` A free key admits ${FREE.minute} a minute: POST /api/keys.`
      : ' Invalid keys count for the address.'
  }

  /** Takes one of the plan's slots for queries of history, to be returned. Throws if none becomes free in `wait_ms`. */
  async lease(wait_ms = 0): Promise<Lease> {
    const { slot, terms } = this.caller
    const end = performance.now() + wait_ms
    for (;;) {
      const lease = await this.#parts.limiter.lease(slot, terms.concurrency)
      if (lease) return lease
      const left_ms = end - performance.now()
      if (left_ms <= 0) throw tooManyQueries(terms.concurrency)
      await sleep(Math.min(left_ms, LEASE_POLL_MS))
    }
  }

  /**
   * Charges a request that ends in a problem. Faults of the service and exceeded limits are free. Any other problem counts, and
   * is replaced by that of a limit that it exceeds.
   */
  async chargeProblem(problem: Problem): Promise<Problem> {
    if (problem.status >= 500 || problem.status === 429) {
      await Promise.all(this.#charges.map((charge) => this.#parts.limiter.refund(charge)))
      this.#dayUnits = 0
      return problem
    }
    // Guesses of keys do not use up the address's requests without a key.
    if (KEY_PROBLEMS.has(problem.code)) this.#caller = this.#parts.callers.byInvalidKey(this.#raw)
    const isPaid = this.#charges.length > 0
    if (isPaid && this.#dayUnits > 0) return problem
    try {
      // A caller with a tag has only paid for a 304, which this is not.
      await this.charge(isPaid ? REMAINING_COST : FULL_COST)
      return problem
    } catch (error) {
      if (problem.code === 'invalid-key') this.#parts.callers.stopLookups(this.#raw, this.#last?.retry_after_s ?? 0)
      return error as Problem
    }
  }

  /** Returns the limit headers of a reply with a status, and its id; nothing if caches may keep it. */
  headers(status: number): Readonly<Record<string, string>> {
    if (!this.isPrivate) return {}
    const headers = this.limits(status)
    headers['x-request-id'] = `req_${randomUUID()}`
    return headers
  }

  /** Returns the limit headers of a reply with a status, if anything was charged. */
  limits(status: number): Record<string, string> {
    return this.#last ? limitHeaders(this.#last, { status, random: Math.random }) : {}
  }
}
