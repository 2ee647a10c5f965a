import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Lane } from '../../../../api/features/webhooks/lane.ts'
import type { Attempt } from '../../../../api/features/webhooks/send.ts'
import type { Subscription } from '../../../../api/features/webhooks/subscriptions.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import type { LoggedEvent } from '../../../../lake/events/log.ts'
import type { LiveRow } from '../../../../lake/live/types.ts'
import { slowSocket } from '../../../helpers/slow-socket.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { call, changeStored, deliver, feedEvent, receive, record, subscribe } from './stage.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

test('a receiver that is slow, dead or failing delays no other', async () => {
  const [slow, failing, well] = [await receive(), await receive(), await receive()]
  slow.answer = () => null
  failing.answer = () => 500
  for (const url of [slow.url, 'http://127.0.0.1:9/', failing.url]) await subscribe(service, url)
  await subscribe(service, well.url)
  await deliver(service).leading
  const ids = Array.from({ length: 30 }, (_, at) => `evt_n${at}`)
  const began = performance.now()
  for (const id of ids) await record(service, feedEvent(id))
  await until('all are there', () => well.received.length === ids.length)
  expect(performance.now() - began).toBeLessThan(4000)
  expect(new Set(well.received.map(({ id }) => id))).toEqual(new Set(ids))
  // A receiver that is down does not get a request for every event.
  expect(failing.received.length).toBeLessThan(10)
  expect(slow.received.length).toBeLessThan(10)
})

test('events of a thing keep their order over failures, and others do not wait for them', async () => {
  const receiver = await receive()
  let refusals = 2
  receiver.answer = ({ id }) => (id === 'evt_a1' && refusals-- > 0 ? 500 : 204)
  await subscribe(service, receiver.url)
  await deliver(service, { patience: 0.02 }).leading
  await record(service, feedEvent('evt_a1', 'a'), feedEvent('evt_b1', 'b'), feedEvent('evt_a2', 'a'), feedEvent('evt_b2', 'b'))
  await record(service, feedEvent('evt_a3', 'a'))
  await until('b is there', () => receiver.received.some(({ id }) => id === 'evt_b2'))
  expect(receiver.received.some(({ id }) => id === 'evt_a2')).toBe(false)
  // The second wait is of 300 s × 0.02, which the test does not wait for.
  expect(receiver.received.filter(({ id }) => id === 'evt_a1').length).toBeLessThan(3)
  const ofA = (): string[] => receiver.received.map(({ id }) => id).filter((id) => id.startsWith('evt_a'))
  await until('the second attempt', () => ofA().length === 2)
  expect(ofA()).toEqual(['evt_a1', 'evt_a1'])
})

test('a reply 410 disables at once, and so does a plan that has no webhooks', async () => {
  const [gone, left] = [await receive(), await receive()]
  gone.answer = () => 410
  const [one, other] = [await subscribe(service, gone.url), await subscribe(service, left.url)]
  const troubles: string[] = []
  let isEntitled = true
  const deliverer = deliver(service, {
    isEntitled: async () => isEntitled,
    onTrouble: ({ id }, trouble) => troubles.push(`${id} ${'disabled' in trouble ? trouble.disabled : trouble.days}`),
  })
  await deliverer.leading
  await record(service, feedEvent('evt_g1'))
  await until('both were tried', () => gone.received.length === 1 && left.received.length === 1)
  await record(service, feedEvent('evt_g2'))
  await until('the other goes on', () => left.received.length === 2)
  expect(gone.received).toHaveLength(1)
  await until('it is reported', async () => (await call(service, 'GET', `/api/webhooks/${one.id}`)).reply.status === 'DISABLED')
  expect((await call(service, 'GET', `/api/webhooks/${one.id}`)).reply).toMatchObject({ disabled_reason: 'gone', waiting: 0 })
  await deliverer.close()
  isEntitled = false
  await deliver(service, {
    isEntitled: async () => false,
    onTrouble: ({ id }, trouble) => troubles.push(`${id} ${JSON.stringify(trouble)}`),
  }).leading
  await record(service, feedEvent('evt_g3'))
  await until('it is reported', () => troubles.length === 2)
  expect(troubles).toEqual([`${one.id} gone`, `${other.id} {"disabled":"plan-changed"}`])
  expect(left.received).toHaveLength(2)
  // Nothing says that another attempt follows.
  await until('the state is written', async () => (await call(service, 'GET', `/api/webhooks/${other.id}`)).reply.status === 'DISABLED')
  const { deliveries } = (await call(service, 'GET', `/api/webhooks/${other.id}/deliveries`)).reply
  expect(deliveries[0]).toMatchObject({ event_id: 'evt_g3', status: 'FAILED', next_attempt_at: null })
  expect((await call(service, 'GET', `/api/webhooks/${other.id}`)).reply.failing_since).toBeNull()
})

