import {
  type Charge,
  type Charged,
  type MinuteCounts,
  type Policy,
  RECORDED_BUCKET_S,
  retryAfter,
  type Standing,
  standing,
} from './policy.ts'
import { chargeWindows, Window } from './window.ts'

/** Windows that are remembered at least, those that were asked for last; at most twice as many are. */
const WINDOWS_MIN = 50_000

interface State {
  /** What this process admitted alone. */
  readonly alone: Window
  /** All that it knows to be admitted: of a recorded policy what the record held when Redis went, and what it admitted alone since. */
  all: Window
  readonly mark: number
  /** The time without Redis that `all` was read from the record for. */
  learnt: number
}

/** How one process limits while Redis is away. */
export interface ProcessOptions {
  /** Processes that share the quotas. */
  readonly processes: number
  /** The time in whole seconds, from any origin. */
  readonly clock: () => number
}

/**
 * The limits of one process that knows nothing of what others admit: all processes of this machine together grant half of a quota, each its
 * part, at least 1. It remembers what it has admitted with Redis, so that the change from one to the other grants nobody more than the quota
 * of a window; where several processes serve, each knows of its own.
 */
export class ProcessLimits {
  readonly #options: ProcessOptions
  /** By slot and policy: what was asked for lately, and what was before that. */
  #lately = new Map<string, State>()
  #before = new Map<string, State>()
  #marks = 0
  #outage = 0
  /** Since when Redis counts again, in s of the clock; null while it does not. */
  #together_s: number | null = Number.NEGATIVE_INFINITY

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  /** What this process grants of a quota. */
  share(quota: number): number {
    return Math.max(1, Math.floor(quota / (2 * this.#options.processes)))
  }

  /** Tells that Redis has gone: what the record held before is no longer all. */
  begin(): void {
    this.#outage++
    this.#together_s = null
  }

  /** Tells that Redis is there again. */
  end(): void {
    this.#together_s = this.#options.clock()
  }

  /** True where the record of usage has to be asked before a slot is charged. */
  lacks(slot: string, policies: readonly Policy[]): boolean {
    const now_s = this.#options.clock()
    return policies.some((policy) => policy.recorded && this.#state(slot, policy, now_s).learnt !== this.#outage)
  }

  /** Takes over what the record holds of a slot; `epoch_s` is the present second of its clock. */
  learn(slot: string, policies: readonly Policy[], recorded: MinuteCounts, epoch_s: number): void {
    const now_s = this.#options.clock()
    for (const policy of policies.filter((one) => one.recorded)) {
      const state = this.#state(slot, policy, now_s)
      const [first] = recorded
      // At the end of its minute: nothing leaves early.
      const at = (minute_s: number): number => now_s - Math.max(0, epoch_s - minute_s - RECORDED_BUCKET_S + 1)
      const all = new Window(first ? at(first.minute_s) : now_s)
      for (const { minute_s, count } of recorded) {
        all.pass(policy, at(minute_s))
        all.add(count)
      }
      all.pass(policy, now_s)
      state.all = all
      state.learnt = this.#outage
    }
  }

  /** Decides a charge. What it says remains is what this process would still admit. */
  charge(slot: string, policies: readonly Policy[], units: readonly number[]): Charge {
    const now_s = this.#options.clock()
    const states = policies.map((policy) => this.#state(slot, policy, now_s))
    const shares = policies.map((policy) => ({ ...policy, limit: this.share(policy.limit) }))
    const decided = chargeWindows(
      [...states.map(({ alone }) => alone), ...states.map(({ all }) => all)],
      [...shares, ...policies],
      [...units, ...units],
    )
    const { admitted } = decided
    const standings = policies.map((policy, n) => ({
      ...tighter(decided.standings[n] as Standing, decided.standings[n + policies.length] as Standing),
      policy,
    }))
    const charged = policies.map((policy, n): Charged => {
      const { alone, mark } = states[n] as State
      return { slot, policy, units: units[n] as number, at_s: alone.last_s, mark }
    })
    return { admitted, standings, retry_after_s: retryAfter(standings), by: 'process', charged: admitted ? charged : [] }
  }

  /**
   * Notes what Redis has admitted. Gives where the slot stands, and notes nothing, where this process alone has admitted more than a quota
   * with it, for as long after an outage as that counts: Redis may have lost what it admitted, and what was admitted without it reaches it
   * later. Else null. At other times Redis alone decides: its clock has another beginning, and tells when to come again.
   */
  note(slot: string, policies: readonly Policy[], units: readonly number[]): readonly Standing[] | null {
    const now_s = this.#options.clock()
    const over: Standing[] = []
    for (let n = 0; n < policies.length; n++) {
      const policy = policies[n] as Policy
      const wanted = units[n] as number
      if (policy.recorded || wanted === 0) continue
      const { all } = this.#state(slot, policy, now_s)
      const { total } = all
      if (total + wanted > policy.limit && this.#isAfterOutage(policy, now_s))
        over.push(standing(policy, { total, reset_s: all.untilFreed(policy, total + wanted - policy.limit), violated: true }))
    }
    if (over.length > 0) return over
    for (let n = 0; n < policies.length; n++) {
      const policy = policies[n] as Policy
      if (!policy.recorded) this.#known(stateName(slot, policy))?.all.add(units[n] as number)
    }
    return null
  }

  #isAfterOutage({ window_s, bucket_s }: Policy, now_s: number): boolean {
    return this.#together_s === null || now_s - this.#together_s <= window_s + bucket_s
  }

  /** Takes back what this process charged. */
  takeBack(charged: readonly Charged[]): void {
    for (const { slot, policy, units, at_s, mark } of charged) {
      const state = this.#known(stateName(slot, policy))
      if (state?.mark !== mark) continue
      state.alone.takeBack(policy, at_s, units)
      state.all.takeBack(policy, at_s, units)
    }
  }

  /** Takes back what was noted, in a second of this process. */
  forget(charged: readonly Charged[], at_s: number): void {
    for (const { slot, policy, units } of charged)
      if (!policy.recorded) this.#known(stateName(slot, policy))?.all.takeBack(policy, at_s, units)
  }

  #known(name: string): State | undefined {
    return this.#lately.get(name) ?? this.#before.get(name)
  }

  #state(slot: string, policy: Policy, now_s: number): State {
    const name = stateName(slot, policy)
    const known = this.#lately.get(name)
    const state = known ?? this.#before.get(name) ?? newState(now_s, this.#marks++)
    if (!known) this.#remember(name, state)
    state.alone.pass(policy, now_s)
    state.all.pass(policy, now_s)
    return state
  }

  #remember(name: string, state: State): void {
    if (this.#lately.size >= WINDOWS_MIN) {
      this.#before = this.#lately
      this.#lately = new Map()
    }
    this.#lately.set(name, state)
  }
}

function newState(now_s: number, mark: number): State {
  return { alone: new Window(now_s), all: new Window(now_s), mark, learnt: -1 }
}

/** Of two standings the one that stops its client sooner. */
function tighter(one: Standing, other: Standing): Standing {
  if (one.violated !== other.violated) return one.violated ? one : other
  if (one.violated) return one.reset_s > other.reset_s ? one : other
  return one.remaining <= other.remaining ? one : other
}

function stateName(slot: string, { name }: Policy): string {
  return `${name}:${slot}`
}
