import { randomBytes, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type Peppers, pepperOf } from '../keys/pepper.ts'
import { changeEpochs, epochOf, readEpochs, type TokenEpochs } from './token-epochs.ts'

const HOUR_MS = 3_600_000
/** How long a mailed token and a session last, in ms. */
export const LINK_MS = HOUR_MS / 2
export const SESSION_MS = HOUR_MS
/** Marks of used tokens, by the hour in which they expire. */
const USED = 'account-links/'

type Purpose = 'link' | 'session'
const PREFIXES: Readonly<Record<Purpose, string>> = { link: 'tim_', session: 'tis_' }

/** The content of a token. */
interface Claim {
  readonly account: string
  /** When it expires, ms since the epoch. */
  readonly ends_at: number
  readonly nonce: string
  /** The epoch of the account that it is bound to; see `epochOf`. */
  readonly bond: string
}

/** A valid session. */
export interface Session {
  readonly account: string
  /** When it expires, ms since the epoch. */
  readonly ends_at: number
  readonly epochs: TokenEpochs
}

/**
 * Tokens that prove who may act on an account. They are signed, so that none has to be stored, and bound to an epoch in the
 * store, so that all can be ended.
 */
export interface Tokens {
  /** Makes a token to be mailed: valid once, for 30 minutes. Null if the account does not exist. */
  link(account: string): Promise<string | null>
  /** Returns the account of a mailed token that is still valid, otherwise null. Does not use up the token. */
  peek(token: string): Promise<string | null>
  /** Opens a session of one hour and uses up the mailed token. Of several uses one succeeds; the others get null. */
  open(token: string): Promise<Session | null>
  /** Returns the text of a session, for its cookie. */
  textOf(session: Session): string
  /** Returns the session of a text; null if it is forged, expired or ended. */
  session(text: string): Promise<Session | null>
  /** Ends all sessions of the account. */
  endSessions(session: Session): Promise<void>
  /** Ends all sessions and links of the account. Returns the caller's new session, for the rest of its time. */
  endAll(session: Session): Promise<Session>
  /** Deletes the marks of expired tokens. */
  tidy(): Promise<void>
}

/** Makes and reads tokens; `clock` returns ms. */
export function openTokens(options: { readonly store: ObjectStore; readonly peppers: Peppers; readonly clock: () => number }): Tokens {
  const { store, peppers, clock } = options
  const make = (purpose: Purpose, { account, ends_at, epochs }: Session): string => {
    const { current } = peppers
    const claim = [current.version, account, ends_at, randomBytes(16).toString('hex'), epochOf(purpose, epochs)]
    const body = Buffer.from(JSON.stringify(claim)).toString('base64url')
    return `${PREFIXES[purpose]}${body}.${current.sign(purpose, body)}`
  }
  const read = (purpose: Purpose, token: string): Claim | null => {
    const [, body = '', signature = ''] = /^ti[ms]_([\w-]{20,400})\.([\w-]{22})$/.exec(token) ?? []
    if (!token.startsWith(PREFIXES[purpose])) return null
    if (!peppers.all.some((pepper) => pepper.isSigned(purpose, body, signature))) return null
    const claim = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, string, number, string, string]
    const [version, account, ends_at, nonce, bond] = claim
    if (!pepperOf(peppers, version).isSigned(purpose, body, signature) || clock() >= ends_at) return null
    return { account, ends_at, nonce, bond }
  }
  /** Returns the content of a valid token and its account's epochs. The store is read only for tokens of ours. */
  const check = async (purpose: Purpose, token: string): Promise<(Claim & { readonly epochs: TokenEpochs }) | null> => {
    const claim = read(purpose, token)
    const epochs = claim && (await readEpochs(store, claim.account))
    return epochs && epochOf(purpose, epochs) === claim.bond ? { ...claim, epochs } : null
  }
  return {
    link: async (account) => {
      const epochs = await readEpochs(store, account)
      return epochs && make('link', { account, ends_at: clock() + LINK_MS, epochs })
    },
    peek: async (token) => (await check('link', token))?.account ?? null,
    open: async (token) => {
      const claim = await check('link', token)
      if (!claim) return null
      const { account, ends_at, nonce, epochs } = claim
      const isFirst = await store.putIfAbsent(`${USED}${hourOf(ends_at)}/${nonce}`, Buffer.from(randomUUID()))
      // Bound to the epoch of the link: whatever ends the link from here on also ends the session.
      return isFirst ? { account, ends_at: clock() + SESSION_MS, epochs } : null
    },
    textOf: (session) => make('session', session),
    session: async (text) => await check('session', text),
    endSessions: async ({ account, epochs }) => void (await changeEpochs(store, account, { epochs, ended: 'sessions' })),
    // Bound to the epoch written here: of two concurrent calls, one session continues.
    endAll: async (session) => ({
      ...session,
      epochs: await changeEpochs(store, session.account, { epochs: session.epochs, ended: 'links' }),
    }),
    tidy: async () => {
      const now = hourOf(clock())
      for await (const { key } of store.list(USED)) {
        if ((key.slice(USED.length).split('/')[0] as string) >= now) return
        await store.delete(key)
      }
    },
  }
}

/** Returns an hour as a name that sorts by time: `2026-11-22T05`. */
function hourOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 13)
}
