import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { call, changeStored, deliver, feedEvent, receive, record, subscribe } from './stage.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

test('an event reaches its receiver signed, once, and its delivery is listed', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url, { types: ['feed'] })
  expect(webhook).toMatchObject({ status: 'ENABLED', url: receiver.url, filter: { types: ['feed'] }, waiting: 0 })
  expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  await deliver(service).leading
  await record(service, feedEvent('evt_1'))
  const took = await until('it is there', () => receiver.received.length === 1)
  expect(took).toBeLessThan(1000)
  const { headers, body, id } = receiver.received[0] as Reply
  expect(id).toBe('evt_1')
  expect(new Webhook(webhook.secret).verify(body, headers)).toMatchObject({ type: 'feed.stale', data: { id: 'evt_1', changed: [] } })
  expect(headers['content-type']).toBe('application/json')
  let deliveries: Reply[] = []
  await until('it is listed', async () => {
    ;({ deliveries } = (await call(service, 'GET', `/api/webhooks/${webhook.id}/deliveries`)).reply)
    return deliveries[0]?.status === 'DELIVERED'
  })
  expect(deliveries[0]).toMatchObject({
    event_id: 'evt_1',
    type: 'feed.stale',
    status: 'DELIVERED',
    attempts: 1,
    last_attempt: { status: 204, error: null },
  })
  // The store has the secret only sealed.
  const { account } = (await service.access.keys.lookUp(await service.key('ENTERPRISE'))).key as Reply
  const stored = String(await service.lake.store.get(`webhooks/subscriptions/${account}/00000001`))
  expect(stored).not.toContain(webhook.secret.slice(6, 20))
})

test('test, redeliver, replay and rotation', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  await deliver(service).leading
  const path = `/api/webhooks/${webhook.id}`
  const tested = await call(service, 'POST', `${path}/test`)
  expect(tested.status).toBe(202)
  await until('the test', () => receiver.received.length === 1)
  expect(receiver.received[0]).toMatchObject({ id: tested.reply.event_id, body: expect.stringContaining('"type":"webhook.test"') })
  const from = new Date().toISOString()
  await record(service, feedEvent('evt_a'), feedEvent('evt_b'))
  await until('both', () => receiver.received.length === 3)
  let deliveries: Reply[] = []
  await until('both are listed', async () => {
    ;({ deliveries } = (await call(service, 'GET', `${path}/deliveries`)).reply)
    return deliveries.filter(({ status }) => status === 'DELIVERED').length === 3
  })
  const one = deliveries.find(({ event_id }) => event_id === 'evt_a')
  expect((await call(service, 'POST', `${path}/deliveries/${one.id}/redeliver`)).status).toBe(202)
  await until('it again', () => receiver.received.length === 4)
  expect([receiver.received[3]?.id, receiver.received[3]?.body]).toEqual([
    'evt_a',
    receiver.received.find(({ id }) => id === 'evt_a')?.body,
  ])
  const rotatedReply = (await call(service, 'POST', `${path}/rotate-secret`)).reply
  expect(rotatedReply.secret).not.toBe(webhook.secret)
  const tooSoon = await call(service, 'POST', `${path}/rotate-secret`)
  expect(tooSoon).toMatchObject({
    status: 409,
    reply: { code: 'conflict', detail: expect.stringContaining('The former secret is valid until 20') },
  })
  expect((await call(service, 'POST', `${path}/replay`, { from, to: new Date(Date.now() + 1000).toISOString() })).status).toBe(202)
  await until('both again', () => receiver.received.length === 6)
  expect(
    receiver.received
      .slice(4)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['evt_a', 'evt_b'])
  for (const secret of [webhook.secret, rotatedReply.secret])
    expect(() =>
      new Webhook(secret).verify(receiver.received[5]?.body as string, receiver.received[5]?.headers as Record<string, string>),
    ).not.toThrow()
  expect(await call(service, 'POST', `${path}/replay`, { from: '2020-01-01', to: '2020-01-02' })).toMatchObject({ status: 400 })
  expect(await call(service, 'POST', `${path}/deliveries/dlv_x/redeliver`)).toMatchObject({ status: 404 })
})

