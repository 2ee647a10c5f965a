import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Json } from '../../../lake/schema/columns.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { problem } from '../../kernel/problems.ts'

const SECRET_KEY = 'system/cursor-secret'
const HOUR_MS = 3_600_000
/** Binding of stamped texts: not a path, so no stamped text passes for a cursor. */
const STAMP = 'stamp'
const STAMPED = /^([^\n]{1,1000})\.([A-Za-z0-9_-]{22})$/
const FORM = /^([A-Za-z0-9_-]{4,1900})\.([A-Za-z0-9_-]{22})$/

/**
 * Makes and reads cursors, signed against forgery and bound to the request they continue. Also signs names that are not secret.
 */
export interface Cursors {
  /** Makes a cursor at `position`, valid for `hours` from `now`, rounded up to the hour. */
  seal(position: Json, options: { readonly bind: string; readonly now: number; readonly hours: number }): string
  /** Returns the position of a cursor. Throws `invalid-cursor` if it is forged, has expired or belongs to another request. */
  open(text: string, options: { readonly bind: string; readonly now: number }): Json
  /** Returns the one-line text with a signature appended: readable, and safe against forgery. */
  stamp(text: string): string
  /** Returns the text of a stamped one; null if the signature is invalid. */
  stamped(text: string): string | null
}

/** Returns the secret that signs cursors. It is created on first use and stored with the data, so cursors survive restarts. */
export async function cursorSecret(store: ObjectStore): Promise<Buffer> {
  const there = await store.get(SECRET_KEY)
  if (there) return Buffer.from(there.toString(), 'hex')
  await store.putIfAbsent(SECRET_KEY, Buffer.from(randomBytes(32).toString('hex')))
  const made = await store.get(SECRET_KEY)
  if (!made) throw new Error(`${SECRET_KEY} cannot be read from ${store.url}`)
  return Buffer.from(made.toString(), 'hex')
}

/** Makes cursors with a secret. `bind` (path, filters and sort of the request) is signed but not stored in the cursor. */
export function cursors(secret: Buffer): Cursors {
  const key = createSecretKey(secret)
  const sign = (bind: string, body: string): Buffer => createHmac('sha256', key).update(`${bind}\n${body}`).digest().subarray(0, 16)
  return {
    seal(position, { bind, now, hours }) {
      const hour = Math.ceil(now / HOUR_MS) + hours
      const body = Buffer.from(JSON.stringify([hour, position])).toString('base64url')
      return `${body}.${sign(bind, body).toString('base64url')}`
    },
    open(text, { bind, now }) {
      const [, body, signature] = FORM.exec(text) ?? []
      if (!body || !signature || !timingSafeEqual(sign(bind, body), Buffer.from(signature, 'base64url')))
        throw invalid('it was not given by this service for a request with these filters and this sort')
      const [hour, position] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, Json]
      if (now >= hour * HOUR_MS) throw invalid('it has expired')
      return position
    },
    stamp: (text) => `${text}.${sign(STAMP, text).toString('base64url')}`,
    stamped(text) {
      const [, plain, signature] = STAMPED.exec(text) ?? []
      if (!plain || !signature || !timingSafeEqual(sign(STAMP, plain), Buffer.from(signature, 'base64url'))) return null
      return plain
    },
  }
}

function invalid(why: string): Error {
  const detail = `cursor: ${why}; expected the next_cursor of the reply before, unchanged; start again without it`
  return problem('invalid-cursor', detail, { errors: [{ parameter: 'cursor', detail }] })
}
