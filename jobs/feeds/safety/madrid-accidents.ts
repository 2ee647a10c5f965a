import { madrid } from '../../../lake/datasets/road/sources.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { MADRID_VARIABLES } from '../../../lake/datasets/safety/variables.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { MADRID_PLACE, madridPosition } from '../road/madrid-places.ts'
import { type Accident, accidentOf, mostOf, toldBy } from './accident.ts'
import { type LocalSpan, spanOf, weekdayOf } from './local-span.ts'

const COLUMNS = {
  id: 'num_expediente',
  date: 'fecha',
  time: 'hora',
  street: 'localizacion',
  number: 'numero',
  district: 'distrito',
  type: 'tipo_accidente',
  weather: 'estado_meteorológico',
  harm: 'cod_lesividad',
  x: 'coordenada_x_utm',
  y: 'coordenada_y_utm',
} as const
type Field = keyof typeof COLUMNS

/**
 * What `cod_lesividad` says of a person (note on the structure of the data, 2023): 1 emergency room, 2 in hospital for up to a day, 3 for more,
 * 4 killed within 24 hours, 5 to 7 treated elsewhere, 14 not treated; 77 is unknown, and nothing stands for nobody's hurt.
 */
const HARM: Readonly<Record<string, 'killed' | 'hospitalised' | 'slight' | 'none' | 'unknown'>> = {
  '1': 'slight',
  '2': 'slight',
  '3': 'hospitalised',
  '4': 'killed',
  '5': 'slight',
  '6': 'slight',
  '7': 'slight',
  '14': 'none',
  '77': 'unknown',
}
/** Positions are published to the metre in some editions, to the millimetre in others; of a crossing or a house, not of the very place. */
const ERROR_M = 1
const BATCH = 2048

/**
 * Accidents that the Policía Municipal of Madrid attends, with or without victims: a file a year, made anew every month, a row for each person
 * involved. Identical rows are different persons.
 */
export const madridAccidents = defineFeed({
  id: 'madrid_accidents',
  domain: 'safety',
  source: madrid,
  into: [roadAccidents],
  every_s: 7 * 86_400,
  plans: [
    {
      requests: [
        {
          name: 'accidents',
          url: 'https://datos.madrid.es/egob/catalogo/300228-34-accidentes-trafico-detalle.csv',
          accept: 'text/csv',
          maxBytes: 64_000_000,
          maxDecodedBytes: 64_000_000,
          timeout_ms: 120_000,
          expects: 'csv',
        },
      ],
    },
  ],
  freshBy: 'fetch',
  bands: { road_accidents: { atLeast: 100, minRatio: 0.9, maxRatio: 1000, ofSharedBlocks: true } },
  // The file of a new year begins small, and lacks the former year's: that is no block that is missing.
  blocks: { road_accidents: { column: 'edition', least: Number.POSITIVE_INFINITY } },
  rows: readAccidents,
})

type Read = (record: readonly string[], field: Field) => string | null

function* readAccidents(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ';', requires: Object.values(COLUMNS), endsLines: true })
    for (const { line, text } of table.misshapen) notes.quarantine(roadAccidents, 'another number of fields', `line ${line}: ${text}`)
    const read = reader(table)
    const accidents = byId(table, read, notes)
    const year = mostOf([...accidents.values()].map(({ date }) => Number(date.slice(0, 4))))
    const presence = watchPresence<Accident>('accidents', {
      'a position in Madrid': (one) => one.position !== null,
      'a tipo_accidente': (one) => one.accident_type !== null,
      'somebody hurt': (one) => one.is_casualty,
    })
    const rows: Accident[] = []
    for (const [id, accident] of accidents) {
      const row = rowOf({ id, edition: `madrid-${year}`, accident, read, notes })
      presence.see(row)
      rows.push(row)
    }
    presence.end()
    for (let at = 0; at < rows.length; at += BATCH) yield batch(roadAccidents, rows.slice(at, at + BATCH))
  }
}

