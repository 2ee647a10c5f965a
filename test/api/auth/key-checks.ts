import { expect } from 'vitest'
import { makeKey } from '../../../api/auth/keys/key-format.ts'
import { LIMIT_NAMES } from '../requests.ts'
import { type Reply, startService, type TestService } from '../service.ts'

/** A request, and its expected refusal. */
export interface InvalidParam {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: 401 | 403
  readonly code: string
  /** Members of the problem besides the common ones. */
  readonly more?: readonly string[]
}

/** An invalid key, and the code of its refusal. */
export interface Broken {
  readonly key: string
  readonly code: string
}

/** A service with invalid keys, and functions that send requests and check the refusals. */
export interface KeyChecks {
  readonly service: TestService
  readonly broken: readonly Broken[]
  /** The ids of keys: of the invalid ones, of a valid one, and of an unknown one. */
  readonly ids: readonly string[]
  /** Sends a request from an unused address: the limits of one address have tests of their own. */
  readonly send: (path: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Sends requests that are refused, and checks that all refusals have the same words: none reveals which keys exist. */
  readonly refusedAlike: (asked: readonly InvalidParam[]) => Promise<void>
}

/** Starts the service; the caller closes it. */
export async function startKeyChecks(): Promise<KeyChecks> {
  const service = await startService({ proxies: '127.0.0.0/8', securityContact: 'mailto:security@example.org' })
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
  const malformed = ['', 'x', another.key.slice(0, -1), another.key.toLowerCase(), `${another.key},${another.key}`]
  const broken: Broken[] = [
    { key: revoked.key, code: 'revoked-key' },
    { key: rotated.key, code: 'expired-key' },
    ...[makeKey(), ...malformed].map((key) => ({ key, code: 'invalid-key' })),
  ]
  let callers = 0
  const send: KeyChecks['send'] = (path, method = 'GET', headers = {}) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { 'X-Forwarded-For': `10.0.${(callers >> 8) & 255}.${callers++ & 255}`, ...headers },
      redirect: 'manual',
    })
  const refusedAlike: KeyChecks['refusedAlike'] = async (asked) => {
    const words = new Set<string>()
    for (const one of asked) if (one.method !== 'HEAD') words.add(JSON.stringify(await refused(send, one)))
    expect([...words]).toHaveLength(1)
    for (const one of asked) if (one.method === 'HEAD') await refused(send, one)
  }
  return { service, broken, ids: [revoked.id, rotated.id, another.id, 'key_00000000000000000000'], send, refusedAlike }
}

/** Members of every problem (RFC 9457, and ours). */
const MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id']
/** Headers that would reveal what exists. */
const OF_DATA = ['etag', 'last-modified', 'x-data-age', 'link', 'content-language', 'content-encoding', 'location', 'set-cookie']

/** Sends a request that is refused, checks the refusal, and returns the parts that may differ. */
async function refused(
  send: KeyChecks['send'],
  { path, method = 'GET', headers = {}, status, code, more = [] }: InvalidParam,
): Promise<object> {
  const response = await send(path, method, headers)
  const about = `${method} ${path} ${JSON.stringify(headers)}`
  expect(response.status, about).toBe(status)
  expect(response.headers.get('content-type'), about).toBe('application/problem+json')
  expect(response.headers.get('cache-control'), about).toBe('no-store')
  expect(response.headers.get('www-authenticate'), about).toBe(status === 401 ? 'ApiKey realm="api"' : null)
  for (const name of LIMIT_NAMES) expect(response.headers.get(name), `${about} ${name}`).not.toBeNull()
  for (const name of [...OF_DATA, 'retry-after']) expect(response.headers.get(name), `${about} ${name}`).toBeNull()
  const text = await response.text()
  if (method === 'HEAD') {
    expect(text).toBe('')
    return {}
  }
  const { instance, request_id, ...others } = JSON.parse(text) as Reply
  expect(Object.keys({ ...others, instance, request_id }).sort(), about).toEqual([...MEMBERS, ...more].sort())
  expect([others.status, others.code, request_id]).toEqual([status, code, response.headers.get('x-request-id')])
  const key = headers['X-API-Key'] ?? ''
  if (key.length > 10) expect(text, about).not.toContain(key.slice(4, 24))
  return others
}
