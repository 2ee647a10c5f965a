import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from '../../api/access/key-format.ts'
import { pathParams } from '../../api/define/endpoint.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { requestOf } from '../../api/http/example-request.ts'
import { openapi } from '../../api/http/openapi.ts'
import { PLANS } from '../../lake/schema/dataset.ts'
import { representatives } from './representatives.ts'
import { LIMIT_NAMES } from './requests.ts'
import { fillWithExamples, type Reply, startService, type TestService } from './service.ts'

/** A request, and how it is to be refused. */
interface Refused {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: 401 | 403
  readonly code: string
  /** Members that the problem has besides those of every problem. */
  readonly more?: readonly string[]
}

/** A key that does not work, and the code of what it is answered. */
interface Broken {
  readonly key: string
  readonly code: string
}

let service: TestService
const broken: Broken[] = []
/** The names of keys in URLs: of those that do not work, of one that does, and of none. */
const ids: string[] = []
beforeAll(async () => {
  // Each request is from another address: what one may do has tests of its own.
  service = await startService({ proxies: '127.0.0.0/8', securityContact: 'mailto:security@example.org' })
  await fillWithExamples(service)
  const { accounts } = service.access
  const create = (email: string) => accounts.create({ email, label: 'of mine', language: 'es', plan: 'ENTERPRISE' })
  const [revoked, rotated, another] = [
    await create('revoked@example.org'),
    await create('rotated@example.org'),
    await create('a@example.org'),
  ]
  await accounts.revoke({ account: revoked.account, id: revoked.id })
  await accounts.rotate({ account: rotated.account, id: rotated.id, overlap_ms: 1 })
  await new Promise((resolve) => setTimeout(resolve, 5))
  broken.push({ key: revoked.key, code: 'revoked-key' }, { key: rotated.key, code: 'expired-key' }, { key: makeKey(), code: 'invalid-key' })
  for (const malformed of ['', 'x', another.key.slice(0, -1), another.key.toLowerCase(), `${another.key},${another.key}`])
    broken.push({ key: malformed, code: 'invalid-key' })
  ids.push(revoked.id, rotated.id, another.id, 'key_00000000000000000000')
})
afterAll(() => service?.close())

let callers = 0
const send = (path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { 'X-Forwarded-For': `10.0.${(callers >> 8) & 255}.${callers++ & 255}`, ...headers },
    redirect: 'manual',
  })

/** Members of every problem (RFC 9457, and ours). */
const MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id']
/** Headers that tell of what is there. */
const OF_DATA = ['etag', 'last-modified', 'x-data-age', 'link', 'content-language', 'content-encoding', 'location', 'set-cookie']

/** Sends a request that is refused, checks how, and gives what the refusal says that might differ. */
async function refused({ path, method = 'GET', headers = {}, status, code, more = [] }: Refused): Promise<object> {
  const response = await send(path, method, headers)
  const about = `${method} ${path} ${JSON.stringify(headers)}`
  expect(response.status, about).toBe(status)
  expect(response.headers.get('content-type'), about).toBe('application/problem+json; charset=utf-8')
  expect(response.headers.get('cache-control'), about).toBe('no-store')
  expect(response.headers.get('www-authenticate'), about).toBe(status === 401 ? 'ApiKey realm="api"' : null)
  for (const name of LIMIT_NAMES) expect(response.headers.get(name), `${about} ${name}`).not.toBeNull()
  for (const name of [...OF_DATA, 'retry-after']) expect(response.headers.get(name), `${about} ${name}`).toBeNull()
  const text = await response.text()
  if (method === 'HEAD') {
    expect(text).toBe('')
    return {}
  }
  const { instance, request_id, ...told } = JSON.parse(text) as Reply
  expect(Object.keys({ ...told, instance, request_id }).sort(), about).toEqual([...MEMBERS, ...more].sort())
  expect([told.status, told.code, request_id]).toEqual([status, code, response.headers.get('x-request-id')])
  const key = headers['X-API-Key'] ?? ''
  if (key.length > 10) expect(text, about).not.toContain(key.slice(4, 24))
  return told
}

/** Sends requests that are refused, and checks that each is refused in the same words: none tells what there is and what not. */
async function refusedAlike(asked: readonly Refused[]): Promise<void> {
  const words = new Set<string>()
  for (const one of asked) if (one.method !== 'HEAD') words.add(JSON.stringify(await refused(one)))
  expect([...words]).toHaveLength(1)
  for (const one of asked) if (one.method === 'HEAD') await refused(one)
}

