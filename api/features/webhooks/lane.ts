import type { DisabledReason } from '../../auth/mail/webhook-mail.ts'
import type { ShownBatch, ShownEvent } from '../../events/shown.ts'
import type { Attempt } from './send.ts'
import { DELIVERIES_KEPT, type Delivery, deliveryId, type Waiting, type WebhookState } from './state.ts'
import type { Subscription } from './subscriptions.ts'

/** What a lane works with. */
export interface LaneParts {
  readonly clock: () => number
  /** Returns the text of an event by its position; null if the log no longer has it. */
  readonly bodyOf: (offset: string) => Promise<string | null>
  /** Sends once; never rejects. */
  readonly send: (message: { readonly id: string; readonly body: string }) => Promise<Attempt>
  /** Called when the state should be stored. */
  readonly onDirty: () => void
  /** Called when there is room for more events. */
  readonly onRoom: () => void
  /** Called when the service disables the subscription. */
  readonly onDisabled: (reason: DisabledReason) => void
  /** Called when it has failed for so many days. */
  readonly onFailing: (days: number) => void
  /** Factor of all waits; less than 1 in tests. */
  readonly patience: number
}

/** Waits after the first attempt, the second …, in s; after the last wait comes the last attempt. */
export const WAITS_S: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
const DAY_MS = 86_400_000
/** Days of failure after which mails are sent; after the last, the subscription is disabled. */
export const FAILING_DAYS: readonly number[] = [1, 3, 5]
/** Most events of one subscription that wait in memory; more stay in the log. */
const MAX_WAITING = 200
/** With so many left, more are read from the log. */
const REFILL_AT = 100
/** Most concurrent deliveries of one subscription, of different things. */
const AT_ONCE = 4
/** Consecutive failures after which single attempts find out whether the receiver is back. */
const DOWN_AFTER = 3
/** Longest wait that a receiver may request, in s. */
const MAX_RETRY_AFTER_S = 86_400
const SLOW_DOWN: readonly number[] = [429, 502, 503, 504]

