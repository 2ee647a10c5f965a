import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { type EventFollower, followEvents } from '../../../lake/events/follow.ts'
import type { EventBatch } from '../../../lake/events/log.ts'
import type { Events } from '../../../lake/events/open.ts'
import { type Listening, listen, openRedis } from '../../../lake/live/connect.ts'
import { withLock } from '../../../lake/live/lock.ts'
import { StoreError } from '../../../lake/store/errors.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { Peppers } from '../../auth/keys/pepper.ts'
import type { DisabledReason } from '../../auth/mail/webhook-mail.ts'
import { eventPredicate } from '../../events/filter.ts'
import { placeOf, ShownBatches, type ShownEvent } from '../../events/shown.ts'
import { Problem } from '../../kernel/problems.ts'
import { openCatchUp } from './catch-up.ts'
import type { DestinationRules } from './destination.ts'
import { cachedEntitlement } from './entitlement.ts'
import { readWebhookFilter } from './filter.ts'
import { Lane } from './lane.ts'
import { sendOnce } from './send.ts'
import { commandsLeft, deleteWebhookState, readCheckpoint, readWebhookState, writeCheckpoint, writeWebhookState } from './state.ts'
import { type ListedAccount, listAccounts, readSubscriptions, type Subscription, secretsOf, WEBHOOKS_CHANNEL } from './subscriptions.ts'

/** What the process that delivers webhooks needs. The caller opens and closes it. */
export interface DelivererOptions {
  readonly store: ObjectStore
  readonly events: Events
  readonly peppers: Peppers
  readonly rules: DestinationRules
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Returns whether an account may have webhooks now. */
  readonly isEntitled: (account: string) => Promise<boolean>
  /** Called when the owner should know that it was disabled, or has failed for so many days. */
  readonly onTrouble: (subscription: Subscription, trouble: { readonly disabled: DisabledReason } | { readonly days: number }) => void
  readonly clock?: () => number
  readonly timeout_ms?: number
  /** Factor of all waits between attempts; less than 1 in tests. */
  readonly patience?: number
  /** How long it is cached whether an account may have webhooks, in ms. */
  readonly entitled_ms?: number
  /** Time between two writes of the progress, in ms. */
  readonly flush_ms?: number
}

/** Webhooks being delivered. */
export interface Deliverer {
  /** Resolves when this process has begun to deliver. */
  readonly leading: Promise<void>
  /** Writes the progress and stops. */
  close(): Promise<void>
}

const FLUSH_MS = 1000
const LOCK = { name: 'webhooks', ttl_ms: 15_000 }
/** Time between two checks for commands and for subscriptions whose message was lost, in ms. */
const COMMANDS_MS = 5000
const SUBSCRIPTIONS_MS = 60_000
const AT_ONCE = 32
const MAX_SHOWN = 64 * 1024 ** 2
/** How long matching may block the process, in ms. */
const TURN_MS = 20
/** How long the plan of an account is cached, in ms. */
const ENTITLED_MS = 60_000

/**
 * Delivers events to webhooks, in one process at a time under a lock. The store contains the progress of each subscription: what
 * a killed process had not written is delivered again.
 */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { events, log } = options
  const redis = openRedis(events.redisUrl)
  const stop = new AbortController()
  const leading = Promise.withResolvers<void>()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await withLock({ redis, ...LOCK, wait_ms: Number.POSITIVE_INFINITY, signal: stop.signal }, (signal) =>
          deliver(options, { redis, signal, stop: stop.signal, onBegun: leading.resolve }),
        )
      } catch (err) {
        if (stop.signal.aborted) return
        log.error({ err }, 'webhooks are not delivered; tried again')
        await sleep(1000, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
  }
  const running = run()
  return {
    leading: leading.promise,
    close: async () => {
      stop.abort()
      // While Redis is away, a pending request for the lock ends with the connection.
      setTimeout(() => redis.disconnect(), 5000).unref()
      await running
      redis.disconnect()
    },
  }
}

