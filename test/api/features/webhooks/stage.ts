import { onTestFinished } from 'vitest'
import { type Deliverer, type DelivererOptions, startDeliverer } from '../../../../api/features/webhooks/deliverer.ts'
import { changeSubscriptions, listAccounts, type Subscription } from '../../../../api/features/webhooks/subscriptions.ts'
import type { LoggedEvent } from '../../../../lake/events/log.ts'
import { type Receiver, startReceiver } from '../../../helpers/receiver.ts'
import type { Reply, TestService } from '../../service.ts'

let count = 0

/** An event of a feed, about a thing. */
export function feedEvent(id: string, thing = id): LoggedEvent {
  return { id, type: 'feed.stale', thing, at: Date.now(), data: { id } }
}

/** Records events in a batch of their own. */
export async function record(service: TestService, ...events: LoggedEvent[]): Promise<void> {
  await service.events.log.record(`test ${++count} ${process.pid}`, events, { since: Date.now() })
}

/** Starts the delivery, beside a service; closed with the test. */
export function deliver(service: TestService, options: Partial<DelivererOptions> = {}): Deliverer {
  const deliverer = startDeliverer({
    store: service.lake.store,
    events: service.events,
    peppers: service.access.peppers,
    rules: { loopback: true },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    isEntitled: (account) => service.access.accounts.hasPlan(account, 'ENTERPRISE'),
    onTrouble: () => undefined,
    flush_ms: 50,
    ...options,
  })
  onTestFinished(() => deliverer.close())
  return deliverer
}

/** A receiver that is closed with the test. */
export async function receive(): Promise<Receiver> {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  return receiver
}

/** Sends requests as the owner of a key of the plan ENTERPRISE. */
export async function call(
  service: TestService,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly reply: Reply }> {
  const response = await service.ask(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, reply: text === '' ? null : JSON.parse(text) }
}

/** Creates a webhook. */
export async function subscribe(service: TestService, url: string, filter: Record<string, unknown> = {}): Promise<Reply> {
  const { status, reply } = await call(service, 'POST', '/api/webhooks', { url, filter })
  if (status !== 201) throw new Error(JSON.stringify(reply))
  onTestFinished(async () => void (await call(service, 'DELETE', `/api/webhooks/${reply.id}`)))
  return reply
}

/** Changes a webhook in the store only, as if the message about it was lost. */
export async function changeStored(service: TestService, id: string, change: Partial<Subscription>): Promise<void> {
  const { store } = service.lake
  for (const { account } of await listAccounts(store))
    await changeSubscriptions(store, account, (all) =>
      all.some((one) => one.id === id) ? all.map((one) => (one.id === id ? { ...one, ...change } : one)) : all,
    )
}
