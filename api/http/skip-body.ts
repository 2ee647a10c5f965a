import type { IncomingMessage } from 'node:http'
import { type Format, isTable } from '../define/formats.ts'
import type { Prepared } from './answer.ts'
import { isNotModified } from './headers.ts'

/** True where a request can be answered without making the body, which might still turn out to be a problem. */
export function canSkipBody({ method, headers }: IncomingMessage, prepared: Prepared, format: Format): boolean {
  const { head, isCheap, mayNotExist, mayBePartial } = prepared
  if (mayNotExist) return false
  if (method === 'HEAD' && (!isCheap || (isTable(format) && !mayBePartial))) return true
  // A tag was given to someone who got the body; `*` and a time may come from anyone.
  return headers['if-none-match'] !== undefined && headers['if-none-match'].trim() !== '*' && isNotModified(headers, head)
}
