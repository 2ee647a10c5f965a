import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fileStore } from '../../../lake/store/file.ts'
import { type Reply, startService, type TestService } from '../service.ts'
import { textOf } from './stage.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const HOUR_MS = 3_600_000
/** Does not advance unless a test moves it: sessions end and begin in the same millisecond. */
let now = T0
let one: TestService
/** Another process on the same store, whose Redis gets nothing of the first. */
let other: TestService
const PROXY = { proxies: '127.0.0.1', clock: () => now }
beforeAll(async () => {
  one = await startService(PROXY)
  other = await startService({ ...PROXY, beside: one.shared })
})
afterAll(async () => {
  await other?.close()
  await one?.close()
})
beforeEach(() => {
  now = T0
})

let count = 0
const newEmail = (): string => `visitor${count++}@example.org`
let callers = 0
/** Gives a request an unused address. */
const someone = (): string => `198.51.${100 + (callers >> 8)}.${callers++ & 255}`

type Headers = Readonly<Record<string, string>>
type Form = Readonly<Record<string, string>>

const send = (service: TestService, path: string, init: RequestInit & { readonly headers?: Headers } = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { 'X-Forwarded-For': someone(), 'Accept-Language': 'en', ...init.headers },
  })
const post = (service: TestService, form: Form, headers: Headers = {}, path = '/account'): Promise<Response> =>
  send(service, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })

const newKey = (email: string) => one.access.accounts.create({ email, label: null, language: 'en' })

/** The link in a mail to the owner of an address. */
async function mailedToken(email: string): Promise<string> {
  return (await one.access.tokens.link(await one.access.accounts.nameOf(email))) as string
}

const cookieOf = (response: Response): string => (response.headers.get('set-cookie') as string).split(';')[0] as string

/** Opens a session by a link; returns its header. */
async function openSession(email: string, headers: Headers = {}): Promise<{ readonly cookie: string }> {
  const opened = await post(one, { act: 'open', token: await mailedToken(email) }, headers)
  expect(opened.status).toBe(303)
  return { cookie: cookieOf(opened) }
}

/** Whether a session is valid, in either process. */
async function isOpen(session: Headers): Promise<boolean> {
  const statuses = new Set<boolean>()
  for (const service of [one, other]) {
    for (const path of ['/api/keys', '/api/usage']) statuses.add((await send(service, path, { headers: session })).status === 200)
    statuses.add((await (await send(service, '/account', { headers: session })).text()).includes('value="leave"'))
  }
  expect(statuses.size).toBe(1)
  return statuses.has(true)
}

/** Whether a link could still open its account, in either process; uses nothing. */
async function isGood(token: string): Promise<boolean> {
  const [here, there] = await Promise.all([one, other].map((service) => send(service, `/account?token=${token}`)))
  expect(here?.status).toBe(there?.status)
  return here?.status === 200
}

