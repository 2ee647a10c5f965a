import { LRUCache } from 'lru-cache'
import type { Plan } from '../../lake/schema/dataset.ts'
import type { Ready } from './replies.ts'

/** Most URLs of one route that are known by heart. */
const URLS_MOST = 2000
/** Bytes that a kept reply comes to besides its body, and a URL besides its characters; about. */
const REPLY_BYTES = 1000
const URL_BYTES = 200

interface Kept {
  readonly reply: Ready
  /** With its compressed forms and its URLs. */
  bytes: number
  /** Under which URLs routes know it. */
  readonly known: Set<Known>
}

/** A URL that a route knows the reply to. */
interface Known {
  readonly kept: Kept
  readonly urls: LRUCache<string, Known>
  readonly url: string
  /** The plan that its request needed beyond the endpoint's; null if none. */
  readonly plan: Plan | null
}

/** One route's replies by URL as it was sent: a request that was answered before needs no parsing. */
export interface Shelf {
  /** The reply to a URL and the plan that it needs beyond the endpoint's, if it is known. */
  get(url: string): { readonly reply: Ready; readonly plan: Plan | null } | undefined
  /** Remembers that a kept reply answers a URL. */
  put(url: string, reply: Ready, plan?: Plan | null): void
  /** Forgets all: the data has changed. */
  clear(): void
}

/** How often a reply was looked for: found by its URL, by its tag, or not at all. */
export interface ReplyLookups {
  readonly url: number
  readonly tag: number
  readonly missed: number
}

/** Replies kept for the next request, by their tag; bounded in bytes. The least recently used is evicted first, by tag or URL. */
export class ReplyCache {
  /** A new entry each time a reply has grown: the cache measures a value once. */
  readonly #kept: LRUCache<string, { readonly kept: Kept }>
  readonly #lookups = { url: 0, tag: 0, missed: 0 }

  constructor(options: { readonly bytes: number }) {
    this.#kept = new LRUCache<string, { readonly kept: Kept }>({
      maxSize: options.bytes,
      sizeCalculation: ({ kept }) => kept.bytes,
      // After an entry is out of the cache, so that what it was known by can be forgotten.
      disposeAfter: ({ kept }) => this.#afterEviction(kept),
      noDisposeOnSet: true,
    })
  }

  /** Bytes kept at the moment. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /** Replies kept at the moment. */
  get entries(): number {
    return this.#kept.size
  }

  /** Counts since the start. */
  get lookups(): ReplyLookups {
    return this.#lookups
  }

  /** The reply kept under a tag. */
  get(etag: string): Ready | undefined {
    const kept = this.#kept.get(etag)?.kept
    if (kept) this.#lookups.tag++
    else this.#lookups.missed++
    return kept?.reply
  }

  /** Keeps a reply, unless it alone is more than may be kept. */
  put(reply: Ready): void {
    const { etag } = reply.head
    const bytes = REPLY_BYTES + reply.body.length
    if (bytes > this.#kept.maxSize || this.#kept.has(etag)) return
    const kept: Kept = { reply, bytes, known: new Set() }
    reply.onGrowth = (more) => this.#grow(kept, more)
    this.#kept.set(etag, { kept })
  }

  /** A route's shelf. */
  shelf(): Shelf {
    const urls: LRUCache<string, Known> = new LRUCache<string, Known>({
      max: URLS_MOST,
      disposeAfter: (known) => {
        known.kept.known.delete(known)
        this.#grow(known.kept, -bytesOf(known))
      },
    })
    return {
      get: (url) => {
        const known = urls.get(url)
        const reply = known?.kept.reply
        // A hit by URL renews the reply as one by tag does.
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

  /** Counts bytes that a kept reply has come to take, and evicts others for them. */
  #grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes
    const { etag } = kept.reply.head
    if (this.#kept.peek(etag)?.kept === kept) this.#kept.set(etag, { kept })
  }

  #afterEviction(kept: Kept): void {
    kept.reply.onGrowth = null
    for (const { urls, url } of [...kept.known]) urls.delete(url)
  }
}

function bytesOf({ url }: Known): number {
  return URL_BYTES + url.length
}