test('a webhook is changed, turned off and on, and deleted by its owner alone', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url, { types: ['incident'] })
  await deliver(service).leading
  const path = `/api/webhooks/${webhook.id}`
  const changed = await call(service, 'PATCH', path, { filter: { types: ['feed.stale'] }, description: 'mine' })
  expect(changed).toMatchObject({ status: 200, reply: { filter: { types: ['feed.stale'] }, description: 'mine', url: receiver.url } })
  expect(await call(service, 'PATCH', path), 'a PATCH without a body').toMatchObject({ status: 400 })
  const nulls = { filter: { types: ['feed.stale'], bbox: null, price_above: null } }
  expect((await call(service, 'PATCH', path, nulls)).reply).toMatchObject({ filter: { types: ['feed.stale'] }, description: 'mine' })
  expect(Object.keys((await call(service, 'GET', path)).reply.filter)).toEqual(['types'])
  await record(service, feedEvent('evt_on'))
  await until('by the new filter', () => receiver.received.length === 1)
  const witness = await receive()
  const witnessed = await subscribe(service, witness.url)
  expect((await call(service, 'PATCH', path, { enabled: false })).reply).toMatchObject({ status: 'DISABLED', disabled_reason: 'by-owner' })
  await call(service, 'POST', `/api/webhooks/${witnessed.id}/test`)
  await until('changes so far are known', () => witness.received.length === 1)
  await record(service, feedEvent('evt_off'))
  expect((await call(service, 'PATCH', path, { enabled: true })).reply).toMatchObject({ status: 'ENABLED', disabled_reason: null })
  await record(service, feedEvent('evt_again'))
  await until('only what came while it was on', () => receiver.received.length >= 2)
  expect(receiver.received.map(({ id }) => id)).toEqual(['evt_on', 'evt_again'])
  const other = await service.access.accounts.create({ email: 'other@example.org', label: null, language: 'es', plan: 'ENTERPRISE' })
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect(await call(service, method, path, method === 'PATCH' ? {} : undefined, { 'X-API-Key': other.key })).toMatchObject({
      status: 404,
    })
  expect((await call(service, 'GET', '/api/webhooks')).reply.webhooks.map(({ id }: Reply) => id)).toContain(webhook.id)
  expect(await call(service, 'DELETE', path)).toMatchObject({ status: 204, reply: null })
  expect(await call(service, 'GET', path)).toMatchObject({ status: 404 })
})

test.each([
  ['turned on', { enabled: true }, async (id: string) => changeStored(service, id, { enabled: false })],
  ['given another filter', { filter: { types: ['feed.stale'] } }, async () => undefined],
])('what happens once a webhook is %s arrives once, however late the change is read', async (_, change, prepare) => {
  const [receiver, witness] = [await receive(), await receive()]
  const webhook = await subscribe(service, receiver.url, { types: ['enabled' in change ? 'feed' : 'incident'] })
  await prepare(webhook.id)
  const other = await subscribe(service, witness.url, { types: ['feed'] })
  await deliver(service).leading
  await record(service, feedEvent(`evt_before_${webhook.id}`))
  // The change is stored, but the message about it is late.
  const changed_after = await service.events.log.head()
  await changeStored(service, webhook.id, { changed_after, ...change, ...('enabled' in change ? { enabled_at: Date.now() } : {}) })
  await record(service, feedEvent(`evt_after_${webhook.id}`))
  await until('the events are matched', () => witness.received.length === 2)
  await call(service, 'PATCH', `/api/webhooks/${webhook.id}`, { description: 'read now' })
  await until('it arrives', () => receiver.received.length >= 1)
  await call(service, 'POST', `/api/webhooks/${other.id}/test`)
  await until('all is done', () => witness.received.length === 3)
  expect(receiver.received.map(({ id }) => id)).toEqual([`evt_after_${webhook.id}`])
})

test('a change before any process has delivered loses nothing that came since the webhook was made', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  await record(service, feedEvent('evt_since'))
  await call(service, 'PATCH', `/api/webhooks/${webhook.id}`, { filter: { types: ['feed'] } })
  await deliver(service).leading
  await until('it arrives', () => receiver.received.length === 1)
  expect(receiver.received[0]?.id).toBe('evt_since')
})

