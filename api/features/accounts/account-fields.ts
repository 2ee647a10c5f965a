import { INT32 } from '../../../lake/schema/json.ts'
import type { BodyField } from '../../auth/bodies.ts'
import { normalEmail } from '../../auth/mail/email.ts'

const DAY_H = 24
/** Most characters of a label. */
export const MAX_LABEL = 60
/** Longest and default overlap of a rotated key, in hours. */
export const MAX_OVERLAP_H = 7 * DAY_H
export const OVERLAP_H = DAY_H

/** The e-mail address that keys belong to. */
export const EMAIL = {
  expected: 'an e-mail address such as name@example.org, on one line',
  read: (value) => (typeof value === 'string' ? (normalEmail(value) ?? undefined) : undefined),
  isPrivate: true,
  schema: { type: 'string', format: 'email', maxLength: 254, description: 'Address of the owner; case is ignored.' },
} satisfies BodyField<string>

/** The owner's name for a key. */
export const LABEL: BodyField<string | null> = {
  expected: `up to ${MAX_LABEL} characters on one line`,
  read: (value) => (typeof value === 'string' && isLine(value) ? value.trim() || null : undefined),
  fallback: null,
  schema: { type: ['string', 'null'], maxLength: MAX_LABEL, description: 'Name of the key; one line.' },
}

/** How long a rotated key keeps working, in hours. */
export const OVERLAP: BodyField<number> = {
  expected: `a whole number of hours, 0 to ${MAX_OVERLAP_H}`,
  read: (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_OVERLAP_H ? (value as number) : undefined,
  fallback: OVERLAP_H,
  schema: {
    ...INT32,
    ...{ type: ['integer', 'null'], minimum: 0, maximum: MAX_OVERLAP_H, default: OVERLAP_H },
    description: 'How long the former key works on. Unit: h.',
  },
}

/** The bodies of requests for a new key and for a rotation. */
export const NEW_KEY_BODY = Object.freeze({ email: EMAIL, label: LABEL })
export const ROTATE_BODY = Object.freeze({ overlap_hours: OVERLAP })

/** True for one line of whole characters without control characters: safe for pages and mails. */
function isLine(text: string): boolean {
  return text.length <= MAX_LABEL && text.isWellFormed() && !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)
}
