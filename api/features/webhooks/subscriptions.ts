import { createHash } from 'node:crypto'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type Versioned, versioned, versionOf } from '../../../lake/store/versioned.ts'
import { type Peppers, sealed, unsealed } from '../../auth/keys/pepper.ts'

/** An encrypted secret of a subscription: a copy of the store does not reveal it. Times are ms since the epoch. */
interface SealedSecret {
  readonly sealed: string
  readonly created_at: number
  /** When it becomes invalid; null for the current one. */
  readonly ends_at: number | null
}

/** A subscription in the state of its account. */
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
  /** Batch of the log of events after which it was last turned on or given another filter; absent until then. */
  readonly changed_after?: number
  /** Batch of the log of events after which it begins. */
  readonly after: number
}

/** Most subscriptions of one account. */
export const MAX_SUBSCRIPTIONS = 50
/** How long a rotated secret remains valid, in ms. */
export const ROTATION_MS = 86_400_000
/** Channel with the account of a changed subscription, or `command` for a new command. */
export const WEBHOOKS_CHANNEL = 'webhooks:changed'

const PREFIX = 'webhooks/subscriptions/'

/** All subscriptions of an account, oldest first. One state, so that no change is lost and the most is kept. */
interface AccountWebhooks {
  readonly webhooks: readonly Subscription[]
}

/** The newest state of an account's subscriptions, as listed. */
export interface ListedAccount {
  readonly account: string
  /** Changes with each change of a subscription. */
  readonly version: string
}

/** Returns the id of a new subscription: the same for the same account and seed, so that a repeated request makes one. */
export function subscriptionId(account: string, seed: string): string {
  return `wh_${createHash('sha256').update(`webhook ${account} ${seed}`).digest('hex').slice(0, 20)}`
}

/**
 * Returns the new secret of a subscription, which its owner sees once. It is the same for the same seed, so that a repeated
 * request returns the stored one; without the pepper, which is not in the store, nobody can compute it.
 */
export function newSecret(peppers: Peppers, id: string, seed: string): string {
  return `whsec_${Buffer.from(peppers.current.hash(`webhook secret ${id} ${seed}`), 'hex').toString('base64')}`
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

/** Returns when the rotation of a subscription's secret ends (ms); null if none runs. */
export function rotationEnd({ secrets }: Pick<Subscription, 'secrets'>, now: number): number | null {
  const ends = secrets.map(({ ends_at }) => ends_at ?? 0).filter((end) => end > now)
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Returns the secrets after a rotation: the new one, and for a day the former one. */
export function rotated(secrets: readonly SealedSecret[], added: SealedSecret): SealedSecret[] {
  const former = secrets.filter(({ ends_at }) => ends_at === null)
  return [added, ...former.map((one) => ({ ...one, ends_at: added.created_at + ROTATION_MS }))]
}

/** Returns the subscriptions of an account, oldest first. */
export async function readSubscriptions(store: ObjectStore, account: string): Promise<readonly Subscription[]> {
  return (await chain(store, account).read()).value?.webhooks ?? []
}

/**
 * Replaces the subscriptions of an account by what `decide` returns for the newest ones, again after each concurrent change.
 * Nothing is written if it returns the same list. What it throws is thrown.
 */
export async function changeSubscriptions(
  store: ObjectStore,
  account: string,
  decide: (webhooks: readonly Subscription[]) => readonly Subscription[],
): Promise<void> {
  await chain(store, account).update((value) => {
    const { webhooks } = value ?? NONE
    const next = decide(webhooks)
    return next === webhooks ? (value ?? NONE) : { webhooks: next }
  })
}

/** Deletes all objects of an account's subscriptions but their newest version: earlier ones have URLs and secrets. */
export async function forgetFormer(store: ObjectStore, account: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(`${PREFIX}${account}/`)) keys.push(key)
  const newest = keys.findLast((key) => versionOf(key) !== null)
  for (const key of keys) if (key !== newest) await store.delete(key)
}

/** Returns the accounts that have or had subscriptions. */
export async function listAccounts(store: ObjectStore, account?: string): Promise<ListedAccount[]> {
  const found = new Map<string, string>()
  for await (const { key, modified_at } of store.list(account === undefined ? PREFIX : `${PREFIX}${account}/`)) {
    const [owner = ''] = key.slice(PREFIX.length).split('/')
    const number = versionOf(key)
    // Objects of one subscription each, of earlier releases, count until the first version.
    if (number !== null) found.set(owner, String(number))
    else if (!/^\d+$/.test(found.get(owner) ?? '')) found.set(owner, `${found.get(owner) ?? ''} ${key} ${modified_at}`)
  }
  return [...found].map(([account, version]) => ({ account, version }))
}

const NONE: AccountWebhooks = { webhooks: [] }

function chain(store: ObjectStore, account: string): Versioned<AccountWebhooks> {
  const prefix = `${PREFIX}${account}/`
  return versioned(store, prefix, { unversioned: () => readSingleObjects(store, prefix) })
}

/** Reads the subscriptions that earlier releases stored in an object each; null if there are none. */
async function readSingleObjects(store: ObjectStore, prefix: string): Promise<AccountWebhooks | null> {
  const webhooks: Subscription[] = []
  for await (const { key } of store.list(prefix)) {
    const bytes = key.endsWith('.json') ? await store.get(key) : null
    if (bytes) webhooks.push(JSON.parse(bytes.toString()) as Subscription)
  }
  return webhooks.length === 0 ? null : { webhooks: webhooks.toSorted((one, other) => one.created_at - other.created_at) }
}
