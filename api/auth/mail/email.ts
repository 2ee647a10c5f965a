import { domainToASCII } from 'node:url'

const LONGEST = 254
/** The part before the @: RFC 5321's atoms. Quoted forms are not in use. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns an e-mail address in the form that identifies accounts: lower case, ASCII domain. Null if it is invalid. */
export function normalEmail(text: string): string | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > 64 || !LOCAL.test(local) || /[\s/?#:]/.test(text.slice(at + 1))) return null
  const domain = domainToASCII(text.slice(at + 1))
  const email = `${local}@${domain}`.toLowerCase()
  return DOMAIN.test(domain) && email.length <= LONGEST ? email : null
}