describe('a session is over for good', () => {
  test('when somebody leaves, as are the others of the account; links that were mailed stay good', async () => {
    const [email, stranger] = [newEmail(), newEmail()]
    const { id } = await newKey(email)
    await newKey(stranger)
    const [mine, elsewhere, theirs] = [await openSession(email), await openSession(email), await openSession(stranger)]
    const token = await mailedToken(email)
    for (const session of [mine, elsewhere, theirs]) expect(await isOpen(session)).toBe(true)
    expect(await (await send(one, '/account', { headers: mine })).text()).toContain('Leaving ends every open session of this account')

    const left = await post(other, { act: 'leave' }, mine)
    expect([left.status, left.headers.get('set-cookie')]).toEqual([303, expect.stringMatching(/^session=; .*Max-Age=0/)])
    expect([await isOpen(mine), await isOpen(elsewhere), await isOpen(theirs)]).toEqual([false, false, true])
    for (const service of [one, other]) {
      expect((await send(service, `/api/keys/${id}`, { method: 'DELETE', headers: mine })).status).toBe(401)
      expect((await send(service, `/api/keys/${id}/rotate`, { method: 'POST', headers: mine })).status).toBe(401)
      expect((await post(service, { act: 'delete', sure: 'yes' }, mine)).status).toBe(401)
    }
    expect(await isGood(token)).toBe(true)
    // The clock has not moved: a session opened now was not ended before.
    expect(await isOpen(await openSession(email))).toBe(true)
  })

  test("when all keys are revoked, except for the caller's, until it would have been over; and so are links", async () => {
    const email = newEmail()
    const { key } = await newKey(email)
    const [mine, theirs] = [await openSession(email), await openSession(email)]
    const token = await mailedToken(email)
    now += HOUR_MS / 4
    const revoked = await post(other, { act: 'revoke-all' }, mine)
    expect([revoked.status, revoked.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringMatching(/^session=tis_.*; Max-Age=2700; HttpOnly/),
    ])
    const renewed = { cookie: cookieOf(revoked) }
    expect([await isOpen(mine), await isOpen(theirs), await isOpen(renewed)]).toEqual([false, false, true])
    expect(await isGood(token)).toBe(false)
    for (const service of [one, other]) expect((await post(service, { act: 'open', token })).status).toBe(401)
    expect((await send(other, '/api/keys', { headers: { 'X-API-Key': key } })).status).toBe(401)
    expect(await isGood(await mailedToken(email))).toBe(true)
    now = T0 + HOUR_MS
    expect(await isOpen(renewed)).toBe(false)
  })

  test('when the account is deleted, also for the next one of the same address, as are links', async () => {
    const email = newEmail()
    const { account } = await newKey(email)
    const [mine, theirs] = [await openSession(email), await openSession(email)]
    const token = await mailedToken(email)
    expect((await post(other, { act: 'delete', sure: 'yes' }, mine)).status).toBe(200)
    for (const session of [mine, theirs]) expect(await isOpen(session)).toBe(false)
    expect(await isGood(token)).toBe(false)
    expect(await one.access.tokens.link(account)).toBeNull()

    const made = await newKey(email)
    expect(made.account).toBe(account)
    for (const session of [mine, theirs]) {
      expect(await isOpen(session)).toBe(false)
      expect((await send(one, `/api/keys/${made.id}`, { method: 'DELETE', headers: session })).status).toBe(401)
      expect((await post(other, { act: 'revoke', id: made.id }, session)).status).toBe(401)
    }
    expect(await isGood(token)).toBe(false)
    for (const service of [one, other]) expect((await post(service, { act: 'open', token })).status).toBe(401)
    expect((await send(one, '/api/keys', { headers: { 'X-API-Key': made.key } })).status).toBe(200)
    expect(await isOpen(await openSession(email))).toBe(true)
  })

  test('of two calls that revoke all at the same time in two processes, one stays at most', async () => {
    const email = newEmail()
    await newKey(email)
    const sessions = [await openSession(email), await openSession(email)]
    const replies = await Promise.all(sessions.map((session, at) => post(at === 0 ? one : other, { act: 'revoke-all' }, session)))
    const renewed = replies.filter(({ status }) => status === 303).map((reply) => ({ cookie: cookieOf(reply) }))
    const open = await Promise.all(renewed.map(isOpen))
    expect(open.filter(Boolean).length).toBeLessThanOrEqual(1)
    for (const session of sessions) expect(await isOpen(session)).toBe(false)
  })

  test('without Redis too', async () => {
    const email = newEmail()
    await newKey(email)
    const [mine, theirs] = [await openSession(email), await openSession(email)]
    const token = await mailedToken(email)
    for (const service of [one, other]) await service.killRedis()
    try {
      expect((await post(one, { act: 'revoke-all' }, mine)).status).toBe(303)
      for (const session of [mine, theirs]) expect(await isOpen(session)).toBe(false)
      expect(await isGood(token)).toBe(false)
    } finally {
      for (const service of [one, other]) await service.restartRedis()
    }
  })
})

test('a deleted account leaves nothing of its sessions, and nothing names its address', async () => {
  const email = newEmail()
  const { account } = await newKey(email)
  for (const act of ['leave', 'revoke-all']) expect((await post(one, { act }, await openSession(email))).status).toBe(303)
  const store = await fileStore(one.shared.storeFolder)
  const text = await textOf(store)
  expect(text).toContain(`accounts/${account}/tokens/`)
  expect(text).not.toMatch(/visitor\d|ti[ms]_/)
  expect((await post(one, { act: 'delete', sure: 'yes' }, await openSession(email))).status).toBe(200)
  expect(await textOf(store)).not.toContain(`accounts/${account}/tokens/`)
})

