import { createHash } from 'node:crypto'
import { isoInstant } from '../../lake/schema/time.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Feed, RequestSecret } from '../feeds/define.ts'

const FOLDER = 'system/keys/'
/** How long before its expiry a key is announced, ms. */
const ANNOUNCED_MS = 21 * 86_400_000

/** When the key of a variable expires, ms since the epoch. */
export interface KeyExpiry {
  readonly env: string
  readonly expires_at: number
  readonly feeds: readonly string[]
}

/**
 * The expiry (ms) that a key states as a JSON Web Token (RFC 7519): claim `exp`, else `iat` and the publisher's validity. Null if
 * it states neither or is no such token. The signature is the publisher's business.
 */
export function statedExpiry(key: string, validFor_s: number | undefined): number | null {
  const [, payload, signature] = key.split('.')
  if (payload === undefined || signature === undefined) return null
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown; readonly iat?: unknown } | null
    if (typeof claims?.exp === 'number') return claims.exp * 1000
    return typeof claims?.iat === 'number' && validFor_s !== undefined ? 1000 * (claims.iat + validFor_s) : null
  } catch {
    return null
  }
}

/**
 * The expiry of each configured key whose publisher's keys expire. A key that states none counts from its first use, which the
 * store keeps under a digest of the key.
 */
export async function keyExpiries(
  store: Pick<ObjectStore, 'get' | 'putIfAbsent'>,
  feeds: readonly Feed[],
  { secret, now }: { readonly secret: (env: string) => string | null; readonly now: number },
): Promise<KeyExpiry[]> {
  const secrets = new Map<string, RequestSecret & { readonly validFor_s: number }>()
  const users = new Map<string, string[]>()
  for (const feed of feeds)
    for (const { env, validFor_s, ...rest } of feed.plans.flatMap(({ requests }) => requests.flatMap((one) => one.secret ?? []))) {
      if (validFor_s === undefined) continue
      secrets.set(env, { env, validFor_s, ...rest })
      users.set(env, [...new Set([...(users.get(env) ?? []), feed.id])])
    }
  const found: KeyExpiry[] = []
  for (const [env, { validFor_s }] of secrets) {
    const key = secret(env)
    if (key === null) continue
    const expires_at = statedExpiry(key, validFor_s) ?? (await firstUse(store, key, now)) + 1000 * validFor_s
    found.push({ env, expires_at, feeds: users.get(env) ?? [] })
  }
  return found
}

/** The warnings about keys that expire soon or have expired, as log lines. */
export function expiryWarnings(expiries: readonly KeyExpiry[], now: number): string[] {
  return expiries.flatMap(({ env, expires_at, feeds }) => {
    if (expires_at - now > ANNOUNCED_MS) return []
    const [verb, then] = expires_at > now ? ['expires', 'will stop'] : ['expired', 'stop']
    return [`the key in ${env} ${verb} on ${isoInstant(expires_at).slice(0, 10)}: ${feeds.join(', ')} ${then}; request a new one`]
  })
}

async function firstUse(store: Pick<ObjectStore, 'get' | 'putIfAbsent'>, key: string, now: number): Promise<number> {
  const name = `${FOLDER}${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`
  const held = await store.get(name)
  if (held) return (JSON.parse(held.toString()) as { readonly first_used_at: number }).first_used_at
  await store.putIfAbsent(name, Buffer.from(JSON.stringify({ first_used_at: now })))
  return now
}
