import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ShownEvent } from '../../../../api/events/shown.ts'
import { Lane } from '../../../../api/features/webhooks/lane.ts'
import { readWebhookState, type WebhookState, writeCheckpoint, writeWebhookState } from '../../../../api/features/webhooks/state.ts'
import type { Subscription } from '../../../../api/features/webhooks/subscriptions.ts'
import { until } from '../../../helpers/until.ts'
import { startService, type TestService } from '../../service.ts'
import { call, deliver, feedEvent, receive, record, subscribe } from './stage.ts'

/** Most events of a webhook that wait in memory. */
const ROOM = 200
const THINGS = 50

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const waitingOf = async (id: string): Promise<number> => (await readWebhookState(service.lake.store, id))?.waiting.length ?? 0

/** Checks that each id arrived, those of one thing in order: the thing of the n-th is n modulo `THINGS`. */
function expectInOrder(received: readonly { readonly id: string }[], ids: readonly string[]): void {
  const firsts = [...new Set(received.map(({ id }) => id))]
  expect(firsts.toSorted()).toEqual(ids.toSorted())
  const places = new Map(firsts.map((id, at) => [id, at]))
  const late = ids.filter((id, at) => at >= THINGS && (places.get(ids[at - THINGS] as string) ?? 0) > (places.get(id) ?? 0))
  expect(late).toEqual([])
}

test('a batch of thousands of events waits in the log, and arrives complete and in order over a restart', async () => {
  const receiver = await receive()
  receiver.answer = () => 503
  const webhook = await subscribe(service, receiver.url)
  const first = deliver(service, { patience: 0.0001 })
  await first.leading
  const ids = Array.from({ length: 1500 }, (_, at) => `evt_large${at}`)
  await record(service, ...ids.map((id, at) => feedEvent(id, `thing ${at % THINGS}`)))
  await until('the state is stored', async () => (await waitingOf(webhook.id)) > 0)
  expect(await waitingOf(webhook.id)).toBeLessThanOrEqual(ROOM)
  await until('it is tried', () => receiver.received.length > 0)
  receiver.received.length = 0
  receiver.answer = () => 204
  await until('some are there', () => receiver.received.length > 400, 20_000)
  expect(await waitingOf(webhook.id)).toBeLessThanOrEqual(ROOM)
  await first.close()
  expect(receiver.received.length).toBeLessThan(ids.length)
  await deliver(service, { patience: 0.0001 }).leading
  await until('all are there', () => new Set(receiver.received.map(({ id }) => id)).size === ids.length, 60_000)
  expectInOrder(receiver.received, ids)
})

test('a replay of a large batch waits in the log as well', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  await deliver(service, { patience: 0.0001 }).leading
  const ids = Array.from({ length: 700 }, (_, at) => `evt_replay${at}`)
  const from = new Date().toISOString()
  await record(service, ...ids.map((id, at) => feedEvent(id, `thing ${at % THINGS}`)))
  await until('all are there', () => receiver.received.length === ids.length, 20_000)
  receiver.answer = () => 503
  const replay = { from, to: new Date(Date.now() + 1000).toISOString() }
  expect((await call(service, 'POST', `/api/webhooks/${webhook.id}/replay`, replay)).status).toBe(202)
  await until('the replay has begun', async () => (await waitingOf(webhook.id)) > 100)
  expect(await waitingOf(webhook.id)).toBeLessThanOrEqual(ROOM)
  receiver.received.length = 0
  receiver.answer = () => 204
  await until('all are there again', () => new Set(receiver.received.map(({ id }) => id)).size === ids.length, 20_000)
  expectInOrder(receiver.received, ids)
})

test('the place in a batch counts for that batch alone, also if the checkpoint is further', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  const { store } = service.lake
  const scanned = await service.events.log.head()
  await record(service, ...['evt_p1', 'evt_p2', 'evt_p3'].map((id) => feedEvent(id)))
  await writeWebhookState(store, webhook.id, {
    ...{ scanned, taken: 2, isBehind: false, waiting: [], replay: null, failing_since: null, mailed_days: 0 },
    ...{ disabled_at: null, disabled_reason: null, deliveries: [] },
  })
  await writeCheckpoint(store, { position: scanned + 1, at: Date.now() })
  await deliver(service).leading
  await record(service, ...['evt_p4', 'evt_p5', 'evt_p6'].map((id) => feedEvent(id)))
  await until('the next batch is complete', () => receiver.received.length === 3)
  expect(receiver.received.map(({ id }) => id)).toEqual(expect.arrayContaining(['evt_p4', 'evt_p5', 'evt_p6']))
})

test('a state that an earlier version stored is read, with more waiting events than there is room for', async () => {
  const waiting = Array.from({ length: 2 * ROOM }, (_, at) => ({
    ...{ id: `e${at}`, offset: `7-${at + 1}`, type: 'feed.stale', thing: `t${at}`, attempts: 0, next_at: 0 },
  }))
  const stored: WebhookState = {
    ...{ scanned: 7, isBehind: true, waiting, replay: { after: 3, until: 5, from: 0, to: 1 }, failing_since: null, mailed_days: 0 },
    ...{ disabled_at: null, disabled_reason: null, deliveries: [] },
  }
  const sent: string[] = []
  const lane = new Lane({ id: 'wh_1', enabled: true, enabled_at: 0, after: 0 } as unknown as Subscription, stored, {
    clock: () => 1,
    patience: 1,
    bodyOf: async () => '{}',
    send: async ({ id }) => {
      sent.push(id)
      return { at: 1, status: 204, ms: 1, error: null, retryAfter_s: null }
    },
    onDirty: () => undefined,
    onRoom: () => undefined,
    onDisabled: () => undefined,
    onFailing: () => undefined,
  })
  onTestFinished(() => lane.close())
  lane.isWanted = () => true
  const event = { id: 'new', offset: '8-1', type: 'feed.stale', thing: 'new' } as ShownEvent
  expect(lane.state()).toMatchObject({ ...stored, taken: 0 })
  lane.match(8, [event])
  expect(lane.state()).toMatchObject({ scanned: 7, taken: 0, waiting: { length: 2 * ROOM } })
  lane.pump()
  await until('there is room', () => sent.length === waiting.length && lane.hasRoom)
  lane.match(8, [event])
  expect(lane.state()).toMatchObject({ scanned: 8, taken: 0 })
  await until('the new one is sent', () => sent.at(-1) === 'new')
})
