import { madrid } from '../../../lake/datasets/road/sources.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber, pointNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, FormatError, type Notes } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { MADRID_PLACE, madridPosition } from './madrid-places.ts'

type Sensor = FeedRow<typeof trafficSensors>

/** `tipo_elem`; the M-30 is spelt `M-30` in 2018 and `M30` since. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['URB', 'URBAN'],
  ['M30', 'M30'],
  ['M-30', 'M30'],
  ['other', 'OTHER'],
])

/** Columns of every edition. */
const REQUIRED = ['id', 'cod_cent', 'nombre', 'tipo_elem']

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
  // Growth has no bound: keys are unique, and where too little was once taken for the whole, the next whole edition has to put it right.
  bands: { traffic_sensors: { atLeast: 1000, minRatio: 0.8, maxRatio: 1000 } },
  blocks: { traffic_sensors: { column: 'sensor_type' } },
  rows: readPoints,
})

/** The file says nothing of its date, so the time of the fetch stands. */
function* readPoints(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ';', requires: REQUIRED, lenient: true, endsLines: true })
    for (const { line, text } of table.misshapen) notes.quarantine(trafficSensors, 'another number of fields', `line ${line}: ${text}`)
    yield batch(trafficSensors, readRecords(table, notes))
  }
}

interface PlaceColumns {
  readonly x: number
  readonly y: number
  readonly district: number
}

/** Two editions are known: of 2018 `x;y` with a decimal comma and no district, since 2023 `distrito;utm_x;utm_y` with a decimal point. */
function placeColumns(table: CsvTable): PlaceColumns {
  const isOld = table.at('x') >= 0
  const names = isOld ? ['x', 'y'] : ['utm_x', 'utm_y', 'distrito']
  const missing = names.filter((name) => table.at(name) < 0)
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${table.header.join(', ').slice(0, 500)}`)
  return { x: table.at(names[0] as string), y: table.at(names[1] as string), district: table.at('distrito') }
}

function readRecords(table: CsvTable, notes: Notes): Sensor[] {
  const { x, y, district } = placeColumns(table)
  const [id, type, name, centre] = [table.at('id'), table.at('tipo_elem'), table.at('nombre'), table.at('cod_cent')]
  const presence = watchPresence<Sensor>('points', {
    'a nombre': (sensor) => sensor.name !== null,
    'a cod_cent': (sensor) => sensor.centre_code !== null,
    'a position in Madrid': (sensor) => sensor.position !== null,
  })
  const sensors: Sensor[] = []
  for (const record of table.records) {
    const text = (at: number): string => record[at]?.trim() ?? ''
    const sensor_id = text(id)
    if (sensor_id === '') {
      notes.quarantine(trafficSensors, 'no id', record.join(';'))
      continue
    }
    const sensor: Sensor = {
      source: MADRID_PLACE.source,
      listing: 'CATALOGUE',
      sensor_id,
      city: MADRID_PLACE.city,
      sensor_type: TYPES.get(text(type)) ?? text(type),
      name: text(name) || null,
      centre_code: text(centre) || null,
      access_code: null,
      district: districtOf(text(district)),
      subarea: null,
      capacity_veh_h: null,
      position: madridPosition(coordinate(text(x)), coordinate(text(y)), notes),
      municipality_code: MADRID_PLACE.municipality_code,
    }
    presence.see(sensor)
    sensors.push(sensor)
  }
  presence.end()
  return sensors
}

/** Empty where there is none; anything else that is no number is bad. */
function districtOf(text: string): number | null {
  return text === '' ? null : (wholeNumber(text) ?? Number.NaN)
}

/** By what it looks like: the notation differs by edition, and a coordinate never has thousands. What is no number (`n/d` neither) is NaN. */
function coordinate(text: string): number | null {
  if (text === '') return null
  return (text.includes(',') ? commaNumber(text) : pointNumber(text)) ?? Number.NaN
}
