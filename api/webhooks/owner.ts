import { randomUUID } from 'node:crypto'
import { openRedis } from '../../lake/live/connect.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { keyRequired, planRequired } from '../access/access-problems.ts'
import type { ListedKey } from '../access/accounts.ts'
import { problem } from '../define/problems.ts'
import { readWebhookFilter } from './filter.ts'
import { disabledReason } from './shown.ts'
import { type Command, type Delivery, deleteWebhookState, leaveCommand, readWebhookState, type WebhookState } from './state.ts'
import {
  listSubscriptions,
  readSubscription,
  type Subscription,
  subscriptionKey,
  WEBHOOKS_CHANNEL,
  writeSubscription,
} from './subscriptions.ts'

/** The actions of a webhooks' owner, by the API or on the account's page. */
export interface WebhookOwner {
  /** Returns the webhooks of an account with their progress, oldest first. */
  list(account: string): Promise<{ readonly subscription: Subscription; readonly state: WebhookState | null }[]>
  /** Returns a webhook of the account. Throws `not-found` if it has none with this id. */
  find(account: string, id: string): Promise<Subscription>
  /** Stores a webhook and notifies the process that delivers. */
  save(subscription: Subscription): Promise<void>
  /** Enables or disables a webhook. Enabling clears what disabled it before, and needs a valid filter. */
  setEnabled(subscription: Subscription, enabled: boolean): Promise<Subscription>
  /** Deletes a webhook with its progress and notifies the process that delivers. */
  remove(subscription: Pick<Subscription, 'account' | 'id'>): Promise<void>
  /** Deletes all webhooks of an account. */
  removeAll(account: string): Promise<void>
  /** Sends a test event; returns its id. Throws `conflict`, as the next two, if the webhook is disabled. */
  test(subscription: Subscription): Promise<string>
  /** Sends the event of a delivery again. Throws `not-found` if it is not among the last ones, or was a test. */
  redeliver(subscription: Subscription, delivery: string): Promise<Delivery>
  /** Sends the events of a period again. */
  replay(subscription: Subscription, period: { readonly from: number; readonly to: number }): Promise<void>
  close(): void
}

/** Opens the actions of owners. */
export function webhookOwner(parts: {
  readonly store: ObjectStore
  readonly redisUrl: string
  readonly clock: () => number
}): WebhookOwner {
  const { store, clock } = parts
  const redis = openRedis(parts.redisUrl, { queueWhileAway: false })
  // A change whose message is lost is found within a minute.
  const publish = (message: string): Promise<unknown> => redis.publish(WEBHOOKS_CHANNEL, message).catch(() => undefined)
  const save: WebhookOwner['save'] = async (subscription) => {
    await writeSubscription(store, subscription)
    await publish(`${subscription.account}/${subscription.id}`)
  }
  const remove: WebhookOwner['remove'] = async ({ account, id }) => {
    await store.delete(subscriptionKey(account, id))
    await deleteWebhookState(store, id)
    await publish(`${account}/${id}`)
  }
  const leave = async (command: Command): Promise<void> => {
    await leaveCommand(store, command, clock())
    await publish('command')
  }
  return {
    list: async (account) => {
      const listed = await listSubscriptions(store, account)
      const found = (await Promise.all(listed.map(({ id }) => readSubscription(store, account, id)))).filter((one) => one !== null)
      const all = found.map(async (subscription) => ({ subscription, state: await readWebhookState(store, subscription.id) }))
      return (await Promise.all(all)).toSorted((one, other) => one.subscription.created_at - other.subscription.created_at)
    },
    find: async (account, id) => {
      const found = await readSubscription(store, account, id)
      if (!found) throw problem('not-found', 'There is no such webhook.')
      return found
    },
    save,
    remove,
    removeAll: async (account) => {
      for (const one of await listSubscriptions(store, account)) await remove(one)
    },
    setEnabled: async (subscription, enabled) => {
      if (enabled) readWebhookFilter(subscription.filter)
      const changed = { ...subscription, enabled, ...(enabled ? { enabled_at: clock() } : {}) }
      await save(changed)
      return changed
    },
    test: async (subscription) => {
      const { id } = subscription
      needsEnabled(subscription, await readWebhookState(store, id))
      const event_id = `evt_test_${randomUUID().replaceAll('-', '')}`
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
  throw first ? planRequired('/api/webhooks', { required: 'ENTERPRISE', current: first.plan, upgradeUrl }) : keyRequired('ENTERPRISE')
}
