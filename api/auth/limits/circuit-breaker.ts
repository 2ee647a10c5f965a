import type { Redis } from 'ioredis'
import { outageOf } from '../../../lake/repeats.ts'

/** Settings of a circuit breaker. */
export interface BreakerOptions {
  readonly redis: Redis
  /** Longest wait for a reply, in ms. */
  readonly timeout_ms: number
  /** Time between two probes while Redis is away, in ms. */
  readonly probe_ms: number
  /** Key that probes write. */
  readonly probeKey: string
  /** Called with the reason when Redis fails, and with null when it works again. */
  readonly onSwitch: (reason: Error | null) => void
}

/**
 * A circuit breaker for Redis: after a failure or timeout nothing is sent until a probe succeeds. All pending commands are given
 * up together, so that a failure costs one wait. Before the first connection, commands wait for one timeout at most.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  readonly #pending = new Set<() => void>()
  readonly #started = Promise.withResolvers<void>()
  #state: 'starting' | 'connected' | 'away' | 'closed' = 'starting'
  #refusal: string | null = null
  #isProbing = false
  #timer: NodeJS.Timeout

  constructor(options: BreakerOptions) {
    this.#options = options
    const { redis, timeout_ms } = options
    redis.on('ready', () => void this.#probe())
    redis.on('close', () => this.#fail(new Error('the connection to Redis broke')))
    this.#timer = setTimeout(() => this.#fail(new Error(`Redis did not answer within ${timeout_ms} ms of the start`)), timeout_ms)
  }

  /** Why Redis last refused a write, such as READONLY or OOM; null while it accepts them, or does not answer at all. */
  get refusal(): string | null {
    return this.connected ? null : this.#refusal
  }

  /** Whether Redis answers, as far as known. */
  get connected(): boolean {
    return this.#state === 'connected'
  }

  /** Sends a command; undefined if Redis is away or fails. A command that was given up may still have been executed. */
  async run<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (this.#state === 'starting') await this.#started.promise
    if (!this.connected) return undefined
    return new Promise((resolve) => {
      const settle = (reply: T | undefined): void => {
        clearTimeout(timer)
        this.#pending.delete(giveUp)
        resolve(reply)
      }
      const giveUp = (): void => settle(undefined)
      this.#pending.add(giveUp)
      const { timeout_ms } = this.#options
      // After a blocked event loop the reply may have arrived unread: it is read before the timeout takes effect.
      const timer = setTimeout(
        () => setImmediate(() => this.#pending.has(giveUp) && this.#fail(new Error(`Redis did not answer within ${timeout_ms} ms`))),
        timeout_ms,
      )
      command().then(settle, (error: Error) => {
        if (this.#pending.has(giveUp)) this.#fail(error)
        giveUp()
      })
    })
  }

  /** Gives up pending commands and stops probing. */
  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#timer)
    this.#giveUp()
  }

  #giveUp(): void {
    this.#started.resolve()
    for (const giveUp of [...this.#pending]) giveUp()
  }

  #fail(reason: Error): void {
    if (this.#state !== 'connected' && this.#state !== 'starting') return
    this.#state = 'away'
    this.#giveUp()
    this.#options.onSwitch(reason)
    this.#probeLater()
  }

  #probeLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#probe(), this.#options.probe_ms)
  }

  /** Probes by a write, because a Redis that is full, loading or a replica still answers reads. */
  async #probe(): Promise<void> {
    const { redis, timeout_ms, probeKey, onSwitch } = this.#options
    if (this.#isProbing || this.connected || this.#state === 'closed') return
    this.#isProbing = true
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), timeout_ms)
    const reply = await Promise.race([redis.set(probeKey, 1, 'PX', timeout_ms).catch((error: Error) => error), late.promise])
    clearTimeout(timer)
    this.#isProbing = false
    if ((this.#state as string) === 'closed') return
    if (reply === 'OK') {
      clearTimeout(this.#timer)
      this.#state = 'connected'
      this.#started.resolve()
      return onSwitch(null)
    }
    // No reply on a connection that seems open: the peer may be gone.
    if (reply === null && redis.status === 'ready') redis.disconnect(true)
    this.#refusal = reply instanceof Error ? (outageOf(reply)?.replace('redis ', '') ?? null) : null
    if (reply instanceof Error) this.#fail(reply)
    if (this.#state === 'away') this.#probeLater()
  }
}
