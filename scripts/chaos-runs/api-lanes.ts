import type { Plan } from '../../api/access/slots.ts'
import type { Ask } from './api-asks.ts'
import type { Request } from './api-client.ts'

/** Who asks: a key, or an address behind a proxy. */
export interface Caller {
  readonly headers: Readonly<Record<string, string>>
  /** Public name of the key; null without one. */
  readonly id: string | null
}

/** A key of an account. */
export interface ChaosKey extends Caller {
  readonly id: string
  readonly key: string
  readonly account: string
  readonly slot: string
  readonly plan: Plan
}

/** A request with who sends it. */
export interface Shot {
  readonly caller: Caller
  readonly request: Request
  readonly ask: Ask
  /** True where it names the tag that the answer had before. */
  readonly hasIt: boolean
}

/** Requests that have the same kind of answer. */
export interface Lane {
  readonly name: string
  readonly perSecond: number
  readonly next: () => Shot
}

/** Spreads lanes over a second: each has as many places as it has requests, evenly mixed with those of the others. */
export function mixOf(lanes: readonly Lane[]): readonly Lane[] {
  return lanes
    .flatMap((lane) => Array.from({ length: lane.perSecond }, (_, n) => ({ lane, at: (n + Math.random()) / lane.perSecond })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ lane }) => lane)
}

/** Gives the items of a list by turns, from its beginning or from anywhere. */
export function byTurns<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}

/** The same items in another order. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

/** Gives addresses, another each time until there were a quarter of a million: none asks so often that it is limited. */
export function addresses(): () => Caller {
  let next = 0
  return () => {
    const at = next++ % 2 ** 18
    return { id: null, headers: { 'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` } }
  }
}
