import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { cameByHttps } from '../../auth/https.ts'
import type { RequestContext } from '../../auth/request-context.ts'
import { encodingFor, remembered } from '../../kernel/http/encodings.ts'
import { isNotModified } from '../../kernel/http/headers.ts'
import { availableBody, bodyIn, type MadeResponse, sendCached, sendFile, sendNotModified } from './responses.ts'

const encodingOf = remembered(encodingFor)

/** A response, and the request's context if it is not for anybody. */
interface ToSend {
  readonly found: MadeResponse
  readonly now: number
  readonly context?: RequestContext
}

/** Sends a reply to GET or HEAD in the coding that the request prefers, or 304. */
export async function sendFound(raw: IncomingMessage, reply: FastifyReply, one: ToSend): Promise<void> {
  const { found, now } = one
  const encoding = encodingOf(raw.headers['accept-encoding'] as string | undefined)
  const { file } = found
  if (file) {
    try {
      if (raw.method === 'GET' && !isNotModified(raw.headers, found.head)) {
        reply.hijack()
        return await sendFile(reply.raw, found.head, { file, now, encoding, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
      }
    } finally {
      await file.close()
    }
  }
  if (sendAtHand(raw, reply, one)) return
  const body = await bodyIn(found, encoding)
  reply.hijack()
  sendCached(reply.raw, found, { now, encoding, body, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
}

/** Returns the caller's own headers; null if anybody may have the reply. */
function ownHeaders({ context }: ToSend, status: number): Readonly<Record<string, string>> | null {
  return context?.isPrivate ? context.headers(status) : null
}

/** Sends a reply that is in memory; returns false if it first has to be compressed. */
function sendAtHand(raw: IncomingMessage, reply: FastifyReply, one: ToSend): boolean {
  const { headers, method } = raw
  const { found, now } = one
  if (isNotModified(headers, found.head)) {
    reply.hijack()
    sendNotModified(reply.raw, found, { now, own: ownHeaders(one, 304), isSecure: cameByHttps(raw) })
    return true
  }
  const encoding = encodingOf(headers['accept-encoding'] as string | undefined)
  const body = method === 'HEAD' ? null : availableBody(found, encoding)
  if (body === null && method !== 'HEAD') return false
  reply.hijack()
  sendCached(reply.raw, found, { now, encoding, body, own: ownHeaders(one, 200), isSecure: cameByHttps(raw) })
  return true
}
