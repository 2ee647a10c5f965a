import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { zstdCompressSync, zstdDecompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { madridDate } from '../../../lake/schema/time.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { weakTag } from '../../engine/answers/response-plan.ts'
import { cachedDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { type Reference, referenceOf } from '../../features/docs/reference.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import { FORMAT_KINDS } from '../../kernel/formats.ts'
import { inLanguage } from './in-language.ts'
import { bilingual } from './openapi.ts'
import { onlyJson } from './openapi-media.ts'

/** The variants: the language of summaries and, with `json`, the only media type of replies. */
const VARIANTS = ['en', 'es', 'en.json', 'es.json'] as const
type Variant = (typeof VARIANTS)[number]

/** What a description depends on, besides the endpoints. */
export interface DescriptionOptions {
  readonly baseUrl: string
  readonly plans: PlanTable
  /** The instant from which example requests count their days, ms. */
  readonly now: number
}

const unpack = promisify(zstdDecompress)
/** How long a variant stays in memory as it is sent after a request, ms. */
const UNPACKED_MS = 60_000

/** A description with its tag. The JSON text is compressed with zstd: four variants of some 4 MB are rarely requested. */
interface DescriptionText {
  readonly etag: string
  readonly packed: Uint8Array<ArrayBuffer>
}

/** The description in each variant, and what the pages of the reference show of it. */
export interface DescriptionTexts {
  readonly texts: Readonly<Record<Variant, DescriptionText>>
  readonly reference: Reference
}

/** Makes the description in all variants. */
export type Describe = (options: DescriptionOptions) => Promise<DescriptionTexts>

/** Makes the description of endpoints in all variants. It blocks the calling thread for up to a second. */
export function descriptionTexts(endpoints: readonly Endpoint[], { baseUrl, plans, now }: DescriptionOptions): DescriptionTexts {
  const both = bilingual(endpoints, baseUrl, plans, now)
  const [en, es] = [inLanguage(both, 'en'), inLanguage(both, 'es')]
  const textOf = (description: object): DescriptionText => {
    const text = JSON.stringify(description)
    return { etag: weakTag(text), packed: new Uint8Array(zstdCompressSync(text)) }
  }
  const texts = { en: textOf(en), es: textOf(es), 'en.json': textOf(onlyJson(en)), 'es.json': textOf(onlyJson(es)) }
  return { texts, reference: referenceOf(both, texts.en.etag) }
}

/** Describes the given endpoints in the calling thread. */
export function describeHere(endpoints: readonly Endpoint[]): Describe {
  return async (options) => descriptionTexts(endpoints, options)
}

/** Describes all endpoints in a separate thread that loads the catalogue again, so the event loop stays free. */
export function describeInThread(options: DescriptionOptions): Promise<DescriptionTexts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./descriptions-thread.ts', import.meta.url), { workerData: options })
    worker.unref()
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that describes the API ended without a description')))
  })
}

/** The description as it is now, for requests. */
export interface Descriptions {
  /**
   * Returns a variant of the description. It is made once a day, because its example requests name days. Yesterday's is sent
   * until then.
   */
  find(variant: Variant): Promise<MadeResponse>
  /** Returns the operations of the same description, for its pages. */
  reference(): Promise<Reference>
}

/** Opens the description of the service. `onError` is called if a newer one cannot be made. */
export function openDescriptions(options: {
  readonly describe: Describe
  readonly plans: PlanTable
  readonly clock: () => number
  readonly baseUrl: () => string
  readonly onError: (error: unknown) => void
}): Descriptions {
  const { describe, plans, clock, baseUrl, onError } = options
  let made: { readonly base: string; readonly day: string; readonly described: DescriptionTexts } | null = null
  let making: { readonly base: string; readonly day: string; readonly done: Promise<void> } | null = null

  const unpacked = new LRUCache<DescriptionText, Promise<MadeResponse>>({ max: VARIANTS.length, ttl: UNPACKED_MS, ttlAutopurge: true })

  const make = async (base: string, now: number): Promise<void> => {
    try {
      made = { base, day: madridDate(now), described: await describe({ baseUrl: base, plans, now }) }
    } finally {
      making = null
    }
  }
  const current = async (): Promise<DescriptionTexts> => {
    const [now, base] = [clock(), baseUrl()]
    const day = madridDate(now)
    if ((made?.base !== base || made.day !== day) && (making?.base !== base || making.day !== day)) {
      making = { base, day, done: make(base, now) }
      making.done.catch(onError)
    }
    if (making && made?.base !== base) await making.done
    if (!made) throw new Error('there is no description')
    return made.described
  }
  return {
    reference: async () => (await current()).reference,
    find: async (variant) => {
      const text = (await current()).texts[variant]
      const document = unpacked.get(text) ?? documentOf(text)
      unpacked.set(text, document)
      return await document
    },
  }
}

async function documentOf({ etag, packed }: DescriptionText): Promise<MadeResponse> {
  return cachedDocument({ text: { body: await unpack(packed), etag }, content_type: FORMAT_KINDS.json.type })
}
