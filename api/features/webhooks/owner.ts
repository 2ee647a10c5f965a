import { createHash, randomUUID } from 'node:crypto'
import type { Events } from '../../../lake/events/open.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { planKeyRequired, planRequired } from '../../auth/access-problems.ts'
import type { ListedKey } from '../../auth/accounts.ts'
import { problem } from '../../kernel/problems.ts'
import { readWebhookFilter } from './filter.ts'
import { disabledReason } from './shown.ts'
import { type Command, type Delivery, deleteWebhookState, leaveCommand, readWebhookState, type WebhookState } from './state.ts'
import {
  changeSubscriptions,
  forgetFormer,
  MAX_SUBSCRIPTIONS,
  readSubscriptions,
  type Subscription,
  WEBHOOKS_CHANNEL,
} from './subscriptions.ts'

/** The actions of a webhooks' owner, by the API or on the account's page. */
export interface WebhookOwner {
  /** Returns the webhooks of an account with their progress, oldest first. */
  list(account: string): Promise<{ readonly subscription: Subscription; readonly state: WebhookState | null }[]>
  /** Returns a webhook of the account. Throws `not-found` if it has none with this id. */
  find(account: string, id: string): Promise<Subscription>
  /** Stores a new webhook, unless it is there, and returns it as stored. Throws `webhook-limit-reached` at the account's most. */
  add(subscription: Subscription): Promise<Subscription>
  /**
   * Changes a webhook to what `edit` returns for its newest state, again after each concurrent change, and returns it as stored.
   * Throws `not-found` if the account has none with this id, and what `edit` throws.
   */
  change(of: Pick<Subscription, 'account' | 'id'>, edit: (newest: Subscription) => Subscription): Promise<Subscription>
  /** Enables or disables a webhook. Enabling clears what disabled it before, and needs a valid filter. */
  setEnabled(of: Pick<Subscription, 'account' | 'id'>, enabled: boolean): Promise<Subscription>
  /** Deletes a webhook with its progress and notifies the process that delivers. */
  remove(subscription: Pick<Subscription, 'account' | 'id'>): Promise<void>
  /** Deletes all webhooks of an account, and what is stored of earlier ones. */
  removeAll(account: string): Promise<void>
  /**
   * Sends a test event and returns its id, which is the same for the same seed. Throws `conflict`, as the next two, if the
   * webhook is disabled.
   */
  test(subscription: Subscription, seed?: string): Promise<string>
  /** Sends the event of a delivery again. Throws `not-found` if it is not among the last ones, or was a test. */
  redeliver(subscription: Subscription, delivery: string): Promise<Delivery>
  /** Sends the events of a period again. */
  replay(subscription: Subscription, period: { readonly from: number; readonly to: number }): Promise<void>
  close(): void
}

