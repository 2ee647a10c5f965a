import { createHash } from 'node:crypto'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { sctAccidentList } from '../../../lake/datasets/safety/sources.ts'
import { CATALAN_VARIABLES } from '../../../lake/datasets/safety/variables.ts'
import { municipalityByName } from '../../../lake/places/municipalities.ts'
import { provinceByName } from '../../../lake/places/provinces.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, FormatError, type Notes } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { type Accident, accidentOf, toldBy, toldIf } from './accident.ts'
import { spanOf, weekdayOf } from './local-span.ts'
import { accidentFile } from './yearly-file.ts'

const OWN = ['Any', 'dat', 'via', 'pk', 'nomMun', 'nomDem', 'hor'] as const
const COUNTS = ['F_MORTS', 'F_FERITS_GREUS', 'F_FERITS_LLEUS', 'F_UNITATS_IMPLICADES', 'F_VIANANTS_IMPLICADES'] as const
const REQUIRED = [...OWN, ...COUNTS, ...Object.values(CATALAN_VARIABLES).map(({ variable }) => variable)]
/** How the list says that there is nothing. */
const NOTHING = new Set(['', 'NA', 'SE', '999999', 'Sense especificar', 'Sense Especificar'])
/** Kilometre points beyond this are of no road. */
const MOST_KM = 2000
const BATCH = 2048

/**
 * Accidents of Catalonia with persons killed or seriously hurt, since 2010: one file of all years, which have no id and no coordinates. Killed are
 * counted as the Servei Català de Trànsit does in its own figures, within 24 hours.
 */
export const cataloniaAccidents = defineFeed({
  id: 'catalonia_accidents',
  source: sctAccidentList,
  ...accidentFile({
    into: roadAccidents,
    url: 'https://analisi.transparenciacatalunya.cat/api/views/rmgc-ncpb/rows.csv?accessType=DOWNLOAD',
    expects: 'csv',
    maxBytes: 64_000_000,
    atLeast: 100,
    minRatio: 0.9,
  }),
  rows: readAccidents,
})

function* readAccidents(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ',', requires: REQUIRED, endsLines: true })
    for (const { line, text } of table.misshapen) notes.quarantine(roadAccidents, 'another number of fields', `line ${line}: ${text}`)
    const presence = watchPresence<Accident>('accidents', {
      'a municipality': (one) => one.municipality_code !== null,
      'a D_SUBTIPUS_ACCIDENT': (one) => one.accident_type !== null,
      'a hor': (one) => one.hour_local !== null,
    })
    const ids = idMaker()
    let rows: Accident[] = []
    for (const record of table.records) {
      try {
        const row = rowOf(record, { table, id: ids(record), notes })
        presence.see(row)
        rows.push(row)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        notes.quarantine(roadAccidents, error.message, record.join(','))
      }
      if (rows.length < BATCH) continue
      yield batch(roadAccidents, rows)
      rows = []
    }
    presence.end()
    yield batch(roadAccidents, rows)
  }
}

/** Ids made from what is published of an accident; the second of two that are word for word the same has a number behind it. */
function idMaker(): (record: readonly string[]) => string {
  const seen = new Map<string, number>()
  return (record) => {
    const id = createHash('sha256').update(record.join('\u0000')).digest('hex').slice(0, 16)
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id}-${count}`
  }
}

const DATE = /^(\d{2})\/(\d{2})\/(\d{4})$/

function rowOf(
  record: readonly string[],
  { table, id, notes }: { readonly table: CsvTable; readonly id: string; readonly notes: Notes },
): Accident {
  const raw = (name: string): string => record[table.at(name)]?.trim() ?? ''
  const text = (name: string): string | null => (NOTHING.has(raw(name)) ? null : raw(name))
  const whole = (name: string): number => {
    const value = wholeNumber(raw(name))
    if (value === null || Number.isNaN(value)) throw new FormatError(`${name} is no whole number`)
    return value
  }
  const [, day = '', month = '', year = ''] = DATE.exec(raw('dat')) ?? []
  const date = `${year}-${month}-${day}`
  const time = timeOf(text('hor'))
  const span = spanOf(date, time)
  if (span === null) throw new FormatError('dat and hor are no date and time')
  const absent: Record<string, string> = {}
  const code = (column: keyof typeof CATALAN_VARIABLES): string | null =>
    toldBy(CATALAN_VARIABLES[column], text(CATALAN_VARIABLES[column].variable), {}).code
  const flag = (column: 'is_urban' | 'is_junction'): boolean | null => {
    const variable = CATALAN_VARIABLES[column]
    const unknown = (value: string): void => notes.unknownCode(`sct_${variable.variable.toLowerCase()}`, value)
    return toldIf(variable, text(variable.variable), { absent: {}, unknown }).is
  }
  for (const [column, { variable }] of Object.entries(CATALAN_VARIABLES))
    if (/^sense especificar$/i.test(raw(variable))) absent[column] = 'NOT_SPECIFIED'
  const province = provinceByName(raw('nomDem'))?.code ?? null
  const municipality = province === null ? null : (municipalityByName(raw('nomMun'), province)?.code ?? null)
  if (municipality === null) notes.warn(`unknown municipality ${raw('nomMun')}`)
  const harm = { killed: whole('F_MORTS'), hospitalised: whole('F_FERITS_GREUS'), slight: whole('F_FERITS_LLEUS') }
  return accidentOf(
    {
      source: sctAccidentList.id,
      edition: 'catalonia',
      accident_id: `${year}-${id}`,
      year: Number(year),
      month: Number(month),
      weekday_iso: weekdayOf(date),
      hour_local: time === null ? null : Number(time.slice(0, 2)),
      province_code: province,
      municipality_code: municipality,
      zone: code('zone'),
      is_urban: flag('is_urban'),
      road: text('via'),
      km: kmOf(text('pk'), notes),
      road_owner: code('road_owner'),
      road_type: code('road_type'),
      accident_type: code('accident_type'),
      is_junction: flag('is_junction'),
      junction_type: code('junction_type'),
      surface: code('surface'),
      light: code('light'),
      weather: code('weather'),
      killed_24h: harm.killed,
      hospitalised_24h: harm.hospitalised,
      slight_24h: harm.slight,
      // Pedestrians are units, too.
      vehicles: Math.max(0, whole('F_UNITATS_IMPLICADES') - whole('F_VIANANTS_IMPLICADES')),
    },
    { span, harm, absent },
  )
}

/** Hours and minutes of a number that lost its last zeros: `9.1` is 09:10, `8` is 08:00. */
function timeOf(text: string | null): string | null {
  if (text === null) return null
  const [, hours = '', minutes = ''] = /^(\d{1,2})(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes.padEnd(2, '0')) > 59) throw new FormatError('hor is no time')
  return `${hours.padStart(2, '0')}:${minutes.padEnd(2, '0')}`
}

function kmOf(text: string | null, notes: Notes): number | null {
  if (text === null) return null
  const km = commaNumber(text)
  if (km !== null && km >= 0 && km <= MOST_KM) return km
  notes.warn('pk is no kilometre point: left out')
  return null
}
