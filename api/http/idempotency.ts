import { createHash, randomUUID } from 'node:crypto'
import { KEEP_REPLIES_MS, replyKeys } from '../../lake/idempotency.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { problem } from '../define/problems.ts'

/** A reply that is repeated for the same Idempotency-Key. */
export interface RepeatableReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** A write that may be sent again. */
export interface IdempotentWrite {
  /** The header `Idempotency-Key` as it was sent. */
  readonly header: string | undefined
  /** Account and operation of the key: the same header of another account is another key. */
  readonly scope: string
  /** The payload of the request. The same key with another payload is refused. */
  readonly payload: Json
  readonly now: number
  /** Encrypts the stored reply if it contains a secret. */
  readonly seal?: { readonly encrypt: (text: string) => string; readonly decrypt: (text: string) => string }
}

interface Claim {
  readonly fingerprint: string
  readonly at: number
  /** Distinguishes the claims of two requests, see `ObjectStore.putIfAbsent`. */
  readonly by: string
}

/** After this time in ms, the next request takes over an unanswered one. */
const ABANDONED_MS = 60_000
/** A structured string of RFC 9651 (`"…"`), or its characters without quotes. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/

/**
 * Performs a write once for each Idempotency-Key and repeats its reply for 24 hours. `work` gets a seed that is the same for the
 * same key. Ids made from it prevent a second write if the process died before the reply was stored. A problem is not repeated.
 */
export async function writeOnce(
  store: ObjectStore,
  write: IdempotentWrite,
  work: (seed: string) => Promise<RepeatableReply>,
): Promise<RepeatableReply> {
  if (write.header === undefined) return work(randomUUID())
  const name = nameOf(write.header, write.scope)
  const { claim: claimKey, reply: replyKey } = replyKeys(name)
  const { seal, now } = write
  const mine: Claim = { fingerprint: sha256(canonical(write.payload)), at: now, by: randomUUID() }
  const there = await claim(store, claimKey, mine)
  if (there) {
    if (now - there.at >= KEEP_REPLIES_MS) {
      await store.delete(replyKey)
      await store.put(claimKey, Buffer.from(JSON.stringify(mine)))
    } else {
      if (there.fingerprint !== mine.fingerprint)
        throw problem('idempotency-key-reused', 'This Idempotency-Key was sent with another request in the last 24 hours.')
      const stored = (await store.get(replyKey))?.toString()
      if (stored !== undefined) {
        const reply = JSON.parse(seal ? seal.decrypt(stored) : stored) as RepeatableReply
        return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } }
      }
      if (now - there.at < ABANDONED_MS)
        throw problem('conflict', 'The first request with this Idempotency-Key is still in progress.', {
          headers: { 'Retry-After': '1' },
        })
    }
  }
  try {
    const reply = await work(name)
    const text = JSON.stringify(reply)
    await store.put(replyKey, Buffer.from(seal ? seal.encrypt(text) : text))
    return reply
  } catch (error) {
    await store.delete(claimKey)
    throw error
  }
}

/** Claims a key, or returns the existing claim of an earlier request. */
async function claim(store: ObjectStore, key: string, mine: Claim): Promise<Claim | null> {
  if (await store.putIfAbsent(key, Buffer.from(JSON.stringify(mine)))) return null
  const bytes = await store.get(key)
  // It was deleted in between: its request failed, so this one may do the work.
  return bytes ? (JSON.parse(bytes.toString()) as Claim) : null
}

function nameOf(header: string, scope: string): string {
  const [, quoted, bare] = KEY.exec(header.trim()) ?? []
  const key = quoted ?? bare
  if (key === undefined)
    throw problem(
      'invalid-parameter',
      'The Idempotency-Key must be a string of 1 to 255 ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".',
      {
        errors: [{ detail: 'expected a quoted string, such as a UUID', parameter: 'Idempotency-Key' }],
      },
    )
  return sha256(JSON.stringify([scope, key]))
}

/** Writes JSON with ordered object members, so that the same payload has one text. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_name, one: Json) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