/** Opens the actions of owners. */
export function webhookOwner(parts: { readonly store: ObjectStore; readonly events: Events; readonly clock: () => number }): WebhookOwner {
  const { store, events, clock } = parts
  const redis = openRedis(events.redisUrl, { queueWhileAway: false })
  // A change whose message is lost is found within a minute.
  const publish = (message: string): Promise<unknown> => redis.publish(WEBHOOKS_CHANNEL, message).catch(() => undefined)
  const write = async (account: string, decide: Parameters<typeof changeSubscriptions>[2]): Promise<void> => {
    await changeSubscriptions(store, account, decide)
    await publish(account)
  }
  const change: WebhookOwner['change'] = async ({ account, id }, edit) => {
    let changed: Subscription | undefined
    const changed_after = await events.log.head()
    await write(account, (webhooks) => {
      const newest = found(webhooks, id)
      const edited = edit(newest)
      // What follows the reply counts, even if the process that delivers reads the change later.
      const made = wantsMore(newest, edited) ? { ...edited, changed_after } : edited
      changed = made
      return made === newest ? webhooks : webhooks.map((one) => (one === newest ? made : one))
    })
    return changed as Subscription
  }
  const leave = async (command: Command): Promise<void> => {
    await leaveCommand(store, command, clock())
    await publish('command')
  }
  return {
    list: async (account) =>
      Promise.all(
        (await readSubscriptions(store, account)).map(async (subscription) => ({
          subscription,
          state: await readWebhookState(store, subscription.id),
        })),
      ),
    find: async (account, id) => found(await readSubscriptions(store, account), id),
    add: async (subscription) => {
      const { account, id } = subscription
      let stored = subscription
      await write(account, (webhooks) => {
        const there = webhooks.find((one) => one.id === id)
        stored = there ?? subscription
        if (there) return webhooks
        if (webhooks.length >= MAX_SUBSCRIPTIONS)
          throw problem('webhook-limit-reached', `An account may have ${MAX_SUBSCRIPTIONS} webhooks.`)
        return [...webhooks, subscription]
      })
      return stored
    },
    change,
    remove: async ({ account, id }) => {
      await write(account, (webhooks) => (webhooks.some((one) => one.id === id) ? webhooks.filter((one) => one.id !== id) : webhooks))
      await deleteWebhookState(store, id)
    },
    removeAll: async (account) => {
      let ids: string[] = []
      await write(account, (webhooks) => {
        ids = webhooks.map(({ id }) => id)
        return webhooks.length === 0 ? webhooks : []
      })
      for (const id of ids) await deleteWebhookState(store, id)
      await forgetFormer(store, account)
    },
    setEnabled: (of, enabled) =>
      change(of, (newest) => {
        if (enabled) readWebhookFilter(newest.filter)
        return { ...newest, enabled, ...(enabled ? { enabled_at: clock() } : {}) }
      }),
    test: async (subscription, seed = randomUUID()) => {
      const { id } = subscription
      needsEnabled(subscription, await readWebhookState(store, id))
      const event_id = `evt_test_${createHash('sha256').update(`${id} ${seed}`).digest('hex').slice(0, 32)}`
      const payload = { id: event_id, type: 'webhook.test', timestamp: new Date(clock()).toISOString(), data: { webhook: id } }
      await leave({ kind: 'test', subscription: id, event_id, body: JSON.stringify(payload) })
      return event_id
    },
    redeliver: async (subscription, delivery) => {
      const { id } = subscription
      const state = await readWebhookState(store, id)
      const found = state?.deliveries.find((one) => one.id === delivery)
      if (!found || found.offset === null) throw problem('not-found', 'This delivery is not among the last ones, or it was a test.')
      needsEnabled(subscription, state)
      await leave({ kind: 'redeliver', subscription: id, delivery })
      return found
    },
    replay: async (subscription, { from, to }) => {
      const { id } = subscription
      needsEnabled(subscription, await readWebhookState(store, id))
      await leave({ kind: 'replay', subscription: id, from, to })
    },
    close: () => redis.disconnect(),
  }
}

/** Returns whether a change may make a subscription want events that it did not want before. */
function wantsMore(before: Subscription, after: Subscription): boolean {
  return before.enabled_at !== after.enabled_at || JSON.stringify(before.filter) !== JSON.stringify(after.filter)
}

function found(webhooks: readonly Subscription[], id: string): Subscription {
  const one = webhooks.find((webhook) => webhook.id === id)
  if (!one) throw problem('not-found', 'There is no such webhook.')
  return one
}

function needsEnabled(subscription: Subscription, state: WebhookState | null): void {
  if (disabledReason(subscription, state) !== null)
    throw problem('conflict', 'The webhook is disabled and sends nothing; PATCH it with {"enabled": true} first.')
}

/** Throws a problem unless a working key has the plan that webhooks need; only the key `only` counts, if it is not null. */
export function needsWebhookPlan(
  listed: readonly ListedKey[],
  { only, upgradeUrl }: { readonly only: string | null; readonly upgradeUrl: string },
): void {
  const own = listed.filter(({ id, status }) => (status === 'ACTIVE' || status === 'ROTATING') && (only === null || id === only))
  if (own.some(({ plan }) => plan === 'ENTERPRISE')) return
  const [first] = own
  throw first
    ? planRequired('/api/webhooks', { required: 'ENTERPRISE', current: first.plan, upgradeUrl })
    : planKeyRequired('ENTERPRISE', upgradeUrl)
}
