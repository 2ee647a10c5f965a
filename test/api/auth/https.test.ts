import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { cameByHttps, httpsRule, schemeOf } from '../../../api/auth/https.ts'
import { trustedProxies } from '../../../api/auth/limits/address.ts'

type Headers = Readonly<Record<string, string>>

const PROXIES = trustedProxies('10.0.0.0/8, fd00::/8')
const NONE = trustedProxies('')
const ELSEWHERE = '203.0.113.9'

const request = (remoteAddress: string, headers: Headers = {}, url = '/api/incidents'): IncomingMessage =>
  ({ headers, url, socket: { remoteAddress } }) as unknown as IncomingMessage

describe('how a request came', () => {
  test.each([
    ['10.0.0.1', { 'x-forwarded-proto': 'https' }, 'https', 'what a proxy says'],
    ['::ffff:10.0.0.1', { 'x-forwarded-proto': 'HTTPS' }, 'https', 'in any case'],
    ['fd12::1', { 'x-forwarded-proto': 'http' }, 'http', 'of version 6'],
    ['10.0.0.1', { 'x-forwarded-proto': 'ws' }, 'http', 'anything else'],
    ['10.0.0.1', {}, 'unknown', 'a proxy that says nothing'],
    ['10.0.0.1', { 'x-forwarded-proto': '' }, 'unknown', 'nor in an empty field'],
    [ELSEWHERE, { 'x-forwarded-proto': 'https' }, 'unknown', 'what anybody else says'],
    [ELSEWHERE, { 'x-forwarded-proto': 'http' }, 'unknown', 'also against themselves'],
    [ELSEWHERE, { forwarded: 'proto=http', 'x-forwarded-for': '10.0.0.1' }, 'unknown', 'whatever they say to have passed'],
    ['10.0.0.1', { 'x-forwarded-proto': 'https, http' }, 'http', 'what the caller made up before the proxy added'],
    [
      '10.0.0.1',
      { 'x-forwarded-proto': 'https, http', 'x-forwarded-for': '203.0.113.9, 10.0.0.2' },
      'https',
      'two proxies, the outer of HTTPS',
    ],
    [
      '10.0.0.1',
      { 'x-forwarded-proto': 'https, http, https', 'x-forwarded-for': '203.0.113.9, 10.0.0.2' },
      'http',
      'the outer of HTTP, and made up',
    ],
    ['10.0.0.1', { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9, 10.0.0.2' }, 'https', 'two, of which one says it'],
    ['10.0.0.1', { forwarded: 'for=203.0.113.9;proto=https' }, 'https', 'the standard field'],
    ['10.0.0.1', { forwarded: 'for="[2001:db8::1]:4711";Proto="https";by=10.0.0.1' }, 'https', 'with quotes'],
    ['10.0.0.1', { forwarded: 'for="a,b;proto=https";proto=http' }, 'http', 'with what looks like it in quotes'],
    ['10.0.0.1', { forwarded: 'proto=https, for=203.0.113.9;proto=http' }, 'http', 'with what the caller made up'],
    ['10.0.0.1', { forwarded: 'for=203.0.113.9' }, 'unknown', 'that does not say'],
    ['10.0.0.1', { forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, 'http', 'the worse of the two'],
    ['10.0.0.1', { forwarded: 'proto=http', 'x-forwarded-proto': 'https' }, 'http', 'whichever it is'],
  ] as const)('from %s with %j is %s (%s)', (socket, headers, expected, _about) => {
    expect(schemeOf(request(socket, headers), PROXIES)).toBe(expected)
  })
})

describe('the rule', () => {
  const BY_HTTP = { 'x-forwarded-proto': 'http' }
  const BY_HTTPS = { 'x-forwarded-proto': 'https' }
  const FROM_ELSEWHERE = { 'x-forwarded-for': ELSEWHERE }
  const PUBLIC = 'https://api.example.org'
  test.each([
    ['nothing set', NONE, null, null, ELSEWHERE, {}, true],
    ['nothing set', NONE, null, null, ELSEWHERE, BY_HTTP, true],
    ['an address of http', NONE, null, 'http://api.example.org', ELSEWHERE, {}, true],
    ['proxies', PROXIES, null, null, '10.0.0.1', BY_HTTP, false],
    ['proxies', PROXIES, null, null, '10.0.0.1', BY_HTTPS, true],
    ['proxies', PROXIES, null, null, '10.0.0.1', FROM_ELSEWHERE, true],
    ['proxies', PROXIES, null, null, ELSEWHERE, BY_HTTP, true],
    ['an address of https', NONE, null, PUBLIC, ELSEWHERE, {}, false],
    ['an address of https', NONE, null, PUBLIC, ELSEWHERE, BY_HTTPS, false],
    ['an address of https', NONE, null, PUBLIC, '127.0.0.1', {}, true],
    ['an address of https', NONE, null, PUBLIC, '::1', BY_HTTP, true],
    ['an address of https', NONE, null, PUBLIC, '::ffff:127.0.0.1', {}, true],
    ['an address of https and proxies', PROXIES, null, PUBLIC, '10.0.0.1', BY_HTTPS, true],
    ['an address of https and proxies', PROXIES, null, PUBLIC, '10.0.0.1', FROM_ELSEWHERE, false],
    ['an address of https and proxies', PROXIES, null, PUBLIC, ELSEWHERE, BY_HTTPS, false],
    ['a proxy on this machine', trustedProxies('127.0.0.1'), null, PUBLIC, '127.0.0.1', {}, true],
    ['a proxy on this machine', trustedProxies('127.0.0.1'), null, PUBLIC, '127.0.0.1', FROM_ELSEWHERE, false],
    ['a proxy on this machine', trustedProxies('127.0.0.1'), null, PUBLIC, '127.0.0.1', BY_HTTPS, true],
    ['required', NONE, true, null, ELSEWHERE, {}, false],
    ['required', NONE, true, null, '127.0.0.1', {}, true],
    ['turned off', PROXIES, false, PUBLIC, '10.0.0.1', BY_HTTP, true],
    ['turned off', PROXIES, false, PUBLIC, ELSEWHERE, {}, true],
  ] as const)('with %s (%#) admits only the allowed requests', (_name, trusted, required, publicUrl, socket, headers, isLetThrough) => {
    const raw = request(socket, headers)
    const refused = httpsRule({ trusted, required, publicUrl }).refusal(raw)
    expect(refused === null ? null : [refused.status, refused.code]).toEqual(isLetThrough ? null : [403, 'https-required'])
    const isKnown = trusted.any && required !== false && headers === BY_HTTPS && socket !== ELSEWHERE
    expect(cameByHttps(raw)).toBe(isKnown)
  })

  test('a header of quotes that are never closed is read in one pass', () => {
    const began = performance.now()
    for (const forwarded of ['"\\"'.repeat(10_000), '"'.repeat(30_001), ',;'.repeat(15_000)])
      expect(schemeOf(request('10.0.0.1', { forwarded }), PROXIES)).toBe('unknown')
    expect(performance.now() - began).toBeLessThan(500)
  })

  test('advises to rotate a key, only where one was sent, wherever it stood', () => {
    const { refusal } = httpsRule({ trusted: PROXIES, required: null, publicUrl: PUBLIC })
    const key = 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD'
    const detail = (headers: Headers, url?: string): string => refusal(request('10.0.0.1', { ...BY_HTTP, ...headers }, url))?.message ?? ''
    expect(detail({})).toBe('This came by plain HTTP; ask https://api.example.org instead.')
    expect(detail({ authorization: 'Basic YTpi', cookie: 'a=b' })).not.toContain('rotate')
    for (const [headers, url] of [
      [{ 'x-api-key': 'wrong' }],
      [{ authorization: `Bearer ${key}` }],
      [{ cookie: 'session=tis_0123456789abcdef' }],
      [{}, `/api/incidents?key=${key}`],
    ] as const)
      expect(detail(headers, url)).toMatch(/ask https:\/\/api\.example\.org instead\. The key that was sent .* rotate it/)
  })
})
