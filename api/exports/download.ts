import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parse as parseRange } from 'range-parser'
import { readChecksum } from '../../lake/iceberg/checksums.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { CountUsage } from '../access/usage/recorder.ts'
import { FULL, Visit, type VisitParts } from '../access/visit.ts'
import { textParam } from '../define/params.ts'
import { type PROBLEMS, problem } from '../define/problems.ts'
import { CORS_HEADERS, matchesTag } from '../http/headers.ts'
import { refuseLongUrl } from '../http/malformed.ts'
import { problemOf } from '../http/problem-replies.ts'
import { queryReader } from '../http/request.ts'
import { registerOtherMethods } from '../http/routes.ts'
import type { CountReply } from '../status/uptime.ts'
import { exportKey, type SignedLinks } from './signed-links.ts'

/** The path of a file of an export. */
export const DOWNLOAD_PATH = '/api/export/{dataset}/{file}'

/** What the download of files works with. */
export interface DownloadParts extends VisitParts {
  readonly store: ObjectStore
  readonly links: SignedLinks
  /** The datasets that are public. */
  readonly datasets: readonly Dataset[]
  readonly clock: () => number
  readonly count: CountUsage
  readonly countReply: CountReply
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

const FILE = /^[A-Za-z0-9_.-]{1,200}\.parquet$/
/** What the parser of ranges says of one that lies outside the file. */
const UNSATISFIABLE = 2
const TYPE = 'application/vnd.apache.parquet'

/** The query of a download. */
export const DOWNLOAD_PARAMS = {
  signature: textParam('Signature of a URL from the manifest: with it no key is needed.', { max: 400 }),
}

/**
 * Registers the download of one file of an export. A store that signs URLs itself is redirected to; otherwise the API sends the
 * file, with a strong ETag and byte ranges (RFC 9110). A download takes no query slot.
 */
export function registerDownload(app: FastifyInstance, parts: DownloadParts): void {
  const readQuery = queryReader(DOWNLOAD_PARAMS)
  const url = DOWNLOAD_PATH.replaceAll(/\{(\w+)\}/g, ':$1')
  app.route({
    method: ['GET', 'HEAD'],
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const visit = new Visit(parts, request.raw)
      const counted = (status: number): void => {
        parts.count(visit.caller.key, status, visit.dayUnits)
        parts.countReply(status, performance.now() - visit.began, visit.caller.slot)
      }
      try {
        refuseLongUrl(request.raw)
        await answer(request, reply, { ...parts, visit, signature: readQuery(request.raw.url ?? '/').signature })
        counted(reply.raw.statusCode)
      } catch (error) {
        if (reply.raw.headersSent) {
          // What was sent is paid for; whoever broke off asks for the rest with a range.
          if (!isBrokenOff(error)) parts.log.error({ path: request.url.slice(0, 500), err: error }, 'download cut off')
          counted(reply.raw.statusCode)
          reply.raw.destroy()
          return
        }
        const settled = await visit.settle(problemOf(error))
        counted(settled.status)
        await reply.headers(visit.limits(settled.status)).send(settled)
      }
    },
  })
  registerOtherMethods(app, url)
}

type Asked = DownloadParts & { readonly visit: Visit; readonly signature: string | null }

async function answer(request: FastifyRequest, reply: FastifyReply, asked: Asked): Promise<void> {
  const { visit, signature, links, store, datasets, clock } = asked
  const { dataset: id, file } = request.params as { readonly dataset: string; readonly file: string }
  if (signature === null) {
    await visit.identify()
    visit.needs('ENTERPRISE', DOWNLOAD_PATH)
    await visit.charge(FULL)
  } else if (!links.isValid(signature, { dataset: id, file, now: clock() })) {
    throw problem('signature-expired', 'The signature is not of this file, or has expired.')
  }
  const dataset = datasets.find((one) => one.id === id)
  const found = dataset && FILE.test(file) ? await store.head(exportKey(dataset, file)) : null
  if (!dataset || !found) throw problem('not-found', `${id} has no file ${file.slice(0, 200)}: fetch its manifest /api/export/${id} anew.`)
  const location = await links.storeUrl(dataset, file)
  const own = signature === null ? visit.headers(location ? 302 : 200) : {}
  if (location !== null) {
    reply.headers({ ...CORS_HEADERS, ...own, 'Cache-Control': 'no-store', Location: location })
    await reply.code(302).send()
    return
  }
  // The name is enough for a tag: the content of a file never changes.
  const etag = `"${(await readChecksum(store, exportKey(dataset, file))) ?? file}"`
  const headers = {
    ...CORS_HEADERS,
    ...own,
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Type': TYPE,
    'Content-Disposition': `attachment; filename="${file}"`,
  }
  await sendFile(request, reply, { path: store.location(exportKey(dataset, file)), bytes: found.bytes, etag, headers })
}

/** Sends a local file, or the range of it that the request asks for. */
async function sendFile(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  file: { readonly path: string; readonly bytes: number; readonly etag: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { path, bytes, etag, headers } = file
  const { range, 'if-range': ifRange, 'if-none-match': noneMatch } = raw.headers
  if (noneMatch !== undefined && matchesTag(noneMatch, etag)) {
    await reply.code(304).headers(headers).send()
    return
  }
  // Several ranges at once are answered whole, as RFC 9110 §14.2 allows.
  const asked = range !== undefined && (ifRange === undefined || ifRange === etag) ? parseRange(bytes, range) : null
  if (asked?.code === UNSATISFIABLE && asked.type === 'bytes')
    throw problem('range-not-satisfiable', `The file has ${bytes} bytes.`, { headers: { 'Content-Range': `bytes */${bytes}` } })
  const [part] = asked?.type === 'bytes' && asked.ranges.length === 1 ? asked.ranges : []
  const { start, end } = part ?? { start: 0, end: bytes - 1 }
  const handle = raw.method === 'HEAD' ? null : await open(path)
  reply.hijack()
  const { raw: response } = reply
  response.writeHead(part ? 206 : 200, {
    ...headers,
    ...(part ? { 'Content-Range': `bytes ${start}-${end}/${bytes}` } : {}),
    'Content-Length': end - start + 1,
    'X-Content-Type-Options': 'nosniff',
  })
  if (handle) await pipeline(handle.createReadStream({ start, end, highWaterMark: 1 << 18 }), response)
  else response.end()
}

function isBrokenOff(error: unknown): boolean {
  return (error as { readonly code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** The problems of the download, beside those of any path. */
export const DOWNLOAD_PROBLEMS = ['signature-expired', 'range-not-satisfiable'] as const satisfies readonly (keyof typeof PROBLEMS)[]