/** The deliveries of one subscription: events of one thing in order, different things in parallel. */
export class Lane {
  subscription: Subscription
  /** Returns whether the subscription wants an event. */
  isWanted: (event: ShownEvent) => boolean = () => false
  readonly #parts: LaneParts
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #busy = new Set<string>()
  #size = 0
  scanned: number
  taken: number
  isBehind: boolean
  /** Up to here events were matched before the last change: those listed as deliveries are not sent again. */
  #matched_before = 0
  replay: WebhookState['replay']
  #failing_since: number | null
  #mailed_days: number
  #disabled_at: number | null
  #disabled_reason: DisabledReason | null
  #deliveries: Delivery[]
  #failures = 0
  #paused_until = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(subscription: Subscription, state: WebhookState | null, parts: LaneParts) {
    this.subscription = subscription
    this.#parts = parts
    this.scanned = state?.scanned ?? subscription.after
    this.taken = state?.taken ?? 0
    this.isBehind = state?.isBehind ?? true
    if (state) this.#matchAgain(state.changed_after)
    this.replay = state?.replay ?? null
    this.#failing_since = state?.failing_since ?? null
    this.#mailed_days = state?.mailed_days ?? 0
    this.#disabled_at = state?.disabled_at ?? null
    this.#disabled_reason = state?.disabled_reason ?? null
    this.#deliveries = [...(state?.deliveries ?? [])]
    for (const one of state?.waiting ?? []) this.#queue(one)
    // Turned off while no process delivered.
    if (!this.isOn) this.#forget()
  }

  /** True while events are delivered. */
  get isOn(): boolean {
    const { enabled, enabled_at } = this.subscription
    return !this.#closed && enabled && (this.#disabled_at === null || this.#disabled_at < enabled_at)
  }

  get hasRoom(): boolean {
    return !this.#closed && this.#size < MAX_WAITING
  }

  /**
   * Adds the wanted events of a batch after the first `begin`, while there is room; without `mayRepeat` none that is listed as a
   * delivery. Returns how many events it is done with.
   */
  offer(events: ShownBatch, begin: number, { mayRepeat = true } = {}): number {
    const { isOn } = this
    let at = begin
    for (; at < events.length && this.hasRoom; at++) {
      const event = events[at]
      if (isOn && event && this.isWanted(event) && (mayRepeat || !this.#isKnown(event.id))) this.add(event)
    }
    return at
  }

  /** Offers what is left of the batch after `scanned`, and continues after it, or in it if there is no more room. */
  match(batch: number, events: ShownBatch): void {
    const done = this.offer(events, this.taken, { mayRepeat: batch > this.#matched_before })
    const isWhole = done === events.length
    this.scanned = isWhole ? batch : batch - 1
    this.taken = isWhole ? 0 : done
  }

  /** Adds an event, unless it waits already. */
  add(event: Pick<ShownEvent, 'id' | 'offset' | 'type' | 'thing'>): void {
    const { id, offset, type, thing } = event
    this.#push({ id, offset, type, thing, attempts: 0, next_at: 0 })
  }

  /** Adds a test, which is in no log. */
  addTest(id: string, body: string): void {
    this.#push({ id, body, offset: null, type: 'webhook.test', thing: `test ${id}`, attempts: 0, next_at: 0 })
  }

  /** Sends the event of a delivery again, besides waiting ones. Does nothing if the delivery is no longer known. */
  redeliver(delivery: string): void {
    const found = this.#deliveries.find(({ id }) => id === delivery)
    if (!found || found.offset === null) return
    const { event_id: id, offset, type } = found
    this.#push({ id, offset, type, thing: `again ${id}`, attempts: 0, next_at: 0 })
  }

  /** Sends what can be sent now, and runs again when more can. */
  pump(): void {
    clearTimeout(this.#timer)
    if (!this.isOn) return
    const now = this.#parts.clock()
    if (this.#paused_until > now) return this.#comeBack(this.#paused_until - now)
    const most = this.#failures >= DOWN_AFTER ? 1 : AT_ONCE
    let next = Number.POSITIVE_INFINITY
    for (const [thing, [head]] of this.#waiting) {
      if (this.#busy.size >= most) return
      if (this.#busy.has(thing) || !head) continue
      if (head.next_at > now) next = Math.min(next, head.next_at)
      else void this.#deliver(thing, head)
    }
    if (next < Number.POSITIVE_INFINITY) this.#comeBack(next - now)
  }

  /** Disables the subscription. */
  disable(reason: DisabledReason): void {
    this.#disabled_at = this.#parts.clock()
    this.#disabled_reason = reason
    this.#forget()
    this.#parts.onDirty()
    this.#parts.onDisabled(reason)
  }

  /** Takes a subscription that its owner changed. */
  change(subscription: Subscription): void {
    const wasOn = this.isOn
    const isMoved = subscription.url !== this.subscription.url
    const { changed_after } = this.subscription
    this.subscription = subscription
    this.#matchAgain(changed_after)
    if (wasOn && !this.isOn) this.#forget()
    if (this.isOn && (isMoved || !wasOn)) {
      this.#failing_since = null
      this.#mailed_days = 0
      this.#failures = 0
      this.#paused_until = 0
      for (const one of [...this.#waiting.values()].flat()) this.#tryAgain(one)
    }
    this.#parts.onDirty()
    this.pump()
  }

  /** Returns the state to be stored. */
  state(): WebhookState {
    const { scanned, taken, isBehind, replay } = this
    return {
      ...{ scanned, taken, isBehind, replay },
      ...(this.subscription.changed_after === undefined ? {} : { changed_after: this.subscription.changed_after }),
      waiting: [...this.#waiting.values()].flat(),
      failing_since: this.#failing_since,
      mailed_days: this.#mailed_days,
      disabled_at: this.#disabled_at,
      disabled_reason: this.#disabled_reason,
      deliveries: this.#deliveries,
    }
  }

  /** Sends nothing more; attempts under way may end. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Matches again what came after the last change of the subscription, unless that is `known`. */
  #matchAgain(known: number | undefined): void {
    const { changed_after } = this.subscription
    if (changed_after === undefined || changed_after === known || this.scanned <= changed_after) return
    this.#matched_before = this.scanned
    this.scanned = changed_after
    this.taken = 0
    this.isBehind = true
  }

  #isKnown(event: string): boolean {
    const id = deliveryId(this.subscription.id, event)
    return this.#deliveries.some((delivery) => delivery.id === id)
  }

  #push(one: Waiting): void {
    if (!this.isOn || this.#waiting.get(one.thing)?.some(({ id }) => id === one.id)) return
    this.#queue(one)
    this.#parts.onDirty()
    this.pump()
  }

  #queue(one: Waiting): void {
    const ofThing = this.#waiting.get(one.thing)
    if (ofThing) ofThing.push(one)
    else this.#waiting.set(one.thing, [one])
    this.#size++
  }

  #forget(): void {
    this.#waiting.clear()
    this.#size = 0
    this.replay = null
    for (const one of this.#deliveries) {
      if (one.status === 'DELIVERED') continue
      one.status = 'FAILED'
      one.next_at = null
    }
  }

  #comeBack(ms: number): void {
    if (!this.#closed) this.#timer = setTimeout(() => this.pump(), Math.min(Math.max(ms, 1), 2 ** 31 - 1))
  }

  async #deliver(thing: string, one: Waiting): Promise<void> {
    this.#busy.add(thing)
    try {
      const body = one.body ?? (one.offset === null ? null : await this.#parts.bodyOf(one.offset))
      if (body === null) {
        // Older than the log.
        this.#settle(thing, one)
        return
      }
      const delivery = this.#deliveryOf(one)
      const { url } = this.subscription
      const attempt = await this.#parts.send({ id: one.id, body })
      if (this.#closed) return
      delivery.attempts++
      delivery.last = attempt
      if (attempt.error === null) this.#succeed(thing, one, delivery)
      else if (url === this.subscription.url) this.#fail(thing, one, { attempt, delivery })
      else this.#tryAgain(one)
    } catch {
      // The log cannot be read now.
      one.next_at = this.#parts.clock() + this.#wait_ms(0)
    } finally {
      this.#busy.delete(thing)
      if (!this.#closed) {
        this.#parts.onDirty()
        this.pump()
        // In portions: each one may read a batch of the log. All of the rest may wait for later attempts.
        if (this.hasRoom && (this.#size <= REFILL_AT || this.#busy.size === 0)) this.#parts.onRoom()
      }
    }
  }

  #succeed(thing: string, one: Waiting, delivery: Delivery): void {
    delivery.status = 'DELIVERED'
    delivery.next_at = null
    this.#failures = 0
    this.#failing_since = null
    this.#mailed_days = 0
    this.#settle(thing, one)
  }

  #fail(thing: string, one: Waiting, { attempt, delivery }: { readonly attempt: Attempt; readonly delivery: Delivery }): void {
    // Disabled meanwhile: nothing follows.
    if (!this.#waiting.get(thing)?.includes(one)) return
    const { status, retryAfter_s } = attempt
    const now = this.#parts.clock()
    one.attempts++
    this.#failures++
    this.#failing_since ??= now
    delivery.next_at = null
    if (status === 410) {
      delivery.status = 'FAILED'
      this.disable('gone')
      return
    }
    if (one.attempts > WAITS_S.length) {
      delivery.status = 'FAILED'
      this.#settle(thing, one)
    } else {
      delivery.status = 'RETRYING'
      const asked_ms = Math.min(retryAfter_s ?? 0, MAX_RETRY_AFTER_S) * 1000
      one.next_at = now + Math.max(this.#wait_ms(one.attempts - 1), asked_ms)
      delivery.next_at = one.next_at
      if (status !== null && SLOW_DOWN.includes(status))
        this.#paused_until = Math.max(this.#paused_until, now + Math.max(asked_ms, this.#wait_ms(0)))
    }
    // A receiver that is down gets one attempt per wait, not one per event.
    if (this.#failures >= DOWN_AFTER)
      this.#paused_until = Math.max(this.#paused_until, now + this.#wait_ms(Math.min(this.#failures - DOWN_AFTER, 2)))
    const days = Math.floor((now - this.#failing_since) / DAY_MS)
    const due = FAILING_DAYS.filter((day) => day <= days).at(-1) ?? 0
    if (due <= this.#mailed_days) return
    this.#mailed_days = due
    if (due === FAILING_DAYS.at(-1)) this.disable('failing')
    else this.#parts.onFailing(due)
  }

  /** Lets the next attempt be made at once, as if it was the first: the receiver is another one. */
  #tryAgain(one: Waiting): void {
    one.attempts = 0
    one.next_at = 0
    const delivery = this.#deliveries.find(({ id }) => id === deliveryId(this.subscription.id, one.id))
    if (delivery?.status !== 'RETRYING') return
    delivery.status = 'PENDING'
    delivery.next_at = null
  }

  #wait_ms(step: number): number {
    const seconds = (WAITS_S[step] ?? (WAITS_S.at(-1) as number)) * this.#parts.patience
    return seconds * 1000 * (1 + Math.random() / 10)
  }

  #settle(thing: string, one: Waiting): void {
    const ofThing = this.#waiting.get(thing)
    const at = ofThing?.indexOf(one) ?? -1
    if (!ofThing || at === -1) return
    ofThing.splice(at, 1)
    this.#size--
    if (ofThing.length === 0) this.#waiting.delete(thing)
  }

  #deliveryOf({ id: event_id, type, offset }: Waiting): Delivery {
    const id = deliveryId(this.subscription.id, event_id)
    const there = this.#deliveries.find((one) => one.id === id)
    if (there) {
      there.status = there.status === 'DELIVERED' || there.status === 'FAILED' ? 'PENDING' : there.status
      return there
    }
    const made: Delivery = {
      ...{ id, event_id, type, offset, status: 'PENDING', created_at: this.#parts.clock(), attempts: 0, last: null, next_at: null },
    }
    this.#deliveries = [made, ...this.#deliveries].slice(0, DELIVERIES_KEPT)
    return made
  }
}
