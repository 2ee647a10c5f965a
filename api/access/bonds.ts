import { hash, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../lake/store/store.ts'
import { accountKey } from './slots.ts'

/** Object that an account lives by: made anew it has another nonce. */
export const RECORD = 'account'
const ROOT = 'tokens/'

/** What can be ended: links and all that was opened by them, or sessions alone. */
type Ended = 'links' | 'sessions'

/**
 * What the tokens of an account are bound to, as the store has it: they are over once it is something else. It is changed to something random,
 * so that no clock decides what was made before, and is read for every use, so that no process has to be told.
 */
export interface Bonds {
  /** The account from its making to its deletion. */
  readonly life: string
  /** What links and sessions were last ended by; empty where they never were. */
  readonly links: string
  /** The same of sessions alone. */
  readonly sessions: string
}

/** What the tokens of an account are bound to now; null where there is no account. */
export async function readBonds(store: ObjectStore, account: string): Promise<Bonds | null> {
  const life = await lifeOf(store, account)
  if (life === null) return null
  const [links, sessions] = await Promise.all(
    (['links', 'sessions'] as const).map(async (ended) => (await store.get(bondKey(account, life, ended)))?.toString() ?? ''),
  )
  return { life, links: links as string, sessions: sessions as string }
}

/** The part that a link or a session is bound to, as a token says it. */
export function bondOf(purpose: 'link' | 'session', { life, links, sessions }: Bonds): string {
  return hash('sha256', JSON.stringify(purpose === 'link' ? [life, links] : [life, links, sessions]), 'base64url').slice(0, 22)
}

/** Ends what was bound; gives what is bound to from now on. */
export async function changeBonds(store: ObjectStore, account: string, { bonds, ended }: { bonds: Bonds; ended: Ended }): Promise<Bonds> {
  const { life } = bonds
  const changed = { ...bonds, [ended]: randomUUID() }
  await store.put(bondKey(account, life, ended), Buffer.from(changed[ended]))
  // The account may have been removed meanwhile; nothing has this life again.
  if ((await lifeOf(store, account)) !== life) await removeBonds(store, account, life)
  return changed
}

/** Forgets what the tokens of a life that is over were bound to. */
export async function removeBonds(store: ObjectStore, account: string, life: string): Promise<void> {
  for (const ended of ['links', 'sessions'] as const) await store.delete(bondKey(account, life, ended))
}

/** Forgets it of every life but that of now: a process may have ended before it could. */
export async function removeOldBonds(store: ObjectStore, account: string): Promise<void> {
  const lives = new Set<string>()
  const prefix = accountKey(account, ROOT)
  for await (const { key } of store.list(prefix)) lives.add(key.slice(prefix.length).split('/')[0] as string)
  // Read after the list: a life that is in it and not that of now has ended, and does not begin.
  const now = lives.size === 0 ? null : await lifeOf(store, account)
  for (const life of lives) if (life !== now) await removeBonds(store, account, life)
}

/** What tells the account from those of the same address before and after it; null where there is none. */
export async function lifeOf(store: ObjectStore, account: string): Promise<string | null> {
  const bytes = await store.get(accountKey(account, RECORD))
  return bytes && (JSON.parse(bytes.toString()) as { readonly nonce: string }).nonce
}

function bondKey(account: string, life: string, ended: Ended): string {
  return accountKey(account, `${ROOT}${life}/${ended}`)
}