test.each([
  ['is lost', async () => true],
  ['is lost after it could not be read', () => Promise.reject(new Error('the store is away'))],
])('a plan that %s disables a busy webhook when its cached entitlement ends', async (_what, before) => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  let isEntitled: () => Promise<boolean> = before
  await deliver(service, { isEntitled: () => isEntitled(), entitled_ms: 100 }).leading
  let count = 0
  const busy = setInterval(() => void record(service, feedEvent(`evt_plan${++count}`)), 30)
  onTestFinished(() => clearInterval(busy))
  await until('events arrive', () => receiver.received.length > 3)
  isEntitled = async () => false
  await until(
    'it is disabled',
    async () => (await call(service, 'GET', `/api/webhooks/${webhook.id}`)).reply.disabled_reason === 'plan-changed',
  )
})

test('a webhook that is enabled just after its plan returned stays enabled', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  let isEntitled = false
  await deliver(service, { isEntitled: async () => isEntitled }).leading
  await record(service, feedEvent('evt_q1'))
  const path = `/api/webhooks/${webhook.id}`
  await until('it is disabled', async () => (await call(service, 'GET', path)).reply.disabled_reason === 'plan-changed')
  isEntitled = true
  await call(service, 'PATCH', path, { enabled: true })
  await record(service, feedEvent('evt_q2'))
  await until('events arrive again', () => receiver.received.some(({ id }) => id === 'evt_q2'))
})

test('a webhook that this version cannot read stops no other, and its owner can mend its filter', async () => {
  const { store } = service.lake
  const [former, well] = [await receive(), await receive()]
  const webhook = await subscribe(service, former.url)
  await subscribe(service, well.url)
  await changeStored(service, webhook.id, { filter: { types: ['gone.type'] } })
  // Objects of one webhook each, as earlier releases wrote them.
  const broken = ['unreadable', 'other'].map((account) => `webhooks/subscriptions/${account}/wh_${'0'.repeat(20)}.json`)
  for (const [at, key] of broken.entries()) await store.put(key, Buffer.from(at === 0 ? '{' : '{}'))
  onTestFinished(async () => {
    for (const key of broken) await store.delete(key)
  })
  const troubles: unknown[] = []
  await deliver(service, { onTrouble: ({ id }, trouble) => troubles.push([id, trouble]) }).leading
  await record(service, feedEvent('evt_f1'))
  await until('the other has it', () => well.received.length === 1)
  const path = `/api/webhooks/${webhook.id}`
  await until('it is reported', async () => (await call(service, 'GET', path)).reply.disabled_reason === 'filter-invalid')
  expect(troubles).toEqual([[webhook.id, { disabled: 'filter-invalid' }]])
  expect(await call(service, 'PATCH', path, { enabled: true })).toMatchObject({
    status: 400,
    reply: { errors: [expect.objectContaining({ pointer: '/filter/types' })] },
  })
  expect((await call(service, 'PATCH', path, { enabled: true, filter: { types: ['feed'] } })).reply.status).toBe('ENABLED')
  await record(service, feedEvent('evt_f2'))
  await until('both have the next', () => well.received.length === 2 && former.received.length === 1)
})

