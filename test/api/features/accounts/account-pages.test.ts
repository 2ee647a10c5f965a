import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeKey } from '../../../../api/auth/keys/key-format.ts'
import { bodyOf, startSmtp, type TestSmtp } from '../../../helpers/smtp.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const DAY_MS = 86_400_000
let now = T0
let smtp: TestSmtp
let service: TestService
beforeAll(async () => {
  smtp = await startSmtp()
  service = await startService({ clock: () => now, proxies: '127.0.0.1', smtpUrl: smtp.url })
})
afterAll(async () => {
  await service?.close()
  await smtp?.stop()
})
beforeEach(() => {
  now = T0
  smtp.mails.length = 0
})

let count = 0
const newEmail = (): string => `owner${count++}@example.org`

interface Session {
  readonly cookie: string
}

let callers = 0
/** Gives a request an unused address: the limits of one address have tests of their own. */
const someone = (): string => `198.51.${100 + (callers >> 8)}.${callers++ & 255}`

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, { headers: { 'X-Forwarded-For': someone(), 'Accept-Language': 'en', ...headers }, redirect: 'manual' })
const post = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/account`, {
    method: 'POST',
    headers: { 'X-Forwarded-For': someone(), 'Accept-Language': 'en', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
    redirect: 'manual',
  })

/** The link of the newest mail to an address. */
async function mailedLink(email: string): Promise<URL> {
  await until('mail', () => smtp.mails.some(({ to }) => to.includes(email)))
  const { data } = smtp.mails.findLast(({ to }) => to.includes(email)) as { data: string }
  return new URL(/http:\S+/.exec(bodyOf(data))?.[0] ?? '')
}

const tokenOf = async (email: string): Promise<string> => (await mailedLink(email)).searchParams.get('token') as string

/** Opens a session like the owner of an address with a mailed link. */
async function openSession(email: string): Promise<Session> {
  const { accounts, tokens } = service.access
  const opened = await post({ act: 'open', token: (await tokens.link(await accounts.nameOf(email))) as string })
  expect(opened.status).toBe(303)
  return { cookie: (opened.headers.get('set-cookie') as string).split(';')[0] as string }
}

async function newKeys(email: string, howMany = 2): Promise<{ readonly id: string; readonly key: string; readonly account: string }[]> {
  const made: { readonly id: string; readonly key: string; readonly account: string }[] = []
  for (let at = 0; at < howMany; at++) made.push(await service.access.accounts.create({ email, label: `<b>"${at}"</b>`, language: 'es' }))
  return made
}

const worksWith = async (key: string): Promise<boolean> => (await get('/api/keys', { 'X-API-Key': key })).status === 200

describe('a mailed link', () => {
  test('comes with a key, in the language of the request, and opens the account once', async () => {
    const email = newEmail()
    const made = await fetch(`${service.url}/api/keys`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Language': 'es-ES,es;q=0.9,en;q=0.5' },
      body: JSON.stringify({ email }),
    })
    const { key, ends_at } = (await made.json()) as Reply
    expect(ends_at).toBe('2026-01-09T12:00:00.000Z')
    const link = await mailedLink(email)
    expect(`${link.origin}${link.pathname}`).toBe(`${service.url}/account`)
    const { data } = smtp.mails[0] as { data: string }
    expect(bodyOf(data)).toContain('Se ha creado una clave')
    expect(bodyOf(data)).not.toContain(key.slice(4, 20))

    // A mail program looks at links: that uses nothing.
    for (let look = 0; look < 3; look++) {
      const page = await get(`${link.pathname}${link.search}`)
      expect(page.status).toBe(200)
      expect(await page.text()).toContain('<button>Open my account</button>')
    }
    const token = link.searchParams.get('token') as string
    const opened = await post({ act: 'open', token })
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toBe('/account?lang=en')
    expect(opened.headers.get('set-cookie')).toMatch(/^session=tis_[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/)
    const again = await post({ act: 'open', token })
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null])
    expect((await get(`${link.pathname}${link.search}`)).status).toBe(200)
    // The address is confirmed: the key stays.
    now = T0 + 30 * DAY_MS
    expect(await worksWith(key)).toBe(true)
  })

  test('is over after 30 minutes, and a made-up one opens nothing', async () => {
    const email = newEmail()
    await newKeys(email, 1)
    await post({ act: 'mail', email })
    const token = await tokenOf(email)
    now = T0 + 30 * 60_000
    for (const wrong of [token, `${token}x`, 'tim_x', '', token.replace('tim_', 'tis_')]) {
      const opened = await post({ act: 'open', token: wrong })
      expect([opened.status, opened.headers.get('set-cookie')]).toEqual([401, null])
      expect((await get(`/account?token=${encodeURIComponent(wrong)}`)).status).toBe(401)
    }
  })

  test('is mailed only where there are keys, and the reply is the same', async () => {
    const [known, unknown] = [newEmail(), newEmail()]
    await newKeys(known, 1)
    const replies = await Promise.all([known, unknown].map(async (email) => (await post({ act: 'mail', email })).text()))
    expect(replies[0]).toBe(replies[1])
    await mailedLink(known)
    expect(smtp.mails.map(({ to }) => to)).toEqual([[known]])
  })

  test('is mailed to an address five times an hour at most, however many mails about keys it had', async () => {
    const email = newEmail()
    const [made] = await newKeys(email, 1)
    const mail = (reason: 'manage' | 'key-made'): Promise<void> =>
      service.access.mailLink({ reason, email, account: made?.account as string, language: 'en', page: 'http://a/account' })
    for (let asked = 0; asked < 5; asked++) await mail('key-made')
    await until('mails about keys', () => smtp.mails.length === 3)
    for (let asked = 0; asked < 7; asked++) await mail('manage')
    await until('links', () => smtp.mails.length === 8)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(smtp.mails).toHaveLength(8)
  })

  test('is mailed when a fourth key is requested', async () => {
    const email = newEmail()
    await newKeys(email, 3)
    const refused = await fetch(`${service.url}/api/keys`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Language': 'en' },
      body: JSON.stringify({ email }),
    })
    expect(refused.status).toBe(422)
    await mailedLink(email)
    expect(bodyOf((smtp.mails[0] as { data: string }).data)).toContain('None was made.')
  })
})

describe('a session', () => {
  test('lists, rotates and revokes every key of its account, over JSON too', async () => {
    const email = newEmail()
    const [first, second] = (await newKeys(email)) as [
      Awaited<ReturnType<typeof newKeys>>[number],
      Awaited<ReturnType<typeof newKeys>>[number],
    ]
    const session = await openSession(email)
    const page = await (await get('/account', { ...session })).text()
    expect(page).toContain('&#60;b&#62;&#34;0&#34;&#60;/b&#62;')
    expect(page).not.toContain('<b>')
    const { keys } = (await (await get('/api/keys', { ...session })).json()) as Reply
    expect(keys.map(({ id }: Reply) => id)).toEqual([first.id, second.id])

    const rotated = await post({ act: 'rotate', id: first.id, overlap_hours: '0' }, { ...session })
    const newKey = /tia_\w{36}/.exec(await rotated.text())?.[0] as string
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect([await worksWith(first.key), await worksWith(newKey)]).toEqual([false, true])
    expect(await (await get('/account', { ...session })).text()).not.toContain(newKey.slice(4, 20))

    expect((await post({ act: 'revoke', id: second.id }, { ...session })).status).toBe(303)
    expect(await worksWith(second.key)).toBe(false)
    const made = keys[0].id
    expect((await fetch(`${service.url}/api/keys/${made}`, { method: 'DELETE', headers: { ...session } })).status).toBe(200)
    expect((await post({ act: 'rotate', id: first.id, overlap_hours: '24' }, { ...session })).status).toBe(409)
  })

  test('acts on its own account only', async () => {
    const [mine, theirs] = [newEmail(), newEmail()]
    await newKeys(mine, 1)
    const [other] = await newKeys(theirs, 1)
    const session = await openSession(mine)
    const { id = '', key = '' } = other ?? {}
    expect((await post({ act: 'revoke', id }, { ...session })).status).toBe(404)
    expect((await fetch(`${service.url}/api/keys/${id}`, { method: 'DELETE', headers: { ...session } })).status).toBe(404)
    expect((await fetch(`${service.url}/api/keys/${id}/rotate`, { method: 'POST', headers: { ...session } })).status).toBe(404)
    expect(await worksWith(key)).toBe(true)
  })

  test('revokes all, and deletes account and address when that is sure', async () => {
    const email = newEmail()
    const keys = await newKeys(email, 3)
    const session = await openSession(email)
    for (const act of ['revoke-all', 'leave']) expect((await post({ act, id: 'other' }, { ...session })).status, act).toBe(400)
    const revoked = await post({ act: 'revoke-all' }, { ...session })
    expect(revoked.status).toBe(303)
    const renewed = { cookie: (revoked.headers.get('set-cookie') as string).split(';')[0] as string }
    for (const { key } of keys) expect(await worksWith(key)).toBe(false)
    const [again] = await newKeys(email, 1)
    expect((await post({ act: 'delete' }, renewed)).status).toBe(400)
    expect(await worksWith(again?.key as string)).toBe(true)
    const gone = await post({ act: 'delete', sure: 'yes' }, renewed)
    expect([gone.status, gone.headers.get('set-cookie')]).toEqual([200, expect.stringMatching(/^session=; .*Max-Age=0/)])
    expect(await worksWith(again?.key as string)).toBe(false)
    expect(await service.access.accounts.contact(again?.account as string)).toBeNull()
    expect((await post({ act: 'revoke-all' }, { ...session })).status).toBe(401)
    expect(await (await get('/account', { ...session })).text()).toContain('type="email"')
  })

  test('lasts an hour, and another site cannot use it', async () => {
    const email = newEmail()
    const [{ key } = { key: '' }] = await newKeys(email, 1)
    const session = await openSession(email)
    for (const site of ['cross-site', 'same-site']) {
      expect((await get('/api/keys', { ...session, 'Sec-Fetch-Site': site })).status).toBe(401)
      expect((await post({ act: 'revoke-all' }, { ...session, 'Sec-Fetch-Site': site })).status).toBe(403)
    }
    for (const site of ['same-origin', 'none']) expect((await get('/api/keys', { ...session, 'Sec-Fetch-Site': site })).status).toBe(200)
    expect(await worksWith(key)).toBe(true)
    // A key that does not work is not made good by a session beside it.
    expect((await get('/api/keys', { ...session, 'X-API-Key': makeKey() })).status).toBe(401)
    now = T0 + 3_600_000
    expect((await get('/api/keys', { ...session })).status).toBe(401)
    expect((await post({ act: 'revoke-all' }, { ...session })).status).toBe(401)
  })
})

describe('the page', () => {
  test('lets nothing in from elsewhere, is kept nowhere, and is in the language of the reader', async () => {
    for (const [asked, lang, query = ''] of [
      ['en-GB,en;q=0.9', 'en'],
      ['es', 'es'],
      ['fr', 'es'],
      ['es', 'en', '?lang=en'],
      ['en', 'en', '?lang=fr'],
    ] as const) {
      const page = await get(`/account${query}`, { 'Accept-Language': asked })
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'self'.*frame-ancestors 'none'/)
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('referrer-policy')).toBe('same-origin')
      expect(page.headers.get('access-control-allow-origin')).toBeNull()
      const text = await page.text()
      expect(text).toContain(`<html lang="${lang}">`)
      expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    }
  })

  test.each([
    {},
    { act: 'other' },
    { act: 'toString' },
    { act: 'mail' },
    { act: 'mail', email: 'a@b\r\nBcc: c@example.org' },
    { act: 'open' },
  ])('refuses %j as a problem', async (form) => {
    const response = await post(form as Record<string, string>)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(await response.text()).not.toContain('Bcc')
  })

  test('takes forms only', async () => {
    const response = await fetch(`${service.url}/account`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
    expect(response.status).toBe(415)
  })

  test('sends links from one address five times an hour', async () => {
    const fresh = await startService()
    try {
      const statuses: number[] = []
      for (let asked = 0; asked < 6; asked++) {
        const body = new URLSearchParams({ act: 'mail', email: newEmail() })
        statuses.push((await fetch(`${fresh.url}/account`, { method: 'POST', body })).status)
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    } finally {
      await fresh.close()
    }
  })
})

test('without a mail server keys never end by themselves, and the link is in the outbox', async () => {
  const fresh = await startService()
  try {
    const made = await fetch(`${fresh.url}/api/keys`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: newEmail() }),
    })
    expect((await made.json()) as Reply).toMatchObject({ status: 'ACTIVE', ends_at: null })
    await until('mail', () => {
      try {
        return readdirSync(fresh.outbox).some((one) => one.endsWith('.eml'))
      } catch {
        return false
      }
    })
    const [name = ''] = readdirSync(fresh.outbox)
    expect(bodyOf(readFileSync(join(fresh.outbox, name), 'utf8'))).toContain(`${fresh.url}/account?token=tim_`)
  } finally {
    await fresh.close()
  }
})
