import { Worker } from 'node:worker_threads'
import { madridDate } from '../../lake/schema/time.ts'
import type { PlanTable } from '../access/plans.ts'
import type { Endpoint } from '../define/endpoint.ts'
import { FORMAT_KINDS } from '../define/formats.ts'
import { weakTag } from './answer.ts'
import { cachedDocument } from './documents.ts'
import { openapi } from './openapi.ts'
import type { CachedResponse } from './responses.ts'
import { inSpanish } from './summaries-es.ts'

/** The languages of summaries. */
type Lang = 'en' | 'es'

/** What a description depends on, besides the endpoints. */
export interface DescriptionOptions {
  readonly baseUrl: string
  readonly plans: PlanTable
  /** The instant from which example requests count their days, ms. */
  readonly now: number
}

/** A description as it is sent, with its tag. */
interface DescriptionText {
  readonly etag: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The description in each language. */
export type DescriptionTexts = Readonly<Record<Lang, DescriptionText>>

/** Makes the description in all languages. */
export type Describe = (options: DescriptionOptions) => Promise<DescriptionTexts>

/** Makes the description of endpoints in all languages. It blocks the calling thread for up to a second. */
export function descriptionTexts(endpoints: readonly Endpoint[], { baseUrl, plans, now }: DescriptionOptions): DescriptionTexts {
  const en = openapi(endpoints, baseUrl, plans, now)
  const textOf = (description: object): DescriptionText => {
    const text = JSON.stringify(description)
    return { etag: weakTag(text), bytes: new Uint8Array(Buffer.from(text)) }
  }
  return { en: textOf(en), es: textOf(inSpanish(en)) }
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
   * Returns the description in a language. It is made once a day, because its example requests name days. Yesterday's is sent
   * until then.
   */
  find(lang: Lang): Promise<CachedResponse>
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
  let made: { readonly base: string; readonly day: string; readonly documents: Readonly<Record<Lang, CachedResponse>> } | null = null
  let making: { readonly base: string; readonly day: string; readonly done: Promise<void> } | null = null

  const make = async (base: string, now: number): Promise<void> => {
    try {
      const { en, es } = await describe({ baseUrl: base, plans, now })
      made = { base, day: madridDate(now), documents: { en: await documentOf(en), es: await documentOf(es) } }
    } finally {
      making = null
    }
  }
  return {
    find: async (lang) => {
      const [now, base] = [clock(), baseUrl()]
      const day = madridDate(now)
      if ((made?.base !== base || made.day !== day) && (making?.base !== base || making.day !== day)) {
        making = { base, day, done: make(base, now) }
        making.done.catch(onError)
      }
      if (making && made?.base !== base) await making.done
      if (!made) throw new Error('there is no description')
      return made.documents[lang]
    },
  }
}

function documentOf({ etag, bytes }: DescriptionText): Promise<CachedResponse> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return cachedDocument({ text: { body, etag }, content_type: FORMAT_KINDS.json.type })
}
