import { airMeasurements, airQualityIndex, airQualityStations } from '../../../lake/datasets/air/air-quality.ts'
import { AIR_POLLUTANTS, AIR_QUALITY_LEVELS, type AirQualityLevel } from '../../../lake/datasets/air/codes.ts'
import {
  type ComputedIndex,
  INDEX_POLLUTANTS,
  LEVELS,
  nationalIndex,
  type StationHours,
} from '../../../lake/datasets/air/national-index.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Dataset, Row } from '../../../lake/schema/dataset.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, optional, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, integerParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField } from '../common-fields.ts'

const { columns: station } = airQualityStations

/** The station id as a path parameter. */
export const airStationId = required(textParam('National code of the station, of 8 digits.', { max: 10, example: '28079004' }))

/** Fields of a station. */
export const stationFields = {
  id: station.station_id,
  ...pick(station, 'name', 'type', 'is_active'),
  province: provinceField(station.province_code),
  ...pick(station, 'province_code', 'municipality_code', 'position'),
  ...originFields(station),
} as const

/** A station of the catalogue. */
export const airStation = record('AirStation', 'An air quality station.', stationFields)

/** Makes a station from a row. */
export const toStation = projection(airQualityStations, airStation)

/** Stored hours of measurements: 24 for each of the last 24. */
const HOURS = 48

/** An hour of a pollutant at a station. */
type Measured = Omit<Row<typeof airMeasurements>, 'source'>
/** An hour of the published index at a station. */
type Indexed = Omit<Row<typeof airQualityIndex>, 'source'>

/** Measurements of a station: each hour of the last two days, the newest per pollutant, and the inputs of the index. */
interface RecentStation {
  readonly measured: readonly Measured[]
  readonly newest: readonly Measured[]
  readonly hours: StationHours
}

/** The rows of the last hours of a table, newest last. */
function lastHours(dataset: Dataset, time: string, columns: readonly string[]): Sql {
  const at = column(dataset, time)
  const shown = columns.map((name) => column(dataset, name))
  const list = shown.reduce((all, one) => sql`${all}, ${one}`)
  return sql`
    SELECT ${list}
    FROM ${scan(dataset)}
    WHERE ${at} > (SELECT max(${at}) FROM ${scan(dataset)}) - ${HOURS} * INTERVAL 1 HOUR
    ORDER BY ${column(dataset, 'station_id')}, ${at}`
}

/** Measurements of the last two days, by station. */
export const recentMeasurements = defineCachedQuery({
  name: 'air measurements of two days',
  from: [airMeasurements],
  read: async (reader): Promise<ReadonlyMap<string, RecentStation>> => {
    const columns = ['station_id', 'pollutant', 'hour_begins_at', 'value', 'unit', 'validity']
    const rows = await reader.all<Measured>(lastHours(airMeasurements, 'hour_begins_at', columns))
    return new Map([...Map.groupBy(rows, (row) => row.station_id)].map(([id, measured]) => [id, stationOf(measured)]))
  },
})

/** The published index of the last two days, by station. */
export const recentIndex = defineCachedQuery({
  name: 'air quality index of two days',
  from: [airQualityIndex],
  read: async (reader): Promise<ReadonlyMap<string, readonly Indexed[]>> => {
    const columns = ['station_id', 'observed_at', 'level', 'is_partial', 'pollutants']
    return Map.groupBy(await reader.all<Indexed>(lastHours(airQualityIndex, 'observed_at', columns)), (row) => row.station_id)
  },
})

function stationOf(measured: readonly Measured[]): RecentStation {
  const newest = new Map(measured.filter(({ value }) => value !== null).map((row) => [row.pollutant, row]))
  const hours = INDEX_POLLUTANTS.map((pollutant) => {
    const valid = measured.filter((row) => row.pollutant === pollutant && row.value !== null)
    return [pollutant, new Map(valid.map(({ hour_begins_at, value }) => [hour_begins_at, value as number]))] as const
  })
  const byCode = [...newest.values()].sort((one, other) => (one.pollutant < other.pollutant ? -1 : 1))
  return { measured, newest: byCode, hours: new Map(hours) }
}

/** The page about air quality. */
export const AIR_PAGE = defineMethodPage('air-quality', new URL('./air-quality.md', import.meta.url))