describe.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const path = requestOf(endpoint)
  const nowhere = requestOf(endpoint, Object.fromEntries(pathParams(endpoint.path).map((name) => [name, 'nothing'])))

  /** What a caller may try who may not have the answer, which is in memory, and whose tag is known. */
  async function tries(headers: Readonly<Record<string, string>>, refusal: Pick<Refused, 'status' | 'code' | 'more'>): Promise<Refused[]> {
    const etag = (await service.get(path)).headers.get('etag') as string
    const asked = [path, nowhere, requestOf(endpoint, { format: 'csv' }), requestOf(endpoint, { nonsense_xyz: '1' })]
    return [
      ...asked.map((one) => ({ path: one, headers, ...refusal })),
      ...[etag, '*', 'W/"other"'].map((tag) => ({ path, headers: { ...headers, 'If-None-Match': tag }, ...refusal })),
      { path, headers: { ...headers, 'If-Modified-Since': new Date().toUTCString() }, ...refusal },
      { path, headers: { ...headers, Accept: 'image/png' }, ...refusal },
      { path, method: 'HEAD', headers, ...refusal },
    ]
  }

  test('a key that does not work is told so, and nothing else', async () => {
    for (const { key, code } of broken) await refusedAlike(await tries({ 'X-API-Key': key }, { status: 401, code }))
  })

  test.skipIf(endpoint.plan === 'FREE')('whoever has no key is asked for one, whatever is asked', async () => {
    await refusedAlike(await tries({}, { status: 401, code: 'key-required', more: ['required_plan'] }))
  })

  test.each(PLANS.slice(0, PLANS.indexOf(endpoint.plan)))(
    'a key of the plan %s is told which it needs, whatever is asked',
    async (plan) => {
      const more = ['required_plan', 'current_plan', 'upgrade_url']
      await refusedAlike(await tries(await service.keyed(plan), { status: 403, code: 'plan-required', more }))
    },
  )
})

const description = openapi(endpoints, 'https://api.example.org') as Reply
const others = Object.entries<Reply>(description.paths).flatMap(([path, methods]) =>
  Object.entries<Reply>(methods).flatMap(([method, told]) =>
    told.tags.includes('data') ? [] : [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, told }],
  ),
)
/** A path with the examples of its parameters, or with an id. */
const filled = ({ path, told }: (typeof others)[number], id?: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name) =>
    encodeURIComponent(name === 'id' && id ? id : told.parameters.find((one: Reply) => one.name === name).example),
  )

// Downloads need a plan, as data does; test/api/export.test.ts has their refusals.
describe.each(others.filter(({ told }) => told.security?.length > 0 && !told.tags.includes('export')))('$name', (operation) => {
  const { path, method, told } = operation
  // What only a key can do, and no session, says which plan the key has to be of.
  const isOfPlan = told['x-plan'] !== undefined && !told.security.some((one: Reply) => 'Session' in one)
  const refusalOf = (headers: object) => {
    if (!isOfPlan) return { code: 'key-required' }
    return 'Authorization' in headers ? { code: 'invalid-key' } : { code: 'key-required', more: ['required_plan'] }
  }
  const asked = (): string[] => (path.includes('{id}') ? ids.map((id) => filled(operation, id)) : [path])

  test('does nothing for a key that does not work, nor for none, and says the same of every id', async () => {
    const { accounts } = service.access
    const of = await accounts.nameOf('a@example.org')
    const before = await accounts.list(of)
    expect(before.map(({ status }) => status)).toEqual(['ACTIVE'])
    for (const { key, code } of broken)
      await refusedAlike(asked().map((one) => ({ path: one, method, headers: { 'X-API-Key': key }, status: 401, code })))
    for (const headers of [{}, { Cookie: 'session=made-up' }, { Authorization: `Bearer ${await service.key('PRO')}` }])
      await refusedAlike(asked().map((one) => ({ path: one, method, headers, status: 401, ...refusalOf(headers) })))
    expect(await accounts.list(of)).toEqual(before)
  })
})

describe.each(others.filter(({ told, method }) => !told.security && method === 'GET'))('$name', (operation) => {
  test('is the same for whoever asks, with a key or without', async () => {
    const path = filled(operation)
    const plain = await send(path)
    for (const { key } of [...broken, { key: await service.key('ENTERPRISE') }]) {
      const response = await send(path, 'GET', { 'X-API-Key': key })
      expect(response.status).toBe(plain.status)
      for (const name of ['content-type', 'cache-control', 'vary', 'x-request-id'])
        expect(response.headers.get(name), name).toBe(plain.headers.get(name))
      const text = await response.text()
      if (key.length > 10) expect(text).not.toContain(key.slice(4, 24))
    }
  })
})
