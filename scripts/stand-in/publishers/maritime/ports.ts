import { capturesNamed, defineStandIn } from '../../define.ts'
import { worldPortIndexCsv } from '../../formats/world-port-index.ts'
import type { Publisher } from '../../publisher.ts'

const WEEK = 7 * 86_400_000

const index = defineStandIn('world_port_index', {
  write: ({ seed, scale }, { publishedAt, variant }) => worldPortIndexCsv({ seed, scale, edition: publishedAt / WEEK, variant }),
  captures: {
    folder: 'ports',
    // UpdatedPub150_world_port_index.csv.gz: the day of its download is unknown.
    capturedAt: capturesNamed(/^UpdatedPub150/, '2024-01-01'),
  },
})

/** The National Geospatial-Intelligence Agency, for its World Port Index. */
export const nga: Publisher = { name: 'National Geospatial-Intelligence Agency', feeds: [index] }