const { columns } = airQualityIndex

/** An index of an hour that began longer ago is stale, ms: publication takes up to two hours after the hour ends. */
const STALE_MS = 4 * 3_600_000
const CLOCK_S = 600

/** An hour of the index, as published and as computed from measurements. */
export const indexFields = {
  level: optional(columns.level, 'Level as published; null without one.'),
  category: col.integer(0, 'The level as a number, 1 (good) to 6 (extremely poor).', {
    ...{ unit: '1', nullable: true, example: 2, min: 1, max: 6 },
  }),
  is_partial: optional(columns.is_partial, 'True if it was computed from fewer pollutants than the station measures.'),
  pollutants: meaning(columns.pollutants, 'The pollutants that decide the level.'),
  computed_level: maybe.code('Level computed from the available measurements; null without any.', AIR_QUALITY_LEVELS, 'FAIRLY_GOOD'),
  computed_pollutants: meaning(columns.pollutants, 'The pollutants that decide the computed level.'),
  computed_is_partial: optional(columns.is_partial, 'True if the computed level lacks a pollutant that the station measures.'),
} as const

const airQuality = record('AirQuality', 'The air at a station: its newest index, and measurements.', {
  ...pick(stationFields, 'id', 'name', 'type', 'province', 'province_code', 'municipality_code'),
  ...indexFields,
  measurements: nested.objects(
    'The newest valid hour of each pollutant, by code; empty for stations without a source of measurements.',
    pick(airMeasurements.columns, 'pollutant', 'value', 'unit', 'hour_begins_at'),
  ),
  measured_pollutants: field.list(
    'Pollutants that the station is known to measure: with measurements in the last two days, or decisive for its index then.',
    field.code('A pollutant.', AIR_POLLUTANTS),
    ['NO2', 'O3'],
  ),
  position: stationFields.position,
  ...pick(originFields(columns), 'source', 'updated_at', 'status'),
  observed_at: optional(columns.observed_at, 'Hour of the index; null without one.'),
  is_stale: meaning(stationFields.is_stale, 'True if the newest hour of the index is more than 4 hours old, or missing.'),
})

type AirQuality = ValueOf<typeof airQuality.fields>
type Recent = ReadonlyMap<string, RecentStation> | null
type RecentIndexes = ReadonlyMap<string, readonly Pick<AirQuality, 'pollutants'>[]> | null

/** The computed index of a station for an hour, as members of a record. */
export function computed(
  station: RecentStation | undefined,
  at: number | null,
): Pick<AirQuality, 'computed_level' | 'computed_pollutants' | 'computed_is_partial'> {
  const found: ComputedIndex | null = station && at !== null ? nationalIndex(station.hours, at) : null
  return {
    computed_level: found?.level ?? null,
    computed_pollutants: found?.pollutants ?? [],
    computed_is_partial: found?.is_partial ?? null,
  }
}

/** The level as a number. */
export function categoryOf(level: string): number | null {
  const at = LEVELS.indexOf(level as AirQualityLevel)
  return at < 0 ? null : at + 1
}

/** The pollutants that a station is known to measure, sorted. */
function measuredOf(station: RecentStation | undefined, indexes: readonly Pick<AirQuality, 'pollutants'>[]): string[] {
  const measured = (station?.measured ?? []).map(({ pollutant }) => pollutant)
  return [...new Set([...measured, ...indexes.flatMap(({ pollutants }) => pollutants)])].sort()
}

/** True if both levels cover all pollutants: only then are they comparable. */
function isComparable(one: Pick<AirQuality, 'level' | 'is_partial' | 'computed_level' | 'computed_is_partial'>): boolean {
  return one.level !== null && one.computed_level !== null && one.is_partial === false && one.computed_is_partial === false
}