/** Delivers until its signal fires: the lock was lost, or the process ends. */
async function deliver(
  options: DelivererOptions,
  on: { readonly redis: Redis; readonly signal: AbortSignal; readonly stop: AbortSignal; readonly onBegun: () => void },
): Promise<void> {
  const { store, events, peppers, rules, log, onTrouble, clock = Date.now, patience = 1, flush_ms = FLUSH_MS } = options
  const lanes = new Map<string, Lane>()
  /** When each subscription that was read was last written. */
  const versions = new Map<string, string>()
  const dirty = new Set<string>()
  const shown = new ShownBatches({ maxSize: MAX_SHOWN, onError: (err) => log.error({ err }, 'some events are sent to no webhook') })
  /** The batch that lanes are being matched with, or were last. */
  const checkpoint = await readCheckpoint(store)
  let matched = checkpoint?.position ?? (await events.log.head())
  const begun = matched

  const eventAt = async (offset: string): Promise<ShownEvent | null> => {
    const { batch, number } = placeOf(offset) as { batch: number; number: number }
    const known = shown.known(batch)
    if (known) return known[number - 1] ?? null
    const read = await events.log.read(batch - 1, 1)
    const [found] = read.reset ? [] : read.batches
    return (found && shown.of(found)[number - 1]) ?? null
  }
  const mayHave = cachedEntitlement(options.isEntitled, {
    ttl_ms: options.entitled_ms ?? ENTITLED_MS,
    onError: (err, account) => log.warn({ err, account }, 'the plan of an account with webhooks cannot be read'),
  })

  /** Returns the filter of a subscription; null if this version no longer has one of its values, such as an event type. */
  const filterOf = ({ id, account, filter }: Subscription): Lane['isWanted'] | null => {
    try {
      const isChosen = eventPredicate(readWebhookFilter(filter))
      return (event) => (event.account === null || event.account === account) && isChosen(event)
    } catch (err) {
      if (!(err instanceof Problem)) throw err
      log.error({ err, webhook: id }, 'the filter of a webhook is no longer valid')
      return null
    }
  }
  const openLane = async (subscription: Subscription): Promise<void> => {
    const { id, account } = subscription
    const isWanted = filterOf(subscription)
    const there = lanes.get(id)
    if (there) {
      there.isWanted = isWanted ?? (() => false)
      there.change(subscription)
      if (!isWanted && there.isOn) there.disable('filter-invalid')
      return scan(id)
    }
    const state = await readWebhookState(store, id)
    const lane: Lane = new Lane(subscription, state, {
      clock,
      patience,
      bodyOf: async (offset) => (await eventAt(offset))?.body ?? null,
      send: async (message) => {
        if (!(await mayHave(account))) {
          lane.disable('plan-changed')
          return { at: clock(), status: null, ms: 0, error: 'the plan of the account has no webhooks', retryAfter_s: null }
        }
        const { url } = lane.subscription
        const more = options.timeout_ms === undefined ? {} : { timeout_ms: options.timeout_ms }
        return sendOnce({ ...message, url, secrets: secretsOf(peppers, lane.subscription, clock()) }, { ...rules, ...more, clock })
      },
      onDirty: () => void dirty.add(id),
      onRoom: () => scan(id),
      onDisabled: (reason) => onTrouble(lane.subscription, { disabled: reason }),
      onFailing: (days) => onTrouble(lane.subscription, { days }),
    })
    // A lane that is not behind was matched up to the checkpoint. A process killed before its first checkpoint left only states.
    if (state && !lane.isBehind && checkpoint && lane.scanned < begun) {
      lane.scanned = begun
      lane.taken = 0
    }
    lane.isWanted = isWanted ?? (() => false)
    lane.isBehind = lane.scanned < matched
    lanes.set(id, lane)
    if (state?.isBehind !== lane.isBehind) dirty.add(id)
    if (!isWanted && lane.isOn) lane.disable('filter-invalid')
    lane.pump()
    scan(id)
  }

  const scan = openCatchUp({
    ...{ log: events.log, shown, lanes, matched: () => matched, signal: on.signal },
    onDirty: (id) => void dirty.add(id),
    onError: (err, webhook) => log.warn({ err, webhook }, 'the log of events cannot be read for a webhook'),
  })

  const onBatch = async (batch: EventBatch): Promise<void> => {
    const list = shown.of(batch)
    let turn = performance.now()
    // From here on, a lane that opens or catches up reads this batch from the log.
    matched = batch.offset
    for (const lane of [...lanes.values()]) {
      if (lane.isBehind || lane.scanned >= batch.offset) continue
      lane.match(batch.offset, list)
      if (lane.scanned < batch.offset || !lane.hasRoom) {
        // Later events stay in the log until there is room.
        lane.isBehind = true
        dirty.add(lane.subscription.id)
      }
      if (performance.now() - turn < TURN_MS) continue
      await new Promise(setImmediate)
      turn = performance.now()
    }
  }

  const readAll = async (): Promise<void> => {
    const listed = await listAccounts(store)
    const accounts = new Set(listed.map(({ account }) => account))
    for (const { subscription } of lanes.values()) if (!accounts.has(subscription.account)) await dropLane(subscription.id)
    const news = listed.filter(({ account, version }) => versions.get(account) !== version)
    for (let at = 0; at < news.length; at += AT_ONCE) await Promise.all(news.slice(at, at + AT_ONCE).map(readAccount))
  }
  const readAccount = async ({ account, version }: ListedAccount): Promise<void> => {
    const webhooks = await unlessUnreadable({ account }, () => readSubscriptions(store, account))
    versions.set(account, version)
    if (!webhooks) return
    const ids = new Set(webhooks.map(({ id }) => id))
    for (const { subscription } of lanes.values())
      if (subscription.account === account && !ids.has(subscription.id)) await dropLane(subscription.id)
    for (const webhook of webhooks) {
      const before = lanes.get(webhook.id)?.subscription
      if (JSON.stringify(before) !== JSON.stringify(webhook)) await unlessUnreadable({ webhook: webhook.id }, () => openLane(webhook))
    }
  }
  const readAgain = async (account: string): Promise<void> => {
    const listed = await listAccounts(store, account)
    for (const one of listed) await readAccount(one)
    if (listed.length === 0)
      for (const { subscription } of lanes.values()) if (subscription.account === account) await dropLane(subscription.id)
  }
  /** Reads something of one account; if that is the fault of what it stored, it is logged and the others are delivered. */
  const unlessUnreadable = async <T>(of: object, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read()
    } catch (err) {
      // Not of this object alone: all are read again.
      if (err instanceof StoreError) throw err
      log.error({ err, ...of }, 'a webhook cannot be read; the others are delivered')
      return null
    }
  }
  const dropLane = async (id: string): Promise<void> => {
    lanes.get(id)?.close()
    lanes.delete(id)
    dirty.delete(id)
    // A write under way would bring the state back.
    await flushing
    await deleteWebhookState(store, id)
  }

  const carryOut = async (): Promise<void> => {
    const left = await commandsLeft(store)
    // The message about a new subscription may have been lost.
    if (left.some(({ command }) => !lanes.has(command.subscription))) await readAll()
    for (const { key, command } of left) {
      const before = lanes.get(command.subscription)
      // So may the message that it was enabled.
      if (before && !before.isOn) await readAgain(before.subscription.account)
      const lane = lanes.get(command.subscription)
      if (lane && command.kind === 'test') lane.addTest(command.event_id, command.body)
      if (lane && command.kind === 'redeliver') lane.redeliver(command.delivery)
      if (lane?.isOn && command.kind === 'replay') {
        // Replays run one after the other: this one stays until the next check.
        if (lane.replay) continue
        const { from, to } = command
        lane.replay = { after: await events.log.before(from), until: await events.log.before(to), from, to }
        scan(command.subscription)
      }
      dirty.add(command.subscription)
      // Otherwise it stays for the next process.
      if (!(await flush())) return
      await store.delete(key)
    }
  }

  let flushing: Promise<boolean> = Promise.resolve(true)
  let written = -1
  /** Writes the progress; returns false if that failed, or if the lock was lost. */
  const flush = (): Promise<boolean> => {
    flushing = flushing.then(async () => {
      if (on.signal.aborted && !on.stop.aborted) return false
      // In this order: the state of a subscription may be ahead of the checkpoint, but not behind it.
      const { position } = follower
      const ids = [...dirty]
      dirty.clear()
      try {
        for (let at = 0; at < ids.length; at += AT_ONCE)
          await Promise.all(
            ids.slice(at, at + AT_ONCE).map(async (id) => {
              const lane = lanes.get(id)
              if (lane) await writeWebhookState(store, id, lane.state())
            }),
          )
        if (position === written && ids.length === 0) return true
        await writeCheckpoint(store, { position, at: clock() })
        written = position
        return true
      } catch (err) {
        for (const id of ids) dirty.add(id)
        log.warn({ err }, 'the progress of webhooks cannot be written; tried again')
        return false
      }
    })
    return flushing
  }

  const opened = Promise.withResolvers<void>()
  const follower: EventFollower = followEvents({
    log: events.log,
    redisUrl: events.redisUrl,
    after: begun,
    onBatch: async (batch) => {
      // Lanes begin where the follower is.
      await opened.promise
      await onBatch(batch)
    },
    onError: (err) => log.warn({ err }, 'the log of events cannot be read'),
  })
  const troubled = (err: unknown): void => log.warn({ err }, 'subscriptions of webhooks cannot be read')
  let looking: Promise<unknown> = Promise.resolve()
  let messages: Listening | undefined
  const inTurn = (work: () => Promise<void>): void => {
    looking = looking.then(() => (on.signal.aborted ? undefined : work().catch(troubled)))
  }
  try {
    await readAll()
    opened.resolve()
    inTurn(carryOut)
    messages = listen(events.redisUrl, WEBHOOKS_CHANNEL, {
      onMessage: (message) => {
        if (message === 'command') return inTurn(carryOut)
        inTurn(() => readAgain(message))
      },
      onListening: () => {
        inTurn(readAll)
        inTurn(carryOut)
      },
      onError: troubled,
    })
    const timers = [
      setInterval(() => void flush(), flush_ms),
      setInterval(() => inTurn(carryOut), COMMANDS_MS),
      setInterval(() => inTurn(readAll), SUBSCRIPTIONS_MS),
    ]
    on.onBegun()
    log.info({ webhooks: lanes.size, position: begun }, 'webhooks are delivered')
    await new Promise<void>((resolve) => {
      if (on.signal.aborted) resolve()
      else on.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    for (const timer of timers) clearInterval(timer)
  } finally {
    opened.resolve()
    messages?.close()
    await follower.close()
    await looking
    for (const lane of lanes.values()) lane.close()
    // Not after the lock was lost: another process has continued from what was written.
    if (on.stop.aborted) await flush()
    await flushing
  }
}
