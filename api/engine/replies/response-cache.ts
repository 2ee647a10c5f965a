import { LRUCache } from 'lru-cache'
import type { Plan } from '../../../lake/schema/dataset.ts'
import type { MadeResponse } from './responses.ts'

/** Most URLs in the index of one route. */
const MAX_URLS = 2000
/** Approximate bytes of a cached reply besides its body, and of a URL besides its characters. */
const REPLY_BYTES = 1000
const URL_BYTES = 200

interface CacheEntry {
  readonly reply: MadeResponse
  /** Includes its compressed forms and its URLs. */
  bytes: number
  /** The URLs in the routes' indexes that lead to it. */
  readonly known: Set<Known>
}

/** A URL whose reply is in the index of its route. */
interface Known {
  readonly kept: CacheEntry
  readonly urls: LRUCache<string, Known>
  readonly url: string
  /** The plan that its request needed beyond the endpoint's; null if none. */
  readonly plan: Plan | null
}

/** The index of one route's replies by URL as it was sent: a repeated request needs no parsing. */
export interface UrlIndex {
  /** Returns the reply to a URL and the plan that it needs beyond the endpoint's, if it is in the index. */
  get(url: string): { readonly reply: MadeResponse; readonly plan: Plan | null } | undefined
  /** Records that a cached reply answers a URL. */
  put(url: string, reply: MadeResponse, plan?: Plan | null): void
  /** Empties the index: the data has changed. */
  clear(): void
}

/** Counts of lookups: found by URL, found by tag, or missed. */
export interface ResponseLookups {
  readonly url: number
  readonly tag: number
  readonly missed: number
}

/** Replies cached by their tag, bounded in bytes. The least recently used is evicted first, by tag or URL. */
export class ResponseCache {
  /** Replaced by a new entry each time a reply has grown: the cache measures a value once. */
  readonly #kept: LRUCache<string, { readonly kept: CacheEntry }>
  readonly #lookups = { url: 0, tag: 0, missed: 0 }

  constructor(options: { readonly bytes: number }) {
    this.#kept = new LRUCache<string, { readonly kept: CacheEntry }>({
      maxSize: options.bytes,
      sizeCalculation: ({ kept }) => kept.bytes,
      // Only after the eviction can the entry's URLs be removed.
      disposeAfter: ({ kept }) => this.#afterEviction(kept),
      noDisposeOnSet: true,
    })
  }

  /** Bytes in the cache. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** Replies in the cache. */
  get entries(): number {
    return this.#kept.size
  }

  /** Counts since the start. */
  get lookups(): ResponseLookups {
    return this.#lookups
  }

  /** Returns the reply with a tag. */
  get(etag: string): MadeResponse | undefined {
    const kept = this.#kept.get(etag)?.kept
    if (kept) this.#lookups.tag++
    else this.#lookups.missed++
    return kept?.reply
  }

  /** Caches a reply, unless it alone exceeds the capacity. */
  put(reply: MadeResponse): void {
    const { etag } = reply.head
    const bytes = REPLY_BYTES + reply.body.length
    if (bytes > this.#kept.maxSize || this.#kept.has(etag)) return
    const kept: CacheEntry = { reply, bytes, known: new Set() }
    reply.onGrowth = (more) => this.#grow(kept, more)
    this.#kept.set(etag, { kept })
  }

  /** Returns the index of a new route. */
  urlIndex(): UrlIndex {
    const urls: LRUCache<string, Known> = new LRUCache<string, Known>({
      max: MAX_URLS,
      disposeAfter: (known) => {
        known.kept.known.delete(known)
        this.#grow(known.kept, -bytesOf(known))
      },
    })
    return {
      get: (url) => {
        const known = urls.get(url)
        const reply = known?.kept.reply
        // A hit by URL touches the reply as a hit by tag does.
        if (!reply || !this.#kept.get(reply.head.etag)) return undefined
        this.#lookups.url++
        return { reply, plan: known.plan }
      },
      put: (url, reply, plan = null) => {
        const kept = this.#kept.peek(reply.head.etag)?.kept
        if (kept?.reply !== reply || urls.peek(url)?.kept === kept) return
        const known: Known = { kept, urls, url, plan }
        kept.known.add(known)
        urls.set(url, known)
        this.#grow(kept, bytesOf(known))
      },
      clear: () => {
        for (const { kept } of [...urls.values()]) this.#kept.delete(kept.reply.head.etag)
      },
    }
  }

  /** Counts the growth of a cached reply, and evicts others for it. */
  #grow(kept: CacheEntry, bytes: number): void {
    kept.bytes += bytes
    const { etag } = kept.reply.head
    if (this.#kept.peek(etag)?.kept === kept) this.#kept.set(etag, { kept })
  }

  #afterEviction(kept: CacheEntry): void {
    kept.reply.onGrowth = null
    for (const { urls, url } of [...kept.known]) urls.delete(url)
  }
}

function bytesOf({ url }: Known): number {
  return URL_BYTES + url.length
}
