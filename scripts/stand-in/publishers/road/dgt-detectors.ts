import { parseInstant } from '../../../../lake/schema/time.ts'
import { dgtDetectorMeasurements, dgtDetectorSites } from '../../formats/dgt-detectors.ts'
import { type FeedStandIn, keptOf, newestStamp } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { detectors, measurementsAt } from '../../world/detectors.ts'

/** A feed about detectors: one document, made anew every `every_ms`, a while after the values in it. */
function detectorFeed(
  of: { readonly feed: string; readonly publication: string; readonly every_ms: number; readonly capture: RegExp },
  write: FeedStandIn['write'],
): FeedStandIn {
  const { feed, every_ms, capture } = of
  const path = `/datex2/dgt/${of.publication}/detectores/content.xml`
  const stamp = (seed: number, step: number): number => step * every_ms + 60_000 + (hash(seed, feed, step) % 40_000)
  return {
    feed,
    hosts: ['infocar.dgt.es'],
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
      folder: 'dgt-detectores',
      // medidas_datex2_v1_20260910T222623+0200.excerpt8.xml
      capturedAt(file) {
        if (!capture.test(file)) return null
        const [, year, month, day, hour, minute, second, zone] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)([+-]\d\d)00/.exec(file) ?? []
        return year === undefined ? null : parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}:00`)
      },
    },
  }
}

/** What the detectors measure: every five minutes. */
export const detectorMeasurements = detectorFeed(
  { feed: 'dgt_detectors', publication: 'MeasuredDataPublication', every_ms: 300_000, capture: /^medidas_/ },
  (world, { publishedAt, stampedAt, variant }) =>
    dgtDetectorMeasurements(keptOf(measurementsAt(world, publishedAt), variant), {
      publishedAt: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    }),
)

/** Where the detectors are: every day. */
export const detectorSites = detectorFeed(
  { feed: 'dgt_detector_sites', publication: 'PredefinedLocationsPublication', every_ms: 86_400_000, capture: /^ubicaciones_/ },
  (world, { stampedAt, variant }) =>
    dgtDetectorSites(keptOf(world.part(detectors), variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes }),
)
