import { open } from 'node:fs/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readChecksum } from '../../../lake/iceberg/checksums.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type ContextParts, FULL_COST, RequestContext } from '../../auth/request-context.ts'
import { countRequest, type PathCounters, sendProblem } from '../../engine/replies/context-replies.ts'
import { isBrokenOff, sendFile } from '../../engine/replies/file-reply.ts'
import { queryReader } from '../../engine/request/request.ts'
import { CORS_HEADERS, refuseLongUrl } from '../../kernel/http/headers.ts'
import { textParam } from '../../kernel/params/params.ts'
import { type PROBLEMS, problem } from '../../kernel/problems.ts'
import { type Downloadable, datasetFile, type SignedLinks } from './signed-links.ts'

/** The path of a file of an export. */
export const DOWNLOAD_PATH = '/api/export/{dataset}/{file}'

/** What the download of files works with. */
export interface DownloadParts extends ContextParts, PathCounters {
  readonly store: ObjectStore
  readonly links: SignedLinks
  readonly clock: () => number
  readonly log: Pick<FastifyBaseLogger, 'error'>
}

/** An existing file. */
export interface FoundFile {
  readonly file: Downloadable
  readonly bytes: number
  readonly type: string
  /** A strong tag without quotes. */
  readonly tag: string
}

/** What gives access to a file: the slot of a caller with a key, or the file's version in a signature. */
export interface DownloadAccess {
  readonly slot: string | null
  readonly version: string | null
}

/** Files of one path. */
export interface DownloadKind {
  /** The path with its parameters, as in `/api/export/{dataset}/{file}`. */
  readonly path: string
  /** Returns the file of the path's parameters, or the reason why there is none. */
  find(params: Readonly<Record<string, string>>, access: DownloadAccess): Promise<FoundFile | string>
}

const FILE = /^[A-Za-z0-9_.-]{1,200}\.parquet$/

/** The query parameters of a download. */
export const DOWNLOAD_PARAMS = {
  signature: textParam('Signature of a URL from the manifest: with it no key is needed.', { max: 400 }),
}

/** Serves the data files of public datasets. */
export function datasetDownloads(store: ObjectStore, datasets: readonly Dataset[]): DownloadKind {
  return {
    path: DOWNLOAD_PATH,
    async find({ dataset: id = '', file: name = '' }) {
      const dataset = datasets.find((one) => one.id === id)
      const file = dataset && FILE.test(name) ? datasetFile(dataset, name) : null
      const found = file && (await store.head(file.key))
      if (!file || !found) return `${id} has no file ${name.slice(0, 200)}: fetch its manifest /api/export/${id} again.`
      // The name suffices as a tag: the content of a file never changes.
      const tag = (await readChecksum(store, file.key)) ?? name
      return { file, bytes: found.bytes, type: 'application/vnd.apache.parquet', tag }
    },
  }
}

/**
 * Registers the download of files. It redirects to a store that signs URLs itself; otherwise the API sends the file, with a
 * strong ETag and byte ranges (RFC 9110). A download takes no query slot.
 */
export function registerDownload(app: FastifyInstance, parts: DownloadParts, kind: DownloadKind): void {
  const readQuery = queryReader(DOWNLOAD_PARAMS)
  const url = kind.path.replaceAll(/\{(\w+)\}/g, ':$1')
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config: { counters: parts },
    handler: async (request, reply) => {
      const context = new RequestContext(parts, request.raw)
      try {
        refuseLongUrl(request.raw)
        await answer(request, reply, { ...parts, kind, context: context, signature: readQuery(request.raw.url ?? '/').signature })
        countRequest(parts, context, reply.raw.statusCode)
      } catch (error) {
        if (reply.raw.headersSent) {
          // Sent bytes are charged. A caller who broke off requests the rest by a range.
          if (!isBrokenOff(error)) parts.log.error({ path: request.url.slice(0, 500), err: error }, 'download cut off')
          countRequest(parts, context, reply.raw.statusCode)
          reply.raw.destroy()
          return
        }
        await sendProblem(reply, parts, { context: context, error })
      }
    },
  })
}

type DownloadRequest = DownloadParts & { readonly kind: DownloadKind; readonly context: RequestContext; readonly signature: string | null }

async function answer(request: FastifyRequest, reply: FastifyReply, asked: DownloadRequest): Promise<void> {
  const { kind, context, signature, links, store, clock } = asked
  const params = request.params as Readonly<Record<string, string>>
  const path = kind.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const signed = signature === null ? null : links.read(signature, { path, now: clock() })
  if (signature === null) {
    await context.identify()
    context.needs('ENTERPRISE', kind.path)
    await context.charge(FULL_COST)
  } else if (!signed) {
    throw problem('signature-expired', 'The signature belongs to another file, or has expired.')
  }
  const found = await kind.find(params, { slot: signed ? null : context.caller.slot, version: signed?.version ?? null })
  if (typeof found === 'string') throw problem('not-found', found)
  const { file, bytes, type, tag } = found
  const location = await links.storeUrl(file)
  const own = signature === null ? context.headers(location ? 302 : 200) : {}
  if (location !== null) {
    reply.headers({ ...CORS_HEADERS, ...own, 'Cache-Control': 'no-store', Location: location })
    await reply.code(302).send()
    return
  }
  const etag = `"${tag}"`
  const headers = {
    ...CORS_HEADERS,
    ...own,
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${file.name}"`,
  }
  const read = async (start: number, end: number) =>
    (await open(store.location(file.key))).createReadStream({ start, end, highWaterMark: 1 << 18 })
  await sendFile(request, reply, { bytes, etag, headers, read })
}

/** The problems of the download, besides those of any path. */
export const DOWNLOAD_PROBLEMS = ['signature-expired', 'range-not-satisfiable'] as const satisfies readonly (keyof typeof PROBLEMS)[]