test('an event that this version cannot show holds back no other, and is logged once', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  const errors: unknown[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (...line: unknown[]) => errors.push(line) }
  const first = deliver(service, { log })
  await first.leading
  const from = new Date().toISOString()
  const change = { dataset: 'gone', kind: 'CREATED', row: exampleRow(incidents) as LiveRow, changed: [] } as const
  const gone = (id: string): LoggedEvent => ({ id, type: 'incident.created', thing: id, at: Date.now(), change })
  await record(service, feedEvent('evt_v1', 'v'), gone('evt_v2'), gone('evt_v3'), feedEvent('evt_v4', 'v'))
  await record(service, feedEvent('evt_v5', 'v'))
  const ids = ['evt_v1', 'evt_v4', 'evt_v5']
  await until('the others are there', () => receiver.received.length === 3)
  const { reply } = await call(service, 'GET', `/api/webhooks/${webhook.id}/deliveries`)
  expect(reply.deliveries.some(({ event_id }: Reply) => event_id === 'evt_v2')).toBe(false)
  const replay = { from, to: new Date(Date.now() + 1000).toISOString() }
  await call(service, 'POST', `/api/webhooks/${webhook.id}/replay`, replay)
  await until('the others are there again', () => receiver.received.length === 6)
  expect(receiver.received.map(({ id }) => id)).toEqual([...ids, ...ids])
  expect(errors).toHaveLength(1)
})

test('a webhook that is made before the deliverer has subscribed to messages gets events soon', async () => {
  const receiver = await receive()
  const events = { ...service.events, redisUrl: await slowSocket(service.events.redisUrl, 300) }
  await deliver(service, { events }).leading
  await subscribe(service, receiver.url)
  await record(service, feedEvent('evt_soon'))
  await until('it is there', () => receiver.received.length === 1)
})

test('Retry-After is kept to, for all events of the receiver', async () => {
  const receiver = await receive()
  receiver.answer = ({ id }) => (id === 'evt_r1' && receiver.received.length === 1 ? { status: 429, headers: { 'Retry-After': '1' } } : 204)
  await subscribe(service, receiver.url)
  await deliver(service, { patience: 0.001 }).leading
  await record(service, feedEvent('evt_r1', 'x'))
  await until('the first attempt', () => receiver.received.length === 1)
  await record(service, feedEvent('evt_r2', 'y'))
  await until('both', () => receiver.received.length === 3)
  const [first, second] = receiver.received
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990)
})

test('a new URL is tried at once, whatever the former one answered', async () => {
  const [former, next] = [await receive(), await receive()]
  former.answer = () => ({ status: 429, headers: { 'Retry-After': '3600' } })
  const webhook = await subscribe(service, former.url)
  await deliver(service).leading
  await record(service, feedEvent('evt_u1', 'x'), feedEvent('evt_u2', 'x'))
  const path = `/api/webhooks/${webhook.id}`
  await until('it fails', async () => (await call(service, 'GET', path)).reply.status === 'FAILING')
  // An attempt under way ends after the change.
  await record(service, feedEvent('evt_u3', 'y'))
  expect((await call(service, 'PATCH', path, { url: next.url })).status).toBe(200)
  await until('all are there', () => next.received.length === 3)
  expect(next.received.map(({ id }) => id).filter((id) => id !== 'evt_u3')).toEqual(['evt_u1', 'evt_u2'])
  await until('it does not fail any more', async () => (await call(service, 'GET', path)).reply.status === 'ENABLED')
})

test('an answer of the former URL that comes after the change disables and delays nothing', async () => {
  const [former, next] = [await receive(), await receive()]
  former.answer = () => null
  const webhook = await subscribe(service, former.url)
  await deliver(service, { timeout_ms: 400 }).leading
  await record(service, feedEvent('evt_w1'))
  await until('it is tried', () => former.received.length === 1)
  await call(service, 'PATCH', `/api/webhooks/${webhook.id}`, { url: next.url })
  expect(next.received).toHaveLength(0)
  await until('it is there', () => next.received.length === 1, 3500)
})