test('a disabled webhook refuses tests and repetitions, and a replay just after it was enabled is carried out', async () => {
  const receiver = await receive()
  const webhook = await subscribe(service, receiver.url)
  const from = new Date().toISOString()
  await deliver(service).leading
  await record(service, feedEvent('evt_o1'))
  const path = `/api/webhooks/${webhook.id}`
  let deliveries: Reply[] = []
  await until('it is listed', async () => {
    ;({ deliveries } = (await call(service, 'GET', `${path}/deliveries`)).reply)
    return deliveries[0]?.status === 'DELIVERED'
  })
  const replay = { from, to: new Date(Date.now() + 1000).toISOString() }
  const refused = async (): Promise<void> => {
    for (const [action, body] of [['test'], [`deliveries/${deliveries[0].id}/redeliver`], ['replay', replay]] as const)
      expect(await call(service, 'POST', `${path}/${action}`, body)).toMatchObject({ status: 409, reply: { code: 'conflict' } })
  }
  await call(service, 'PATCH', path, { enabled: false })
  await refused()
  receiver.answer = () => 410
  await call(service, 'PATCH', path, { enabled: true })
  await record(service, feedEvent('evt_o2'))
  await until('the service disables it', async () => (await call(service, 'GET', path)).reply.disabled_reason === 'gone')
  await refused()
  expect(receiver.received.map(({ id }) => id)).toEqual(['evt_o1', 'evt_o2'])

  // Enabled without a message, as if it was lost.
  receiver.answer = () => 204
  await changeStored(service, webhook.id, { enabled_at: Date.now() })
  expect((await call(service, 'POST', `${path}/replay`, replay)).status).toBe(202)
  await until('it is replayed', () => receiver.received.length >= 3)
  expect(receiver.received[2]?.id).toBe('evt_o1')
})

test('requests that cannot be met are refused, each mistake by its place', async () => {
  const url = 'https://example.org/hook'
  const ask = (body: unknown, headers: Record<string, string> = {}) => call(service, 'POST', '/api/webhooks', body, headers)
  expect(await ask({ url: 'https://10.0.0.1/' })).toMatchObject({
    status: 422,
    reply: { code: 'unsafe-webhook-url', errors: [{ pointer: '/url' }] },
  })
  expect(await ask({ url, filter: { types: ['incidents'], province: 'Narnia', color: 1 } })).toMatchObject({
    status: 400,
    reply: {
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: '/filter/types', detail: expect.stringMatching(/^types: /) }),
        expect.objectContaining({ pointer: '/filter/province' }),
        expect.objectContaining({ pointer: '/filter/color', allowed: expect.arrayContaining(['types', 'road']) }),
      ]),
    },
  })
  expect(await ask({ url, colour: 1 })).toMatchObject({ status: 400, reply: { code: 'unknown-parameter' } })
  expect(await ask({ url }, await service.keyed('PRO'))).toMatchObject({
    status: 403,
    reply: { code: 'plan-required', required_plan: 'ENTERPRISE' },
  })
  expect(await ask({ url }, { 'X-API-Key': 'tia_wrong' })).toMatchObject({ status: 401 })
  const missing = await service.open('/api/webhooks')
  expect(missing.status).toBe(401)
})

test('an Idempotency-Key makes one webhook, however often it is sent', async () => {
  const body = { url: 'https://example.org/once' }
  const key = { 'Idempotency-Key': '"9b1c7b4e-9d6f-4b0e-8a5a-0d6f6c1d2e3f"' }
  const ask = (sent: unknown) => call(service, 'POST', '/api/webhooks', sent, key)
  const both = await Promise.all([ask(body), ask(body)])
  const made = both.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(0)
  expect(both.every(({ status }) => status === 201 || status === 409)).toBe(true)
  const again = await ask(body)
  expect(again).toEqual(made[0])
  expect(await ask({ url: 'https://example.org/other' })).toMatchObject({ status: 422, reply: { code: 'idempotency-key-reused' } })
  const { webhooks } = (await call(service, 'GET', '/api/webhooks')).reply
  expect(webhooks.filter(({ url }: Reply) => url === body.url)).toHaveLength(1)
  expect(await call(service, 'POST', '/api/webhooks', body, { 'Idempotency-Key': '"' })).toMatchObject({ status: 400 })
  await call(service, 'DELETE', `/api/webhooks/${again.reply.id}`)
})
