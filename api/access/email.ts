import { domainToASCII } from 'node:url'

const LONGEST = 254
/** What a mailbox is called before the @: RFC 5321's atoms, without quotes, which nobody has. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** An e-mail address as accounts are told apart by it: in lower case, its domain in ASCII. Null for what is none, or holds a line break. */
export function normalEmail(text: string): string | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > 64 || !LOCAL.test(local) || /[\s/?#:]/.test(text.slice(at + 1))) return null
  const domain = domainToASCII(text.slice(at + 1))
  const email = `${local}@${domain}`.toLowerCase()
  return DOMAIN.test(domain) && email.length <= LONGEST ? email : null
}
