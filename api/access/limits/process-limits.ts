import { type Charge, type Charged, type Policy, retryAfter } from './policy.ts'
import { chargeWindows, Window } from './window.ts'

/** Windows that are remembered at least, those that were asked for last; at most twice as many are. */
const WINDOWS_MIN = 50_000

interface State {
  readonly window: Window
  readonly mark: number
}

/** How one process limits while Redis is away. */
export interface ProcessOptions {
  /** Processes that share the quotas. */
  readonly processes: number
  /** The time in whole seconds, from any origin. */
  readonly clock: () => number
}

/**
 * The limits of one process that knows nothing of what others admit: of each quota it grants its share, half or, where more than two
 * processes serve, one part in as many; at least 1.
 */
export class ProcessLimits {
  readonly #options: ProcessOptions
  /** By slot and policy: what was asked for lately, and what was before that. */
  #lately = new Map<string, State>()
  #before = new Map<string, State>()
  #marks = 0

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  /** What this process grants of a quota. */
  share(quota: number): number {
    return Math.max(1, Math.floor(quota / Math.max(2, this.#options.processes)))
  }

  /** Decides a charge. What it says remains is what this process would still admit. */
  charge(slot: string, policies: readonly Policy[], units: readonly number[]): Charge {
    const now_s = this.#options.clock()
    const states = policies.map((policy) => this.#state(slot, policy, now_s))
    const shares = policies.map((policy) => ({ ...policy, limit: this.share(policy.limit) }))
    const decided = chargeWindows(
      states.map(({ window }) => window),
      shares,
      units,
    )
    const { admitted } = decided
    const standings = decided.standings.map((one, n) => ({ ...one, policy: policies[n] as Policy }))
    const charged = policies.map((policy, n): Charged => {
      const { window, mark } = states[n] as State
      return { slot, policy, units: units[n] as number, at_s: window.last_s, mark }
    })
    return { admitted, standings, retry_after_s: retryAfter(standings), by: 'process', charged: admitted ? charged : [] }
  }

  /** Takes back what this process charged. */
  takeBack(charged: readonly Charged[]): void {
    for (const { slot, policy, units, at_s, mark } of charged) {
      const name = stateName(slot, policy)
      const state = this.#lately.get(name) ?? this.#before.get(name)
      if (state?.mark === mark) state.window.takeBack(policy, at_s, units)
    }
  }

  #state(slot: string, policy: Policy, now_s: number): State {
    const name = stateName(slot, policy)
    const known = this.#lately.get(name)
    const state = known ?? this.#before.get(name) ?? { window: new Window(now_s), mark: this.#marks++ }
    if (!known) this.#remember(name, state)
    state.window.pass(policy, now_s)
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

function stateName(slot: string, { name }: Policy): string {
  return `${name}:${slot}`
}
