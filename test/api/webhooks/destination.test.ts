import { expect, test } from 'vitest'
import { addressesOf, destinationOf, isPublic } from '../../../api/webhooks/destination.ts'
import { sendOnce } from '../../../api/webhooks/send.ts'
import { startReceiver } from '../../helpers/receiver.ts'

const RULES = { loopback: false }

test.each([
  ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '0.0.0.0', '224.0.0.1'],
  ...['255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1', '168.63.129.16', '192.88.99.1'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1'],
  // 6to4, Teredo and NAT64 of private addresses, and of public ones, which are unused.
  ...[
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001:0:4136:e378::1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2001:10::1',
    '5f00::1',
    'not an address',
  ],
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})

test.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111'])('%s is public', (address) => {
  expect(isPublic(address)).toBe(true)
})

test.each([
  ...[
    'http://example.org/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
  ],
  ...['https://localhost/', 'https://intranet/', 'https://printer.local/', 'https://user:pass@example.org/', 'https://example.org:22/'],
  ...['https://169.254.169.254/latest/meta-data', 'ftp://example.org/', 'example.org', `https://example.org/${'x'.repeat(2000)}`],
])('%s is refused as a receiver', (url) => {
  expect(() => destinationOf(url, RULES)).toThrow(expect.objectContaining({ code: 'unsafe-webhook-url' }))
})

test.each(['https://example.org/hook', 'https://example.org:8443/a?b=c', 'https://93.184.216.34/'])('%s may be a receiver', (url) => {
  expect(destinationOf(url, RULES).href).toBe(url)
})

test('a name is refused if any of its addresses is not public, at each attempt', async () => {
  const url = new URL('https://example.org/')
  const answers = [['93.184.216.34'], ['93.184.216.34', '10.0.0.1'], ['::ffff:127.0.0.1'], ['127.0.0.1']]
  const rules = { ...RULES, resolve: async () => answers.shift() as string[] }
  expect(await addressesOf(url, rules)).toEqual([{ address: '93.184.216.34', family: 4 }])
  for (let attempt = 0; attempt < 3; attempt++) await expect(addressesOf(url, rules)).rejects.toThrow('not on the public internet')
})

test('the connection goes to the address that was checked, however the name resolves later', async () => {
  const receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  let lookups = 0
  const rules = {
    loopback: true,
    clock: Date.now,
    // A name that is rebound to another address after the check.
    resolve: async () => [lookups++ === 0 ? '127.0.0.1' : '10.255.255.1'],
  }
  const message = { id: 'msg_1', body: '{}', secrets: [`whsec_${Buffer.alloc(32).toString('base64')}`] }
  const sent = await sendOnce({ ...message, url: `http://localhost:${port}/` }, rules)
  expect([sent.status, sent.error, lookups]).toEqual([204, null, 1])
  const again = await sendOnce({ ...message, url: `http://localhost:${port}/` }, rules)
  expect([again.status, again.error]).toEqual([null, 'localhost is at 10.255.255.1, which is not on the public internet'])
  expect(receiver.received).toHaveLength(1)
  await receiver.close()
})

test('redirects are not followed, and endless replies not read', async () => {
  const [inner, outer] = [await startReceiver(), await startReceiver()]
  outer.answer = () => ({ status: 302, headers: { Location: inner.url } })
  const message = { url: outer.url, id: 'msg_1', body: '{}', secrets: [`whsec_${Buffer.alloc(32).toString('base64')}`] }
  const sent = await sendOnce(message, { loopback: true, clock: Date.now })
  expect([sent.status, sent.error]).toEqual([302, 'answered 302'])
  expect(inner.received).toEqual([])
  outer.answer = () => null
  const late = await sendOnce(message, { loopback: true, clock: Date.now, timeout_ms: 100 })
  expect([late.status, late.error]).toEqual([null, 'no reply within 0.1 s'])
  await Promise.all([inner.close(), outer.close()])
})
