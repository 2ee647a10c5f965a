import { hash, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { accountKey } from '../keys/slots.ts'

/** Object with the epoch of an account: a new account has another nonce. */
export const RECORD = 'account'
const ROOT = 'tokens/'

/** What can be ended: links and all sessions opened by them, or only sessions. */
type Ended = 'links' | 'sessions'

/**
 * The epochs that an account's tokens are bound to, from the store. A token is invalid once its epoch has changed. Epochs are
 * random, so no clock decides which token is older. They are read for every use, so no process needs a notification.
 */
export interface TokenEpochs {
  /** The account, from its creation to its deletion. */
  readonly life: string
  /** Set when links and sessions are ended; empty if they never were. */
  readonly links: string
  /** The same for sessions alone. */
  readonly sessions: string
}

/** Returns the current epochs of an account; null if there is no account. */
export async function readEpochs(store: ObjectStore, account: string): Promise<TokenEpochs | null> {
  const life = await lifeOf(store, account)
  if (life === null) return null
  const [links, sessions] = await Promise.all(
    (['links', 'sessions'] as const).map(async (ended) => (await store.get(epochKey(account, life, ended)))?.toString() ?? ''),
  )
  return { life, links: links as string, sessions: sessions as string }
}

/** Returns the epoch of a link or a session, as a token contains it. */
export function epochOf(purpose: 'link' | 'session', { life, links, sessions }: TokenEpochs): string {
  return hash('sha256', JSON.stringify(purpose === 'link' ? [life, links] : [life, links, sessions]), 'base64url').slice(0, 22)
}

/** Ends links or sessions, and returns the new epochs. */
export async function changeEpochs(
  store: ObjectStore,
  account: string,
  { epochs, ended }: { epochs: TokenEpochs; ended: Ended },
): Promise<TokenEpochs> {
  const { life } = epochs
  const changed = { ...epochs, [ended]: randomUUID() }
  await store.put(epochKey(account, life, ended), Buffer.from(changed[ended]))
  // The account may have been removed meanwhile. No other account ever has this life.
  if ((await lifeOf(store, account)) !== life) await removeEpochs(store, account, life)
  return changed
}

/** Deletes the epochs of a deleted account. */
export async function removeEpochs(store: ObjectStore, account: string, life: string): Promise<void> {
  for (const ended of ['links', 'sessions'] as const) await store.delete(epochKey(account, life, ended))
}

/** Deletes all epochs but the current ones: a process may have ended before it could. */
export async function removeOldEpochs(store: ObjectStore, account: string): Promise<void> {
  const lives = new Set<string>()
  const prefix = accountKey(account, ROOT)
  for await (const { key } of store.list(prefix)) lives.add(key.slice(prefix.length).split('/')[0] as string)
  // Read after the list: a life that is listed and not current has ended for good.
  const now = lives.size === 0 ? null : await lifeOf(store, account)
  for (const life of lives) if (life !== now) await removeEpochs(store, account, life)
}

/** Returns the nonce that distinguishes an account from others of the same address; null if there is none. */
export async function lifeOf(store: ObjectStore, account: string): Promise<string | null> {
  const bytes = await store.get(accountKey(account, RECORD))
  return bytes && (JSON.parse(bytes.toString()) as { readonly nonce: string }).nonce
}

function epochKey(account: string, life: string, ended: Ended): string {
  return accountKey(account, `${ROOT}${life}/${ended}`)
}
