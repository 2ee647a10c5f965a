import { hash, randomUUID } from 'node:crypto'
import { isConcurrency } from '../../auth/limits/in-lease.ts'
import type { RequestContext } from '../../auth/request-context.ts'
import { isTable } from '../../kernel/formats.ts'
import { type ResponsePlan, weakTag } from '../answers/response-plan.ts'
import type { ResponseCache } from './response-cache.ts'
import { fileResponse, type MadeResponse, madeResponse } from './responses.ts'

/** The signal of work that several requests share. */
const NEVER = new AbortController().signal

/** Makes the responses of a path from their plans: each once, however many requests ask for it at the same time. */
export class ResponseMaker {
  readonly #cache: Pick<ResponseCache, 'put'>
  readonly #wait_ms: number
  /** Responses that are being made, by tag: a long list takes several turns of the event loop. */
  readonly #underWay = new Map<string, Promise<MadeResponse>>()

  /** Queries of the lake that are under way, by tag. */
  readonly #queries = new Map<string, SharedQuery>()

  /** `wait_ms` is how long a request waits for one of its caller's query slots. */
  constructor(options: { readonly cache: Pick<ResponseCache, 'put'>; readonly wait_ms: number }) {
    this.#cache = options.cache
    this.#wait_ms = options.wait_ms
  }

  /** Makes a response from memory, together with all requests for the same tag. */
  async shared(plan: ResponsePlan): Promise<MadeResponse> {
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

  /**
   * Makes a response that costs a query of history, together with all requests for the same tag, until all their callers have
   * gone. A caller has a limited number of slots.
   */
  async queried(plan: ResponsePlan, context: Pick<RequestContext, 'lease'>, signal: AbortSignal): Promise<MadeResponse> {
    const lease = await context.lease(this.#wait_ms)
    try {
      const { etag, format } = plan.head
      // A file is sent once, to the request that started it.
      if (format !== null && isTable(format)) return await this.#make(plan, signal)
      const there = this.#queries.get(etag)
      const query = there ?? this.#begin(plan)
      const made = await query.join(signal)
      return there && made.head.etag !== etag ? await this.#make(plan, signal) : made
    } finally {
      void lease.release()
    }
  }

  #begin(plan: ResponsePlan): SharedQuery {
    const { etag } = plan.head
    const query = new SharedQuery(
      (signal) => this.#make(plan, signal),
      () => {
        if (this.#queries.get(etag) === query) this.#queries.delete(etag)
      },
    )
    this.#queries.set(etag, query)
    return query
  }

  async #make(plan: ResponsePlan, signal: AbortSignal): Promise<MadeResponse> {
    const { pieces, file, links, next_cursor, isPartial } = await plan.answer(signal)
    const whole = {
      ...plan.head,
      links: [...links, ...plan.head.links],
      ...(next_cursor === null ? {} : { more: { ...plan.head.more, 'X-Next-Cursor': next_cursor } }),
    }
    const made = file ? await fileResponse(whole, file) : await madeResponse(whole, pieces)
    if (isPartial) return partialResponse(made)
    if (!made.file) this.#cache.put(made)
    return made
  }
}

/** A query that several requests wait for. It is stopped when the last of them has gone. */
class SharedQuery {
  readonly #stop = new AbortController()
  readonly #made: Promise<MadeResponse>
  readonly #onEnd: () => void
  #waiting = 0

  /** `onEnd` is called once no further request may join. */
  constructor(make: (signal: AbortSignal) => Promise<MadeResponse>, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#made = make(this.#stop.signal).finally(onEnd)
    // Each request waits for itself; without any, nobody does.
    this.#made.catch(() => undefined)
  }

  async join(signal: AbortSignal): Promise<MadeResponse> {
    const gone = Promise.withResolvers<never>()
    const leave = (): void => gone.reject(signal.reason)
    this.#waiting++
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      return await Promise.race([this.#made, gone.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--this.#waiting === 0 && signal.aborted) {
        this.#onEnd()
        this.#stop.abort(signal.reason)
      }
    }
  }
}

/** Marks a response that lacks a part: its tag is by its content, and it is fresh for a second only. */
function partialResponse({ head, ...made }: MadeResponse): MadeResponse {
  const content = made.file ? randomUUID() : hash('sha256', made.body, 'base64url')
  const etag = weakTag(`${head.etag} in part: ${content}`)
  return { ...made, head: { ...head, etag, modified_at: null, refreshAt: () => 0, cadence_s: 1 } }
}
