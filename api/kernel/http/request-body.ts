import type { IncomingMessage } from 'node:http'
import { problem } from '../problems.ts'
import { refuseLongUrl } from './headers.ts'

/** True for a request with a body, even an empty one in chunks. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return false
  return headers['content-length'] !== '0'
}

/** Requests for data have no excessively long URL, and no body unless it `isPosted`: such a request is not read. */
export function refuseBody(raw: IncomingMessage, isPosted = false): void {
  refuseLongUrl(raw)
  if (!isPosted && hasBody(raw)) throw problem('payload-too-large', 'Requests for data have no body.', { headers: { Connection: 'close' } })
}
