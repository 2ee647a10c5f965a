import { type Dialect, DUCKDB } from '../../query/dialect.ts'
import { type Sql, sql } from '../../query/sql.ts'
import { col, orNull } from '../../schema/columns.ts'
import { month } from '../../schema/dataset.ts'
import { mobilityDataset } from '../domains.ts'
import { DISTANCE_BANDS, MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

const ESTIMATE = { scale: 3, precision: 15, min: 0 } as const

/**
 * Settings that differ between studies and zone levels. Each has its own table: all contain the same trips, so they are never
 * added up.
 */
interface Level {
  readonly id: string
  readonly study?: keyof typeof MOBILITY_STUDIES.codes
  /** Example day. */
  readonly day?: string
  readonly title: string
  /** The zones, for the description. */
  readonly zones: string
  readonly zone_level: keyof typeof ZONE_LEVELS.codes
  /** Example zones. */
  readonly origin: string
  readonly destination: string
}

/** Trips between zones by hour and distance. Purpose, residence, age, sex and income of the study are summed over. */
const tripsBetween = ({ id, study = 'V2', day = '2022-02-01', title, zones, zone_level, origin, destination }: Level) =>
  mobilityDataset({
    id,
    title,
    about: `Estimated trips by ${zones}, hour of the local clock and distance band.`,
    sources: [mitma],
    columns: {
      study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: study }),
      study_day: col.string(2, 'Study and day of the file; it is republished in full.', { example: `${study}-${day}` }),
      local_date: col.local_date(3, 'Day, Madrid time.', { example: day }),
      day_starts_at: col.instant(4, 'Begin of the day.', { example: '2022-01-31T23:00:00.000Z' }),
      zone_level: col.code(5, 'Level of both zones.', ZONE_LEVELS, { example: zone_level }),
      origin_zone: col.string(6, 'Zone of origin.', { example: origin }),
      destination_zone: col.string(7, 'Zone of destination; includes regions of France and Portugal, and externo.', {
        example: destination,
      }),
      hour: col.integer(8, 'Hour in which the trips begin: 8 is 08:00 to 09:00.', { unit: 'h', example: 8, min: 0, max: 23 }),
      starts_at: col.instant(
        9,
        'Begin of the hour; null if the clock change skips or repeats the hour.',
        orNull('2022-02-01T07:00:00.000Z'),
      ),
      is_clock_change: col.boolean(10, 'True for the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
      distance_band: col.code(11, 'Length of the trips.', DISTANCE_BANDS, { example: '10-50' }),
      trips: col.decimal(12, 'Trips: an estimate for the whole population, not a count.', { ...ESTIMATE, unit: '1', example: 2.925 }),
      trip_km: col.decimal(13, 'Total length of these trips.', { ...ESTIMATE, unit: 'km', example: 137.889 }),
    },
    entity: ['study_day', 'zone_level', 'origin_zone', 'destination_zone', 'hour', 'distance_band'],
    time: 'day_starts_at',
    version: 'study_day',
    isObservation: true,
    partition: [month('local_date')],
    order: ['study_day', 'origin_zone', 'destination_zone', 'hour', 'distance_band'],
  })

/** Trips between municipal zones: the input of the roll-up by province. */
export const mobilityTrips = tripsBetween({
  id: 'mobility_trips',
  title: 'Trips between municipal zones',
  zones: 'municipal zone of origin and destination',
  zone_level: 'MUNICIPALITY',
  origin: '01001',
  destination: '01002',
})

/** Trips between districts. */
export const mobilityDistrictTrips = tripsBetween({
  id: 'mobility_district_trips',
  title: 'Trips between districts',
  zones: 'district of origin and destination',
  zone_level: 'DISTRICT',
  origin: '0105901',
  destination: '0105902',
})

/** Trips between large urban areas and the municipal zones outside them. */
export const mobilityGauTrips = tripsBetween({
  id: 'mobility_gau_trips',
  title: 'Trips between large urban areas',
  zones: 'large urban area, or zone outside them, of origin and destination',
  zone_level: 'GAU',
  origin: 'GAU Vitoria-Gasteiz',
  destination: '01002',
})

