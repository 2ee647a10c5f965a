import { airportTraffic, arrivalAtfmDelays, enrouteAtfmDelays } from '../../../lake/datasets/aviation/airport-days.ts'
import { eurocontrol } from '../../../lake/datasets/aviation/sources.ts'
import { iataOfIcao } from '../../../lake/places/airports.ts'
import { readCsv } from '../../formats/csv.ts'
import { isDate } from '../../formats/dates.ts'
import { decodeText } from '../../formats/text.ts'
import { type Feed, type FeedBody, type FeedSpec, FormatError } from '../define.ts'
import type { RecordReader } from '../kit/reader.ts'
import { csvFile, type RecordFile, recordFeed } from '../kit/record-feed.ts'
import { yearsFrom } from '../periods.ts'

const FIRST_YEAR = 2014
const YEAR = /^\d{4}$/
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** The letters of causes in the names of columns. */
const CAUSES = {
  ...{ A: 'ACCIDENT', C: 'ATC_CAPACITY', D: 'DE_ICING', E: 'EQUIPMENT_NON_ATC', G: 'AERODROME_CAPACITY', I: 'INDUSTRIAL_ACTION_ATC' },
  ...{ M: 'AIRSPACE_MANAGEMENT', N: 'INDUSTRIAL_ACTION_NON_ATC', O: 'OTHER', P: 'SPECIAL_EVENT', R: 'ATC_ROUTEING', S: 'ATC_STAFFING' },
  ...{ T: 'ATC_EQUIPMENT', V: 'ENVIRONMENT', W: 'WEATHER', NA: 'NOT_SPECIFIED' },
} as const
type Letter = keyof typeof CAUSES
const LETTERS = Object.keys(CAUSES) as Letter[]

/** Common properties of feeds of yearly files: one file per year, bzip2-compressed, that grows and is replaced as a whole. */
function yearlyFile(file: string): Pick<FeedSpec, 'every_s' | 'get' | 'archive' | 'freshBy'> {
  const url = (year: number): string => `https://www.eurocontrol.int/performance/data/download/csv/${file}_${year}.csv.bz2`
  const limits = { maxBytes: 32_000_000, maxDecodedBytes: 128_000_000, timeout_ms: 120_000 }
  return {
    every_s: 86_400,
    get: { name: 'year', url: url(2024), accept: 'application/x-bzip2, text/csv', ...limits, expects: 'csv', packed: 'bzip2' },
    archive: {
      unit: 'year',
      index: [],
      files: yearsFrom(FIRST_YEAR, url),
      recent: 2,
      // In the first days of a year.
      isAbsent: ({ bytes }) => bytes.indexOf('\n') === bytes.length - 1,
    },
    freshBy: 'fetch',
  }
}

/** The columns of the day. */
const DAY_COLUMNS = { year: 'YEAR', month: 'MONTH_NUM', day: 'FLT_DATE' } as const

/** The columns of delays; `part` is the middle of their names, such as `ERT`. */
function delayColumns<const P extends string>(part: P, flights: string): Record<'delay' | 'delayed' | 'delayed_15' | Letter, string> {
  const causes = Object.fromEntries(LETTERS.map((letter) => [letter, `DLY_${part}_${letter}_1`])) as Record<Letter, string>
  return { delay: `DLY_${part}_1`, delayed: `${flights}_DLY`, delayed_15: `${flights}_DLY_15`, ...causes }
}

/** Reads the records whose column value `isWanted`: files have all of Europe. */
function wantedRecords(column: string, isWanted: (value: string) => boolean): (bodies: readonly FeedBody[]) => RecordFile[] {
  return (bodies) =>
    bodies.map(({ name, bytes }) => {
      const table = readCsv(decodeText(bytes), { delimiter: ',', requires: [column], endsLines: true })
      const at = table.at(column)
      const found = table.records.filter((record) => isWanted((record[at] as string).trim()))
      if (found.length === 0) throw new FormatError(`${name} has nothing of Spain`)
      return csvFile(name, { ...table, records: found })
    })
}

/** The year of a file, by its rows. Throws `FormatError` if they belong to several years, or not to the requested one. */
function yearOf(name: string, texts: readonly string[]): string {
  const years = new Set(texts)
  const [only = ''] = years
  if (years.size !== 1 || (YEAR.test(name) && name !== only))
    throw new FormatError(`the file ${name} has rows of ${[...years].sort().join(', ')}`)
  return only
}

type DayReader = Pick<RecordReader<'year' | 'month' | 'day', 'year' | 'month' | 'day'>, 'text' | 'integer'>

/** The day of a record. Dates have several forms: the record's year and month decide which one applies. */
function dayOf(r: DayReader, year: string): { readonly local_date: string; readonly day_starts_at: number } {
  const [month, text] = [String(r.integer('month')).padStart(2, '0'), r.text('day')]
  const date = datesIn(text).find((one) => one.startsWith(`${year}-${month}-`) && isDate(one))
  if (date === undefined) throw new FormatError('FLT_DATE is no date of its year and month')
  return { local_date: date, day_starts_at: Date.parse(date) }
}

