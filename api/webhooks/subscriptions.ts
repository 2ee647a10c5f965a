import { createHash, randomBytes } from 'node:crypto'
import type { ObjectStore } from '../../lake/store/store.ts'
import { type Peppers, sealed, unsealed } from '../access/pepper.ts'

/** An encrypted secret of a subscription: a copy of the store does not reveal it. Times are ms since the epoch. */
interface SealedSecret {
  readonly sealed: string
  readonly created_at: number
  /** When it becomes invalid; null for the current one. */
  readonly ends_at: number | null
}

/** A subscription in the store. */
export interface Subscription {
  readonly id: string
  readonly account: string
  readonly url: string
  readonly description: string | null
  /** The filter as it was given, see `filter.ts`. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly secrets: readonly SealedSecret[]
  readonly created_at: number
  /** False while the owner has turned it off. */
  readonly enabled: boolean
  /** When the owner last turned it on; what disabled it before no longer counts. */
  readonly enabled_at: number
  /** Batch of the log of events after which it begins. */
  readonly after: number
}

/** Most subscriptions of one account. */
export const SUBSCRIPTIONS_MOST = 50
/** How long a rotated secret remains valid, in ms. */
export const ROTATION_MS = 86_400_000
/** Channel with `<account>/<id>` of a changed subscription, or `command` for a new command. */
export const WEBHOOKS_CHANNEL = 'webhooks:changed'

const PREFIX = 'webhooks/subscriptions/'
const SECRET_BYTES = 32

/** Key of a subscription's object. */
export function subscriptionKey(account: string, id: string): string {
  return `${PREFIX}${account}/${id}.json`
}

/** Returns the id of a new subscription: the same for the same account and seed, so that a repeated request makes one. */
export function subscriptionId(account: string, seed: string): string {
  return `wh_${createHash('sha256').update(`webhook ${account} ${seed}`).digest('hex').slice(0, 20)}`
}

/** Makes a new secret, which its owner sees once. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Encrypts a secret for the store. */
export function sealSecret(peppers: Peppers, secret: string, { id, at }: { readonly id: string; readonly at: number }): SealedSecret {
  return { sealed: sealed(peppers, secret, `webhook ${id}`), created_at: at, ends_at: null }
}

/** Returns the secrets of a subscription that are valid at an instant, newest first. */
export function secretsOf(peppers: Peppers, { id, secrets }: Pick<Subscription, 'id' | 'secrets'>, now: number): string[] {
  return secrets
    .filter(({ ends_at }) => ends_at === null || ends_at > now)
    .toSorted((one, other) => other.created_at - one.created_at)
    .map((secret) => unsealed(peppers, secret.sealed, `webhook ${id}`))
}

/** Returns the secrets after a rotation: the new one, and the former current one for a day. */
export function rotated(secrets: readonly SealedSecret[], added: SealedSecret): SealedSecret[] {
  const kept = secrets.filter(({ ends_at }) => ends_at === null).map((one) => ({ ...one, ends_at: added.created_at + ROTATION_MS }))
  return [added, ...kept]
}

/** Reads a subscription; null if there is none. */
export async function readSubscription(store: ObjectStore, account: string, id: string): Promise<Subscription | null> {
  if (!/^wh_[0-9a-f]{20}$/.test(id)) return null
  const bytes = await store.get(subscriptionKey(account, id))
  return bytes && (JSON.parse(bytes.toString()) as Subscription)
}

/** Writes a subscription. */
export async function writeSubscription(store: ObjectStore, subscription: Subscription): Promise<void> {
  await store.put(subscriptionKey(subscription.account, subscription.id), Buffer.from(JSON.stringify(subscription)))
}

/** Returns the keys of subscriptions and when each was last written, of one account or of all. */
export async function listSubscriptions(
  store: ObjectStore,
  account?: string,
): Promise<{ readonly account: string; readonly id: string; readonly modified_at: number }[]> {
  const found: { account: string; id: string; modified_at: number }[] = []
  for await (const { key, modified_at } of store.list(account === undefined ? PREFIX : `${PREFIX}${account}/`)) {
    const [owner = '', file = ''] = key.slice(PREFIX.length).split('/')
    found.push({ account: owner, id: file.slice(0, -'.json'.length), modified_at })
  }
  return found
}
