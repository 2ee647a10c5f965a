import { hash, randomUUID } from 'node:crypto'
import { isConcurrency } from '../access/limits/in-lease.ts'
import type { RequestContext } from '../access/request-context.ts'
import { type ResponsePlan, weakTag } from './answer.ts'
import type { ResponseCache } from './response-cache.ts'
import { type CachedResponse, cachedFile, cachedResponse } from './responses.ts'

/** The signal of work that several requests share. */
const NEVER = new AbortController().signal

/** Makes the responses of a path from their plans: each once, however many requests ask for it at the same time. */
export class ResponseMaker {
  readonly #cache: Pick<ResponseCache, 'put'>
  readonly #wait_ms: number
  /** Responses that are being made, by tag: a long list takes several turns of the event loop. */
  readonly #underWay = new Map<string, Promise<CachedResponse>>()

  /** `wait_ms` is how long a request waits for one of its caller's query slots. */
  constructor(options: { readonly cache: Pick<ResponseCache, 'put'>; readonly wait_ms: number }) {
    this.#cache = options.cache
    this.#wait_ms = options.wait_ms
  }

  /** Makes a response from memory, together with all requests for the same tag. */
  async shared(plan: ResponsePlan): Promise<CachedResponse> {
    const { etag } = plan.head
    const others = this.#underWay.get(etag)
    const making = others ?? this.#make(plan, NEVER).finally(() => this.#underWay.delete(etag))
    this.#underWay.set(etag, making)
    const made = await making.catch((error: unknown) => {
      // The shared work failed because its caller has no free slot; this caller may have one.
      if (others && isConcurrency(error)) return this.#make(plan, NEVER)
      throw error
    })
    // A file is sent once, to the request that started it, and a part may be missing because that caller had no free slot.
    return others && (made.file || made.head.etag !== etag) ? await this.#make(plan, NEVER) : made
  }

  /** Makes a response that costs a query of history. A caller has a limited number of slots. */
  async queried(plan: ResponsePlan, context: RequestContext, signal: AbortSignal): Promise<CachedResponse> {
    const lease = await context.lease(this.#wait_ms)
    try {
      return await this.#make(plan, signal)
    } finally {
      void lease.release()
    }
  }

  async #make(plan: ResponsePlan, signal: AbortSignal): Promise<CachedResponse> {
    const { pieces, file, links, next_cursor, isPartial } = await plan.answer(signal)
    const whole = {
      ...plan.head,
      links: [...links, ...plan.head.links],
      ...(next_cursor === null ? {} : { more: { ...plan.head.more, 'X-Next-Cursor': next_cursor } }),
    }
    const made = file ? await cachedFile(whole, file) : await cachedResponse(whole, pieces)
    if (isPartial) return partialResponse(made)
    if (!made.file) this.#cache.put(made)
    return made
  }
}

/** Marks a response that lacks a part: its tag is by its content, and it is fresh for a second only. */
function partialResponse({ head, ...made }: CachedResponse): CachedResponse {
  const content = made.file ? randomUUID() : hash('sha256', made.body, 'base64url')
  const etag = weakTag(`${head.etag} in part: ${content}`)
  return { ...made, head: { ...head, etag, modified_at: null, refreshAt: () => 0, cadence_s: 1 } }
}
