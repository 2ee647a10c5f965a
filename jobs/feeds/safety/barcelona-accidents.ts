import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { barcelona } from '../../../lake/datasets/safety/sources.ts'
import { BARCELONA_VARIABLES } from '../../../lake/datasets/safety/variables.ts'
import { listRequest } from '../../formats/ckan.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { ED50_ERROR_M, ed50UtmToPoint } from '../../formats/ed50.ts'
import { commaNumber, pointNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, FormatError, type Notes } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { type Accident, accidentOf, toldBy } from './accident.ts'
import { spanOf, weekdayOf } from './local-span.ts'
import { accidentFile, editionOf, listedYears, RECENT_YEARS } from './yearly-file.ts'

/** Columns by their names as compared: in small letters, without blanks and underscores (`NK_ Any`, `Mes_ any`). */
const COLUMNS = {
  id: ['numeroexpedient'],
  street: ['nomcarrer'],
  number: ['numpostal'],
  district: ['nomdistricte'],
  year: ['nkany', 'any'],
  month: ['mesany'],
  day: ['diames'],
  hour: ['horadia'],
  killed: ['numeromorts'],
  slight: ['numerolesionatslleus'],
  hospitalised: ['numerolesionatsgreus'],
  vehicles: ['numerovehiclesimplicats'],
  cause: ['descripciocausavianant'],
  x: ['coordenadautmxed50', 'coordenadautmx'],
  y: ['coordenadautmyed50', 'coordenadautmy'],
} as const
type Field = keyof typeof COLUMNS

/** UTM 31N box (ED50) of the city with a margin, metres. */
const BOX = { west: 418_000, east: 440_000, south: 4_570_000, north: 4_595_000 }
const PROVINCE = '08'
const MUNICIPALITY = '08019'
const BATCH = 2048

/** The table of accidents among those of persons, vehicles and causes; the year stands before or behind. */
const ACCIDENTS = /\/(?:(\d{4})_accidents_gu_bcn(?:_\d{4})?|accidents_gu_bcn_(\d{4}))\.csv$/i
const FIRST_YEAR = 2010

/**
 * Accidents that the Guàrdia Urbana of Barcelona attends: a file a year, a row for each accident, listed by the city's portal (CKAN).
 * Coordinates are ED50 / UTM 31N, whatever the header says; the files of 2010 to 2015 have the northing under X.
 */
export const barcelonaAccidents = defineFeed({
  id: 'barcelona_accidents',
  source: barcelona,
  ...accidentFile({
    into: roadAccidents,
    url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/e769eb9d-d778-4cd7-9e3a-5858bba49b20/resource/bcfc0866-7e2a-4054-9a93-fb3f371fc5eb/download/2025_accidents_gu_bcn.csv',
    expects: 'csv',
    maxBytes: 32_000_000,
    atLeast: 100,
    minRatio: 0.9,
  }),
  archive: {
    unit: 'year',
    index: [listRequest('https://opendata-ajuntament.barcelona.cat/data/api/3/action/package_show?id=accidents-gu-bcn')],
    files: (index) => listedYears(index, { path: ACCIDENTS, first: FIRST_YEAR, prefers: () => 0 }),
    recent: RECENT_YEARS,
  },
  rows: readAccidents,
})

type Read = (record: readonly string[], field: Field) => string | null

function* readAccidents(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const text = decodeText(body.bytes)
    // As published, or saved anew by a spreadsheet.
    const delimiter = text.slice(0, text.indexOf('\n')).includes(';') ? ';' : ','
    const table = readCsv(text, { delimiter, requires: [], endsLines: true })
    const read = reader(table)
    for (const { line, text } of table.misshapen) notes.quarantine(roadAccidents, 'another number of fields', `line ${line}: ${text}`)
    const edition = editionOf(
      'barcelona',
      body,
      table.records.map((record) => Number(read(record, 'year'))),
    )
    const presence = watchPresence<Accident>('accidents', {
      'a position in Barcelona': (one) => one.position !== null,
      'somebody hurt': (one) => one.is_casualty,
    })
    const rows: Accident[] = []
    const seen = new Set<string>()
    for (const record of table.records) {
      try {
        const row = rowOf(record, { edition, read, notes })
        // Some are in the file twice, word for word.
        if (seen.has(row.accident_id)) {
          notes.warn('an accident that is in the file twice')
          continue
        }
        seen.add(row.accident_id)
        presence.see(row)
        rows.push(row)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        notes.quarantine(roadAccidents, error.message, record.join(delimiter))
      }
    }
    presence.end()
    for (let at = 0; at < rows.length; at += BATCH) yield batch(roadAccidents, rows.slice(at, at + BATCH))
  }
}

