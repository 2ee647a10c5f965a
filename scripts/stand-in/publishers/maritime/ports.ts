import { worldPortIndexCsv } from '../../formats/world-port-index.ts'
import type { FeedStandIn, Publisher } from '../../publisher.ts'

const WEEK = 7 * 86_400_000
const PATH = '/api/publications/download'

const index: FeedStandIn = {
  feed: 'world_port_index',
  hosts: ['msi.nga.mil'],
  path: PATH,
  route: (path) => (path === PATH ? { kind: 'document', resource: 'ports' } : null),
  publishedAt: (_seed, now) => Math.floor(now / WEEK) * WEEK,
  contentType: 'text/csv',
  validators: 'etag',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write: ({ seed, scale }, { publishedAt, variant }) => worldPortIndexCsv({ seed, scale, edition: publishedAt / WEEK, variant }),
  captures: {
    folder: 'ports',
    // UpdatedPub150_world_port_index.csv.gz: the day of its download is unknown.
    capturedAt: (file) => (file.startsWith('UpdatedPub150') ? Date.UTC(2024, 0, 1) : null),
  },
}

/** The National Geospatial-Intelligence Agency, for its World Port Index. */
export const nga: Publisher = { name: 'National Geospatial-Intelligence Agency', feeds: [index] }
