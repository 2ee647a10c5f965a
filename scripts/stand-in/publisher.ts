import { hash } from './random.ts'
import type { World } from './world/world.ts'

/** One feed as its publisher serves it. The feeds of a publisher are in one file of their domain, listed in its `index.ts`. */
export interface FeedStandIn {
  /** Id in the catalogue of feeds. */
  readonly feed: string
  /** Hosts that serve it; the first one is shown to people. */
  readonly hosts: readonly string[]
  /** An example path for people. */
  readonly path: string
  /** Resolves a path and its query; null if the feed does not have it. */
  readonly route: (path: string, query: URLSearchParams) => Route | null
  /** When the newest publication of a resource at `now` was made, ms; its bytes stay the same until the next one. */
  readonly publishedAt: (seed: number, now: number, resource?: string) => number
  /**
   * The first step of a publisher with two steps: its answer with the document's path `to`, or without a document at some
   * instants (ms).
   */
  readonly slip?: (to: string, now: number) => { readonly bytes: Buffer; readonly contentType: string }
  readonly contentType: string
  /** Content types of resources that have a different one. */
  readonly contentTypes?: Readonly<Record<string, string>>
  /** The publisher's validators; with `none` it never answers 304. */
  readonly validators: 'etag' | 'modified' | 'none'
  readonly headers: Readonly<Record<string, string>>
  /** Completeness groups that `block_missing` may leave out, and its default. */
  readonly blocks: { readonly known: RegExp; readonly usual: readonly string[] }
  /** True if the feed had another layout in the past, which `old_layout` restores. */
  readonly hasOldLayout: boolean
  /** The document of a resource: UTF-8 text, bytes in other encodings and formats, or a text that is too large for memory. */
  readonly write: (world: World, edition: Edition) => string | Buffer | TextToPack
  /** Absent if none was recorded. */
  readonly captures?: CaptureSet
}

/** A document that is too large for memory: its text in pieces, written and packed while it is sent. */
export interface TextToPack {
  readonly text: Iterable<string>
  /** Name of the zip's only member, and the zip's time, ms; without it the text is packed by gzip. */
  readonly zip?: { readonly name: string; readonly at: number }
}

/** The target of a path: a document's resource, or another path of the same host by a redirect or a two-step answer. */
type Route = string | { readonly redirect: string } | { readonly slip: string }

/** The requested document. Instants in ms. */
export interface Edition {
  readonly resource: string
  /** The instant that the document describes. */
  readonly publishedAt: number
  /** The instant that the document states: the same, unless the publisher's clock is wrong. */
  readonly stampedAt: number
  readonly variant: Variant
}

/** The defects of a document. */
export interface Variant {
  readonly missingBlocks: readonly string[]
  /** Share of the records that are included. */
  readonly share: number
  readonly hasUnknownCodes: boolean
  readonly isOldLayout: boolean
}

/** A document without defects. */
export const WHOLE: Variant = Object.freeze({ missingBlocks: [], share: 1, hasUnknownCodes: false, isOldLayout: false })

/** Recorded captures of a feed: files of a folder of `../shared/feeds`, or folders in it with the members of an archive. */
export interface CaptureSet {
  readonly folder: string
  /** When a file was captured, from its name, ms; null for a file of another feed. Absent for an archive. */
  readonly capturedAt?: (file: string) => number | null
  /** A required member: a folder without it is an incomplete archive, and not a capture. */
  readonly member?: string
  /** Set for an archive: its captures are files of periods. Each has its own URL and is served for every request. */
  readonly archive?: CapturedArchive
}

/** How recorded files of an archive are served. */
export interface CapturedArchive {
  /** The resource of a file, from its name; null for a file outside this archive. */
  readonly resourceOf: (file: string) => string | null
  /** The resource that lists the files, and its content; absent if nothing lists them. */
  readonly index?: string
  readonly list?: (resources: readonly string[]) => string
}

/**
 * When the newest of periodic publications was made: one in each period of `every_ms`, `after_s` seconds after its start and up
 * to `spread_s` later.
 */
export function everyPeriod(every_ms: number, after_s = 0, spread_s = 1): FeedStandIn['publishedAt'] {
  return (seed, now) => {
    const madeIn = (period: number): number =>
      period * every_ms + 1000 * (after_s + (hash(seed, 'published', every_ms, after_s, period) % spread_s))
    const period = Math.floor(now / every_ms)
    const at = madeIn(period)
    return at <= now ? at : madeIn(period - 1)
  }
}

/** The first records of a list, as many as the variant has. */
export function keptOf<T>(records: readonly T[], variant: Variant): readonly T[] {
  return variant.share >= 1 ? records : records.slice(0, Math.floor(records.length * variant.share))
}