/** Trips between municipal zones of the 2020 and 2021 study, which has other zones and distance bands. */
export const mobilityV1Trips = tripsBetween({
  id: 'mobility_v1_trips',
  study: 'V1',
  day: '2021-02-01',
  title: 'Trips between municipal zones in 2020 and 2021',
  zones: 'municipal zone of origin and destination of the study of 2020 and 2021',
  zone_level: 'MUNICIPALITY',
  origin: '01001_AM',
  destination: '01002',
})

/**
 * Trips by province and day, derived month by month from trips between municipal zones, each day from that day's file. Other zone
 * levels contain the same trips and are never added; a row never mixes studies.
 */
export const mobilityFlowDays = mobilityDataset({
  id: 'mobility_flow_days',
  title: 'Trips between provinces by day',
  about:
    'Estimated trips, and their length, from each province to each (including itself) by local day: the sum of the hourly trips between municipal zones. ' +
    'A pair of provinces without trips on a day has no row; an unpublished day has no rows at all.',
  sources: [mitma],
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2022-02' }),
    study: col.code(2, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    local_date: col.local_date(3, 'Day, Madrid time.', { example: '2022-02-01' }),
    day_starts_at: col.instant(4, 'Begin of the day.', { example: '2022-01-31T23:00:00.000Z' }),
    origin_province: col.string(5, 'INE code of the province of origin; abroad FR, PT or EXTERNAL.', { example: '01' }),
    destination_province: col.string(6, 'INE code of the province of destination; abroad FR, PT or EXTERNAL.', { example: '48' }),
    trips: col.decimal(7, 'Trips: an estimate for the whole population, not a count.', { ...ESTIMATE, unit: '1', example: 51234.567 }),
    trip_km: col.decimal(8, 'Total length of these trips.', { ...ESTIMATE, unit: 'km', example: 3074074.02 }),
  },
  entity: ['month', 'study', 'local_date', 'origin_province', 'destination_province'],
  time: 'day_starts_at',
  version: 'month',
  order: ['study', 'origin_province', 'destination_province', 'local_date'],
})

/**
 * The province in the id of a zone: digits 1-2, or 5-6 for land that several municipalities share (eleven digits: `34`,
 * autonomous community, province). Regions of France and Portugal are FR and PT; `externo` and other ids are EXTERNAL.
 */
export function zoneProvince(zone: Sql, { matches }: Dialect = DUCKDB): Sql {
  return sql`CASE
    WHEN ${matches(zone, '34\\d{9}')} THEN substr(${zone}, 5, 2)
    WHEN ${matches(zone, '\\d{5}(\\d{2})?(_A[DM])?')} THEN substr(${zone}, 1, 2)
    WHEN ${matches(zone, '(FR|PT)[0-9A-Z]{3}')} THEN substr(${zone}, 1, 2)
    ELSE 'EXTERNAL' END`
}

/**
 * Overnight stays by zone and zone of residence. In municipality files the zone of residence is a district; the study's method
 * intends this.
 */
export const mobilityOvernightStays = mobilityDataset({
  id: 'mobility_overnight_stays',
  title: 'Overnight stays',
  about: 'Estimated persons by zone of the night and zone of residence.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    study_day: col.string(2, 'Study and day of the file; it is republished in full.', { example: 'V2-2022-01-01' }),
    local_date: col.local_date(3, 'Day before the night.', { example: '2022-01-01' }),
    day_starts_at: col.instant(4, 'Begin of the day in Madrid.', { example: '2021-12-31T23:00:00.000Z' }),
    overnight_level: col.code(5, 'Level of the zone of the night.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    overnight_zone: col.string(6, 'Zone of the night.', { example: '01001' }),
    residence_level: col.code(7, 'Level of the zone of residence.', ZONE_LEVELS, { example: 'DISTRICT' }),
    residence_zone: col.string(8, 'Zone of residence.', { example: '0105901' }),
    persons: col.decimal(9, 'Persons: an estimate for the whole population, not a count.', {
      scale: 3,
      precision: 12,
      unit: '1',
      example: 2447.613,
      min: 0,
    }),
  },
  entity: ['study_day', 'overnight_level', 'overnight_zone', 'residence_level', 'residence_zone'],
  time: 'day_starts_at',
  version: 'study_day',
  isObservation: true,
  partition: [month('local_date')],
  order: ['study_day', 'overnight_zone', 'residence_zone'],
})
