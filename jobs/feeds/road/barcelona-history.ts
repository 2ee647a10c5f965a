import { barcelonaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { SECTION_CITIES, SECTION_PERIOD_S, trafficSectionStatesArchive } from '../../../lake/datasets/road/traffic-sections.ts'
import { join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { ckanResources, listRequest } from '../../formats/ckan.ts'
import { type ArchiveFile, type BulkFile, type FeedBody, FormatError } from '../define.ts'
import { bulkFeed } from '../kit/bulk-feed.ts'
import { BARCELONA_LEVELS } from './barcelona-traffic.ts'
import { instantsSql, micros, monthClock } from './month-clock.ts'

/** A month is some 4.5 million lines of 24 bytes. */
const MAX_BYTES = 400_000_000
const SECOND = 1000
const DAY = 86_400 * SECOND
const [NEEDS, FORECAST] = [['idTram', 'data', 'estatActual'], 'estatPrevist'] as const
/** Names of the columns while reading. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['idTram', 'section_id'],
  ['data', 'stamp'],
  ['estatActual', 'source_state'],
  [FORECAST, 'source_forecast_state'],
])
/** `2026_08_Agost_TRAMS_TRAMS.csv`. */
const MONTH_FILE = /\/(\d{4})_(\d\d)_[^/]*TRAMS_TRAMS\.csv$/i

/**
 * States of Barcelona's sections by month, as listed by the city's portal: lines of `id,yyyymmddHHMMSS,state,state in 15
 * minutes`.
 */
export const barcelonaHistory = bulkFeed({
  id: 'barcelona_history',
  source,
  into: trafficSectionStatesArchive,
  every_s: 7 * 86_400,
  get: {
    name: 'month',
    url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/trams/resource/d18a6f9e-cd22-4a21-af28-99aa23af1fb2/download/2025_04_Abril_TRAMS_TRAMS.csv',
    maxBytes: MAX_BYTES,
    timeout_ms: 300_000,
    expects: 'csv',
  },
  archive: {
    unit: 'month',
    index: [listRequest('https://opendata-ajuntament.barcelona.cat/data/api/3/action/package_show?id=trams')],
    files: listedMonths,
    recent: 1,
    history: 4,
  },
  bulk: {
    query: statesOfFile,
    derivedColumns: ({ period }) => ({
      source: sql`${SECTION_CITIES.barcelona.archive}`,
      month: sql`${period}`,
      period_s: sql`CAST(${SECTION_PERIOD_S} AS INTEGER)`,
    }),
  },
  freshBy: 'fetch',
  bands: { traffic_section_states_archive: { atLeast: 1000, minRatio: 0.9, maxRatio: 1000 } },
})

function listedMonths(index: readonly FeedBody[]): ArchiveFile[] {
  return index.flatMap(({ bytes }) =>
    ckanResources(bytes).flatMap(({ url }) => {
      const [, year, month] = (typeof url === 'string' && MONTH_FILE.exec(url)) || []
      return year === undefined ? [] : [{ period: `${year}-${month}`, url: url as string }]
    }),
  )
}

function statesOfFile({ path, header, period }: BulkFile): Sql {
  const given = header.replaceAll(/["\ufeff\r]/g, '').split(',')
  requireColumns(given)
  const { starts_at, day_starts_at, is_clock_change } = instantsSql(monthClock(period), sql`local`)
  const names = given.map((name, at) => FIELDS.get(name) ?? `other_${at}`)
  const whens = Object.entries(BARCELONA_LEVELS).map(([state, level]) => sql` WHEN ${state} THEN ${level}`)
  const level = (name: string): Sql => sql`CASE ${outputName(name)}${join(whens, sql``)} ELSE ${outputName(name)} END`
  const time = sql`strptime(trim(stamp), '%Y%m%d%H%M%S')`
  return sql`
    SELECT section_id, CAST(make_timestamp(local) AS DATE) AS local_date,
      CAST((local % ${micros(DAY)}) // ${micros(SECOND)} AS INTEGER) AS second_of_day,
      CAST(row_number() OVER (PARTITION BY section_id, local ORDER BY source_state, source_forecast_state) AS INTEGER) AS repetition,
      ${day_starts_at} AS day_starts_at, ${starts_at} AS observed_at, ${is_clock_change} AS is_clock_change,
      ${level('source_state')} AS level, source_state, ${level('source_forecast_state')} AS forecast_15min_level, source_forecast_state
    FROM (
      SELECT trim(section_id) AS section_id, trim(coalesce(source_state, '')) AS source_state,
        ${given.includes(FORECAST) ? sql`trim(coalesce(source_forecast_state, ''))` : sql`CAST(NULL AS VARCHAR)`} AS source_forecast_state,
        CASE WHEN strftime(${time}, '%Y-%m') = ${period} THEN epoch_us(${time})
          ELSE error('a month other than the file: ' || stamp) END AS local
      FROM read_csv(${path}, delim = ',', header = true, names = [${join(names)}], quote = '"', escape = '"', all_varchar = true, strict_mode = true)
    )`
}

function requireColumns(header: readonly string[]): void {
  const missing = NEEDS.filter((name) => !header.includes(name))
  if (missing.length > 0) throw new FormatError(`the header lacks ${missing.join(', ')}; it has ${header.join(', ').slice(0, 500)}`)
}
