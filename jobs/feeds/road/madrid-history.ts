import { madrid } from '../../../lake/datasets/road/sources.ts'
import { ARCHIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { castTo, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { NOTHING } from '../../formats/numbers.ts'
import { type BulkFile, FormatError } from '../define.ts'
import { bulkFeed } from '../kit/bulk-feed.ts'
import { monthlyFiles, portalList } from './madrid-portal.ts'
import { instantsSql, micros, monthClock } from './month-clock.ts'

const PERIOD_S = 900
/** A month is some 100 MB packed and 700 MB unpacked. */
const PACKED_BYTES = 400_000_000
const UNPACKED_BYTES = 3_000_000_000
const [MINUTE, HOUR] = [60_000, 3_600_000]

/** Names of the columns, older ones last; the old layout also has `identif`, the centre's code. */
const COLUMNS = {
  id: ['id', 'idelem'],
  time: ['fecha'],
  type: ['tipo_elem', 'tipo'],
  intensity: ['intensidad'],
  occupancy: ['ocupacion'],
  load: ['carga'],
  speed: ['vmed'],
  error: ['error'],
  samples: ['periodo_integracion'],
} as const
type ColumnName = keyof typeof COLUMNS

/** `tipo_elem`, of old layouts in words. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['URB', 'URBAN'],
  ['M30', 'M30'],
  ['M-30', 'M30'],
  ['PUNTOS MEDIDA URBANOS', 'URBAN'],
  ['PUNTOS MEDIDA M-30', 'M30'],
  ['other', 'OTHER'],
])
/** `error` by the city's documentation; since some year it is empty. */
const QUALITIES: ReadonlyMap<string, string> = new Map([
  ['N', 'OK'],
  ['E', 'DEGRADED'],
  ['S', 'ERROR'],
  ['', 'UNKNOWN'],
])

/** The measures: our column, and the file's. Speeds exist on the M-30 only; urban sensors have 0. */
const MEASURES = [
  ['intensity_veh_h', 'intensity'],
  ['occupancy_pct', 'occupancy'],
  ['load_pct', 'load'],
  ['speed_kmh', 'speed'],
] as const

/**
 * Readings of Madrid's sensors by quarter of an hour since 2013: a zip per month with one CSV of some eleven million lines,
 * numbered arbitrarily in the portal. A line's time is the start of its quarter: each file starts at 00:00:00 of the first.
 */
export const madridHistory = bulkFeed({
  id: 'madrid_history',
  source: madrid,
  into: trafficReadings15m,
  every_s: 7 * 86_400,
  get: {
    name: 'month',
    url: 'https://datos.madrid.es/egob/catalogo/208627-85-transporte-ptomedida-historico.zip',
    maxBytes: PACKED_BYTES,
    maxDecodedBytes: UNPACKED_BYTES,
    timeout_ms: 300_000,
    expects: 'zip',
  },
  archive: {
    unit: 'month',
    index: [portalList('208627-0-transporte-ptomedida-historico')],
    files: (index) => monthlyFiles(index, /\/208627-\d+-transporte-ptomedida-historico[^/]*\.zip$/i),
    recent: 1,
    history: 5,
  },
  bulk: { query: readingsOfFile, derivedColumns: ({ period }) => monthColumns(period) },
  freshBy: 'fetch',
  // The file of a running month grows from a few hours to all of them.
  bands: { traffic_readings_15m: { atLeast: 1000, minRatio: 0.9, maxRatio: 1000 } },
})

/** The header's columns by meaning, and its delimiter. Throws `FormatError` if one is missing. */
function layoutOf(header: string): { readonly delimiter: ';' | ','; readonly names: Readonly<Record<ColumnName, string>> } {
  const delimiter = header.includes(';') ? ';' : ','
  const there = header.split(delimiter).map((name) => name.replaceAll(/["\ufeff]/g, '').trim())
  const found = Object.entries(COLUMNS).map(([what, names]) => [what, names.find((name) => there.includes(name))] as const)
  const missing = found.flatMap(([what, name]) => (name === undefined ? [COLUMNS[what as ColumnName].join(' or ')] : []))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.slice(0, 500)}`)
  return { delimiter, names: Object.fromEntries(found) as Record<ColumnName, string> }
}

function readingsOfFile({ path, header, period }: BulkFile): Sql {
  const { delimiter, names } = layoutOf(header)
  const clock = monthClock(period)
  const { columns } = trafficReadings15m
  const text = (what: ColumnName): Sql => sql`trim(coalesce(${outputName(names[what])}, ''))`
  const number = (what: ColumnName): Sql =>
    sql`CASE WHEN ${text(what)} NOT IN (${join([...NOTHING])}) THEN CAST(${text(what)} AS DOUBLE) END`
  const within = (name: (typeof MEASURES)[number][0]): Sql =>
    sql`CASE WHEN ${outputName(name)} BETWEEN 0 AND ${columns[name].max as number} THEN ${castTo(columns[name], sql`round(${outputName(name)})`)} END`
  const beyond = join(
    MEASURES.map(([name]) => sql`coalesce(${outputName(name)} > ${columns[name].max as number}, false)`),
    sql` OR `,
  )
  const coded = (codes: ReadonlyMap<string, string>, what: ColumnName): Sql => {
    const whens = [...codes].map(([code, meaning]) => sql` WHEN ${code} THEN ${meaning}`)
    return sql`CASE ${text(what)}${join(whens, sql``)} ELSE ${text(what)} END`
  }
  const { starts_at, day_starts_at, is_clock_change } = instantsSql(clock, sql`local`)
  return sql`
    SELECT sensor_id, local_date, minute_of_day,
      CAST(row_number() OVER (
        PARTITION BY sensor_id, local_date, minute_of_day ORDER BY intensity_veh_h, occupancy_pct, load_pct, speed_kmh, quality, samples
      ) AS INTEGER) AS repetition,
      * EXCLUDE (sensor_id, local_date, minute_of_day)
    FROM (
      SELECT sensor_id,
        CAST(make_timestamp(local) AS DATE) AS local_date,
        CAST((local % ${micros(24 * HOUR)}) // ${micros(MINUTE)} AS INTEGER) AS minute_of_day,
        ${day_starts_at} AS day_starts_at,
        ${is_clock_change} AS is_clock_change,
        ${starts_at} AS starts_at,
        sensor_type,
        ${join(MEASURES.slice(0, 3).map(([name]) => sql`${within(name)} AS ${outputName(name)}`))},
        CASE WHEN sensor_type <> 'URBAN' THEN ${within('speed_kmh')} END AS speed_kmh,
        CASE WHEN ${beyond} THEN 'ERROR' ELSE error END AS quality,
        ${castTo(columns.samples, sql`round(samples)`)} AS samples
      FROM (
        SELECT ${text('id')} AS sensor_id, ${coded(TYPES, 'type')} AS sensor_type, ${coded(QUALITIES, 'error')} AS error,
          ${join(MEASURES.map(([name, what]) => sql`${number(what)} AS ${outputName(name)}`))}, ${number('samples')} AS samples,
          CASE WHEN strftime(CAST(${text('time')} AS TIMESTAMP), '%Y-%m') = ${period} THEN epoch_us(CAST(${text('time')} AS TIMESTAMP))
            ELSE error('a month other than the file: ' || ${text('time')}) END AS local
        FROM read_csv(${path}, delim = ${delimiter}, header = true, quote = '"', escape = '"', all_varchar = true, strict_mode = true)
      )
    )`
}

/** The constant columns of a month. */
function monthColumns(period: string): Readonly<Record<string, Sql>> {
  return { source: sql`${ARCHIVE_SOURCE}`, month: sql`${period}`, period_s: sql`CAST(${PERIOD_S} AS INTEGER)` }
}
