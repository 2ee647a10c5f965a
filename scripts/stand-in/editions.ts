import { createHash } from 'node:crypto'
import type { ActiveFault, FaultName } from './faults.ts'
import { type Edition, type FeedStandIn, type TextToPack, type Variant, WHOLE } from './publisher.ts'
import type { World } from './world/world.ts'

/** A document as it is sent. */
export interface Document {
  readonly body: Buffer | TextToPack
  readonly contentType: string
  readonly etag: string
  /** When it was published, ms. */
  readonly publishedAt: number
}

/**
 * A cache of documents, so that a publication's bytes and validators stay the same. Documents that are too large for it are
 * written again for each request, and are identified by the words that determine them.
 */
export interface Editions {
  get(feed: FeedStandIn, edition: Edition): Document
}

/** Creates a cache with `room` bytes; the least recently used documents are evicted first. */
export function makeEditions(world: World, room = 40 * 1024 * 1024): Editions {
  const kept = new Map<string, Document & { readonly body: Buffer }>()
  let size = 0
  return {
    get(feed, edition) {
      const key = JSON.stringify([feed.feed, edition])
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
        return known
      }
      const contentType = feed.contentTypes?.[edition.resource] ?? feed.contentType
      const about = { contentType, publishedAt: edition.stampedAt }
      const written = feed.write(world, edition)
      if (typeof written === 'object' && 'text' in written) return { ...about, body: written, etag: etagOf(`${world.seed} ${key}`) }
      const body = typeof written === 'string' ? Buffer.from(written) : written
      const document = { ...about, body, etag: etagOf(body) }
      kept.set(key, document)
      size += body.length
      for (const [oldest, { body: old }] of kept) {
        if (size <= room || oldest === key) break
        kept.delete(oldest)
        size -= old.length
      }
      return document
    },
  }
}

function etagOf(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`
}

/** The edition for a request at an instant, with the feed's faults applied. */
export function editionFor(
  feed: FeedStandIn,
  from: { resource: string; seed: number; now: number; faults: ReadonlyMap<FaultName, ActiveFault> },
): Edition {
  const { resource, seed, now, faults } = from
  const age_ms = faults.has('stale') ? (faults.get('stale')?.age_s ?? 3600) * 1000 : 0
  const at = faults.get('repeated')?.since ?? now - age_ms
  const publishedAt = feed.publishedAt(seed, at, resource)
  const skew = faults.get('clock_skew')
  return { resource, publishedAt, stampedAt: publishedAt + (skew ? (skew.by_s ?? 172_800) * 1000 : 0), variant: variantOf(feed, faults) }
}

function variantOf(feed: FeedStandIn, faults: ReadonlyMap<FaultName, ActiveFault>): Variant {
  const missing = faults.get('block_missing')
  const half = faults.get('half_empty')
  return {
    missingBlocks: missing ? (missing.blocks ?? feed.blocks.usual) : WHOLE.missingBlocks,
    share: half ? (half.share ?? 0.5) : WHOLE.share,
    hasUnknownCodes: faults.has('unknown_codes'),
    isOldLayout: faults.has('old_layout'),
  }
}
