import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'

/** An address as its bytes say it: of version 4 where an IPv6 address only carries one (::ffff:a.b.c.d). */
interface Address {
  readonly version: 4 | 6
  /** Of version 4 dotted, of version 6 all eight groups without leading zeros. */
  readonly text: string
  /** The eight groups of version 6; none of version 4. */
  readonly groups: readonly number[]
}

/** Proxies whose X-Forwarded-For is believed. */
export interface TrustedProxies {
  has(address: Address): boolean
  /** False where there are none. */
  readonly any: boolean
}

/** Tells whom a request is charged to; see `addressSlot`. */
export type CallerOf = (request: IncomingMessage) => string

/** Whose request it is, as far as its connection and its proxies tell. */
export interface Hop {
  /** Address of the other end of the connection; undefined where it has closed. */
  readonly socket: string | undefined
  /** X-Forwarded-For as received, several of them joined by commas. */
  readonly forwardedFor: string | undefined
}

/** Reads a list of proxies, addresses or CIDR ranges of either version between commas or spaces. Throws where one is neither. */
export function trustedProxies(list: string): TrustedProxies {
  const blocks = new BlockList()
  let any = false
  for (const entry of list.split(/[\s,]+/).filter((one) => one !== '')) {
    const [given = '', length, ...more] = entry.split('/')
    const address = readAddress(given)
    const carried = address?.version === 4 && !isIPv4(given) ? 96 : 0
    const bits = address?.version === 4 ? 32 : 128
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) - carried : -1
    if (!address || more.length > 0 || prefix < 0 || prefix > bits) throw new Error(`${entry} is neither an address nor a CIDR range`)
    blocks.addSubnet(address.text, prefix, family(address))
    any = true
  }
  return { any, has: (address) => any && blocks.check(address.text, family(address)) }
}

/**
 * The slot of the address that a request is charged to: the other end of its connection or, where that is a trusted proxy, the right-most
 * address of X-Forwarded-For that is not one. What stands further left, and all of it where the connection is not a trusted proxy's, may be
 * made up and is not read. Of IPv6 the /64 counts, which is what one customer is given at least.
 */
export function addressSlot({ socket, forwardedFor }: Hop, trusted: TrustedProxies): string {
  let address = readAddress(socket ?? '')
  if (!address) return 'ip:unknown'
  const hops = forwardedFor?.split(',') ?? []
  for (let index = hops.length - 1; index >= 0 && trusted.has(address); index--) {
    const hop = readAddress(withoutPort((hops[index] as string).trim()))
    // A proxy that names nobody ('unknown', RFC 7239) answers for the request itself.
    if (!hop) break
    address = hop
  }
  return address.version === 4 ? `ip4:${address.text}` : `ip6:${address.groups.slice(0, 4).map(hex).join(':')}::/64`
}

/**
 * How many trusted proxies a request passed, as far as they tell: 0 where the other end of its connection is none. The outermost of them is
 * the one that the caller spoke to.
 */
export function proxiesPassed({ socket, forwardedFor }: Hop, trusted: TrustedProxies): number {
  if (!trusted.any) return 0
  let address = readAddress(socket ?? '')
  const hops = forwardedFor?.split(',') ?? []
  let passed = 0
  for (let index = hops.length - 1; address && trusted.has(address); index--) {
    passed++
    address = index < 0 ? null : readAddress(withoutPort((hops[index] as string).trim()))
  }
  return passed
}

const LOOPBACK = trustedProxies('127.0.0.0/8, ::1')

/** True for an address of this machine, which nothing that is sent to leaves it for. */
export function isLoopback(text: string | undefined): boolean {
  const address = readAddress(text ?? '')
  return address !== null && LOOPBACK.has(address)
}

/** Makes what tells the slots of requests apart behind these proxies. */
export function callerReader(trusted: TrustedProxies): CallerOf {
  // Node joins the fields of several lines with commas.
  return ({ socket, headers }) =>
    addressSlot({ socket: socket.remoteAddress, forwardedFor: headers['x-forwarded-for']?.toString() }, trusted)
}

/** Of `1.2.3.4:567` and `[2001:db8::1]:567`, which some proxies write, the address. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)
  if (bracketed) return bracketed[1] as string
  return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

function readAddress(text: string): Address | null {
  // fe80::1%eth0: the zone is this machine's name for a link.
  const zone = text.indexOf('%')
  const plain = zone < 0 ? text : text.slice(0, zone)
  const version = isIP(plain)
  if (version === 0 || (version === 4 && zone >= 0)) return null
  if (version === 4) return { version, text: plain, groups: [] }
  const groups = groupsOf(plain)
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high, low] = groups.slice(6) as [number, number]
    return { version: 4, text: [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'), groups: [] }
  }
  return { version: 6, text: groups.map(hex).join(':'), groups }
}

/** The eight groups of a well-formed IPv6 address. */
function groupsOf(text: string): number[] {
  const dotted = text.lastIndexOf(':') + 1
  const plain = text.includes('.') ? text.slice(0, dotted) + groupsOfDotted(text.slice(dotted)) : text
  const [left = '', right] = plain.split('::')
  const head = parts(left)
  if (right === undefined) return head
  const tail = parts(right)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function parts(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

function groupsOfDotted(text: string): string {
  const [a, b, c, d] = text.split('.').map(Number) as [number, number, number, number]
  return `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
}

function hex(group: number): string {
  return group.toString(16)
}

function family({ version }: Address): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6'
}
