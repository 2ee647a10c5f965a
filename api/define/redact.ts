/** What looks like a key (`tia_`), a mailed token or a session (`tim_`, `tis_`), whole or cut, broken or wrongly typed. */
const SECRETS = /\b(ti[ams]_)[\w.%~-]{8,}/g

/** A text without the keys and tokens that it may hold, for logs and for replies that repeat what was asked. */
export function redacted(text: string): string {
  return text.includes('ti') ? text.replace(SECRETS, '$1…') : text
}
