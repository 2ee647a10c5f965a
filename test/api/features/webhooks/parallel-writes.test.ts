import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { webhookOwner } from '../../../../api/features/webhooks/owner.ts'
import {
  changeSubscriptions,
  MAX_SUBSCRIPTIONS,
  type Subscription,
  secretsOf,
  subscriptionId,
} from '../../../../api/features/webhooks/subscriptions.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { call, subscribe } from './stage.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

/** A write of one webhook, and whether it shows in the webhook afterwards. `null` is the deleted webhook. */
interface Write {
  readonly name: string
  readonly send: (path: string, number: number) => Promise<{ readonly status: number; readonly reply: Reply }>
  readonly shows: (webhook: Reply | null, sent: Reply, number: number) => boolean | Promise<boolean>
  /** True if the second of two at once is refused. */
  readonly isOnce?: true
}
const patch = (name: string, bodyOf: (number: number) => Record<string, unknown>): Write => ({
  name,
  send: (path, number) => call(service, 'PATCH', path, bodyOf(number)),
  shows: (webhook, _, number) => webhook !== null && Object.entries(bodyOf(number)).every(([key, value]) => same(webhook[key], value)),
})
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const WRITES: readonly Write[] = [
  patch('PATCH url', (number) => ({ url: `https://example.org/${number}` })),
  patch('PATCH description', (number) => ({ description: `number ${number}` })),
  patch('PATCH filter', (number) => ({ filter: { types: ['feed'], road: [`A-${number + 1}`] } })),
  {
    name: 'PATCH enabled',
    send: (path) => call(service, 'PATCH', path, { enabled: false }),
    shows: (webhook) => webhook?.disabled_reason === 'by-owner',
  },
  {
    name: 'rotate-secret',
    send: (path) => call(service, 'POST', `${path}/rotate-secret`),
    shows: async (webhook, sent) => webhook !== null && (await storedSecrets(webhook.id)).includes(sent.secret),
    isOnce: true,
  },
  { name: 'DELETE', send: (path) => call(service, 'DELETE', path), shows: (webhook) => webhook === null },
]

async function storedSecrets(id: string): Promise<string[]> {
  const { account } = (await service.access.keys.lookUp(await service.key('ENTERPRISE'))).key as Reply
  let found: string[] = []
  await changeSubscriptions(service.lake.store, account, (all) => {
    const one = all.find((webhook) => webhook.id === id)
    found = one ? secretsOf(service.access.peppers, one, Date.now()) : []
    return all
  })
  return found
}

const pairs = WRITES.flatMap((one, at) => WRITES.slice(at).map((other) => [one.name, other.name, one, other] as const))

test.each(pairs)('%s beside %s: neither is lost', async (_one, _other, ...writes) => {
  const { id } = await subscribe(service, 'https://example.org/hook')
  const path = `/api/webhooks/${id}`
  const sent = await Promise.all(writes.map((write, at) => write.send(path, at)))
  const { status, reply } = await call(service, 'GET', path)
  const webhook = status === 200 ? reply : null
  const shown = await Promise.all(writes.map((write, at) => write.shows(webhook, sent[at]?.reply, at)))
  const isRefusedTwin = writes[0] === writes[1] && writes[0].isOnce === true
  for (const one of sent)
    expect(one.status < 300 || (webhook === null && one.status === 404) || (isRefusedTwin && one.status === 409)).toBe(true)
  if (isRefusedTwin) expect(sent.map(({ status }) => status).sort()).toEqual([200, 409])
  // A deletion ends what is beside it; of two values of one member the later one stands, whole.
  const isOneEnough = webhook === null || writes[0].name === writes[1].name
  if (isOneEnough) expect(shown).toContain(true)
  else expect(shown).toEqual([true, true])
})