/** Fields as text; null for nothing, which the edition of 2024 writes NULL. */
function reader(table: CsvTable): Read {
  const places = Object.fromEntries(Object.entries(COLUMNS).map(([field, name]) => [field, table.at(name)])) as Record<Field, number>
  return (record, field) => {
    const text = record[places[field]]?.trim() ?? ''
    return text === '' || text === 'NULL' ? null : text
  }
}

interface Gathered {
  /** The first person's row: place and time are the same in all. */
  readonly first: readonly string[]
  readonly date: string
  readonly span: LocalSpan
  readonly people: Record<'killed' | 'hospitalised' | 'slight' | 'none' | 'unknown', number>
}

function byId(table: CsvTable, read: Read, notes: Notes): ReadonlyMap<string, Gathered> {
  const accidents = new Map<string, Gathered>()
  for (const record of table.records) {
    const id = read(record, 'id')
    const when = whenOf(read(record, 'date'), read(record, 'time'))
    if (id === null || when === null) {
      notes.quarantine(roadAccidents, id === null ? 'no num_expediente' : 'fecha and hora are no date and time', record.join(';'))
      continue
    }
    const known = accidents.get(id)
    if (known && known.span.period_start !== when.span.period_start) notes.warn('persons of one accident with different times')
    const accident = known ?? { first: record, ...when, people: { killed: 0, hospitalised: 0, slight: 0, none: 0, unknown: 0 } }
    accidents.set(id, accident)
    const harm = read(record, 'harm')
    const kind = harm === null ? 'none' : HARM[harm]
    if (kind === undefined) notes.unknownCode('madrid_harm', harm as string)
    accident.people[kind ?? 'unknown'] += 1
  }
  return accidents
}

const DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

function whenOf(date: string | null, time: string | null): { readonly date: string; readonly span: LocalSpan } | null {
  const [, day = '', month = '', year = ''] = DATE.exec(date ?? '') ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const span = spanOf(iso, time === null ? null : time.replace(/^(\d{1,2}:\d{2}):\d{2}$/, '$1'))
  return span && { date: iso, span }
}

function rowOf(given: {
  readonly id: string
  readonly edition: string
  readonly accident: Gathered
  readonly read: Read
  readonly notes: Notes
}): Accident {
  const { accident, notes } = given
  const { first, date, span, people } = accident
  const text = (field: Field): string | null => given.read(first, field)
  const type = toldBy(MADRID_VARIABLES.accident_type, text('type'), {})
  const weather = toldBy(MADRID_VARIABLES.weather, text('weather'), {})
  const position = madridPosition(coordinate(text('x')), coordinate(text('y')), notes)
  const time = text('time')
  const street = [text('street'), text('number')].filter((part) => part !== null).join(', ')
  const harm = {
    killed: people.killed,
    hospitalised: people.hospitalised,
    slight: people.unknown > 0 && people.slight === 0 ? null : people.slight,
  }
  const absent = {
    ...(weather.reason === null ? {} : { weather: weather.reason }),
    ...(harm.slight === null ? { slight_24h: 'UNKNOWN' } : {}),
  }
  return accidentOf(
    {
      source: madrid.id,
      edition: given.edition,
      accident_id: given.id,
      year: Number(date.slice(0, 4)),
      month: Number(date.slice(5, 7)),
      weekday_iso: weekdayOf(date),
      hour_local: time === null ? null : Number(time.split(':')[0]),
      province_code: MADRID_PLACE.municipality_code.slice(0, 2),
      municipality_code: MADRID_PLACE.municipality_code,
      is_urban: true,
      street: street || null,
      district: text('district'),
      position,
      location_method: position && 'PUBLISHED',
      location_error_m: position && ERROR_M,
      accident_type: type.code,
      weather: weather.code,
      killed_24h: harm.killed,
      hospitalised_24h: harm.hospitalised,
      slight_24h: harm.slight,
      persons: Object.values(people).reduce((sum, count) => sum + count, 0),
    },
    { span, harm, absent },
  )
}

/** A decimal comma in some editions, whole numbers in others. */
function coordinate(text: string | null): number | null {
  return text === null ? null : (commaNumber(text) ?? Number.NaN)
}
