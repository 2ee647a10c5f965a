import { capturesNamed, defineStandIn } from '../../define.ts'
import { type FeedStandIn, newestStamp } from '../../publisher.ts'
import { hash } from '../../random.ts'

/** A document of DGT: its interval, and its captures. */
interface DgtDocument {
  readonly feed: string
  readonly every_ms: number
  /** Time between the values and their publication, which may be up to `spread_ms` longer. */
  readonly delay_ms: number
  readonly spread_ms: number
  readonly folder: string
  readonly capture: RegExp
}

/** A DGT feed with one national document in DATEX II. */
export function dgtDocument(document: DgtDocument, write: FeedStandIn['write']): FeedStandIn {
  const { feed, every_ms, delay_ms, spread_ms, folder, capture } = document
  const stamp = (seed: number, step: number): number => step * every_ms + delay_ms + (hash(seed, feed, step) % spread_ms)
  return defineStandIn(feed, {
    publishedAt: newestStamp(every_ms, stamp),
    write,
    // medidas_datex2_v1_20260910T222623+0200.excerpt8.xml
    captures: { folder, capturedAt: capturesNamed(capture) },
  })
}
