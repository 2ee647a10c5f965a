import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/** How a gate watches its Redis. */
export interface GateOptions {
  readonly redis: Redis
  /** Longest wait for an answer, in ms. */
  readonly timeout_ms: number
  /** Time between two looks whether Redis is back, in ms. */
  readonly probe_ms: number
  /** Key that is written to see whether Redis works. */
  readonly probeKey: string
  /** Told when Redis fails, with the reason, and with null when it is back. */
  readonly onSwitch: (reason: Error | null) => void
}

/**
 * The way to a Redis that may fail: questions are answered or given up within a short time, and once one was given up no other is asked
 * until Redis is found to work again. All that wait when it fails are given up together, so a failure costs one wait.
 */
export class Gate {
  readonly #options: GateOptions
  readonly #waiting = new Set<() => void>()
  readonly #opened = Promise.withResolvers<void>()
  #open = false
  #closed = false
  #probing = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: GateOptions) {
    this.#options = options
    options.redis.on('ready', () => void this.#probe())
    options.redis.on('close', () => this.#fail(new Error('the connection to Redis broke')))
  }

  /** Whether Redis answers, as far as known. */
  get open(): boolean {
    return this.#open
  }

  /** Waits until Redis answers for the first time, for as long as for any answer. */
  async start(): Promise<void> {
    const { timeout_ms, onSwitch } = this.#options
    await Promise.race([this.#opened.promise, delay(timeout_ms)])
    if (this.#open || this.#closed) return
    onSwitch(new Error(`Redis did not answer within ${timeout_ms} ms of the start`))
    this.#probeLater()
  }

  /** Asks Redis; undefined where it fails or is away. What it still does of a question that was given up is not learned. */
  ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (!this.#open) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer: T | undefined): void => {
        clearTimeout(timer)
        this.#waiting.delete(giveUp)
        resolve(answer)
      }
      const giveUp = (): void => settle(undefined)
      this.#waiting.add(giveUp)
      const { timeout_ms } = this.#options
      // Where the event loop stood still the answer may be here unread: it is looked at before the time counts as over.
      const timer = setTimeout(
        () => setImmediate(() => this.#waiting.has(giveUp) && this.#fail(new Error(`Redis did not answer within ${timeout_ms} ms`))),
        timeout_ms,
      )
      question().then(settle, (error: Error) => {
        // What was given up before tells nothing of now.
        if (this.#waiting.has(giveUp)) this.#fail(error)
        giveUp()
      })
    })
  }

  /** Gives up what waits and looks no more. */
  close(): void {
    this.#closed = true
    this.#open = false
    clearTimeout(this.#timer)
    for (const giveUp of [...this.#waiting]) giveUp()
  }

  #fail(reason: Error): void {
    if (!this.#open) return
    this.#open = false
    for (const giveUp of [...this.#waiting]) giveUp()
    this.#options.onSwitch(reason)
    this.#probeLater()
  }

  #probeLater(): void {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => void this.#probe(), this.#options.probe_ms)
  }

  /** Sees whether Redis takes writes: one that is full, loading or a replica answers, too. */
  async #probe(): Promise<void> {
    const { redis, timeout_ms, probeKey, onSwitch } = this.#options
    if (this.#open || this.#probing || this.#closed) return
    this.#probing = true
    const answer = await this.#tryOnce(redis.set(probeKey, 1, 'PX', timeout_ms))
    this.#probing = false
    if (this.#closed) return
    if (answer !== 'OK') {
      // No answer on a connection that seems open: the peer may be gone without a word.
      if (answer === undefined && redis.status === 'ready') redis.disconnect(true)
      return this.#probeLater()
    }
    clearTimeout(this.#timer)
    this.#open = true
    this.#opened.resolve()
    onSwitch(null)
  }

  /** The answer, the error, or undefined where there was none in time. */
  async #tryOnce(answer: Promise<unknown>): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#options.timeout_ms)
    })
    try {
      return await Promise.race([answer.catch((error: Error) => error), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
