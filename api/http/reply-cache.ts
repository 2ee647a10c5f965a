import type { Ready } from './replies.ts'

/** Most URLs of one route that are known by heart. */
const URLS_MOST = 2000

interface Kept {
  readonly reply: Ready
  readonly bytes: number
  /** Under which URLs routes know it. */
  readonly known: [urls: Map<string, Ready>, url: string][]
}

/** One route's replies by URL as it was sent: a request that was answered before needs no parsing. */
export interface Shelf {
  /** The reply to a URL, if it is known. */
  get(url: string): Ready | undefined
  /** Remembers that a kept reply answers a URL. */
  put(url: string, reply: Ready): void
  /** Forgets all: the data has changed. */
  clear(): void
}

/** How often a reply was looked for: found by its URL, by its tag, or not at all. */
export interface ReplyLookups {
  readonly url: number
  readonly tag: number
  readonly missed: number
}

/** Replies kept for the next who asks, by their tag; bounded in bytes, those not asked for longest go first. */
export class ReplyCache {
  readonly #most: number
  readonly #kept = new Map<string, Kept>()
  readonly #lookups = { url: 0, tag: 0, missed: 0 }
  #bytes = 0

  constructor(options: { readonly bytes: number }) {
    this.#most = options.bytes
  }

  /** Bytes kept at the moment. */
  get bytes(): number {
    return this.#bytes
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
    const kept = this.#kept.get(etag)
    if (!kept) {
      this.#lookups.missed++
      return undefined
    }
    this.#lookups.tag++
    this.#kept.delete(etag)
    this.#kept.set(etag, kept)
    return kept.reply
  }

  /** Keeps a reply, unless it alone is more than may be kept. */
  put(reply: Ready): void {
    const { etag } = reply.head
    const bytes = sizeOf(reply)
    if (bytes > this.#most || this.#kept.has(etag)) return
    this.#kept.set(etag, { reply, bytes, known: [] })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) return
      this.#drop(oldest)
    }
  }

  /** A route's shelf. */
  shelf(): Shelf {
    const urls = new Map<string, Ready>()
    return {
      get: (url) => {
        const reply = urls.get(url)
        if (reply) this.#lookups.url++
        return reply
      },
      put: (url, reply) => {
        const kept = this.#kept.get(reply.head.etag)
        if (kept?.reply !== reply || urls.get(url) === reply) return
        if (urls.size >= URLS_MOST) urls.clear()
        urls.set(url, reply)
        kept.known.push([urls, url])
      },
      clear: () => {
        for (const reply of new Set(urls.values())) this.#drop(reply.head.etag)
        urls.clear()
      },
    }
  }

  #drop(etag: string): void {
    const kept = this.#kept.get(etag)
    if (!kept) return
    this.#kept.delete(etag)
    this.#bytes -= kept.bytes
    for (const [urls, url] of kept.known) if (urls.get(url) === kept.reply) urls.delete(url)
  }
}

/** Bytes that a kept reply comes to: its body and, at most half as large in all, the compressed forms. */
function sizeOf(reply: Ready): number {
  return 1000 + 1.5 * reply.body.length
}
