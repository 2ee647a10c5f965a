import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readSubscriptions } from '../../../../api/features/webhooks/subscriptions.ts'
import { createJob, exportedFileKey, putOutcome, putProgress } from '../../../../lake/exports/jobs.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { deliver, feedEvent, receive, record } from '../webhooks/stage.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const MINUTE_MS = 60_000
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, proxies: '127.0.0.1', supportContact: 'mailto:help@example.org' })
})
afterAll(() => service?.close())
beforeEach(() => {
  now = T0
})

interface Owner {
  readonly id: string
  readonly key: string
  readonly account: string
  readonly cookie: string
}

let owners = 0
let callers = 0
/** An unused address: the limits of one address have tests of their own. */
const someone = (): string => `198.51.${100 + (callers >> 8)}.${callers++ & 255}`
/** An account with one key, and a session of its owner. */
async function newOwner(plan: 'FREE' | 'ENTERPRISE'): Promise<Owner> {
  const email = `contents${owners++}@example.org`
  const { id, key, account } = await service.access.accounts.create({ email, label: 'main', language: 'en', plan })
  return { id, key, account, cookie: await openSession(account) }
}

async function openSession(account: string): Promise<string> {
  const opened = await send(null, { act: 'open', token: (await service.access.tokens.link(account)) as string })
  return (opened.headers.get('set-cookie') as string).split(';')[0] as string
}

const send = (owner: Owner | null, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/account`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': someone(),
      ...(owner ? { cookie: owner.cookie } : {}),
      ...headers,
    },
    body: new URLSearchParams(form).toString(),
    redirect: 'manual',
  })
const pageOf = async ({ cookie }: Owner, lang = 'en'): Promise<string> => {
  const response = await fetch(`${service.url}/account`, { headers: { cookie, 'Accept-Language': lang, 'X-Forwarded-For': someone() } })
  expect(response.status).toBe(200)
  return response.text()
}
const textOf = (html: string): string =>
  html
    .replace(/^.*<body>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

test('shows when a key was created and last used, and its requests by day with the share that was refused', async () => {
  const owner = await newOwner('FREE')
  expect(textOf(await pageOf(owner))).toContain('Jan 2, 2026, 13:00 not in 30 days')
  const ask = (path: string): Promise<Response> => service.open(path, { 'X-API-Key': owner.key })
  for (const status of [400, 404, 404]) expect((await ask(status === 400 ? '/api/v16?x=1' : '/api/v16')).status).toBe(status)
  now += MINUTE_MS
  await service.requests.flush()
  now += 86_400_000
  expect((await ask('/api/v16')).status).toBe(404)
  expect((await ask('/api/freshness')).status).toBe(200)
  now += MINUTE_MS
  await service.requests.flush()

  const later = { ...owner, cookie: await openSession(owner.account) }
  const html = await pageOf(later)
  expect(textOf(html)).toContain('Jan 2, 2026, 13:00 Jan 3')
  expect(textOf(html)).toContain('5 requests; 80% refused')
  const [, chart = ''] = /<svg [^>]*role="img" aria-label="Requests by day of [^"]*\(main\)">(.*?)<\/svg>/s.exec(html) ?? []
  const titles = [...chart.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title)
  expect(titles).toHaveLength(30)
  expect(titles.slice(-2)).toEqual(['Jan 2: 3 requests, 3 refused', 'Jan 3: 2 requests, 1 refused'])
  const heights = (kind: string): number[] =>
    [...chart.matchAll(new RegExp(`class="${kind}"[^>]*height="([\\d.]+)"`, 'g'))].map(([, height]) => Number(height))
  expect([heights('refused').slice(-2), heights('served').slice(-2)]).toEqual([
    [120, 40],
    [0, 40],
  ])
  // The same as a table, for readers who do not see the chart.
  expect(textOf(html)).toContain('Day Requests Refused Share refused Jan 3 2 1 50% Jan 2 3 3 100% Jan 1 0 0 —')
  expect(textOf(await pageOf(later, 'es'))).toContain('5 peticiones; 80 % rechazadas')
  expect(html).toContain('<a href="/plans?lang=en">')
  expect(html).toContain('<a href="mailto:help@example.org">help@example.org</a>')
  expect(html).not.toMatch(/ style=|<script(?! type="module" src="\/assets\/)/)
})

test('shows webhooks with their deliveries; tests, sends again and turns off as the API does', async () => {
  const owner = await newOwner('ENTERPRISE')
  const receiver = await receive()
  const made = await fetch(`${service.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'X-API-Key': owner.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, description: '<i>ours</i>', filter: { types: ['feed'] } }),
  })
  const { id } = (await made.json()) as Reply
  expect(textOf(await pageOf(owner))).toContain(`${receiver.url} &#60;i&#62;ours&#60;/i&#62; enabled .`)
  await deliver(service, { clock: () => now }).leading

  expect((await send(owner, { act: 'webhook-test', id })).status).toBe(303)
  await until('the test', () => receiver.received.length === 1)
  await record(service, feedEvent('evt_page'))
  await until('the event', () => receiver.received.length === 2)
  let html = ''
  const shows = (text: RegExp): Promise<number> => until(String(text), async () => text.test(textOf((html = await pageOf(owner)))))
  await shows(/feed\.stale \w+ \d+, \d+, \d\d:\d\d delivered 1 \w+ \d+, \d+, \d\d:\d\d HTTP 204 \(\d+ ms\) — Send again/)
  // A test cannot be sent again: it is not in the log of events.
  expect(textOf(html)).toMatch(/webhook\.test \w+ \d+, \d+, \d\d:\d\d delivered 1 [^—]*— (?!Send)/)
  const delivery = /name="delivery" value="(dlv_\w+)"/.exec(html)?.[1] as string
  expect((await send(owner, { act: 'webhook-redeliver', id, delivery })).status).toBe(303)
  await until('it again', () => receiver.received.length === 3)
  expect(receiver.received[2]?.id).toBe('evt_page')

  expect((await send(owner, { act: 'webhook-enabled', id, enabled: 'no' })).status).toBe(303)
  expect(textOf(await pageOf(owner))).toContain('disabled (by you)')
  expect((await send(owner, { act: 'webhook-enabled', id, enabled: 'yes' })).status).toBe(303)
  expect(textOf(await pageOf(owner))).not.toContain('disabled (by you)')

  const other = await newOwner('ENTERPRISE')
  for (const form of [
    { act: 'webhook-test', id },
    { act: 'webhook-enabled', id, enabled: 'no' },
    { act: 'webhook-redeliver', id, delivery },
  ]) {
    expect((await send(other, form)).status).toBe(404)
    expect((await send(owner, form, { Origin: 'https://elsewhere.example' })).status).toBe(403)
    expect((await send(null, form)).status).toBe(401)
    const problem = (await (await send(await newOwner('FREE'), form)).json()) as Reply
    expect([problem.code, problem.upgrade_url]).toEqual(['plan-required', `${service.url}/plans`])
  }
  expect((await send(owner, { act: 'webhook-enabled', id, enabled: 'maybe' })).status).toBe(400)
  expect(receiver.received).toHaveLength(3)
  expect(textOf(await pageOf(await newOwner('FREE')))).not.toContain('Webhooks')
})