test('waiting deliveries survive a restart and an emptied Redis, and nothing is skipped', async () => {
  const receiver = await receive()
  receiver.answer = () => 503
  await subscribe(service, receiver.url)
  const first = deliver(service, { patience: 0.01 })
  await first.leading
  await record(service, feedEvent('evt_s1', 's'), feedEvent('evt_s2', 's'))
  await until('an attempt', () => receiver.received.length > 0)
  await first.close()
  await service.emptyRedis()
  // While there are no deliveries.
  await record(service, feedEvent('evt_s3', 's'))
  receiver.received.length = 0
  receiver.answer = () => 204
  await deliver(service, { patience: 0.01 }).leading
  await until('all', () => receiver.received.length === 3)
  expect(receiver.received.map(({ id }) => id)).toEqual(['evt_s1', 'evt_s2', 'evt_s3'])
  await service.emptyRedis()
  await record(service, feedEvent('evt_s4', 's'))
  await until('the next', () => receiver.received.length === 4)
})

test('nothing is skipped after a first process that was killed between the state of a webhook and its checkpoint', async () => {
  const receiver = await receive()
  await subscribe(service, receiver.url)
  const first = deliver(service)
  await first.leading
  await record(service, feedEvent('evt_k1'))
  await until('the first', () => receiver.received.length === 1)
  await first.close()
  await service.lake.store.delete('webhooks/checkpoint.json')
  await record(service, feedEvent('evt_k2'))
  await deliver(service).leading
  await until('the second', () => receiver.received.some(({ id }) => id === 'evt_k2'))
})

test('more events than wait in memory are sent from the log, in order', async () => {
  const receiver = await receive()
  await subscribe(service, receiver.url)
  await deliver(service).leading
  const ids = Array.from({ length: 500 }, (_, at) => `evt_m${at}`)
  await record(service, ...ids.slice(0, 250).map((id, at) => feedEvent(id, `thing ${at % 20}`)))
  await record(service, ...ids.slice(250).map((id, at) => feedEvent(id, `thing ${at % 20}`)))
  await until('all', () => receiver.received.length >= 500, 8000)
  const got = receiver.received.map(({ id }) => id)
  expect(new Set(got)).toEqual(new Set(ids))
  for (let thing = 0; thing < 20; thing++) {
    const wanted = ids.filter((_, at) => (at % 250) % 20 === thing)
    expect(got.filter((id) => wanted.includes(id))).toEqual(wanted)
  }
})

test('a receiver that fails is mailed about after one day and three, and disabled after five', async () => {
  const DAY = 86_400_000
  let now = Date.UTC(2026, 0, 1)
  const notified: string[] = []
  const subscription = { id: 'wh_1', enabled: true, enabled_at: 0, after: 0 } as unknown as Subscription
  let attempts = 0
  const lane = new Lane(subscription, null, {
    clock: () => now,
    patience: 1e-9,
    bodyOf: async () => '{}',
    send: async (): Promise<Attempt> => {
      attempts++
      return { at: now, status: 500, ms: 1, error: 'answered 500', retryAfter_s: null }
    },
    onDirty: () => undefined,
    onRoom: () => undefined,
    onDisabled: (reason) => notified.push(`disabled ${reason} on day ${(now - Date.UTC(2026, 0, 1)) / DAY}`),
    onFailing: (days) => notified.push(`${days} days`),
  })
  onTestFinished(() => lane.close())
  for (let day = 0; day <= 6; day++) {
    const before = attempts
    lane.add({ id: `e${day}`, offset: `${day + 1}-1`, type: 'feed.stale', thing: `t${day}` })
    if (day < 6) await until('an attempt', () => attempts > before)
    now += DAY
  }
  expect(notified).toEqual(['1 days', '3 days', 'disabled failing on day 5'])
  expect(lane.isOn).toBe(false)
  const state = lane.state()
  expect([state.waiting.length, state.disabled_reason]).toEqual([0, 'failing'])
})