test('an account has at most its webhooks, however many are made at once', async () => {
  const urls = Array.from({ length: 8 }, (_, at) => `https://example.org/${at}`)
  const { id } = await subscribe(service, 'https://example.org/hook')
  const { account } = (await service.access.keys.lookUp(await service.key('ENTERPRISE'))).key as Reply
  await changeSubscriptions(service.lake.store, account, (all) => {
    const first = all.find((one) => one.id === id) as Subscription
    return [
      ...all,
      ...Array.from({ length: MAX_SUBSCRIPTIONS - 4 - all.length }, (_, at) => ({ ...first, id: subscriptionId(account, `${at}`) })),
    ]
  })
  const last = await Promise.all(urls.map((url) => call(service, 'POST', '/api/webhooks', { url })))
  expect(last.filter(({ status }) => status === 201).length).toBe(4)
  for (const one of last) if (one.status !== 201) expect(one.reply.code).toBe('webhook-limit-reached')
  expect((await call(service, 'GET', '/api/webhooks')).reply.total).toBe(MAX_SUBSCRIPTIONS)
  await changeSubscriptions(service.lake.store, account, (all) => all.filter((one) => one.id === id))
})

test('the key of yesterday makes another webhook, and an attempt that is repeated makes one with the secret it returns', async () => {
  const [url, headers] = ['https://example.org/hook', { 'Idempotency-Key': '"parallel-1"' }]
  const first = await call(service, 'POST', '/api/webhooks', { url }, headers)
  const again = await call(service, 'POST', '/api/webhooks', { url }, headers)
  expect(again.reply).toEqual(first.reply)
  // The state of the key as it is a day later.
  const { store } = service.lake
  for await (const { key } of store.list('idempotency/')) {
    const claim = JSON.parse(String(await store.get(key)))
    await store.put(key, Buffer.from(JSON.stringify({ ...claim, at: claim.at - 86_400_000, begun_at: claim.begun_at - 86_400_000 })))
  }
  const next = await call(service, 'POST', '/api/webhooks', { url: 'https://example.org/other' }, headers)
  expect(next.status).toBe(201)
  expect(next.reply.id).not.toBe(first.reply.id)
  expect((await call(service, 'GET', `/api/webhooks/${first.reply.id}`)).reply.url).toBe(url)
  // An attempt whose reply was never stored.
  let newest = ''
  for await (const { key } of store.list('idempotency/')) newest = key
  const { reply: _, ...claim } = JSON.parse(String(await store.get(newest)))
  await store.put(newest, Buffer.from(JSON.stringify({ ...claim, begun_at: claim.begun_at - 60_000 })))
  const repeated = await call(service, 'POST', '/api/webhooks', { url: 'https://example.org/other' }, headers)
  expect([repeated.status, repeated.reply.id, repeated.reply.secret]).toEqual([201, next.reply.id, next.reply.secret])
  expect(await storedSecrets(next.reply.id)).toEqual([next.reply.secret])
  for (const { id } of [first.reply, next.reply]) await call(service, 'DELETE', `/api/webhooks/${id}`)
})

test('a test that is repeated after an abandoned attempt has the same event id', async () => {
  const { reply } = await call(service, 'POST', '/api/webhooks', { url: 'https://example.org/hook' })
  const headers = { 'Idempotency-Key': '"test-1"' }
  const first = await call(service, 'POST', `/api/webhooks/${reply.id}/test`, undefined, headers)
  const { store } = service.lake
  for await (const { key } of store.list('idempotency/')) {
    const { reply: _, ...claim } = JSON.parse(String(await store.get(key)))
    await store.put(key, Buffer.from(JSON.stringify({ ...claim, begun_at: claim.begun_at - 60_000 })))
  }
  const again = await call(service, 'POST', `/api/webhooks/${reply.id}/test`, undefined, headers)
  expect([again.status, again.reply]).toEqual([202, first.reply])
  await call(service, 'DELETE', `/api/webhooks/${reply.id}`)
})

test('of a deleted account no URL and no secret stays in the store', async () => {
  const { store } = service.lake
  const owner = webhookOwner({ store, events: service.events, clock: Date.now })
  onTestFinished(() => owner.close())
  const one = { id: 'wh_gone', account: 'acc_gone', url: 'https://gone.example/hook', description: 'of the former release' }
  await store.put('webhooks/subscriptions/acc_gone/wh_old.json', Buffer.from(JSON.stringify({ ...one, id: 'wh_old', created_at: 1 })))
  await owner.add({ ...one, created_at: 2 } as never)
  await owner.removeAll('acc_gone')
  const kept: string[] = []
  for await (const { key } of store.list('webhooks/subscriptions/acc_gone/')) kept.push(String(await store.get(key)))
  expect(kept).toHaveLength(1)
  expect(kept[0]).not.toContain('gone.example')
  expect(await owner.list('acc_gone')).toEqual([])
})
