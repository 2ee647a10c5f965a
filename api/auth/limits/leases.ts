import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { defineScript, runScript } from '../../../lake/live/script.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'

/** One of the concurrent queries that a slot may have. */
export interface Lease {
  /** Returns the lease; further calls do nothing. Never rejects. */
  release(): Promise<void>
}

/** Where leases are stored. */
export interface LeaseOptions {
  readonly redis: Redis
  readonly breaker: CircuitBreaker
  /** Prefix of all keys. */
  readonly prefix: string
  /** How long the lease of a killed process lasts, in ms; it is renewed three times as often. */
  readonly ttl_ms: number
  /** Returns the share of a quota that this process grants while Redis is away. */
  readonly share: (quota: number) => number
}

/**
 * KEYS: leases of a slot, scored by their end. ARGV: how long one lasts in ms, how many are allowed, and a new id. Leases that
 * would end later, as after the clock was set back, are shortened.
 */
const TAKE = defineScript(`
local time = redis.call('TIME')
local now, ttl = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[1])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now + ttl, '+inf')) do redis.call('ZADD', KEYS[1], now + ttl, id) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ttl, ARGV[3])
redis.call('PEXPIRE', KEYS[1], ttl)
return 1
`)

/** KEYS: for each of our leases, the leases of its slot. ARGV: how long one lasts, in ms, then their ids. */
const RENEW = defineScript(`
local time = redis.call('TIME')
local now, ttl = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[1])
for n, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ttl, ARGV[n + 1])
  redis.call('PEXPIRE', key, ttl)
end
`)

/** The leases of this process, renewed until they are returned. */
export class Leases {
  readonly #options: LeaseOptions
  /** Id → slot. */
  readonly #held = new Map<string, string>()
  readonly #timer: NodeJS.Timeout

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.#touch(), options.ttl_ms / 3)
  }

  /**
   * Takes a lease if the slot has fewer than `most`, otherwise null. While Redis is away, a process counts only its own, up to
   * its share. Others see them once Redis is back.
   */
  async take(slot: string, most: number): Promise<Lease | null> {
    const { redis, breaker, ttl_ms, share } = this.#options
    const id = randomUUID()
    const reply = await breaker.run(() => runScript(redis, TAKE, { keys: [this.#key(slot)], args: [ttl_ms, most, id] }))
    const granted = reply === undefined ? this.#countOf(slot) < share(most) : reply === 1
    if (!granted) return null
    this.#held.set(id, slot)
    return { release: () => this.#release(id, slot) }
  }

  /** Stops renewing; current leases end by themselves. */
  close(): void {
    clearInterval(this.#timer)
  }

  async #release(id: string, slot: string): Promise<void> {
    const { redis, breaker } = this.#options
    if (this.#held.delete(id)) await breaker.run(() => redis.zrem(this.#key(slot), id))
  }

  async #touch(): Promise<void> {
    const { redis, breaker, ttl_ms } = this.#options
    if (this.#held.size === 0) return
    const keys = [...this.#held.values()].map((slot) => this.#key(slot))
    await breaker.run(() => runScript(redis, RENEW, { keys, args: [ttl_ms, ...this.#held.keys()] }))
  }

  #countOf(slot: string): number {
    return [...this.#held.values()].filter((one) => one === slot).length
  }

  #key(slot: string): string {
    return `${this.#options.prefix}leases:${slot}`
  }
}
