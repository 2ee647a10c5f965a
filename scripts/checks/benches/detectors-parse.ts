import { dgtDetectorSites } from '../../../jobs/feeds/road/dgt-detector-sites.ts'
import { dgtDetectors } from '../../../jobs/feeds/road/dgt-detectors.ts'
import { bareSaxes, parseBench } from './parsing.ts'

/** DGT's detectors (18 MB): bytes to checked rows, against saxes with empty handlers over the same bytes. */
export const detectorsParse = parseBench({
  name: 'parse/detectors',
  about: "DGT's detector measurements to checked rows, against saxes with empty handlers",
  limit: 2.5,
  feed: dgtDetectors,
  resources: ['national'],
  rows: 4500,
  reference: { expected: { tags: { min: 200_000 } }, parse: bareSaxes },
})

/** The same for the detectors' sites. */
export const detectorSitesParse = parseBench({
  name: 'parse/detector-sites',
  about: "DGT's detector sites to checked rows, against saxes with empty handlers",
  limit: 2.5,
  feed: dgtDetectorSites,
  resources: ['national'],
  rows: 5000,
  reference: { expected: { tags: { min: 150_000 } }, parse: bareSaxes },
})
