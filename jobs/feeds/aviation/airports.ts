import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { openflights, ourairports } from '../../../lake/datasets/aviation/sources.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { readCsv } from '../../formats/csv.ts'
import { decodeText } from '../../formats/text.ts'
import { type FeedBody, FormatError, type Get } from '../define.ts'
import { csvFile, type RecordFile, recordFeed } from '../kit/record-feed.ts'

const TYPES = {
  large_airport: 'LARGE_AIRPORT',
  medium_airport: 'MEDIUM_AIRPORT',
  small_airport: 'SMALL_AIRPORT',
  heliport: 'HELIPORT',
  seaplane_base: 'SEAPLANE_BASE',
  balloonport: 'BALLOONPORT',
}
/** The columns of OpenFlights' file, which has no header. */
const OPENFLIGHTS = 'id,name,city,country,iata_code,icao_code,lat,lon,altitude_ft,utc_offset,dst,tz,kind,origin'.split(',')
const METRES_PER_FOOT = 0.3048
const ICAO = /^[A-Z]{4}$/
const IATA = /^[A-Z]{3}$/
/** OurAirports' prefix of an airport listed twice. */
const DUPLICATE = '[Duplicate]'

/** Spain's airports with an IATA code: OurAirports' list of the world, or OpenFlights' older one while that is unavailable. */
export const airportList = recordFeed(
  {
    id: 'airports',
    source: ourairports,
    into: airports,
    every_s: 86_400,
    get: [
      getOf('ourairports', 'https://davidmegginson.github.io/ourairports-data/airports.csv', 40_000_000),
      getOf('openflights', 'https://raw.githubusercontent.com/jpatokal/openflights/master/data/airports.dat', 8_000_000),
    ],
    freshBy: 'fetch',
    band: { atLeast: 30 },
    columns: {
      ident: 'ident',
      type: 'type',
      name: 'name',
      latitude: 'latitude_deg | lat',
      longitude: 'longitude_deg | lon',
      elevation_ft: 'elevation_ft | altitude_ft',
      municipality: 'municipality | city',
      scheduled: 'scheduled_service',
      icao: 'icao_code',
      iata: 'iata_code',
      gps: 'gps_code',
      keywords: 'keywords',
    },
    knows: [
      ...['id', 'continent', 'iso_country', 'iso_region', 'local_code', 'home_link', 'wikipedia_link'],
      ...['country', 'utc_offset', 'dst', 'tz', 'kind', 'origin'],
    ],
    needs: ['iata', 'name', 'latitude', 'longitude'],
    emptyValues: ['\\N'],
    file: ({ name }) => name,
    row: (r, source) => {
      const place = r.place({ position: r.position('latitude', 'longitude') })
      const feet = r.number('elevation_ft')
      const scheduled = r.cell('scheduled')
      return {
        source,
        iata: r.text('iata'),
        icao: [r.cell('icao'), r.cell('gps'), r.cell('ident')].find((code) => code !== null && ICAO.test(code)) ?? null,
        name: r.text('name'),
        type: r.code('type', TYPES),
        municipality: r.text('municipality'),
        has_scheduled_service: scheduled === null ? null : scheduled === 'yes',
        elevation_m: feet === null ? null : Math.round(feet * METRES_PER_FOOT),
        time_zone: place.province_code === null ? MADRID : zoneOf(place.province_code),
        keywords: r.text('keywords'),
        ...place,
      }
    },
  },
  (bodies) => bodies.map(openList),
)

function getOf(name: string, url: string, maxBytes: number): Get {
  return { name, url, accept: 'text/csv, text/plain;q=0.9', maxBytes, timeout_ms: 120_000, expects: 'csv' }
}

/** Reads either list, recognized by its first bytes, as a file named after its source; keeps the relevant Spanish airports. */
function openList({ name, bytes }: FeedBody): RecordFile {
  const text = decodeText(bytes)
  const isOpenFlights = /^\d+,"/.test(text)
  const [countryColumn, spain] = isOpenFlights ? ['country', 'Spain'] : ['iso_country', 'ES']
  const table = readCsv(isOpenFlights ? `${OPENFLIGHTS.join()}\n${text}` : text, {
    ...{ delimiter: ',', requires: ['iata_code', countryColumn], endsLines: true },
  })
  const valueOf = (record: readonly string[], column: string): string => record[table.at(column)] ?? ''
  const found = table.records.filter(
    (record) =>
      valueOf(record, countryColumn) === spain &&
      IATA.test(valueOf(record, 'iata_code')) &&
      valueOf(record, 'type') !== 'closed' &&
      !valueOf(record, 'name').startsWith(DUPLICATE),
  )
  if (found.length === 0) throw new FormatError(`${name} has no Spanish airport with an IATA code`)
  return csvFile(isOpenFlights ? openflights.id : ourairports.id, { ...table, records: found })
}
