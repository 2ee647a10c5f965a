import { capturesNamed } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import type { FeedStandIn } from '../../publisher.ts'
import { AIRPORTS, type Airport } from '../../world/aviation/airports.ts'

const PATH = '/ourairports-data/airports.csv'
const FALLBACK = '/jpatokal/openflights/master/data/airports.dat'

const newest = fixtureStandIn<Airport>('airports', {
  file: ({ variant }) => (variant.isOldLayout ? 'ourairports-before-icao-code.csv' : 'ourairports.csv'),
  // An edition omits one of the smallest airports.
  items: () => AIRPORTS.toReversed(),
  fields: {
    id: (_id, { item }) => 4000 + AIRPORTS.indexOf(item),
    type: (_type, { item }) => typeOf(item),
    ident: (_icao, { item }) => item.icao,
    icao_code: (_icao, { item }) => item.icao,
    gps_code: (_icao, { item }) => item.icao,
    iata_code: (_iata, { item }) => item.iata,
    name: (_name, { item }) => item.name,
    municipality: (_town, { item }) => item.municipality,
    latitude_deg: (_lat, { item }) => item.lat,
    longitude_deg: (_lon, { item }) => item.lon,
    elevation_ft: (_feet, { item }) => item.elevation_ft,
    iso_country: () => 'ES',
    scheduled_service: (_is, { item }) => (item.movements_k > 1 ? 'yes' : 'no'),
    keywords: (_words, { item }) => item.keywords ?? '',
  },
  hosts: ['davidmegginson.github.io', 'raw.githubusercontent.com'],
  route(path) {
    if (path === PATH) return 'ourairports'
    return path === FALLBACK ? 'openflights' : null
  },
  contentType: 'text/csv; charset=utf-8',
  contentTypes: { openflights: 'text/plain; charset=utf-8' },
  // Copies from before the addition of `icao_code`.
  hasOldLayout: true,
  captures: {
    folder: 'openflights',
    // The only recorded list of airports; its last update is from 2019.
    capturedAt: capturesNamed(/^airports\.dat\.gz$/, '2019-06-01'),
  },
})

/** OurAirports' daily list, and OpenFlights' under its own address. */
export const ourairports: FeedStandIn = {
  ...newest,
  write: (world, edition) => (edition.resource === 'openflights' ? openflightsDat() : newest.write(world, edition)),
}

function typeOf({ name, movements_k }: Airport): string {
  if (name.includes('Heliport')) return 'heliport'
  return movements_k >= 40 ? 'large_airport' : movements_k >= 4 ? 'medium_airport' : 'small_airport'
}

/** OpenFlights' `airports.dat`: no header, `\N` for null. */
function openflightsDat(): string {
  const lines = AIRPORTS.map((one, nth) =>
    [
      ...[1000 + nth, `"${one.name}"`, `"${one.municipality}"`, '"Spain"', `"${one.iata}"`, `"${one.icao}"`, one.lat, one.lon],
      ...[one.elevation_ft, one.zone === 'Europe/Madrid' ? 1 : 0, '"E"', `"${one.zone}"`, '"airport"', '"OurAirports"'],
    ].join(),
  )
  return `${lines.join('\n')}\n`
}
