import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import { bareSaxes, parseBench } from './parsing.ts'

/** DGT's situations (2.7 MB): bytes to checked rows, against saxes with empty handlers over the same bytes. */
export const dgtParse = parseBench({
  name: 'parse/dgt',
  about: "DGT's situations to checked rows, against saxes with empty handlers",
  limit: 2.5,
  feed: dgtIncidentsFeed,
  resources: ['national'],
  rows: 400,
  reference: { expected: { tags: { min: 25_000 } }, parse: bareSaxes },
})
