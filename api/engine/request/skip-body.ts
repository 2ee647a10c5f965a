import type { IncomingMessage } from 'node:http'
import { type Format, isTable } from '../../kernel/formats.ts'
import { isNotModified } from '../../kernel/http/headers.ts'
import type { ResponsePlan } from '../answers/response-plan.ts'
import type { ResponseHead } from '../replies/responses.ts'

/** True if a request can be answered without making the body, which could still fail. */
export function canSkipBody({ method, headers }: IncomingMessage, prepared: ResponsePlan, format: Format): boolean {
  const { head, isFromMemory, mayNotExist, mayBePartial } = prepared
  if (mayNotExist) return false
  if (method === 'HEAD' && (!isFromMemory || (isTable(format) && !mayBePartial))) return true
  return knowsTag(headers, head)
}

/** True if a request names the tag of an answer: only who got the body knows it; `*` and a time may come from anyone. */
export function knowsTag(headers: IncomingMessage['headers'], head: ResponseHead): boolean {
  return headers['if-none-match'] !== undefined && headers['if-none-match'].trim() !== '*' && isNotModified(headers, head)
}
