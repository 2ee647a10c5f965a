import { airMeasurements } from '../../../lake/datasets/air/air-quality.ts'
import type { AirPollutant } from '../../../lake/datasets/air/codes.ts'
import { barcelonaAir as barcelona, madridAir as madrid } from '../../../lake/datasets/air/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import { type CsvTable, delimiterOf, readCsv } from '../../formats/csv.ts'
import { isDate } from '../../formats/dates.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Band, type Batch, batch, type Diagnostics, defineFeed, type Feed, type FeedBody, FormatError, lookUp } from '../define.ts'
import { localHours } from '../local-hours.ts'

type Measurement = FeedRow<typeof airMeasurements>

/** National numbers of measured quantities. */
const POLLUTANTS: Readonly<Record<string, AirPollutant>> = {
  '1': 'SO2',
  '6': 'CO',
  '7': 'NO',
  '8': 'NO2',
  '9': 'PM2_5',
  '10': 'PM10',
  '12': 'NOX',
  '14': 'O3',
  '20': 'TOLUENE',
  '30': 'BENZENE',
  '35': 'ETHYLBENZENE',
  '42': 'TOTAL_HYDROCARBONS',
  '43': 'METHANE',
  '44': 'NON_METHANE_HYDROCARBONS',
}
/** Published in mg/m3. */
const IN_MILLIGRAMS: ReadonlySet<AirPollutant> = new Set(['CO', 'TOTAL_HYDROCARBONS', 'METHANE', 'NON_METHANE_HYDROCARBONS'] as const)

/** `H01`, the mean of the hour that ends at 01:00 in Madrid, and `V01`, whether it is valid; up to `H24` and `V24`. */
const HOURS = Array.from({ length: 24 }, (_, at) => String(at + 1).padStart(2, '0'))
const VALIDITY: Readonly<Record<string, string>> = { V: 'VALID', N: 'INVALID' }

/** The publisher's names of a line's key columns. */
type LineColumns = Readonly<Record<'province' | 'municipality' | 'station' | 'pollutant' | 'year' | 'month' | 'day', string>>

/** The differences between publishers of such files. */
interface DayFileSpec {
  readonly id: string
  readonly source: Source
  readonly every_s: number
  readonly url: string
  readonly band: Band
  readonly columns: LineColumns
  /** Known columns that are not read. */
  readonly knows: readonly string[]
  /** Numbers of known pollutants or measures that are not stored, such as the weather. */
  readonly leavesOut?: readonly string[]
}

/**
 * Declares a feed of CSV files with a line per station, pollutant and day, with its 24 hours in columns; numbers may be
 * zero-padded. Hours after the last valid one of a line are still to come and give no rows.
 */
export function dayFileFeed({ url, band, columns, knows, leavesOut = [], ...spec }: DayFileSpec): Feed {
  const known = new Set([...Object.values(columns), ...knows, ...HOURS.flatMap((hour) => [`H${hour}`, `V${hour}`])])
  return defineFeed({
    ...spec,
    into: [airMeasurements],
    get: { name: 'records', url, maxBytes: 4_000_000, expects: 'csv' },
    freshBy: 'fetch',
    bands: { air_measurements: band },
    *rows(bodies: readonly FeedBody[], _clock, diagnostics: Diagnostics): Generator<Batch> {
      for (const { bytes } of bodies) {
        const text = decodeText(bytes)
        const requires = [...Object.values(columns), ...HOURS.flatMap((hour) => [`H${hour}`, `V${hour}`])]
        const table = readCsv(text, { delimiter: delimiterOf(text), requires, endsLines: true })
        for (const { line, text: shown } of table.misshapen)
          diagnostics.reject(airMeasurements, 'another number of fields', `line ${line}: ${shown}`)
        for (const name of table.header) if (!known.has(name)) diagnostics.unknownCode(`${spec.id}_column`, name)
        yield batch(airMeasurements, [...measurements(table, { source: spec.source, columns, leavesOut, diagnostics })])
      }
    },
  })
}

interface Reading extends Required<Pick<DayFileSpec, 'source' | 'columns' | 'leavesOut'>> {
  readonly diagnostics: Diagnostics
}

