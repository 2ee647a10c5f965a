import type { World } from './world/world.ts'

/** Who publishes: the feeds behind some hosts. One file each in the folder of their domain, listed in its `index.ts`. */
export interface Publisher {
  readonly name: string
  readonly feeds: readonly FeedStandIn[]
}

/** One feed as its publisher serves it. */
export interface FeedStandIn {
  /** Id in the catalogue of feeds. */
  readonly feed: string
  /** Hosts that serve it; the first is the one told to people. */
  readonly hosts: readonly string[]
  /** A path to show people. */
  readonly path: string
  /** What a path and the query behind it are; null where it is none of this feed's. */
  readonly route: (path: string, query: URLSearchParams) => Route | null
  /** When the newest publication of a resource at `now` was made, ms; its bytes stay the same until the next. */
  readonly publishedAt: (seed: number, now: number, resource?: string) => number
  /** Of a publisher that answers in two steps: the first, which only says where the document is, or at an instant (ms) is not; `to` is its path. */
  readonly slip?: (to: string, now: number) => { readonly bytes: Buffer; readonly contentType: string }
  readonly contentType: string
  /** Content types of resources that have another one. */
  readonly contentTypes?: Readonly<Record<string, string>>
  /** Which validators the publisher sends; with none it never answers 304. */
  readonly validators: 'etag' | 'modified' | 'none'
  readonly headers: Readonly<Record<string, string>>
  /** Blocks that `block_missing` may leave out, and those it does unless told. */
  readonly blocks: { readonly known: RegExp; readonly usual: readonly string[] }
  /** True where the feed had another layout once, which `old_layout` brings back. */
  readonly hasOldLayout: boolean
  /** The document of a resource: text in UTF-8, bytes where it is in another encoding or no text, or what is too large to be held. */
  readonly write: (world: World, edition: Edition) => string | Buffer | TextToPack
  readonly captures: CaptureSet
}

/** A document that is too large to be held: its text in pieces, made and packed as it is sent. */
export interface TextToPack {
  readonly text: Iterable<string>
  /** The name of the one member of a zip that it is, and the zip's time, ms; packed by gzip unless told. */
  readonly zip?: { readonly name: string; readonly at: number }
}

/** What a path leads to: a document by the name of its resource, or by a redirect or a slip another path of the same host. */
type Route = { readonly kind: 'document'; readonly resource: string } | { readonly kind: 'redirect' | 'slip'; readonly to: string }

/** Which document is wanted. Instants in ms. */
export interface Edition {
  readonly resource: string
  /** What the document describes. */
  readonly publishedAt: number
  /** What it says of itself: the same, unless the publisher's clock is wrong. */
  readonly stampedAt: number
  readonly variant: Variant
}

/** In what the document is not as it should be. */
export interface Variant {
  readonly missingBlocks: readonly string[]
  /** Share of the records that are there. */
  readonly share: number
  readonly hasUnknownCodes: boolean
  readonly isOldLayout: boolean
}

/** A document as it should be. */
export const WHOLE: Variant = Object.freeze({ missingBlocks: [], share: 1, hasUnknownCodes: false, isOldLayout: false })

/** Recorded captures of a feed: files of a folder of `../shared/feeds`, or folders in it that hold the members of an archive. */
interface CaptureSet {
  readonly folder: string
  /** When a file was captured, by its name, ms; null for a file that is none of this feed's. */
  readonly capturedAt: (file: string) => number | null
  /** A member without which a folder is not the whole archive, and none of the captures. */
  readonly member?: string
  /** Set of an archive: its captures are files of periods, each served under an address of its own, as often as it is asked for. */
  readonly archive?: CapturedArchive
}

/** How recorded files of an archive are served. */
export interface CapturedArchive {
  /** The resource that a file is, by its name; null for a file that is none of this archive. */
  readonly resourceOf: (file: string) => string | null
  /** The resource that lists the files, and what it is where there are these; none where nothing lists them. */
  readonly index?: string
  readonly list?: (resources: readonly string[]) => string
}

/**
 * When the newest publication was made, for one in each period of `every_ms`: `stamp` gives the time (ms) of the publication of a
 * period by its number, which may be some seconds after the period began.
 */
export function newestStamp(every_ms: number, stamp: (seed: number, period: number) => number): FeedStandIn['publishedAt'] {
  return (seed, now) => {
    const period = Math.floor(now / every_ms)
    const at = stamp(seed, period)
    return at <= now ? at : stamp(seed, period - 1)
  }
}

/** The first records of a list, as many as the variant has. */
export function keptOf<T>(records: readonly T[], variant: Variant): readonly T[] {
  return variant.share >= 1 ? records : records.slice(0, Math.floor(records.length * variant.share))
}
