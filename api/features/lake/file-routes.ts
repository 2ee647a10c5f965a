import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { RequestContext } from '../../auth/request-context.ts'
import { countRequest } from '../../engine/replies/context-replies.ts'
import { isBrokenOff, sendFile } from '../../engine/replies/file-reply.ts'
import { problemOf } from '../../engine/replies/problem-replies.ts'
import { refuseLongUrl } from '../../kernel/http/headers.ts'
import { problem } from '../../kernel/problems.ts'
import { answerErrors, asS3, refusedFile, type S3Refusal } from './errors.ts'
import type { OwnTables } from './own-tables.ts'
import type { LakeParts } from './parts.ts'
import { FILES_PATH, type ServedFiles } from './served-files.ts'
import { signatureFault } from './signature.ts'
import { readToken } from './storage.ts'
import { answerUpload } from './uploads.ts'

/** The path as the description and the counters name it. */
const PATH = `${FILES_PATH}/{path}`

/** Largest body, in bytes: a part of a file, with the lines of its encoding. */
const MAX_BODY_BYTES = 160 * 1024 ** 2
/** Refusals of requests that may be guesses of credentials. */
const GUESSES: readonly unknown[] = ['AccessDenied', 'SignatureDoesNotMatch'] satisfies readonly S3Refusal[]

/**
 * Registers the files of tables, as GetObject and HeadObject of S3 (path style), and for lake writers uploads of new ones. A
 * request is signed with the credentials that the catalogue gave for a table. It is counted, but not charged: how many requests
 * a query sends is up to the client.
 */
export function registerFiles(
  app: FastifyInstance,
  parts: LakeParts & { readonly files: ServedFiles; readonly own: OwnTables; readonly datasets: readonly Dataset[] },
): void {
  const byKey = new Map(parts.datasets.map((dataset) => [tableKey(dataset), dataset]))
  const counters = { count: parts.requests.usageOf(PATH), countReply: parts.groups.ofPath('export', PATH) }
  void app.register(async (scope) => {
    answerErrors(scope, parts.log, asS3)
    // Bodies are streamed to the store.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.route({
      method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
      url: `${FILES_PATH}/*`,
      config: { counters },
      bodyLimit: MAX_BODY_BYTES,
      handler: async (request, reply) => {
        const context = new RequestContext(parts, request.raw)
        try {
          refuseLongUrl(request.raw)
          await answer(request, reply, { ...parts, byKey })
          countRequest(counters, context, reply.raw.statusCode)
        } catch (error) {
          if (reply.raw.headersSent) {
            if (!isBrokenOff(error)) parts.log.error({ path: request.url.slice(0, 500), err: error }, 'file of the lake cut off')
            countRequest(counters, context, reply.raw.statusCode)
            reply.raw.destroy()
            return
          }
          const found = problemOf(error)
          // Only what may be a guess is charged: credentials that have expired, and what they do not allow, were ours.
          const isGuess = found.code === 'invalid-key' && GUESSES.includes(found.options.extensions?.['type'])
          const charged = isGuess ? await context.chargeProblem(found) : found
          countRequest(counters, context, charged.status)
          throw charged
        }
      },
    })
  })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: LakeParts & { readonly files: ServedFiles; readonly own: OwnTables; readonly byKey: ReadonlyMap<string, Dataset> },
): Promise<void> {
  const { files, own, byKey, lake, cursors, baseUrl, clock } = parts
  const { raw } = request
  const key = `lake/${(request.params as { readonly '*': string })['*']}`
  const granted = allowedTable(request, { key, cursors, host: new URL(baseUrl()).host, now: clock() })
  const dataset = byKey.get(granted.key)
  const table = dataset ? lake.table(dataset) : own.byKey(granted.key)
  if (raw.method !== 'GET' && raw.method !== 'HEAD') {
    if (!granted.isWriter || !table)
      throw refusedFile('AccessDenied', 'The credentials are for reading: the key is not that of a lake writer.')
    const query = new URL(raw.url ?? '/', 'http://localhost').searchParams
    const {
      status,
      headers = {},
      xml,
    } = await answerUpload({ raw, query, table: granted.key, key }, { store: lake.store, stamps: cursors, isOwn: !dataset })
    await reply
      .code(status)
      .headers(headers)
      .send(xml === undefined ? undefined : Buffer.from(xml))
    return
  }
  const found = table && !key.split('/').some((part) => part === '' || part.startsWith('.')) ? await files.find(table, key) : null
  if (!found) throw problem('not-found', `There is no file ${key.slice(0, 500)}.`)
  const { bytes, modified_at, read } = found
  // A file never changes under its name; the size is part of the tag for the case that a lake is moved.
  const etag = `"${key.slice(key.lastIndexOf('/') + 1)}-${bytes}"`
  const headers = {
    ETag: etag,
    'Last-Modified': new Date(modified_at).toUTCString(),
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Type': 'application/octet-stream',
  }
  await sendFile(request, reply, { bytes, etag, headers, read })
}

/** Returns what a request may do with the files of a table. Throws the refusal of one without valid credentials for the file. */
function allowedTable(
  { raw }: FastifyRequest,
  {
    key,
    cursors,
    host,
    now,
  }: { readonly key: string; readonly cursors: LakeParts['cursors']; readonly host: string; readonly now: number },
): NonNullable<ReturnType<typeof readToken>> {
  const token = raw.headers['x-amz-security-token']
  const granted = token === undefined ? null : readToken(String(token), cursors)
  if (!granted) throw refusedFile('AccessDenied', 'The request needs the credentials that the catalogue gives for a table.')
  const fault = signatureFault(raw, { secret: granted.secret, hosts: [host], now })
  if (fault === 'missing') throw refusedFile('AccessDenied', 'The request has no signature in its header Authorization.')
  if (fault === 'skewed')
    throw refusedFile('RequestTimeTooSkewed', 'The time of the signature differs too much from the time of this server.')
  if (fault === 'wrong') throw refusedFile('SignatureDoesNotMatch', 'The signature is not that of this request.')
  if (now >= granted.expires_at) throw refusedFile('ExpiredToken', 'The credentials have expired: load the table again.')
  if (!key.startsWith(`${granted.key}/`)) throw refusedFile('AccessDenied', 'The credentials are for another table.')
  return granted
}
