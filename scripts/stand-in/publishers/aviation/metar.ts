import { capturesNamed, defineStandIn } from '../../define.ts'
import { metarJson } from '../../formats/metar-json.ts'
import { keptOf } from '../../publisher.ts'
import { AIRPORTS } from '../../world/aviation/airports.ts'

const FIVE_MINUTES = 300_000
const PATH = '/api/data/metar'

/** The Aviation Weather Center: the newest report of each requested airport. */
export const aviationWeather = defineStandIn('metar', {
  path: `${PATH}?format=json&ids=LEMD,LEBL`,
  route: (path, query) => (path === PATH && query.get('format') === 'json' ? (query.get('ids') ?? '') : null),
  publishedAt: (_seed, now) => now - (now % FIVE_MINUTES),
  validators: 'none',
  write(world, { resource, stampedAt, variant }) {
    const wanted = resource.split(',')
    // Airports with hardly any flights have no weather observations.
    const reporting = AIRPORTS.filter(({ icao, movements_k }) => wanted.includes(icao) && movements_k > 1)
    return metarJson(keptOf(reporting, variant), { seed: world.seed, at: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'metar',
    // awc_metar_LEBA_20260903.json: one report, of midnight, that was received at 00:05:25.
    capturedAt: capturesNamed(/^awc_metar_LEBA_20260903\.json$/, '2026-09-03T00:05:26Z'),
  },
})