/** All active stations with an index or measurements, and the number of levels that agree. `now` (ms) decides which are stale. */
const recordsOf = memo(
  (
    index: State<typeof airQualityIndex>,
    stations: State<typeof airQualityStations>,
    recent: Recent,
    indexes: RecentIndexes,
    now: number,
  ) => {
    const byStation = new Map(index.rows.map((row) => [row.station_id, row]))
    const records = stations.rows.flatMap((row): AirQuality[] => {
      const found = byStation.get(row.station_id)
      const measured = recent?.get(row.station_id)
      if (!row.is_active || (!found && !measured)) return []
      const at = found?.observed_at ?? null
      return [
        {
          ...toStation(row),
          level: found?.level ?? null,
          category: found ? categoryOf(found.level) : null,
          is_partial: found?.is_partial ?? null,
          pollutants: found?.pollutants ?? [],
          ...computed(measured, at),
          measurements: measured?.newest ?? [],
          measured_pollutants: measuredOf(measured, [...(found ? [found] : []), ...(indexes?.get(row.station_id) ?? [])]),
          ...{ observed_at: at, updated_at: (found ?? row).updated_at },
          is_stale: at === null || at < now - STALE_MS,
        },
      ]
    })
    const compared = records.filter(isComparable)
    return {
      records,
      counts: {
        compared_stations: compared.length,
        disagreeing_stations: compared.filter(({ level, computed_level }) => level !== computed_level).length,
      },
      restsOn: [{ dataset: airQualityIndex }],
      isLacking: records.length > 0 && records.every(({ is_stale }) => is_stale),
    }
  },
)

const indexFilter = defineMemoryFilter({
  name: 'min_index',
  param: integerParam('Stations with an index of at least this category, 1 (good) to 6 (extremely poor).', {
    ...{ min: 1, max: 6, unit: '1', example: '3' },
  }),
  matches: (least) => (one: Pick<AirQuality, 'category'>) => one.category !== null && one.category >= least,
  present: { min_index: ({ category }) => category },
})

/** The filter `pollutant`: any of several. */
export const pollutantParam = (about: string): ReturnType<typeof listOf<string>> =>
  listOf(codeParam(about, AIR_POLLUTANTS, { example: 'NO2' }))

const pollutantFilter = defineMemoryFilter({
  name: 'pollutant',
  param: pollutantParam('Stations that measure any of these pollutants, see `measured_pollutants`.'),
  matches:
    (wanted) =>
    ({ measured_pollutants }: Pick<AirQuality, 'measured_pollutants'>) =>
      measured_pollutants.some((one) => wanted.includes(one)),
  present: { pollutant: ({ measured_pollutants }) => measured_pollutants },
})

/** How the index is computed, for descriptions. */
export const ABOUT_COMPUTED =
  'Computed levels follow Orden TEC/351/2019 as amended on 2 September 2020. NO2, O3 and SO2 are those of the hour that ends at the hour of the index. PM10 and PM2.5 are the mean of the 24 hours up to it (of at least 18). Each is rounded to whole µg/m3; the worst decides.'

/** The current air quality. */
export const airQualityList = defineEndpoint({
  path: '/api/calidad-aire',
  plan: 'PRO',
  summary: 'Air quality now: the newest index of each station, and measurements',
  summary_es: 'Calidad del aire ahora: el índice de cada estación y sus mediciones',
  about:
    'Active stations of the national index. Measurements come from the networks of Madrid and Barcelona and are not validated. Elsewhere the ministry publishes only which pollutants decide the index, so `measured_pollutants` may lack some. Computed levels follow Orden TEC/351/2019.',
  explained: AIR_PAGE,
  statistic: { grain: 'One station, the newest hour of its index.', method: `The index as published. ${ABOUT_COMPUTED}` },
  filters: [placeFilter, pollutantFilter, indexFilter, areaFilter],
  returns: listReturn('stations', airQuality, {
    sorts: ['id', 'category', 'observed_at', 'updated_at'],
    counts: {
      compared_stations: field.integer('Stations with comparable published and computed levels, whatever the filters.', '1', 24),
      disagreeing_stations: field.integer('Stations among them whose levels differ.', '1', 1),
    },
  }),
  read: {
    kind: 'memory',
    from: [airQualityIndex, airQualityStations],
    lake: [airMeasurements, airQualityIndex],
    needs: [],
    clockGranularity_s: CLOCK_S,
    answer: async ({ states, optional: extra }, _values, now) =>
      recordsOf(...states, await extra(recentMeasurements, ''), await extra(recentIndex, ''), now),
  },
  example: { province: 'Madrid', limit: '5' },
})
