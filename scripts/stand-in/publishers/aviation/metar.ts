import { metarJson } from '../../formats/metar-json.ts'
import { type FeedStandIn, keptOf, type Publisher } from '../../publisher.ts'
import { AIRPORTS } from '../../world/aviation/airports.ts'

const FIVE_MINUTES = 300_000
const PATH = '/api/data/metar'

const reports: FeedStandIn = {
  feed: 'metar',
  hosts: ['aviationweather.gov'],
  path: `${PATH}?format=json&ids=LEMD,LEBL`,
  route: (path, query) => (path === PATH && query.get('format') === 'json' ? { kind: 'document', resource: query.get('ids') ?? '' } : null),
  publishedAt: (_seed, now) => now - (now % FIVE_MINUTES),
  contentType: 'application/json',
  validators: 'none',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write(world, { resource, stampedAt, variant }) {
    const wanted = resource.split(',')
    // Airports with hardly any flights have no weather observations.
    const reporting = AIRPORTS.filter(({ icao, movements_k }) => wanted.includes(icao) && movements_k > 1)
    return metarJson(keptOf(reporting, variant), { seed: world.seed, at: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'metar',
    // awc_metar_LEBA_20260903.json: one report, of midnight, that was received at 00:05:25.
    capturedAt: (file) => (file === 'awc_metar_LEBA_20260903.json' ? Date.UTC(2026, 8, 3, 0, 5, 26) : null),
  },
}

/** The Aviation Weather Center: the newest report of each requested airport. */
export const aviationWeather: Publisher = { name: 'NOAA Aviation Weather Center', feeds: [reports] }
