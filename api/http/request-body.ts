import type { IncomingMessage } from 'node:http'
import { problem } from '../define/problems.ts'
import { refuseLongUrl } from './malformed.ts'

/** True for a request with a body, even an empty one in chunks. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return false
  return headers['content-length'] !== '0'
}

/** Requests for data have no body and no excessively long URL: such a request is not read. */
export function refuseBody(raw: IncomingMessage): void {
  refuseLongUrl(raw)
  if (hasBody(raw)) throw problem('payload-too-large', 'Requests for data have no body.', { headers: { Connection: 'close' } })
}
