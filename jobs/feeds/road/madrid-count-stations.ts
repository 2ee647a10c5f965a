import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficCountStations } from '../../../lake/datasets/road/traffic-count-stations.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readCsv } from '../../formats/csv.ts'
import { commaNumber, pointNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { MADRID_PLACE } from './madrid-places.ts'

type Station = FeedRow<typeof trafficCountStations>

const COLUMNS = ['Estación', 'Nombre', 'Latitud', 'Longitud', 'Sentido', 'Orient.']

/** Madrid's list of permanent count stations: two rows each, one a direction. */
export const madridCountStations = defineFeed({
  id: 'madrid_count_stations',
  domain: 'road',
  source: madrid,
  into: [trafficCountStations],
  every_s: 7 * 86_400,
  plans: [
    {
      requests: [
        {
          name: 'stations',
          url: 'https://datos.madrid.es/egob/catalogo/300233-70-aforo-trafico-permanentes.csv',
          accept: 'text/csv',
          maxBytes: 2_000_000,
          maxDecodedBytes: 2_000_000,
          timeout_ms: 60_000,
          expects: 'csv',
        },
      ],
    },
  ],
  freshBy: 'fetch',
  bands: { traffic_count_stations: { atLeast: 20, minRatio: 0.8, maxRatio: 1000 } },
  rows: readStations,
})

function* readStations(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ';', requires: COLUMNS, endsLines: true })
    for (const { line, text } of table.misshapen)
      notes.quarantine(trafficCountStations, 'another number of fields', `line ${line}: ${text}`)
    const at = COLUMNS.map((name) => table.at(name))
    const seen = new Map<number, number>()
    const stations: Station[] = []
    for (const record of table.records) {
      const [id = '', name = '', lat = '', lon = '', sense = '', heading = ''] = at.map((column) => (record[column] as string).trim())
      const number = wholeNumber(id)
      if (number === null || Number.isNaN(number)) {
        notes.quarantine(trafficCountStations, 'Estación is no number', record.join(';'))
        continue
      }
      // The direction that a one-way street lacks has no number, only its place.
      const place = (seen.get(number) ?? 0) + 1
      seen.set(number, place)
      stations.push({
        source: MADRID_PLACE.source,
        // Counts name station 1 ES01.
        station_id: `ES${String(number).padStart(2, '0')}`,
        direction: sense || String(place),
        name,
        heading: heading || null,
        is_counted: sense !== '',
        position: { lat: coordinate(lat), lon: coordinate(lon) },
        municipality_code: MADRID_PLACE.municipality_code,
      })
    }
    yield batch(trafficCountStations, stations)
  }
}

/** Decimal commas, but at one station decimal points. */
function coordinate(text: string): number {
  return (text.includes(',') ? commaNumber(text) : pointNumber(text)) ?? Number.NaN
}
