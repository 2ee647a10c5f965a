import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressSlot, trustedProxies } from '../../../api/auth/limits/address.ts'

const NONE = trustedProxies('')
const PROXIES = trustedProxies('10.0.0.0/8, 192.0.2.7 fd00::/8, ::ffff:172.16.0.0/108')
const slot = (socket: string | undefined, forwardedFor?: string, trusted = PROXIES): string =>
  addressSlot({ socket, forwardedFor }, trusted)

describe('addressSlot', () => {
  test.each([
    ['203.0.113.9', 'ip4:203.0.113.9'],
    ['::ffff:203.0.113.9', 'ip4:203.0.113.9'],
    ['::FFFF:cb00:7109', 'ip4:203.0.113.9'],
    ['0:0:0:0:0:ffff:203.0.113.9', 'ip4:203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', 'ip6:2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', 'ip6:2001:db8:1:2::/64'],
    ['2001:db8::1', 'ip6:2001:db8:0:0::/64'],
    ['::1', 'ip6:0:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', 'ip6:64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'ip6:fe80:0:0:0::/64'],
    [undefined, 'ip:unknown'],
    ['nonsense', 'ip:unknown'],
  ])('of a connection from %s is %s', (socket, expected) => {
    expect(slot(socket)).toBe(expected)
  })

  test.each([
    ['203.0.113.9', '198.51.100.1', 'ip4:203.0.113.9', 'whom nobody vouches for'],
    ['10.1.2.3', '198.51.100.1', 'ip4:198.51.100.1', 'a proxy'],
    ['::ffff:10.1.2.3', '198.51.100.1', 'ip4:198.51.100.1', 'a proxy, mapped'],
    ['172.31.0.1', '198.51.100.1', 'ip4:198.51.100.1', 'a proxy of a mapped range'],
    ['172.32.0.1', '198.51.100.1', 'ip4:172.32.0.1', 'beside that range'],
    ['fd12::9', '2001:db8:5::1', 'ip6:2001:db8:5:0::/64', 'a proxy of version 6'],
    ['10.1.2.3', '9.9.9.9, 198.51.100.1', 'ip4:198.51.100.1', 'what the caller made up'],
    ['10.1.2.3', '9.9.9.9, 198.51.100.1,192.0.2.7 , 10.9.9.9', 'ip4:198.51.100.1', 'several proxies'],
    ['10.1.2.3', '10.0.0.1, 10.0.0.2', 'ip4:10.0.0.1', 'proxies only'],
    ['10.1.2.3', '198.51.100.1:4711', 'ip4:198.51.100.1', 'a port'],
    ['10.1.2.3', '[2001:db8:5::1]:4711', 'ip6:2001:db8:5:0::/64', 'a port of version 6'],
    ['10.1.2.3', '198.51.100.1, unknown', 'ip4:10.1.2.3', 'a proxy that names nobody'],
    ['10.1.2.3', '', 'ip4:10.1.2.3', 'an empty field'],
    ['10.1.2.3', '198.51.100.1, 192.0.2.7, 999.1.1.1', 'ip4:10.1.2.3', 'no address'],
  ])('of %s with %s is %s (%s)', (socket, forwardedFor, expected) => {
    expect(slot(socket, forwardedFor)).toBe(expected)
  })

  const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6())
  const anyText = fc.oneof(anyAddress, fc.string(), fc.constantFrom('10.0.0.1', 'unknown', '::1', ',', '[', ']:1'))
  const isTrusted = (address: string): boolean => {
    const marker = '198.51.100.77'
    return slot(address, marker) === `ip4:${marker}` && slot(address) !== `ip4:${marker}`
  }

  test('is not changed by anything that an untrusted caller writes', () => {
    fc.assert(
      fc.property(anyAddress, fc.array(anyText), (caller, forged) => {
        fc.pre(!isTrusted(caller))
        const field = forged.join(', ')
        expect(slot(caller, field)).toBe(slot(caller))
        expect(slot('10.1.2.3', [...forged, caller].join(', '))).toBe(slot(caller))
        expect(slot('10.1.2.3', [...forged, caller, '192.0.2.7', 'fd00::1'].join(','))).toBe(slot(caller))
        expect(slot(caller, field, NONE)).toBe(slot(caller))
      }),
      { numRuns: 1000 },
    )
  })

  test('is the same for every way to write an address, and for a whole /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.array(group, { minLength: 4, maxLength: 4 }), (groups, host) => {
        fc.pre(groups.slice(0, 5).some((one) => one !== 0))
        const hex = (all: readonly number[]): string[] => all.map((one) => one.toString(16))
        const full = hex(groups).map((one) => one.padStart(4, '0').toUpperCase())
        const written = new URL(`http://[${full.join(':')}]/`).hostname.slice(1, -1)
        const expected = `ip6:${hex(groups.slice(0, 4)).join(':')}::/64`
        expect([slot(full.join(':')), slot(written), slot(hex([...groups.slice(0, 4), ...host]).join(':'))]).toEqual(
          Array(3).fill(expected),
        )
      }),
    )
  })
})

describe('trustedProxies', () => {
  test.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0/8', 'fd00::/129', 'proxy.example', '10.0.0.0/8/8', '::ffff:10.0.0.0/95', '1.2.3.4/'])(
    'does not take %s',
    (entry) => {
      expect(() => trustedProxies(`127.0.0.1, ${entry}`)).toThrow(`${entry} is neither an address nor a CIDR range`)
    },
  )

  test('a range counts by its prefix, whatever the rest of its address', () => {
    expect(slot('10.200.0.1', '198.51.100.1', trustedProxies('10.1.2.3/8'))).toBe('ip4:198.51.100.1')
    expect(slot('11.0.0.1', '198.51.100.1', trustedProxies('10.1.2.3/8'))).toBe('ip4:11.0.0.1')
    expect(slot('11.0.0.1', '198.51.100.1', trustedProxies('0.0.0.0/0'))).toBe('ip4:198.51.100.1')
    expect(slot('2001:db8::1', '198.51.100.1', trustedProxies('0.0.0.0/0'))).toBe('ip6:2001:db8:0:0::/64')
  })
})
