import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Lang } from '../../kernel/fields.ts'
import { FORMAT_KINDS } from '../../kernel/formats.ts'
import { weakTag } from '../answers/response-plan.ts'
import { cachedBytes, type MadeResponse, madeResponse, type ResponseHead } from './responses.ts'
import { sendFound } from './send-found.ts'

/** How long a description is fresh, in s. It changes only with a release. */
export const DESCRIPTION_S = 300
/** The same for a document that never changes under its URL. */
const FOR_EVER_S = 31_536_000

/** A text as bytes, with its tag. */
interface TaggedBytes {
  readonly body: Buffer
  readonly etag: string
}

/** A text that stays the same while the process runs, and how it is sent. */
interface Document {
  readonly text: string | TaggedBytes
  readonly content_type: string
  readonly language?: Lang | null
  /** Links to other documents, as the Link header lists them. */
  readonly links?: readonly string[]
  /** Its additional headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long it is fresh, in s; by default as long as a description. */
  readonly fresh_s?: number
  /** False for what is compressed already. */
  readonly isText?: boolean
  /** True if its URL names its version. */
  readonly isImmutable?: boolean
}

/** Makes a document ready to be sent, with tag and 304. Each compressed form is made once. */
export async function cachedDocument(document: Document): Promise<MadeResponse> {
  const { text, content_type, language = null, links = [], headers, isText = true, isImmutable = false, fresh_s = DESCRIPTION_S } = document
  const head: ResponseHead = {
    etag: typeof text === 'string' ? weakTag(text) : text.etag,
    content_type,
    format: null,
    isText,
    language,
    links,
    data_time: null,
    modified_at: null,
    refreshAt: () => Number.POSITIVE_INFINITY,
    cadence_s: isImmutable ? FOR_EVER_S : fresh_s,
    clockGranularity_s: 0,
    step: 0,
    isImmutable,
    ...(headers ? { more: headers } : {}),
  }
  return typeof text === 'string' ? madeResponse(head, [text]) : cachedBytes(head, text.body)
}

/** The same for JSON. `fresh_s` (s) defaults to that of a description. */
export function described(what: object, language: Lang | null, fresh_s = DESCRIPTION_S): Promise<MadeResponse> {
  return cachedDocument({ text: JSON.stringify(what), content_type: FORMAT_KINDS.json.type, language, fresh_s })
}

/** Makes each document on first use, and again after a failure. It is unbounded, because callers do not choose the names. */
export function documentUrls(): (name: string, make: () => Promise<MadeResponse>) => Promise<MadeResponse> {
  const made = new Map<string, Promise<MadeResponse>>()
  return (name, make) => {
    const there = made.get(name)
    if (there) return there
    const making = make()
    made.set(name, making)
    making.catch(() => made.delete(name))
    return making
  }
}

/** Keeps the latest document only. It is made again for another name, or after a failure. */
export function oneDocument(): (name: string, make: () => Promise<MadeResponse>) => Promise<MadeResponse> {
  let kept: { readonly name: string; readonly made: Promise<MadeResponse> } | null = null
  return (name, make) => {
    if (kept?.name === name) return kept.made
    const making = { name, made: make() }
    kept = making
    making.made.catch(() => {
      if (kept === making) kept = null
    })
    return making.made
  }
}

/** Registers a path of documents. `find` returns the requested one, or throws a problem. */
export function registerDocument(
  app: FastifyInstance,
  {
    url,
    clock,
    find,
  }: { readonly url: string; readonly clock: () => number; readonly find: (request: FastifyRequest) => Promise<MadeResponse> },
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => sendFound(request.raw, reply, { found: await find(request), now: clock() }),
  })
}
