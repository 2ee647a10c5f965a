/** Matches keys (`tia_`), mailed tokens and sessions (`tim_`, `tis_`), also if truncated, broken or mistyped. */
const SECRETS = /\b(ti[ams]_)[\w.%~-]{8,}/g

/** A text without the keys and tokens in it, for logs and for replies that repeat input. */
export function redacted(text: string): string {
  return text.includes('ti') ? text.replace(SECRETS, '$1…') : text
}
