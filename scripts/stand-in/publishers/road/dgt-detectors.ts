import { dgtDetectorMeasurements, dgtDetectorSites } from '../../formats/dgt-detectors.ts'
import { keptOf } from '../../publisher.ts'
import { detectors, measurementsAt } from '../../world/detectors.ts'
import { dgtDocument } from './dgt-document.ts'

const DETECTORS = { delay_ms: 60_000, spread_ms: 40_000, folder: 'dgt-detectores' }

/** The measurements of the detectors: every five minutes. */
export const detectorMeasurements = dgtDocument(
  { ...DETECTORS, feed: 'dgt_detectors', every_ms: 300_000, capture: /^medidas_/ },
  (world, { publishedAt, stampedAt, variant }) =>
    dgtDetectorMeasurements(keptOf(measurementsAt(world, publishedAt), variant), {
      publishedAt: stampedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    }),
)

/** The positions of the detectors: every day. */
export const detectorSites = dgtDocument(
  {
    ...DETECTORS,
    feed: 'dgt_detector_sites',
    every_ms: 86_400_000,
    capture: /^ubicaciones_/,
  },
  (world, { stampedAt, variant }) =>
    dgtDetectorSites(keptOf(world.part(detectors), variant), { publishedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes }),
)