describe('a page of another site', () => {
  const FOREIGN: readonly Headers[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'nonsense' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.example' },
  ]
  test.each(FOREIGN)('has nothing done for it, nor is anything shown: %j', async (headers) => {
    const email = newEmail()
    const { id, key, account } = await newKey(email)
    const session = await openSession(email)
    const token = await mailedToken(email)
    const writes = [
      post(one, { act: 'revoke-all' }, { ...session, ...headers }),
      post(one, { act: 'mail', email }, headers),
      post(one, { act: 'open', token }, headers),
      post(one, { email: newEmail() }, headers, '/signup'),
      send(one, `/api/keys/${id}`, { method: 'DELETE', headers: { ...session, ...headers } }),
      send(one, `/api/keys/${id}/rotate`, { method: 'POST', headers: { ...session, ...headers } }),
      send(one, '/api/keys', {
        method: 'POST',
        headers: { ...session, ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: newEmail() }),
      }),
    ]
    for (const response of await Promise.all(writes)) {
      expect(response.status).toBe(403)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(((await response.json()) as Reply).code).toBe('foreign-origin')
    }
    expect((await send(one, '/api/keys', { headers: { ...session, ...headers } })).status).toBe(401)
    expect((await one.access.accounts.list(account)).map(({ status }) => status)).toEqual(['ACTIVE'])
    expect(await isGood(token)).toBe(true)
    // A key identifies its caller, wherever the request comes from.
    const keyed = { 'X-API-Key': key, ...headers }
    expect((await send(one, '/api/keys', { headers: keyed })).status).toBe(200)
    expect((await send(one, `/api/keys/${id}/rotate`, { method: 'POST', headers: keyed })).status).toBe(201)
  })

  test('is not one of our own', async () => {
    const served = await startService({ ...PROXY, publicUrl: 'https://api.example.org/', requireHttps: false })
    try {
      const { url } = one
      const port = new URL(served.url).port
      const cases: readonly (readonly [service: TestService, headers: Headers, status: number])[] = [
        [one, {}, 200],
        [one, { Origin: url }, 200],
        [one, { Origin: url, 'X-Forwarded-Proto': 'https' }, 403],
        [one, { Origin: url.replace('http:', 'https:'), 'X-Forwarded-Proto': 'https' }, 200],
        [one, { Origin: url, 'Sec-Fetch-Site': 'same-origin' }, 200],
        [one, { Origin: 'http://127.0.0.1:1' }, 403],
        [one, { Origin: 'https://api.example.org' }, 403],
        [served, { Origin: 'https://api.example.org' }, 200],
        [served, { Origin: 'http://api.example.org' }, 403],
        [served, { Origin: `http://127.0.0.1:${port}` }, 200],
        [served, { Origin: `http://localhost:${port}` }, 403],
      ]
      for (const [service, headers, status] of cases)
        expect((await post(service, { act: 'mail', email: newEmail() }, headers)).status, JSON.stringify(headers)).toBe(status)
    } finally {
      await served.close()
    }
  })
})

test.each([
  [{ 'X-Forwarded-Proto': 'https' }, true],
  [{ Forwarded: 'for=203.0.113.9;proto=https' }, true],
  [{}, false],
])('the cookie of a session that was opened with %j is for HTTPS only: %s', async (headers, isSecure) => {
  const email = newEmail()
  await newKey(email)
  const opened = await post(one, { act: 'open', token: await mailedToken(email) }, headers as Headers)
  const left = await post(one, { act: 'leave' }, { cookie: cookieOf(opened), ...(headers as Headers) })
  for (const response of [opened, left]) expect(response.headers.get('set-cookie')?.endsWith('; SameSite=Strict; Secure')).toBe(isSecure)
})

test('the same is true where HTTPS is not required, for requests over HTTPS', async () => {
  const lax = await startService({ ...PROXY, requireHttps: false, beside: one.shared })
  try {
    const email = newEmail()
    await newKey(email)
    const opened = await post(lax, { act: 'open', token: await mailedToken(email) }, { 'X-Forwarded-Proto': 'https' })
    expect(opened.headers.get('set-cookie')).toMatch(/; Secure$/)
    expect(opened.headers.get('strict-transport-security')).toBeNull()
  } finally {
    await lax.close()
  }
})
