import { parseInstant } from '../../../../lake/schema/time.ts'
import { type FeedStandIn, newestStamp } from '../../publisher.ts'
import { hash } from '../../random.ts'

/** A document of DGT: its path, its interval, and its captures. */
interface DgtDocument {
  readonly feed: string
  readonly host: string
  readonly path: string
  readonly every_ms: number
  /** Time between the values and their publication, which may be up to `spread_ms` longer. */
  readonly delay_ms: number
  readonly spread_ms: number
  readonly folder: string
  readonly capture: RegExp
}

/** A DGT feed with one national document in DATEX II. */
export function dgtDocument(document: DgtDocument, write: FeedStandIn['write']): FeedStandIn {
  const { feed, host, path, every_ms, delay_ms, spread_ms, folder, capture } = document
  const stamp = (seed: number, step: number): number => step * every_ms + delay_ms + (hash(seed, feed, step) % spread_ms)
  return {
    feed,
    hosts: [host],
    path,
    route: (asked) => (asked === path ? { kind: 'document', resource: 'national' } : null),
    publishedAt: newestStamp(every_ms, stamp),
    contentType: 'application/xml',
    validators: 'etag',
    headers: {},
    blocks: { known: /^(?!)/, usual: [] },
    hasOldLayout: false,
    write,
    captures: {
      folder,
      // medidas_datex2_v1_20260910T222623+0200.excerpt8.xml
      capturedAt(file) {
        if (!capture.test(file)) return null
        const [, year, month, day, hour, minute, second, zone] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)([+-]\d\d)00/.exec(file) ?? []
        return year === undefined ? null : parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}:00`)
      },
    },
  }
}
