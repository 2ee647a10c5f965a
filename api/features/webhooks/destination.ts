import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type AddressRange, isWithin, readRanges } from '../../auth/limits/address.ts'
import { problem } from '../../kernel/problems.ts'

/** Rules for the receivers of webhooks. */
export interface DestinationRules {
  /** Whether http:// and any port of this machine are allowed: for tests and trials, never with live data. */
  readonly loopback: boolean
  /** Private networks of the operator; none by default. */
  readonly networks?: readonly AddressRange[]
  /** Resolves a host name; by DNS by default. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

/** An address of a receiver. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Why a receiver is not contacted. */
export class UnsafeDestination extends Error {
  override readonly name = 'UnsafeDestination'
}

const PORTS: readonly string[] = ['', '443', '8443']
const MAX_URL = 2000
/** Addresses of clouds' own services that look public or private: of Azure, Alibaba and AWS. */
const METADATA: readonly string[] = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']
/** Networks that an operator may own (RFC 1918, 6598 and 4193). */
const PRIVATE = '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7'
const DNS_MS = 3000

/** Reads the URL of a receiver. Throws a problem that explains what is wrong. */
export function destinationOf(text: string, { loopback, networks = [] }: DestinationRules): URL {
  const refuse = (detail: string): never => {
    throw problem('unsafe-webhook-url', `url: ${detail}`, { errors: [{ pointer: '/url', detail }] })
  }
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null
  if (!url) return refuse(`expected an https:// address of at most ${MAX_URL} characters`)
  if (url.username !== '' || url.password !== '') return refuse('user and password are not allowed in it')
  const host = hostOf(url)
  if (loopback && isLoopbackName(host) && /^https?:$/.test(url.protocol)) return url
  if (url.protocol !== 'https:') return refuse('expected https://')
  if (!PORTS.includes(url.port)) return refuse('expected port 443 or 8443')
  if (isLoopbackName(host)) return refuse('the address belongs to this machine')
  if (isIP(host) !== 0 && !isPublic(host) && !isOwn(host, networks)) return refuse('the address is not on the public internet')
  // With networks of the operator's a private name may be right: each attempt checks its addresses.
  if (isIP(host) === 0 && networks.length === 0 && (!host.includes('.') || /\.(local|localhost|internal|lan|home\.arpa)\.?$/i.test(host)))
    return refuse('the host name is not on the public internet')
  return url
}

/**
 * Resolves the host of a receiver and checks every address, since any may be used. Throws `UnsafeDestination` if one is neither
 * public nor of the operator's networks.
 */
export async function addressesOf(url: URL, { loopback, networks = [], resolve = resolveByDns }: DestinationRules): Promise<Address[]> {
  const host = hostOf(url)
  const found = isIP(host) === 0 ? await resolve(host) : [host]
  if (found.length === 0) throw new Error(`${host} has no address`)
  return found.map((address) => {
    const family = isIP(address)
    const isAllowed = isPublic(address) || isOwn(address, networks) || (loopback && isLoopbackName(host) && isLoopbackAddress(address))
    if (family === 0 || !isAllowed) throw new UnsafeDestination(`${host} is at ${address}, which is not on the public internet`)
    return { address, family: family as 4 | 6 }
  })
}

/** True for an address of the public internet: not private, loopback, link-local, shared, reserved, mapped or tunnelled. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address) || METADATA.includes(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // The only range of IPv6 that is routed today (IANA); none of its addresses is mapped to IPv4.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'))
}

/** Reads the operator's own networks. Throws for an entry that is not part of a private network. */
export function readNetworks(list: string): readonly AddressRange[] {
  const parts = readRanges(PRIVATE)
  for (const [address, bits] of readRanges(list))
    if (!parts.some((part) => bits >= part[1] && isWithin(address, part)))
      throw new Error(`${address}/${bits} is not a private network; expected parts of ${PRIVATE}`)
  return readRanges(list)
}

/** True for an address of the operator's networks. */
function isOwn(address: string, networks: readonly AddressRange[]): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return !METADATA.includes(parsed.toString()) && networks.some((network) => isWithin(parsed, network))
}

async function resolveByDns(host: string): Promise<readonly string[]> {
  if (isLoopbackName(host)) return ['127.0.0.1']
  // Not the system's resolver: a slow name would block file access of the whole process.
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (addresses.length === 0) throw (found[0] as PromiseRejectedResult).reason
  return addresses
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host)
}

function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}