function datesIn(text: string): string[] {
  const [, iso] = /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(text) ?? []
  if (iso !== undefined) return [iso]
  const [, one = '', two = '', last = ''] = /^(\d{1,2})[-/](\d{1,2}|[A-Za-z]{3})[-/](\d{2}|\d{4})$/.exec(text) ?? []
  const year = last.length === 2 ? `20${last}` : last
  const named = MONTHS.indexOf(two.toUpperCase()) + 1
  const pairs =
    named > 0
      ? [[String(named), one]]
      : [
          [two, one],
          [one, two],
        ]
  return pairs.map(([month = '', day = '']) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}

/** The delays of a record: an empty cell and 0 both mean no delay. */
function delaysOf(r: { count(field: 'delay' | 'delayed' | 'delayed_15' | Letter): number | null }) {
  const found = LETTERS.map((letter) => ({ cause: CAUSES[letter] as string, minutes: r.count(letter) ?? 0 })).filter(
    ({ minutes }) => minutes > 0,
  )
  const causes = found.toSorted((one, other) => other.minutes - one.minutes)
  return {
    delay_minutes: r.count('delay') ?? 0,
    delayed_flights: r.count('delayed') ?? 0,
    delayed_15_flights: r.count('delayed_15') ?? 0,
    leading_cause: causes[0]?.cause ?? null,
    causes,
  }
}

/** Rows of a year of at least one airport, whatever it grows to. */
const YEAR_BAND = { atLeast: 1, minRatio: 0.95 } as const

const AIRPORT_COLUMNS = { ...DAY_COLUMNS, icao: 'APT_ICAO' } as const
const KNOWN = ['MONTH_MON', 'APT_NAME', 'STATE_NAME']
const ofSpain = wantedRecords('APT_ICAO', (icao) => iataOfIcao(icao) !== null)

/** The code of an airport in the list of Spanish airports. */
function iataOf(icao: string): string {
  const iata = iataOfIcao(icao)
  if (iata === null) throw new FormatError('an airport that is not in the list')
  return iata
}

/** Flights of each airport by day. */
export const eurocontrolTraffic = recordFeed(
  {
    ...yearlyFile('airport_traffic'),
    id: 'eurocontrol_traffic',
    source: eurocontrol,
    into: airportTraffic,
    band: YEAR_BAND,
    columns: {
      ...AIRPORT_COLUMNS,
      ...{ departures: 'FLT_DEP_1', arrivals: 'FLT_ARR_1', movements: 'FLT_TOT_1' },
      ...{ reported_departures: 'FLT_DEP_IFR_2', reported_arrivals: 'FLT_ARR_IFR_2' },
    },
    knows: [...KNOWN, 'FLT_TOT_IFR_2', 'Pivot Label'],
    needs: ['year', 'month', 'day', 'icao', 'departures', 'arrivals', 'movements'],
    file: ({ name, column }) => yearOf(name, column('year')),
    row: (r, year) => ({
      edition: year,
      ...dayOf(r, year),
      ...{ iata: iataOf(r.text('icao')), icao: r.text('icao') },
      ...{ departures: r.integer('departures'), arrivals: r.integer('arrivals'), movements: r.integer('movements') },
      ...{ reported_departures: r.integer('reported_departures'), reported_arrivals: r.integer('reported_arrivals') },
    }),
  },
  ofSpain,
)

/** Delays of arrivals by regulations at their airport, by day and cause. */
export const eurocontrolArrivalDelays = recordFeed(
  {
    ...yearlyFile('apt_dly'),
    id: 'eurocontrol_arrival_delays',
    source: eurocontrol,
    into: arrivalAtfmDelays,
    band: YEAR_BAND,
    columns: { ...AIRPORT_COLUMNS, arrivals: 'FLT_ARR_1', ...delayColumns('APT_ARR', 'FLT_ARR_1') },
    knows: [...KNOWN, 'ATFM Version', 'Pivot Label'],
    needs: ['year', 'month', 'day', 'icao', 'arrivals'],
    nonEmptyFields: ['delay', 'delayed_15'],
    file: ({ name, column }) => yearOf(name, column('year')),
    row: (r, year) => ({
      edition: year,
      ...dayOf(r, year),
      ...{ iata: iataOf(r.text('icao')), icao: r.text('icao'), arrivals: r.integer('arrivals') },
      ...delaysOf(r),
    }),
  },
  ofSpain,
)

/** Delays en route by regulations in the airspace of a provider, or of flight information regions, by day and cause. */
function enrouteFeed(
  id: string,
  entityType: 'ANSP' | 'FIR',
  of: { readonly file: string; readonly entities: readonly string[]; readonly published: string },
): Feed {
  return recordFeed(
    {
      ...yearlyFile(of.file),
      id,
      source: eurocontrol,
      into: enrouteAtfmDelays,
      band: YEAR_BAND,
      columns: {
        ...DAY_COLUMNS,
        ...{ entity: 'ENTITY_NAME', type: 'ENTITY_TYPE', flights: 'FLT_ERT_1' },
        ...delayColumns('ERT', 'FLT_ERT_1'),
      },
      knows: ['MONTH_MON'],
      needs: ['year', 'month', 'day', 'entity', 'type', 'flights'],
      nonEmptyFields: ['delay', 'delayed_15'],
      file: ({ name, column }) => yearOf(name, column('year')),
      row: (r, year) => {
        if (r.text('type') !== of.published) throw new FormatError(`ENTITY_TYPE is not ${of.published}`)
        return {
          edition: `${entityType.toLowerCase()}-${year}`,
          ...dayOf(r, year),
          ...{ entity_type: entityType, entity: r.text('entity'), flights: r.integer('flights') },
          ...delaysOf(r),
        }
      },
    },
    wantedRecords('ENTITY_NAME', (name) => of.entities.includes(name)),
  )
}

/** En-route delays of Spain's provider. */
export const eurocontrolAnsp = enrouteFeed('eurocontrol_enroute_ansp', 'ANSP', {
  ...{ file: 'ert_dly_ansp', entities: ['ENAIRE'], published: 'ANSP (AUA)' },
})

/** En-route delays of Spain's flight information regions. */
export const eurocontrolFir = enrouteFeed('eurocontrol_enroute_fir', 'FIR', {
  ...{ file: 'ert_dly_fir', entities: ['Spain', 'Spain Continental', 'Spain Canarias'], published: 'COUNTRY (FIR)' },
})
