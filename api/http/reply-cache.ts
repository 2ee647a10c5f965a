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
  readonly urls: Map<string, Known>
  readonly url: string
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
    const bytes = REPLY_BYTES + reply.body.length
    if (bytes > this.#most || this.#kept.has(etag)) return
    const kept: Kept = { reply, bytes: 0, known: new Set() }
    this.#kept.set(etag, kept)
    reply.onGrowth = (more) => this.#take(kept, more)
    this.#take(kept, bytes)
  }

  /** A route's shelf. */
  shelf(): Shelf {
    const urls = new Map<string, Known>()
    return {
      get: (url) => {
        const known = urls.get(url)
        if (!known) return undefined
        this.#lookups.url++
        return known.kept.reply
      },
      put: (url, reply) => {
        const kept = this.#kept.get(reply.head.etag)
        const before = urls.get(url)
        if (kept?.reply !== reply || before?.kept === kept) return
        if (before) this.#forget(before)
        if (urls.size >= URLS_MOST) for (const known of urls.values()) this.#forget(known)
        const known: Known = { kept, urls, url }
        urls.set(url, known)
        kept.known.add(known)
        this.#take(kept, bytesOf(known))
      },
      clear: () => {
        for (const { kept } of urls.values()) this.#drop(kept)
      },
    }
  }

  /** Counts bytes that a kept reply has come to take, and makes room for them. */
  #take(kept: Kept, bytes: number): void {
    kept.bytes += bytes
    this.#bytes += bytes
    for (const oldest of this.#kept.values()) {
      if (this.#bytes <= this.#most) return
      this.#drop(oldest)
    }
  }

  #forget(known: Known): void {
    const { kept, urls, url } = known
    urls.delete(url)
    kept.known.delete(known)
    kept.bytes -= bytesOf(known)
    this.#bytes -= bytesOf(known)
  }

  #drop(kept: Kept): void {
    const { reply, known } = kept
    this.#kept.delete(reply.head.etag)
    reply.onGrowth = null
    for (const one of known) this.#forget(one)
    this.#bytes -= kept.bytes
  }
}

function bytesOf({ url }: Known): number {
  return URL_BYTES + url.length
}
