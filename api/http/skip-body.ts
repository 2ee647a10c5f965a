import type { IncomingMessage } from 'node:http'
import { type Format, isTable } from '../define/formats.ts'
import type { ResponsePlan } from './answer.ts'
import { isNotModified } from './headers.ts'

/** True if a request can be answered without making the body, which could still fail. */
export function canSkipBody({ method, headers }: IncomingMessage, prepared: ResponsePlan, format: Format): boolean {
  const { head, isFromMemory, mayNotExist, mayBePartial } = prepared
  if (mayNotExist) return false
  if (method === 'HEAD' && (!isFromMemory || (isTable(format) && !mayBePartial))) return true
  // Only a caller who got the body knows its tag; `*` and a time may come from anyone.
  return headers['if-none-match'] !== undefined && headers['if-none-match'].trim() !== '*' && isNotModified(headers, head)
}
