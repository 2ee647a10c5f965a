import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Proxies whose X-Forwarded-For is believed. */
export interface TrustedProxies {
  has(address: Address): boolean
  /** False if the list is empty. */
  readonly any: boolean
}

/** Returns the slot of the address that a request is charged to; see `addressSlot`. */
export type CallerOf = (request: IncomingMessage) => string

/** Where a request came from. */
export interface Hop {
  /** Address of the other end of the connection; undefined if it has closed. */
  readonly socket: string | undefined
  /** X-Forwarded-For as received, repeated headers joined by commas. */
  readonly forwardedFor: string | undefined
}

/** Reads a list of proxies: addresses or CIDR ranges, separated by commas or spaces. Throws if an entry is neither. */
export function trustedProxies(list: string): TrustedProxies {
  const ranges = readRanges(list)
  return {
    any: ranges.length > 0,
    has: (address) => ranges.some((range) => isWithin(address, range)),
  }
}

/** A range of addresses: one of them, and the bits that all have in common. */
export type AddressRange = readonly [Address, number]

/** Reads addresses or CIDR ranges, separated by commas or spaces. Throws if an entry is neither. */
export function readRanges(list: string): AddressRange[] {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(readRange)
}

/** True for an address of a range. */
export function isWithin(address: Address, [range, bits]: AddressRange): boolean {
  return range.kind() === address.kind() && address.match(range as never, bits)
}

function readRange(entry: string): AddressRange {
  const [given = '', length, ...more] = entry.split('/')
  const address = readAddress(given)
  // The 96 bits in front of a mapped IPv4 address are not part of its prefix.
  const mapped = address?.kind() === 'ipv4' && isIP(given) === 6 ? 96 : 0
  const bits = address?.kind() === 'ipv4' ? 32 : 128
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) - mapped : -1
  if (!address || more.length > 0 || prefix < 0 || prefix > bits) throw new Error(`${entry} is neither an address nor a CIDR range`)
  return [address, prefix]
}

/**
 * Returns the slot of the address that a request is charged to: its connection's other end or, behind trusted proxies, the
 * right-most untrusted address of X-Forwarded-For. Addresses further left may be forged. For IPv6 the /64 counts, the least a
 * customer gets.
 */
export function addressSlot({ socket, forwardedFor }: Hop, trusted: TrustedProxies): string {
  let address = readAddress(socket ?? '')
  if (!address) return 'ip:unknown'
  const hops = forwardedFor?.split(',') ?? []
  for (let index = hops.length - 1; index >= 0 && trusted.has(address); index--) {
    const hop = readAddress(withoutPort((hops[index] as string).trim()))
    // A proxy that hides its client ('unknown', RFC 7239) is charged itself.
    if (!hop) break
    address = hop
  }
  if (address instanceof ipaddr.IPv4) return `ip4:${address}`
  const network = address.parts.slice(0, 4).map((part) => part.toString(16))
  return `ip6:${network.join(':')}::/64`
}

/** Returns the number of trusted proxies that a request passed. The caller connected to the outermost of them. */
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

/** True for an address of this machine: requests to it never leave the machine. */
export function isLoopback(text: string | undefined): boolean {
  return readAddress(text ?? '')?.range() === 'loopback'
}

/** Makes the function that returns the slot of a request's address behind these proxies. */
export function callerReader(trusted: TrustedProxies): CallerOf {
  // Node joins the fields of several lines with commas.
  return ({ socket, headers }) =>
    addressSlot({ socket: socket.remoteAddress, forwardedFor: headers['x-forwarded-for']?.toString() }, trusted)
}

/** Removes the port that some proxies append: `1.2.3.4:567` and `[2001:db8::1]:567`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)
  if (bracketed) return bracketed[1] as string
  return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

/** Reads an address; an IPv4-mapped IPv6 address (::ffff:a.b.c.d) is read as IPv4. */
function readAddress(text: string): Address | null {
  // The library alone would also accept 0x7f.1 and the like.
  return isIP(text) === 0 ? null : ipaddr.process(text)
}
