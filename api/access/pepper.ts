import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * The secret of the service: keys and e-mail addresses are stored as hashes that nobody can make without it, and what has to be read again
 * is sealed with it. It never lies in the store, so that a copy of the store tells nothing of either.
 */
export interface Pepper {
  /** Grows when a new secret takes the place of another; every record says which one it was made with. */
  readonly version: number
  /** HMAC-SHA-256 of a key or an address, as 64 hexadecimal digits. */
  hash(text: string): string
  /** Encrypts a text (AES-256-GCM); what it belongs to is bound to it, so that it opens nowhere else. */
  seal(text: string, belongsTo: string): string
  /** The text that was sealed; throws where it was changed or belongs elsewhere. */
  unseal(sealed: string, belongsTo: string): string
  /** Signature of a text for one purpose, 22 characters. */
  sign(purpose: string, text: string): string
  /** True where the signature is that of the text; takes the same time wherever they differ. */
  isSigned(purpose: string, text: string, signature: string): boolean
  /** Tells one secret from another without telling it: for the store, which then refuses a wrong one. */
  readonly fingerprint: string
}

/** The secrets in use: the first one makes, all of them read. */
export interface Peppers {
  readonly current: Pepper
  readonly all: readonly Pepper[]
}

const FORM = /^[1-9]\d{0,3}:[0-9a-f]{64}$/
const IV_BYTES = 12
const TAG_BYTES = 16

/** Reads secrets, such as `2:<64 hexadecimal digits>,1:<…>`, the current one first. The error of a malformed text does not repeat it. */
export function parsePeppers(text: string): Peppers {
  const all = text
    .trim()
    .split(/[\s,]+/)
    .map((one) => {
      if (!FORM.test(one))
        throw new Error('a key pepper is written <version>:<64 hexadecimal digits>; several with commas, the current one first')
      const [version = '', secret = ''] = one.split(':')
      return makePepper(Number(version), Buffer.from(secret, 'hex'))
    })
  if (new Set(all.map(({ version }) => version)).size < all.length) throw new Error('two key peppers have the same version')
  return Object.freeze({ current: all[0] as Pepper, all })
}

/** A new secret of version 1, as `parsePeppers` reads it. */
export function newPepperText(): string {
  return `1:${randomBytes(32).toString('hex')}`
}

/** The secret of a version; throws where it is not at hand. */
export function pepperOf(peppers: Peppers, version: number): Pepper {
  const found = peppers.all.find((one) => one.version === version)
  if (!found) throw new Error(`the key pepper of version ${version} is not configured`)
  return found
}

function makePepper(version: number, secret: Buffer): Pepper {
  const derived = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32))
  const [sealing, signing] = [derived('seal'), derived('sign')]
  // As a key object an HMAC takes 4 µs, of plain bytes 28 (measured): it is made for every request with a key.
  const hashing = createSecretKey(secret)
  const sign = (purpose: string, text: string): Buffer =>
    createHmac('sha256', signing).update(`${purpose}\n${text}`).digest().subarray(0, 16)
  return Object.freeze({
    version,
    fingerprint: derived('fingerprint').toString('hex').slice(0, 16),
    hash: (text: string) => createHmac('sha256', hashing).update(text).digest('hex'),
    seal: (text: string, belongsTo: string) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(belongsTo))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    unseal: (sealed: string, belongsTo: string) => {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(belongsTo))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
    },
    sign: (purpose: string, text: string) => sign(purpose, text).toString('base64url'),
    isSigned: (purpose: string, text: string, signature: string) => {
      const given = Buffer.from(signature, 'base64url')
      const made = sign(purpose, text)
      return given.length === made.length && timingSafeEqual(given, made)
    },
  })
}

/** Seals a text with the current secret, and says which that is. */
export function sealed(peppers: Peppers, text: string, belongsTo: string): string {
  return `${peppers.current.version}.${peppers.current.seal(text, belongsTo)}`
}

/** The text that `sealed` was given. */
export function unsealed(peppers: Peppers, text: string, belongsTo: string): string {
  const [version = '', body = ''] = text.split('.')
  return pepperOf(peppers, Number(version)).unseal(body, belongsTo)
}
