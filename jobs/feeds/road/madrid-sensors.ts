import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber, pointNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { MADRID_PLACE, madridPosition } from './madrid-places.ts'

type Sensor = FeedRow<typeof trafficSensors>

/** `tipo_elem`; the M-30 is spelt `M-30` in 2018 and `M30` since. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['URB', 'URBAN'],
  ['M30', 'M30'],
  ['M-30', 'M30'],
  ['other', 'OTHER'],
])

/** Madrid's catalogue of measuring points: a new edition each month, each under its own number at catalogue entry 202468. */
export const madridSensors = defineFeed({
  id: 'madrid_sensors',
  domain: 'road',
  source: madrid,
  into: [trafficSensors],
  every_s: 86_400,
  plans: [
    {
      requests: [
        {
          name: 'points',
          url: 'https://datos.madrid.es/egob/catalogo/202468-263-intensidad-trafico.csv',
          accept: 'text/csv',
          maxBytes: 16_000_000,
          maxDecodedBytes: 16_000_000,
          timeout_ms: 60_000,
          expects: 'csv',
        },
      ],
    },
  ],
  bands: { traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1.5 } },
  blocks: { traffic_sensors: { column: 'sensor_type' } },
  rows: readPoints,
})

/** The file says nothing of its date, so the time of the fetch stands. */
function* readPoints(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ';', requires: ['id', 'cod_cent', 'nombre', 'tipo_elem'], lenient: true })
    for (const { line, text } of table.misshapen) notes.quarantine(trafficSensors, 'another number of fields', `line ${line}: ${text}`)
    yield batch(trafficSensors, readRecords(table, notes))
  }
}

/** Two editions are known: of 2018 `x;y` with a decimal comma and no district, since 2023 `distrito;utm_x;utm_y` with a decimal point. */
function readRecords(table: CsvTable, notes: Notes): Sensor[] {
  const x = Math.max(table.at('utm_x'), table.at('x'))
  const y = Math.max(table.at('utm_y'), table.at('y'))
  const district = table.at('distrito')
  const [id, type, name, centre] = [table.at('id'), table.at('tipo_elem'), table.at('nombre'), table.at('cod_cent')]
  const sensors: Sensor[] = []
  for (const record of table.records) {
    const text = (at: number): string => record[at]?.trim() ?? ''
    const sensor_id = text(id)
    if (sensor_id === '') {
      notes.quarantine(trafficSensors, 'no id', record.join(';'))
      continue
    }
    sensors.push({
      source: MADRID_PLACE.source,
      listing: 'CATALOGUE',
      sensor_id,
      city: MADRID_PLACE.city,
      sensor_type: TYPES.get(text(type)) ?? text(type),
      name: text(name) || null,
      centre_code: text(centre) || null,
      access_code: null,
      district: wholeNumber(text(district)),
      subarea: null,
      capacity_veh_h: null,
      position: madridPosition(coordinate(text(x)), coordinate(text(y)), notes),
      municipality_code: MADRID_PLACE.municipality_code,
    })
  }
  return sensors
}

/** By what it looks like: the notation differs by edition, and a coordinate never has thousands. */
function coordinate(text: string): number | null {
  return text.includes(',') ? commaNumber(text) : pointNumber(text)
}
