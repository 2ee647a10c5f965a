import { readCsv } from '../../formats/csv.ts'
import { decodeText } from '../../formats/text.ts'
import { type FeedBody, type FeedSpec, FormatError } from '../define.ts'
import { csvFile } from '../kit/formats.ts'
import type { RecordReader } from '../kit/reader.ts'
import type { RecordFile } from '../kit/record-feed.ts'
import { yearsIn } from '../safety/yearly-file.ts'

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
export function yearlyFile(file: string): Pick<FeedSpec, 'every_s' | 'get' | 'archive' | 'freshBy'> {
  const url = (year: string): string => `https://www.eurocontrol.int/performance/data/download/csv/${file}_${year}.csv.bz2`
  const limits = { maxBytes: 32_000_000, maxDecodedBytes: 128_000_000, timeout_ms: 120_000 }
  return {
    every_s: 86_400,
    get: { name: 'year', url: url('2024'), accept: 'application/x-bzip2, text/csv', ...limits, expects: 'csv', packed: 'bzip2' },
    archive: {
      unit: 'year',
      index: [],
      files: (_index, range) => yearsIn(range, FIRST_YEAR).map((year) => ({ period: String(year), url: url(String(year)) })),
      recent: 2,
      // In the first days of a year.
      isAbsent: ({ bytes }) => bytes.indexOf('\n') === bytes.length - 1,
    },
    freshBy: 'fetch',
  }
}

/** The columns of the day. */
export const DAY_COLUMNS = { year: 'YEAR', month: 'MONTH_NUM', day: 'FLT_DATE' } as const

/** The columns of delays; `part` is the middle of their names, such as `ERT`. */
export function delayColumns<const P extends string>(
  part: P,
  flights: string,
): Record<'delay' | 'delayed' | 'delayed_15' | Letter, string> {
  const causes = Object.fromEntries(LETTERS.map((letter) => [letter, `DLY_${part}_${letter}_1`])) as Record<Letter, string>
  return { delay: `DLY_${part}_1`, delayed: `${flights}_DLY`, delayed_15: `${flights}_DLY_15`, ...causes }
}

/** Reads the records whose column value `isWanted`: files have all of Europe. */
export function wantedRecords(column: string, isWanted: (value: string) => boolean): (bodies: readonly FeedBody[]) => RecordFile[] {
  return (bodies) =>
    bodies.map(({ name, bytes }) => {
      const table = readCsv(decodeText(bytes), { delimiter: ',', requires: [column], endsLines: true })
      const at = table.at(column)
      const found = table.records.filter((record) => isWanted((record[at] as string).trim()))
      if (found.length === 0) throw new FormatError(`${name} has nothing of Spain`)
      return csvFile(name, { ...table, records: found })
    })
}

/** The year of a file, by its rows. Throws `FormatError` if they are of several years, or not of the year that was requested. */
export function yearOf(name: string, texts: readonly string[]): string {
  const years = new Set(texts)
  const [only = ''] = years
  if (years.size !== 1 || (YEAR.test(name) && name !== only))
    throw new FormatError(`the file ${name} has rows of ${[...years].sort().join(', ')}`)
  return only
}

type DayReader = Pick<RecordReader<'year' | 'month' | 'day', 'year' | 'month' | 'day'>, 'text' | 'integer'>

/** The day of a record. Dates have several forms: the record's year and month decide which one applies. */
export function dayOf(r: DayReader, year: string): { readonly local_date: string; readonly day_starts_at: number } {
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

function isDate(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}

/** The delays of a record: an empty cell and 0 both mean no delay. */
export function delaysOf(r: { count(field: 'delay' | 'delayed' | 'delayed_15' | Letter): number | null }): {
  readonly delay_minutes: number
  readonly delayed_flights: number
  readonly delayed_15_flights: number
  readonly leading_cause: string | null
  readonly causes: readonly { readonly cause: string; readonly minutes: number }[]
} {
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
export const YEAR_BAND = { atLeast: 1, minRatio: 0.95 } as const
