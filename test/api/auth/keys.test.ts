import { METHODS } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWellFormed, makeKey } from '../../../api/auth/keys/key-format.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { until } from '../../helpers/until.ts'
import { openapi } from '../openapi.ts'
import { headerOf, raw } from '../raw.ts'
import { type Reply, startService, type TestService } from '../service.ts'
import { textOf } from './stage.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
let now = T0
let service: TestService
const lines: string[] = []
beforeAll(async () => {
  service = await startService({ clock: () => now, proxies: '127.0.0.1', log: (line) => void lines.push(line) })
  await until('connected', () => service.access.keys.connected)
})
afterAll(() => service?.close())

let count = 0
/** An unused address. */
const newEmail = (): string => `person${count++}@example.org`

let callers = 0
/** Gives a request an unused address: the limits of one address have tests of their own. */
const someone = (): string => `198.51.${100 + (callers >> 8)}.${callers++ & 255}`

const call = (
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: unknown; readonly headers?: object } = {},
): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method,
    headers: {
      'X-Forwarded-For': someone(),
      ...(options.key === undefined ? {} : { 'X-API-Key': options.key }),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  })

async function newKey(email = newEmail(), label: string | null = null): Promise<Reply> {
  const { accounts } = service.access
  const made = await accounts.create({ email, label, language: 'en' })
  return { key: made.key, id: made.id, email, account: made.account }
}

async function problemOf(response: Response): Promise<Reply> {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  const body = (await response.json()) as Reply
  expect(body.status).toBe(response.status)
  return body
}