function* measurements(table: CsvTable, { source, columns, leavesOut, diagnostics }: Reading): Generator<Measurement> {
  const hoursAt = HOURS.map((hour) => [table.at(`H${hour}`), table.at(`V${hour}`)] as const)
  const days = new Map<string, ReturnType<typeof localHours>>()
  for (const record of table.records) {
    const number = (field: keyof LineColumns, digits: number): string => digitsOf(record[table.at(columns[field])], columns[field], digits)
    const reject = (error: unknown): void => {
      if (!(error instanceof FormatError)) throw error
      diagnostics.reject(airMeasurements, error.message, record.join(';').slice(0, 300))
    }
    try {
      const magnitude = String(Number(number('pollutant', 1)))
      if (leavesOut.includes(magnitude)) continue
      const pollutant = lookUp(POLLUTANTS, magnitude)
      if (pollutant === undefined) {
        diagnostics.unknownCode('air_magnitude', magnitude)
        continue
      }
      const station_id = `${number('province', 2)}${number('municipality', 3)}${number('station', 3)}`
      const day = `${number('year', 4)}-${number('month', 2)}-${number('day', 2)}`
      if (!isDate(day)) throw new FormatError('a day that the calendar lacks')
      const starts = days.get(day) ?? localHours(day)
      days.set(day, starts)
      const last = hoursAt.findLastIndex(([, validAt]) => record[validAt]?.trim() === 'V')
      const about = { source: source.id, station_id, pollutant, unit: IN_MILLIGRAMS.has(pollutant) ? 'mg/m3' : 'ug/m3' }
      for (const [at, [valueAt, validAt]] of hoursAt.slice(0, last + 1).entries()) {
        const hour_begins_at = starts[at] ?? null
        if (hour_begins_at === null) {
          diagnostics.warn('an hour that the clock skips or repeats')
          continue
        }
        const validity = lookUp(VALIDITY, (record[validAt] ?? '').trim())
        // The flag decides: invalid cells have numbers too. The row check counts a value that is no number.
        const value = validity === 'VALID' ? (pointNumber((record[valueAt] ?? '').trim()) ?? Number.NaN) : null
        if (validity === undefined) reject(new FormatError(`V${HOURS[at]} is neither V nor N`))
        else yield { ...about, hour_begins_at, value, validity }
      }
    } catch (error) {
      reject(error)
    }
  }
}

/** A whole number as text, zero-padded to this many digits. Throws `FormatError`. */
function digitsOf(text: string | undefined, column: string, digits: number): string {
  const given = (text ?? '').trim()
  if (!/^\d+$/.test(given)) throw new FormatError(`${column} is no whole number`)
  const padded = String(Number(given)).padStart(digits, '0')
  if (digits > 1 && padded.length > digits) throw new FormatError(`${column} has more than ${digits} digits`)
  return padded
}

/**
 * Madrid's hours of the current day, replaced about 15, 35 and 55 minutes past each hour. It has no row until the first hour
 * ends.
 */
export const madridAir = dayFileFeed({
  id: 'madrid_air',
  source: madrid,
  every_s: 1200,
  url: 'https://datos.madrid.es/egob/catalogo/212531-10515086-calidad-aire-tiempo-real.csv',
  band: { atLeast: 0, minRatio: 0, maxRatio: 1000 },
  columns: {
    province: 'PROVINCIA',
    municipality: 'MUNICIPIO',
    station: 'ESTACION',
    pollutant: 'MAGNITUD',
    year: 'ANO',
    month: 'MES',
    day: 'DIA',
  },
  knows: ['PUNTO_MUESTREO'],
})

/** The last three days of Barcelona's stations. The file also has weather and calibrations, which are dropped. */
export const barcelonaAir = dayFileFeed({
  id: 'barcelona_air',
  source: barcelona,
  every_s: 1800,
  url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/0582a266-ea06-4cc5-a219-913b22484e40/resource/c2032e7c-10ee-4c69-84d3-9e8caf9ca97a/download',
  // At midnight a file loses the first of its three days.
  band: { atLeast: 50, minRatio: 0.55, maxRatio: 1000 },
  columns: {
    province: 'CODI_PROVINCIA',
    municipality: 'CODI_MUNICIPI',
    station: 'ESTACIO',
    pollutant: 'CODI_CONTAMINANT',
    year: 'ANY',
    month: 'MES',
    day: 'DIA',
  },
  knows: ['PROVINCIA', 'MUNICIPI'],
  leavesOut: ['11', '22', ...Array.from({ length: 14 }, (_, at) => String(101 + at)), '901', '995', '996', '997', '998', '999'],
})
