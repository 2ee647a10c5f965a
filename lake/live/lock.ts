import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { defineScript, runScript } from './script.ts'

/** Options of a lock. */
export interface LockOptions {
  readonly redis: Redis
  readonly name: string
  /** How long the lock outlives a stopped owner; it is renewed four times as often. */
  readonly ttl_ms: number
  /** How long to wait until another owner releases it; no wait by default. */
  readonly wait_ms?: number
  /** Ends the waiting and the work. */
  readonly signal?: AbortSignal
}

/** Result of work that needed a lock. */
export type Locked<T> = { readonly ran: true; readonly value: T } | { readonly ran: false }

/** Abort reason after a lost lock: it expired while the process was suspended, or Redis was emptied. */
export class LockLost extends Error {
  override readonly name = 'LockLost'
}

const RENEW = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)
const RELEASE = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`)
const POLL_MS = 250
const RELEASE_TIMEOUT_MS = 2000

/**
 * Runs work under a lock; returns `ran: false` if another process has it. The work's signal aborts when the lock is lost or
 * `signal` aborts: the work must then stop and not write. A suspended process notices late, so its writes must also be fenced.
 */
export async function withLock<T>(options: LockOptions, work: (signal: AbortSignal) => Promise<T>): Promise<Locked<T>> {
  const { redis, name, ttl_ms, wait_ms = 0, signal } = options
  const key = `lock:${name}`
  const token = randomUUID()
  const until = performance.now() + wait_ms
  let asked = performance.now()
  while (signal?.aborted || (await redis.set(key, token, 'PX', ttl_ms, 'NX')) !== 'OK') {
    if (performance.now() >= until || signal?.aborted) return { ran: false }
    await delay(POLL_MS)
    asked = performance.now()
  }
  const lost = new AbortController()
  const keeper = keep({ redis, key, token, ttl_ms, asked }, () => lost.abort(new LockLost(`the lock ${name} was lost`)))
  try {
    return { ran: true, value: await work(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal) }
  } finally {
    keeper.stop()
    const released = runScript(redis, RELEASE, { keys: [key], args: [token] }).catch(() => undefined)
    await Promise.race([released, delay(RELEASE_TIMEOUT_MS, undefined, { ref: false })])
  }
}

/** Renews a lock until stopped. Reports its loss once, at the latest when it expires without a renewal. */
function keep(
  held: { readonly redis: Redis; readonly key: string; readonly token: string; readonly ttl_ms: number; readonly asked: number },
  reportLost: () => void,
): { stop(): void } {
  const { redis, key, token, ttl_ms } = held
  let renewing = false
  let stopped = false
  let expiry: NodeJS.Timeout | undefined
  const stop = (): void => {
    stopped = true
    clearInterval(timer)
    clearTimeout(expiry)
  }
  const lose = (): void => {
    if (stopped) return
    stop()
    reportLost()
  }
  const sureFrom = (asked: number): void => {
    clearTimeout(expiry)
    expiry = setTimeout(lose, asked + ttl_ms - performance.now())
  }
  const renew = async (): Promise<void> => {
    if (renewing) return
    renewing = true
    const asked = performance.now()
    try {
      if ((await runScript(redis, RENEW, { keys: [key], args: [token, ttl_ms] })) !== 1) lose()
      else if (!stopped) sureFrom(asked)
    } catch {
      // A missing reply is not a loss yet: the remaining time decides.
    } finally {
      renewing = false
    }
  }
  const timer = setInterval(() => void renew(), ttl_ms / 4)
  sureFrom(held.asked)
  return { stop }
}