describe('POST /api/keys', () => {
  test('gives a key at once, shown once, that works', async () => {
    const response = await call('POST', '/api/keys', { body: { email: 'Someone@Example.org', label: ' My car ' } })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const made = (await response.json()) as Reply
    expect(isWellFormed(made.key)).toBe(true)
    expect(made).toEqual({
      key: made.key,
      id: expect.stringMatching(/^key_[0-9a-f]{20}$/),
      hint: `${made.key.slice(0, 8)}…${made.key.slice(-4)}`,
      label: 'My car',
      plan: 'FREE',
      status: 'ACTIVE',
      created_at: '2026-01-02T12:00:00.000Z',
      ends_at: null,
    })
    const { keys } = (await (await call('GET', '/api/keys', { key: made.key })).json()) as Reply
    const { key: _key, ...shown } = made
    expect(keys).toEqual([shown])
  })

  test('refuses the fourth, reveals only that three exist, also for another case of the address', async () => {
    const email = newEmail()
    for (let made = 0; made < 3; made++) await newKey(email, `secret label ${made}`)
    const response = await call('POST', '/api/keys', { body: { email: email.toUpperCase() } })
    expect(response.status).toBe(422)
    const problem = await problemOf(response)
    expect(problem).toMatchObject({ code: 'key-limit-reached', detail: expect.stringContaining('3 free keys') })
    expect(JSON.stringify(problem)).not.toMatch(/secret|key_|person/)
  })

  const MISTAKES: readonly [body: unknown, status: number, code: string, pointer: string | null][] = [
    [undefined, 400, 'invalid-parameter', '/email'],
    ['', 400, 'malformed-request', null],
    ['{', 400, 'malformed-request', null],
    ['{"__proto__": {}, "email": "a@example.org"}', 400, 'malformed-request', null],
    ['[]', 400, 'invalid-parameter', ''],
    ['"a@example.org"', 400, 'invalid-parameter', ''],
    ['null', 400, 'invalid-parameter', ''],
    [{ email: 'nobody' }, 400, 'invalid-parameter', '/email'],
    [{ email: 7 }, 400, 'invalid-parameter', '/email'],
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, 400, 'invalid-parameter', '/email'],
    [{ email: 'a@example.org', label: 'a\r\nb' }, 400, 'invalid-parameter', '/label'],
    [{ email: 'a@example.org', label: 'a\nb' }, 400, 'invalid-parameter', '/label'],
    [{ email: 'a@example.org', label: 'x'.repeat(61) }, 400, 'invalid-parameter', '/label'],
    [{ email: 'a@example.org', label: '\ud800' }, 400, 'invalid-parameter', '/label'],
    [{ email: 'a@example.org', label: ['a'] }, 400, 'invalid-parameter', '/label'],
    [{ email: 'a@example.org', labl: 'a' }, 400, 'unknown-parameter', '/labl'],
    [{ email: 'a@example.org', plan: 'PRO' }, 400, 'unknown-parameter', '/plan'],
    [{ email: `${'a'.repeat(5000)}@example.org` }, 413, 'payload-too-large', null],
  ]
  test.each(MISTAKES)('%j is %i %s', async (body, status, code, pointer) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const response = await call('POST', '/api/keys', { body, headers })
    expect(response.status).toBe(status)
    const problem = await problemOf(response)
    expect(problem.code).toBe(code)
    if (pointer !== null) expect(problem.errors.map((error: Reply) => error.pointer)).toEqual([pointer])
    expect(JSON.stringify(problem)).not.toMatch(/nobody|Bcc|b@example/)
  })

  test('names field, value and allowed values, of all mistakes at once', async () => {
    const problem = await problemOf(await call('POST', '/api/keys', { body: { email: 'nobody', label: 'x'.repeat(61), lable: 1 } }))
    expect(problem.errors).toEqual([
      { pointer: '/lable', detail: 'The body has no member lable; did you mean label? Allowed: email, label', allowed: ['email', 'label'] },
      { pointer: '/email', detail: expect.stringContaining('expected an e-mail address such as') },
      { pointer: '/label', detail: expect.stringContaining('expected up to 60 characters on one line, got'), value: `${'x'.repeat(50)}…` },
    ])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
    'a body of %s is refused: other pages can make browsers send it',
    async (type) => {
      const response = await call('POST', '/api/keys', { body: '{"email":"a@example.org"}', headers: { 'Content-Type': type } })
      expect(response.status).toBe(415)
      expect((await problemOf(response)).code).toBe('unsupported-media-type')
    },
  )

  test.each(['gzip', 'br, identity', 'x-made-up'])('a body encoded as %s is refused, and not read as it is', async (encoding) => {
    const email = newEmail()
    const { key, id, account } = await newKey(email)
    const headers = { 'Content-Encoding': encoding }
    for (const [path, options] of [
      ['/api/keys', { body: { email } }],
      [`/api/keys/${id}/rotate`, { body: {}, key }],
      ['/account', { body: `act=mail&email=${email}`, type: 'application/x-www-form-urlencoded' }],
      ['/signup', { body: `email=${email}`, type: 'application/x-www-form-urlencoded' }],
    ] as const) {
      const { type = 'application/json', ...rest } = options as { readonly type?: string; readonly body: unknown; readonly key?: string }
      const response = await call('POST', path, { ...rest, headers: { ...headers, 'Content-Type': type } })
      expect(response.status, path).toBe(415)
      expect(response.headers.get('accept-encoding')).toBe('identity')
      expect((await problemOf(response)).code).toBe('unsupported-media-type')
    }
    expect(await service.access.accounts.list(account)).toHaveLength(1)
    // A body with an empty encoding is not encoded, and neither is a missing one.
    expect((await call('POST', '/api/keys', { body: { email }, headers: { 'Content-Encoding': 'Identity' } })).status).toBe(201)
    expect((await call('POST', `/api/keys/${id}/rotate`, { key, headers })).status).toBe(201)
  })

  test('may be asked five times an hour from one address; then it says when again', async () => {
    const fresh = await startService()
    try {
      const ask = (): Promise<Response> =>
        fetch(`${fresh.url}/api/keys`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.${count++}` },
          body: JSON.stringify({ email: newEmail() }),
        })
      const statuses: number[] = []
      for (let asked = 0; asked < 6; asked++) statuses.push((await ask()).status)
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
      const response = await ask()
      const wait_s = Number(response.headers.get('retry-after'))
      expect(wait_s).toBeGreaterThan(3500)
      expect(wait_s).toBeLessThanOrEqual(3660)
      expect(await problemOf(response)).toMatchObject({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        code: 'quota-exceeded',
        'violated-policies': ['create-from-address'],
      })
      // An invalid body is refused for every caller.
      expect((await fetch(`${fresh.url}/api/keys`, { method: 'POST' })).status).toBe(400)
    } finally {
      await fresh.close()
    }
  })
})

describe('a key', () => {
  const wrong = [
    ['malformed', 'tia_x', 'invalid-key'],
    ['mistyped', 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGE', 'invalid-key'],
    ['empty', '', 'invalid-key'],
    ['unknown', makeKey(), 'invalid-key'],
  ] as const
  test.each(wrong)('that is %s is refused, and the refusal shows how to send one', async (_what, key, code) => {
    for (const [method, path] of [
      ['GET', '/api/keys'],
      ['POST', '/api/keys/key_00000000000000000000/rotate'],
      ['DELETE', '/api/keys/key_00000000000000000000'],
    ] as const) {
      const response = await call(method, path, { key })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('ApiKey realm="api"')
      expect((await problemOf(response)).code).toBe(code)
    }
  })

  test('is required', async () => {
    const response = await call('GET', '/api/keys')
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('ApiKey realm="api"')
    expect((await problemOf(response)).code).toBe('key-required')
  })

  test('sees, rotates and revokes itself, and no other of its account', async () => {
    const email = newEmail()
    const [mine, other] = [await newKey(email, 'mine'), await newKey(email, 'other')]
    const { keys } = (await (await call('GET', '/api/keys', { key: mine.key })).json()) as Reply
    expect(keys.map(({ id }: Reply) => id)).toEqual([mine.id])
    for (const [method, path] of [
      ['POST', `/api/keys/${other.id}/rotate`],
      ['DELETE', `/api/keys/${other.id}`],
      ['DELETE', '/api/keys/key_00000000000000000000'],
    ] as const) {
      const response = await call(method, path, { key: mine.key })
      expect(response.status).toBe(404)
      expect((await problemOf(response)).detail).toContain('itself only')
    }
    expect((await call('GET', '/api/keys', { key: other.key })).status).toBe(200)

    const rotated = await call('POST', `/api/keys/${mine.id}/rotate`, { key: mine.key })
    expect(rotated.status).toBe(201)
    expect(rotated.headers.get('cache-control')).toBe('no-store')
    const made = (await rotated.json()) as Reply
    expect(made).toMatchObject({
      status: 'ACTIVE',
      label: 'mine',
      former: { id: mine.id, status: 'ROTATING', ends_at: '2026-01-03T12:00:00.000Z' },
    })
    expect((await problemOf(await call('POST', `/api/keys/${made.id}/rotate`, { key: made.key }))).code).toBe('conflict')

    for (const key of [mine.key, made.key]) expect((await call('GET', '/api/keys', { key })).status).toBe(200)
    now = T0 + 86_400_000
    const over = await call('GET', '/api/keys', { key: mine.key })
    expect([over.status, (await problemOf(over)).code]).toEqual([401, 'expired-key'])

    const revoked = await call('DELETE', `/api/keys/${made.id}`, { key: made.key })
    expect([revoked.status, (await revoked.json()) as Reply]).toEqual([200, expect.objectContaining({ id: made.id, status: 'REVOKED' })])
    const after = await call('GET', '/api/keys', { key: made.key })
    expect([after.status, (await problemOf(after)).code]).toEqual([401, 'revoked-key'])
    now = T0
  })

  test.each([
    [{ overlap_hours: 0 }, '2026-01-02T12:00:00.000Z'],
    [{ overlap_hours: 168 }, '2026-01-09T12:00:00.000Z'],
    [{ overlap_hours: null }, '2026-01-03T12:00:00.000Z'],
    [{}, '2026-01-03T12:00:00.000Z'],
  ])('is rotated with %j until %s', async (body, until_at) => {
    const mine = await newKey()
    const { former } = (await (await call('POST', `/api/keys/${mine.id}/rotate`, { key: mine.key, body })).json()) as Reply
    if (until_at === '2026-01-02T12:00:00.000Z') expect(former).toMatchObject({ status: 'REVOKED', ends_at: null })
    else expect(former).toMatchObject({ status: 'ROTATING', ends_at: until_at })
  })

  test.each([
    { overlap_hours: -1 },
    { overlap_hours: 169 },
    { overlap_hours: 1.5 },
    { overlap_hours: '24' },
    { overlap: 24 },
    'null',
    '[]',
  ])('is not rotated with %j', async (body) => {
    const mine = await newKey()
    const response = await call('POST', `/api/keys/${mine.id}/rotate`, { key: mine.key, body })
    expect(response.status).toBe(400)
    await problemOf(response)
    expect((await service.access.accounts.list(mine.account)).map(({ status }) => status)).toEqual(['ACTIVE'])
  })

  test('in a query is no key, and is not repeated', async () => {
    const { key } = await newKey()
    for (const path of ['/api/keys', '/api/incidents']) {
      const response = await call('GET', `${path}?api_key=${key}&province=${key}`)
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(key.slice(4, 20))
    }
  })

  test('works the same after Redis was killed, and after it came back empty', async () => {
    const { key } = await newKey()
    await service.killRedis()
    expect((await call('GET', '/api/keys', { key })).status).toBe(200)
    const made = await newKey()
    expect((await call('GET', '/api/keys', { key: made.key })).status).toBe(200)
    await service.restartRedis()
    await until('connected', () => service.access.keys.connected)
    for (const one of [key, made.key]) expect((await call('GET', '/api/keys', { key: one })).status).toBe(200)
  })
})

describe.each([
  ['/api/keys', 'GET, HEAD, POST, OPTIONS'],
  ['/api/keys/key_1/rotate', 'POST, OPTIONS'],
  ['/api/keys/key_1', 'DELETE, OPTIONS'],
  ['/account', 'GET, HEAD, POST, OPTIONS'],
])('%s', (path, allow) => {
  const send = (method: string, ...headers: string[]) =>
    raw(
      service.url,
      [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', `X-Forwarded-For: ${someone()}`, ...headers, '', ''].join('\r\n'),
    )

  test('is for pages of our own: a preflight allows nothing', async () => {
    const { head, body } = await send('OPTIONS', 'Origin: https://a.example', 'Access-Control-Request-Method: POST')
    expect(head).toMatch(/^HTTP\/1.1 204 /)
    expect(headerOf(head, 'allow')).toBe(allow)
    expect(head.toLowerCase()).not.toContain('access-control')
    expect(body.length).toBe(0)
  })

  test('refuses every other method as a problem', async () => {
    for (const method of METHODS.filter((one) => !allow.split(', ').includes(one) && one !== 'CONNECT')) {
      const { head, body } = await send(method)
      expect(head, method).toMatch(/^HTTP\/1.1 405 /)
      expect(headerOf(head, 'allow')).toBe(allow)
      expect(head.toLowerCase()).not.toContain('access-control')
      if (method !== 'HEAD') expect((JSON.parse(body.toString()) as Reply).code).toBe('method-not-allowed')
    }
  })
})

describe('the description of the account paths', () => {
  const { paths, components } = openapi(endpoints, 'https://api.example.org') as Reply
  const check = (schema: object, value: unknown): void => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const valid = ajv.compile({ ...schema, components })
    expect(valid(value), JSON.stringify(valid.errors)).toBe(true)
  }

  test('shows the replies', async () => {
    const mine = await newKey(newEmail(), 'mine')
    const { 200: listed } = paths['/api/keys'].get.responses
    const { 201: rotated } = paths['/api/keys/{id}/rotate'].post.responses
    const { 200: revoked } = paths['/api/keys/{id}'].delete.responses
    const made = (await (await call('POST', `/api/keys/${mine.id}/rotate`, { key: mine.key })).json()) as Reply
    const all = (await (await call('GET', '/api/keys', { key: mine.key })).json()) as Reply
    const gone = (await (await call('DELETE', `/api/keys/${mine.id}`, { key: mine.key })).json()) as Reply
    for (const [response, reply] of [
      [listed, all],
      [rotated, made],
      [revoked, gone],
    ]) {
      const { schema, example } = response.content['application/json']
      check(schema, reply)
      check(schema, example)
      expect(Object.keys(reply)).toEqual(Object.keys(example))
    }
    expect(isWellFormed(paths['/api/keys'].post.responses[201].content['application/json'].example.key)).toBe(true)
  })

  test('names their problems', () => {
    for (const methods of ['/api/keys', '/api/keys/{id}/rotate', '/api/keys/{id}'].map((path) => paths[path]))
      for (const { responses, tags } of Object.values<Reply>(methods)) {
        expect(tags).toEqual(['account'])
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '429']))
        const [limited] = Object.values<Reply>({ of: responses[429] }).map(({ $ref, ...own }) =>
          $ref ? components.responses[$ref.split('/').at(-1)] : own,
        )
        expect(Object.keys(limited.headers)).toContain('Retry-After')
        for (const { $ref, headers } of Object.values<Reply>(responses)) if (!$ref) expect(Object.keys(headers)).toContain('RateLimit')
      }
    expect(paths['/api/keys'].get.security).toEqual([{ ApiKey: [] }, { Session: [] }])
  })
})

// Last, as it looks back on all of the above.
test('nothing stored or logged contains a key or an address', async () => {
  const { key, email } = await newKey('looked.for@example.org', 'looked.for@example.org')
  await call('GET', `/api/keys?api_key=${key}`)
  // The use of data is recorded, too.
  await call('GET', '/api/incidents', { key })
  await call('GET', '/api/incidents')
  now += 60_000
  await service.requests.flush()
  const text = `${await textOf(service.lake.store)}\n${lines.join('\n')}`
  expect(lines.join('\n')).toContain('outbox')
  expect(text).toContain('requests/')
  for (const part of [key.slice(4, 24), email, 'looked.for', '@example.org', '198.51.']) expect(text.includes(part), part).toBe(false)
  // First characters of keys are kept, for their owners to know them by, and no more.
  expect(text).toContain('"first":"tia_')
  expect(/tia_\w{5}/.test(text)).toBe(false)
})