function reader(table: CsvTable): Read {
  const names = table.header.map((name) => name.toLowerCase().replaceAll(/[\s_]/g, ''))
  const places = new Map<Field, number>()
  for (const [field, spellings] of Object.entries(COLUMNS)) {
    const at = names.findIndex((name) => (spellings as readonly string[]).includes(name))
    if (at < 0) throw new FormatError(`the header lacks ${spellings[0]}; it has ${table.header.join(', ').slice(0, 500)}`)
    places.set(field as Field, at)
  }
  return (record, field) => {
    const text = record[places.get(field) as number]?.trim() ?? ''
    return text === '' || text === '-1' || text === 'Desconegut' ? null : text
  }
}

function rowOf(
  record: readonly string[],
  { edition, read, notes }: { readonly edition: string; readonly read: Read; readonly notes: Notes },
): Accident {
  const text = (field: Field): string | null => read(record, field)
  const whole = (field: Field): number => {
    const value = wholeNumber(text(field) ?? '')
    if (value === null || Number.isNaN(value)) throw new FormatError(`${COLUMNS[field][0]} is no whole number`)
    return value
  }
  const id = text('id')
  if (id === null) throw new FormatError('no Numero_expedient')
  const [year, month, day, hour] = [whole('year'), whole('month'), whole('day'), text('hour')]
  const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const span = spanOf(date, hour === null ? null : hour.padStart(2, '0'))
  if (span === null) throw new FormatError('year, month, day and hour are no time')
  const harm = { killed: whole('killed'), hospitalised: whole('hospitalised'), slight: whole('slight') }
  const at = positionOf(text('x'), text('y'))
  const street = [text('street'), text('number')].filter((part) => part !== null).join(', ')
  if (at.isOutside) notes.warn('coordinates outside the UTM box of Barcelona: position left out')
  return accidentOf(
    {
      source: barcelona.id,
      edition,
      accident_id: id,
      year,
      month,
      weekday_iso: weekdayOf(date),
      hour_local: hour === null ? null : whole('hour'),
      province_code: PROVINCE,
      municipality_code: MUNICIPALITY,
      is_urban: true,
      street: street || null,
      district: text('district'),
      position: at.position,
      location_method: at.position && 'PUBLISHED',
      location_error_m: at.position && ED50_ERROR_M,
      killed_24h: harm.killed,
      hospitalised_24h: harm.hospitalised,
      slight_24h: harm.slight,
      vehicles: whole('vehicles'),
      pedestrian_cause: toldBy(BARCELONA_VARIABLES.pedestrian_cause, text('cause'), {}).code,
    },
    { span, harm, absent: at.isOutside ? { position: 'OUTSIDE' } : {} },
  )
}

/** The position of easting and northing, in whichever order; no number can be both in this city. Degrees that a spreadsheet mangled are not read. */
function positionOf(x: string | null, y: string | null): { readonly position: Accident['position']; readonly isOutside: boolean } {
  if (x === null && y === null) return { position: null, isOutside: false }
  const [one, other] = [coordinate(x), coordinate(y)]
  const [easting, northing] = one > other ? [other, one] : [one, other]
  const isInside = easting > BOX.west && easting < BOX.east && northing > BOX.south && northing < BOX.north
  return { position: isInside ? ed50UtmToPoint(easting, northing, 31) : null, isOutside: !isInside }
}

function coordinate(text: string | null): number {
  if (text === null) return Number.NaN
  return (text.includes(',') ? commaNumber(text) : pointNumber(text)) ?? Number.NaN
}
