import type { IncomingMessage } from 'node:http'
import type { Language } from '../../kernel/language.ts'
import type { Problem } from '../../kernel/problems.ts'
import { type AccountParts, tooMany } from '../account-parts.ts'
import type { NewKey } from '../accounts.ts'
import type { Attempt } from '../attempts.ts'

/** The caller that requests a key, and the address it is for. */
export interface KeyWish {
  readonly raw: IncomingMessage
  readonly email: string
  readonly label: string | null
  readonly language: Language
}

/**
 * Makes a key for a caller, and mails its owner a link. Throws the problem of too many attempts, or of an address with the
 * maximum of keys, whose owner then gets a mail on how to make room.
 */
export async function makeKeyFor({ access, baseUrl, callerOf }: AccountParts, { raw, email, label, language }: KeyWish): Promise<NewKey> {
  const { accounts, attempts } = access
  const take = async (attempt: Attempt, subject: string): Promise<void> => {
    const wait_s = await attempts.take(attempt, subject)
    if (wait_s > 0) throw tooMany(attempt, wait_s)
  }
  await take('create-from-address', callerOf(raw))
  await take('create-for-email', email)
  const mailed = { email, language, page: `${baseUrl()}/account` }
  try {
    const made = await accounts.create({ email, label, language })
    await access.mailLink({ ...mailed, reason: 'key-made', account: made.account })
    return made
  } catch (error) {
    // The owner of the address is notified, and learns how to make room.
    if ((error as Partial<Problem>).code === 'key-limit-reached')
      await access.mailLink({ ...mailed, reason: 'limit-reached', account: await accounts.nameOf(email) })
    throw error
  }
}
