import { type Sql, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Trips by province and day, derived month by month from trips between municipal zones, each day from that day's file. Other zone
 * levels contain the same trips and are never added; a row never mixes studies.
 */
export const mobilityFlowDays = defineDataset({
  id: 'mobility_flow_days',
  domain: 'mobility',
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
    trips: col.decimal(7, 'Trips: an estimate for the whole population, not a count.', {
      scale: 3,
      precision: 15,
      unit: '1',
      example: 51234.567,
      min: 0,
    }),
    trip_km: col.decimal(8, 'Total length of these trips.', {
      scale: 3,
      precision: 15,
      unit: 'km',
      example: 3074074.02,
      min: 0,
    }),
  },
  entity: ['month', 'study', 'local_date', 'origin_province', 'destination_province'],
  time: 'day_starts_at',
  version: 'month',
  order: ['study', 'origin_province', 'destination_province', 'local_date'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})

/**
 * The province in the id of a zone: digits 1-2, or 5-6 for land that several municipalities share (eleven digits: `34`,
 * autonomous community, province). Regions of France and Portugal are FR and PT; `externo` and other ids are EXTERNAL.
 */
export function zoneProvince(zone: Sql): Sql {
  return sql`CASE
    WHEN regexp_full_match(${zone}, '34\\d{9}') THEN substr(${zone}, 5, 2)
    WHEN regexp_full_match(${zone}, '\\d{5}(\\d{2})?(_A[DM])?') THEN substr(${zone}, 1, 2)
    WHEN regexp_full_match(${zone}, '(FR|PT)[0-9A-Z]{3}') THEN substr(${zone}, 1, 2)
    ELSE 'EXTERNAL' END`
}
