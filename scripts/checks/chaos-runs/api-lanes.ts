import type { Plan } from '../../../api/auth/keys/slots.ts'
import type { Ask } from './api-asks.ts'
import type { Request } from './api-client.ts'

/** The sender of a request: a key, or an address behind a proxy. */
export interface Caller {
  readonly headers: Readonly<Record<string, string>>
  /** Public name of the key; null without a key. */
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

/** A request and its sender. */
export interface Shot {
  readonly caller: Caller
  readonly request: Request
  readonly ask: Ask
  /** True if it sends the tag of the previous answer. */
  readonly hasIt: boolean
}

/** Requests with the same kind of answer. */
export interface Lane {
  readonly name: string
  readonly perSecond: number
  readonly next: () => Shot
}

/** Spreads lanes over a second: each has one place per request, evenly mixed with the others. */
export function mixOf(lanes: readonly Lane[]): readonly Lane[] {
  return lanes
    .flatMap((lane) => Array.from({ length: lane.perSecond }, (_, n) => ({ lane, at: (n + Math.random()) / lane.perSecond })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ lane }) => lane)
}

/** Returns the items of a list in turn, from the start or from any position. */
export function byTurns<T>(items: readonly T[]): () => T {
  let next = 0
  return () => items[next++ % items.length] as T
}

/** Returns the same items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

/** Returns a different address each time, up to a quarter of a million: none reaches its limit. */
export function addresses(): () => Caller {
  let next = 0
  return () => {
    const at = next++ % 2 ** 18
    return { id: null, headers: { 'X-Forwarded-For': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` } }
  }
}
