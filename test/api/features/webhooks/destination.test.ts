import { expect, test } from 'vitest'
import { addressesOf, destinationOf, isPublic, readNetworks } from '../../../../api/features/webhooks/destination.ts'
import { sendOnce } from '../../../../api/features/webhooks/send.ts'
import { readConfig } from '../../../../lake/config.ts'
import { webhookRules } from '../../../../scripts/service/caller-settings.ts'
import { startReceiver } from '../../../helpers/receiver.ts'

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

test('the networks of the operator may be receivers, and nothing else that is private', async () => {
  const networks = readNetworks('10.1.0.0/16, 192.168.7.9 fd12:3456::/32')
  const own = { loopback: false, networks }
  for (const url of [
    'https://10.1.2.3/',
    'https://192.168.7.9:8443/x',
    'https://[fd12:3456::1]/',
    'https://intranet/',
    'https://a.internal/',
  ])
    expect(destinationOf(url, own).href).toBe(url)
  for (const url of [
    'https://10.2.0.1/',
    'http://10.1.2.3/',
    'https://10.1.2.3:22/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://[::1]/',
  ])
    expect(() => destinationOf(url, own), url).toThrow(expect.objectContaining({ code: 'unsafe-webhook-url' }))
  const at = (...addresses: string[]) => addressesOf(new URL('https://hooks.example.org/'), { ...own, resolve: async () => addresses })
  expect(await at('10.1.2.3', '93.184.216.34')).toHaveLength(2)
  for (const address of ['10.2.0.1', '127.0.0.1', '169.254.169.254', '::ffff:10.1.2.3'])
    await expect(at('10.1.2.3', address)).rejects.toThrow(`is at ${address}, which`)
  const all = { loopback: false, networks: readNetworks('fc00::/7,100.64.0.0/10') }
  for (const host of ['[fd00:ec2::254]', '100.100.100.200']) expect(() => destinationOf(`https://${host}/`, all)).toThrow()
})

test.each(['0.0.0.0/0', '127.0.0.0/8', '169.254.0.0/16', '10.0.0.0/7', '8.8.8.8', '::/0', 'fe80::/10', 'example.org', '10.0.0.0/33'])(
  '%s is no network of an operator',
  (network) => {
    expect(() => readNetworks(`10.0.0.0/8,${network}`)).toThrow(/expected parts of 10\.0\.0\.0\/8|neither an address nor a CIDR range/)
    const config = (mode: string) => readConfig({ SOURCE_MODE: mode, WEBHOOK_NETWORKS: '10.0.0.0/8' })
    expect(webhookRules(config('live')).networks).toHaveLength(1)
    const wrong = { ...config('live'), webhookNetworks: network }
    expect(() => webhookRules(wrong)).toThrow(/^WEBHOOK_NETWORKS: /)
  },
)

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
