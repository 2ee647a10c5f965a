import { createHash, randomUUID } from 'node:crypto'
import { KEEP_REPLIES_MS, repliesPrefix } from '../../../lake/idempotency.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { versioned } from '../../../lake/store/versioned.ts'
import { problem } from '../../kernel/problems.ts'

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

/** The state of an Idempotency-Key: in progress until it has a reply or was released. */
interface Claim {
  readonly fingerprint: string
  /** When the key was first sent, and when the running attempt began, in ms since the epoch. */
  readonly at: number
  readonly begun_at: number
  /** Makes the seed, so that the same key makes other ids after a day. A later attempt of the same request has the same one. */
  readonly nonce: string
  /** The reply as text, encrypted if it contains a secret. */
  readonly reply?: string
  /** True after a failure: the next request does the work. */
  readonly isReleased?: true
}

/** After this time in ms, one later request takes over an unanswered one. */
const ABANDONED_MS = 60_000
/** A structured string of RFC 9651 (`"…"`), or its characters without quotes. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/

/**
 * Performs a write once for each Idempotency-Key and repeats its reply for 24 hours. `work` gets a seed that is the same for each
 * attempt at the request: what it makes from it, it makes once, even if an attempt was abandoned. A problem is not repeated.
 */
export async function writeOnce(
  store: ObjectStore,
  write: IdempotentWrite,
  work: (seed: string) => Promise<RepeatableReply>,
): Promise<RepeatableReply> {
  if (write.header === undefined) return work(randomUUID())
  const { seal, now } = write
  const name = nameOf(write.header, write.scope)
  const chain = versioned<Claim>(store, repliesPrefix(name))
  const { number, value } = await chain.read()
  const fingerprint = sha256(canonical(write.payload))
  const former = value !== null && now - value.at < KEEP_REPLIES_MS ? value : null
  if (former && former.fingerprint !== fingerprint && !former.isReleased)
    throw problem('idempotency-key-reused', 'This Idempotency-Key was sent with another request in the last 24 hours.')
  if (former?.reply !== undefined) {
    const reply = JSON.parse(seal ? seal.decrypt(former.reply) : former.reply) as RepeatableReply
    return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } }
  }
  if (former && !former.isReleased && now - former.begun_at < ABANDONED_MS) throw inProgress()
  const isSame = former?.fingerprint === fingerprint
  const claim: Claim = isSame
    ? { fingerprint, at: former.at, begun_at: now, nonce: former.nonce }
    : { fingerprint, at: now, begun_at: now, nonce: randomUUID() }
  if (!(await chain.commit(number, claim))) throw inProgress()
  try {
    const reply = await work(`${name} ${claim.nonce}`)
    const text = JSON.stringify(reply)
    // If a later attempt has taken over, the reply that it stores is the same.
    await chain.commit(number + 1, { ...claim, reply: seal ? seal.encrypt(text) : text })
    return reply
  } catch (error) {
    await chain.commit(number + 1, { ...claim, isReleased: true })
    throw error
  }
}

function inProgress(): Error {
  return problem('conflict', 'The first request with this Idempotency-Key is still in progress.', { headers: { 'Retry-After': '1' } })
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
