import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parse as parseRange } from 'range-parser'
import { matchesTag } from '../../kernel/http/headers.ts'
import { problem } from '../../kernel/problems.ts'

/** A file to send. */
export interface FileReply {
  readonly bytes: number
  /** A strong tag with quotes. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  /** Returns its bytes from `start` to `end`, inclusive. */
  read(start: number, end: number): Promise<Readable>
}

/** Result of the range parser for a range outside the file. */
const UNSATISFIABLE = 2

/** Sends a file, or the requested range of it (RFC 9110 §14). Throws `range-not-satisfiable` for a range outside it. */
export async function sendFile({ raw }: FastifyRequest, reply: FastifyReply, file: FileReply): Promise<void> {
  const { bytes, etag, headers } = file
  const { range, 'if-range': ifRange, 'if-none-match': noneMatch } = raw.headers
  if (noneMatch !== undefined && matchesTag(noneMatch, etag)) {
    await reply.code(304).headers(headers).send()
    return
  }
  // Several ranges at once get the whole file, as RFC 9110 §14.2 allows.
  const asked = range !== undefined && (ifRange === undefined || ifRange === etag) ? parseRange(bytes, range) : null
  if (asked?.code === UNSATISFIABLE && asked.type === 'bytes')
    throw problem('range-not-satisfiable', `The file has ${bytes} bytes.`, { headers: { 'Content-Range': `bytes */${bytes}` } })
  const [part] = asked?.type === 'bytes' && asked.ranges.length === 1 ? asked.ranges : []
  const { start, end } = part ?? { start: 0, end: bytes - 1 }
  const body = raw.method === 'HEAD' ? null : await file.read(start, end)
  reply.hijack()
  const { raw: response } = reply
  response.writeHead(part ? 206 : 200, {
    ...headers,
    ...(part ? { 'Content-Range': `bytes ${start}-${end}/${bytes}` } : {}),
    'Content-Length': end - start + 1,
    'X-Content-Type-Options': 'nosniff',
  })
  if (body) await pipeline(body, response)
  else response.end()
}

/** True for the error of a caller who left before the end of a file. */
export function isBrokenOff(error: unknown): boolean {
  return (error as { readonly code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE'
}
