import { madridTraffic } from '../../../jobs/feeds/road/madrid-traffic.ts'
import { bareSaxes, parseBench } from './parsing.ts'

/** Madrid's pm.xml (2.8 MB): bytes to checked rows, against saxes with empty handlers over the same bytes. */
export const pmParse = parseBench({
  name: 'parse/madrid',
  about: "Madrid's pm.xml to checked rows, against saxes with empty handlers",
  limit: 2.5,
  feed: madridTraffic,
  resources: ['pm'],
  rows: 12_000,
  reference: { expected: { tags: { min: 75_000 } }, parse: bareSaxes },
})