test('deletes the webhooks of a deleted account, and stops their deliveries', async () => {
  const [owner, other] = [await newOwner('ENTERPRISE'), await newOwner('ENTERPRISE')]
  const [receiver, others] = [await receive(), await receive()]
  const subscribe = async ({ key }: Owner, url: string): Promise<string> => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const made = await fetch(`${service.url}/api/webhooks`, { method: 'POST', headers, body: JSON.stringify({ url }) })
    return ((await made.json()) as Reply).id
  }
  const ids = [await subscribe(owner, receiver.url), await subscribe(owner, receiver.url)]
  const kept = await subscribe(other, others.url)
  await deliver(service, { clock: () => now, isEntitled: async () => true }).leading
  await record(service, feedEvent('evt_before'))
  const { store } = service.lake
  const states = (): Promise<boolean[]> => Promise.all(ids.map(async (id) => (await store.head(`webhooks/state/${id}.json`)) !== null))
  await until('the states are stored', async () => receiver.received.length === 2 && !(await states()).includes(false))

  expect((await send(owner, { act: 'delete', sure: 'yes' })).status).toBe(200)
  expect(await readSubscriptions(store, owner.account)).toEqual([])
  expect(await readSubscriptions(store, other.account)).toMatchObject([{ id: kept }])
  await until('the states are deleted', async () => !(await states()).includes(true))
  await record(service, feedEvent('evt_after'))
  await until('another account has it', () => others.received.some(({ id }) => id === 'evt_after'))
  expect(receiver.received).toHaveLength(2)
  expect(await states()).toEqual([false, false])
})

test('shows the export jobs of its keys', async () => {
  const owner = await newOwner('ENTERPRISE')
  expect(textOf(await pageOf(owner))).not.toContain('Export jobs')
  const [listed] = await service.access.accounts.list(owner.account)
  await createJob(service.lake.store, {
    ...{ id: 'exp_0123456789abcdef0123', slot: listed?.slot as string, created_at: now, dataset: 'incidents' },
    ...{ from: null, to: null, province: null, columns: null, format: 'parquet', split: 'none' },
  })
  expect(textOf(await pageOf(owner))).toContain('exp_0123456789abcdef0123 incidents parquet queued Jan 2, 2026, 13:00 —')

  const { store } = service.lake
  const job = { slot: listed?.slot as string, id: 'exp_0123456789abcdef0123' }
  await putProgress(store, job, { at: now, started_at: now, share: 0.4 })
  expect(await pageOf(owner)).toContain('<progress max="1" value="0.4" aria-label="Done: 40%">')
  const file = { name: 'incidents.parquet', bytes: 4, sha256: '', rows: 1 }
  await store.put(exportedFileKey({ id: job.id, attempt: 'a1' }, file.name), Buffer.from('data'))
  await putOutcome(store, job, { ended_at: now, attempt: 'a1', snapshot: null, rows: 1, files: [file], reason: null })
  const [, url = ''] = /<a href="([^"]+)" download>incidents.parquet<\/a> <small>4 B/.exec(await pageOf(owner)) ?? []
  expect(await (await fetch(url.replaceAll('&#38;', '&'))).text()).toBe('data')
})
