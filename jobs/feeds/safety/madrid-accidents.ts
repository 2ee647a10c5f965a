import { madrid } from '../../../lake/datasets/road/sources.ts'
import { MADRID_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { listRequest } from '../../formats/ckan.ts'
import { readCsv } from '../../formats/csv.ts'
import { twelveHourTime } from '../../formats/dates.ts'
import { commaNumber, eitherNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { openXlsx, serialDate } from '../../formats/xlsx.ts'
import { batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { Binder, columnsOf } from '../kit/binder.ts'
import { watchPresence } from '../presence.ts'
import { MADRID_PLACE, madridPosition } from '../road/madrid-places.ts'
import {
  type Accident,
  accidentFile,
  accidentOf,
  codedBy,
  editionOf,
  type LocalSpan,
  listedYears,
  RECENT_YEARS,
  spanOf,
  weekdayOf,
} from './accident.ts'

/** The publisher's columns, with the names in older files, which have no coordinates; misspellings are the publisher's. */
const COLUMNS = columnsOf(
  {
    id: 'num_expediente | Nº EXPEDIENTE',
    date: 'fecha',
    time: 'hora',
    street: 'localizacion | CALLE',
    number: 'numero',
    district: 'distrito',
    type: 'tipo_accidente',
    weather: 'estado_meteorológico | ESTADO METEREOLÓGICO',
    harm: 'cod_lesividad | LESIVIDAD*',
    x: 'coordenada_x_utm',
    y: 'coordenada_y_utm',
  },
  [...['cod_distrito', 'tipo_vehiculo', 'tipo_persona', 'rango_edad | RANGO DE EDAD', 'sexo', 'positiva_alcohol', 'positiva_droga']],
)
type Field = (typeof COLUMNS)['fields'][number]
/** Columns without which an accident is unusable. */
const NEEDS: readonly Field[] = ['id', 'date', 'harm']
/** The column of the harm's code in older files; today the name without the asterisk has the harm in words. */
const OLDER_HARM = /^\s*lesividad\*\s*$/i
/** Columns missing from all older files. */
const NEWER: readonly Field[] = ['x', 'y']

/**
 * `cod_lesividad` of a person (the publisher's note on the data structure, 2023): 1 emergency room, 2 in hospital for up to a
 * day, 3 for longer, 4 killed within 24 hours, 5 to 7 treated elsewhere, 14 not treated, 77 unknown; empty for no injury.
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
/** Positions have metres in some editions, millimetres in others; they locate a crossing or house, not the exact place. */
const ERROR_M = 1
const BATCH = 2048
/** Size limit of a year's workbook, decompressed; that of 2020 has 14 MB. */
const MOST_UNPACKED = 256_000_000

/** The dataset's files in the portal's list: each year one CSV; some years also, or only, a workbook. */
const YEARLY = /\/300228-\d+-accidentes-trafico-detalle[^/]*\.(?:csv|xlsx)$/i
/** Earlier files only have accidents with injuries or damage to the city: another series in another layout. */
const FIRST_YEAR = 2019

/**
 * Accidents attended by the Policía Municipal of Madrid, with or without victims: a file per year, renewed every month, a row
 * for each person involved. Identical rows are different persons. Files are numbered arbitrarily, so the portal's list (CKAN)
 * is read.
 */
export const madridAccidents = defineFeed({
  id: 'madrid_accidents',
  source: madrid,
  ...accidentFile({
    into: roadAccidents,
    url: 'https://datos.madrid.es/egob/catalogo/300228-34-accidentes-trafico-detalle.csv',
    expects: 'csv',
    maxBytes: 64_000_000,
    atLeast: 100,
    minRatio: 0.9,
  }),
  archive: {
    unit: 'year',
    index: [listRequest('https://datos.madrid.es/api/3/action/package_show?id=300228-0-accidentes-trafico-detalle')],
    files: (index) => listedYears(index, { path: YEARLY, first: FIRST_YEAR, prefers: (url) => (/\.csv$/i.test(url) ? 1 : 0) }),
    recent: RECENT_YEARS,
  },
  async *rows(bodies, _clock, diagnostics) {
    for (const body of bodies) {
      const sheet =
        body.bytes.subarray(0, 2).toString('latin1') === 'PK'
          ? await workbookSheet(body.bytes, diagnostics)
          : csvSheet(body.bytes, diagnostics)
      const read = reader(sheet)
      const accidents = byId(sheet, read, diagnostics)
      const coordinate = coordinates({ accidents: [...accidents.values()], read, diagnostics })
      const edition = editionOf(
        'madrid',
        body,
        [...accidents.values()].map(({ date }) => Number(date.slice(0, 4))),
      )
      const presence = watchPresence<Accident>('accidents', {
        ...(sheet.isOlder ? {} : { 'a position in Madrid': (one) => one.position !== null }),
        'a tipo_accidente': (one) => one.accident_type !== null,
        'somebody hurt': (one) => one.is_casualty,
      })
      const rows: Accident[] = []
      for (const [id, accident] of accidents) {
        const row = rowOf({ id, edition, accident, read, coordinate, diagnostics })
        presence.see(row)
        rows.push(row)
      }
      presence.end()
      for (let at = 0; at < rows.length; at += BATCH) yield batch(roadAccidents, rows.slice(at, at + BATCH))
    }
  },
})

/** Coordinates of the city are below 5,000,000 m, and above 400,000,000 mm. */
const MOST_METRES = 10_000_000

/** A file's rows, of whatever kind it is: fields as text. */
interface Sheet {
  /** True for the layout without coordinates. */
  readonly isOlder: boolean
  readonly places: ReadonlyMap<Field, number>
  readonly records: readonly (readonly string[])[]
  /** Of a workbook: in these, and in CSV saved from one, dates are numbers of days and times fractions of a day. */
  readonly dayZero?: number
}

type Read = (record: readonly string[], field: Field) => string | null

function csvSheet(bytes: Buffer, diagnostics: Diagnostics): Sheet {
  const table = readCsv(decodeText(bytes), { delimiter: ';', requires: [], endsLines: true })
  for (const { line, text } of table.misshapen) diagnostics.reject(roadAccidents, 'another number of fields', `line ${line}: ${text}`)
  return { ...headerOf(table.header, diagnostics), records: table.records }
}

/** The first sheet of a workbook. */
async function workbookSheet(bytes: Buffer, diagnostics: Diagnostics): Promise<Sheet> {
  const workbook = await openXlsx(bytes, { maxBytes: MOST_UNPACKED })
  const lines: (readonly string[])[] = []
  for await (const rows of workbook.rows(workbook.sheets[0] ?? ''))
    for (const cells of rows) lines.push(cells.map((cell) => (cell === null ? '' : String(cell))))
  const [header = [], ...records] = lines
  return { ...headerOf(header, diagnostics), records, dayZero: workbook.dayZero }
}

/**
 * The positions of the fields in a header. Missing and unknown columns are counted. Throws `FormatError` if a needed one is
 * missing.
 */
function headerOf(header: readonly string[], diagnostics: Diagnostics): Pick<Sheet, 'isOlder' | 'places'> {
  const names = header.map((name) => (/^lesividad$/i.test(name.trim()) ? '' : name))
  const binder = new Binder(COLUMNS)
  const values = binder.valuesOf({ names, values: names.map((_name, at) => at) }) as readonly (number | undefined)[]
  const missing = binder.missing(NEEDS)
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.join(', ').slice(0, 500)}`)
  const places = new Map(COLUMNS.fields.flatMap((field, at) => (values[at] === undefined ? [] : [[field, values[at]] as const])))
  const isOlder = header.some((name) => OLDER_HARM.test(name))
  const usual = COLUMNS.fields.filter((field) => !isOlder || !NEWER.includes(field))
  for (const name of binder.missing(usual)) diagnostics.warn(`no column ${name}`)
  binder.countUnknown('madrid_accidents', diagnostics)
  return { isOlder, places }
}

/** Fields as text; null if empty, which the edition of 2024 writes as NULL and that of 2020 as `-`. */
function reader({ places }: Sheet): Read {
  return (record, field) => {
    const text = record[places.get(field) ?? -1]?.trim() ?? ''
    return text === '' || text === '-' || text === 'NULL' ? null : text
  }
}

interface Gathered {
  /** The first person's row: place and time are the same in all. */
  readonly first: readonly string[]
  readonly date: string
  readonly span: LocalSpan
  readonly people: Record<'killed' | 'hospitalised' | 'slight' | 'none' | 'unknown', number>
}

function byId({ records, dayZero }: Sheet, read: Read, diagnostics: Diagnostics): ReadonlyMap<string, Gathered> {
  const accidents = new Map<string, Gathered>()
  for (const record of records) {
    const id = read(record, 'id')
    const when = whenOf(read(record, 'date'), read(record, 'time'), dayZero)
    if (id === null || when === null) {
      diagnostics.reject(roadAccidents, id === null ? 'no num_expediente' : 'fecha and hora are no date and time', record.join(';'))
      continue
    }
    const known = accidents.get(id)
    if (known && known.span.period_start !== when.span.period_start) diagnostics.warn('persons of one accident with different times')
    const accident = known ?? { first: record, ...when, people: { killed: 0, hospitalised: 0, slight: 0, none: 0, unknown: 0 } }
    accidents.set(id, accident)
    const harm = read(record, 'harm')
    const kind = harm === null ? 'none' : HARM[harm]
    if (kind === undefined) diagnostics.unknownCode('madrid_harm', harm as string)
    accident.people[kind ?? 'unknown'] += 1
  }
  return accidents
}

const DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

function whenOf(date: string | null, time: string | null, dayZero?: number): { readonly date: string; readonly span: LocalSpan } | null {
  const iso = dateOf(date ?? '', dayZero)
  const span = iso === null ? null : spanOf(iso, time === null ? null : timeOf(time))
  return span && { date: iso as string, span }
}

function dateOf(text: string, dayZero?: number): string | null {
  if (/^\d{5}$/.test(text)) return serialDate(Number(text), dayZero)
  const [, day = '', month = '', year] = DATE.exec(text) ?? []
  return year === undefined ? null : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A time of day as H:MM. */
function timeOf(text: string): string {
  const share = eitherNumber(text) ?? Number.NaN
  if (!(share >= 0 && share < 1)) return twelveHourTime(text) ?? text.replace(/^(\d{1,2}:\d{2}):\d{2}$/, '$1')
  // Binary parts of a day are a hair off the minute.
  const minutes = Math.round(share * 1440)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

function rowOf(given: {
  readonly id: string
  readonly edition: string
  readonly accident: Gathered
  readonly read: Read
  readonly coordinate: (text: string | null) => number | null
  readonly diagnostics: Diagnostics
}): Accident {
  const { accident, diagnostics } = given
  const { first, date, span, people } = accident
  const text = (field: Field): string | null => given.read(first, field)
  const type = codedBy(MADRID_VARIABLES.accident_type, text('type'), {})
  const weather = codedBy(MADRID_VARIABLES.weather, text('weather'), {})
  const position = madridPosition(given.coordinate(text('x')), given.coordinate(text('y')), diagnostics)
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
      hour_local: time === null ? null : Number(timeOf(time).split(':')[0]),
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

/** Metres with a decimal comma, or with the point of workbook cells and CSV saved from them. */
const DECIMAL = /^\d{4,}[.,]\d+$/

/**
 * Parses a file's coordinates to metres, null if empty and NaN if not a number. Some editions have millimetres, written with
 * points as thousands separators (`444.913.056`): most of the file's eastings decide, and a warning reports it.
 */
function coordinates(file: {
  readonly accidents: readonly Gathered[]
  readonly read: Read
  readonly diagnostics: Diagnostics
}): (text: string | null) => number | null {
  const parse = (text: string | null): number | null => {
    if (text === null) return null
    return (DECIMAL.test(text) ? eitherNumber(text) : commaNumber(text)) ?? Number.NaN
  }
  const eastings = file.accidents.map(({ first }) => parse(file.read(first, 'x'))).filter((x) => x !== null)
  const isLarge = eastings.filter((x) => x > MOST_METRES).length > eastings.length / 2
  if (isLarge) file.diagnostics.warn('coordinates are millimetres: divided by 1,000')
  const perMetre = isLarge ? 1000 : 1
  return (text) => {
    const value = parse(text)
    return value === null ? null : value / perMetre
  }
}
