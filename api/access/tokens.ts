import { randomBytes, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../lake/store/store.ts'
import { type Peppers, pepperOf } from './pepper.ts'

const HOUR_MS = 3_600_000
/** How long a mailed token and a session last, in ms. */
export const LINK_MS = HOUR_MS / 2
export const SESSION_MS = HOUR_MS
/** Marks of tokens that were used, by the hour in which they end. */
const USED = 'account-links/'

type Purpose = 'link' | 'session'
const PREFIXES: Readonly<Record<Purpose, string>> = { link: 'tim_', session: 'tis_' }

/** What a token says. */
interface Claim {
  readonly account: string
  /** When it ends, ms since the epoch. */
  readonly ends_at: number
  readonly nonce: string
}

/** Tokens that prove who may act on an account: signed, so that none has to be kept. */
export interface Tokens {
  /** A token to be mailed: good once, for 30 minutes. */
  link(account: string): string
  /** The account of a mailed token that can still be used; null else. Uses nothing. */
  peek(token: string): string | null
  /** The same, and uses it: of several uses, one succeeds. */
  use(token: string): Promise<string | null>
  /** A session of one hour. */
  session(account: string): string
  /** The account of a session; null where it is none of ours or over. */
  sessionAccount(session: string): string | null
  /** Forgets the uses of tokens that have ended. */
  tidy(): Promise<void>
}

/** Makes and reads tokens; `clock` gives ms. */
export function openTokens(options: { readonly store: ObjectStore; readonly peppers: Peppers; readonly clock: () => number }): Tokens {
  const { store, peppers, clock } = options
  const make = (purpose: Purpose, account: string, for_ms: number): string => {
    const { current } = peppers
    const claim = [current.version, account, clock() + for_ms, randomBytes(16).toString('hex')]
    const body = Buffer.from(JSON.stringify(claim)).toString('base64url')
    return `${PREFIXES[purpose]}${body}.${current.sign(purpose, body)}`
  }
  const read = (purpose: Purpose, token: string): Claim | null => {
    const [, body = '', signature = ''] = /^ti[ms]_([\w-]{20,400})\.([\w-]{22})$/.exec(token) ?? []
    if (!token.startsWith(PREFIXES[purpose])) return null
    if (!peppers.all.some((pepper) => pepper.isSigned(purpose, body, signature))) return null
    const [version, account, ends_at, nonce] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, string, number, string]
    if (!pepperOf(peppers, version).isSigned(purpose, body, signature) || clock() >= ends_at) return null
    return { account, ends_at, nonce }
  }
  return {
    link: (account) => make('link', account, LINK_MS),
    peek: (token) => read('link', token)?.account ?? null,
    use: async (token) => {
      const claim = read('link', token)
      if (!claim) return null
      const isFirst = await store.putIfAbsent(`${USED}${hourOf(claim.ends_at)}/${claim.nonce}`, Buffer.from(randomUUID()))
      return isFirst ? claim.account : null
    },
    session: (account) => make('session', account, SESSION_MS),
    sessionAccount: (session) => read('session', session)?.account ?? null,
    tidy: async () => {
      const now = hourOf(clock())
      for await (const { key } of store.list(USED)) {
        if ((key.slice(USED.length).split('/')[0] as string) >= now) return
        await store.delete(key)
      }
    },
  }
}

/** An hour as a name that sorts by time: `2026-11-22T05`. */
function hourOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 13)
}
