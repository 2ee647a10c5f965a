import { type Sql, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Trips by province and day. No feed fills it: it is derived from the trips between municipal zones, month by month, each day from the file of
 * that day. The other levels of zones tell of the same trips and are never added to them; days of two studies are never in one row.
 */
export const mobilityFlowDays = defineDataset({
  id: 'mobility_flow_days',
  domain: 'mobility',
  title: 'Trips between provinces by day',
  about:
    'Estimated trips, and their length, from each province to each on each day of the local clock, those within a province too: the sum of the trips between municipal zones, hour by hour. ' +
    'A pair of provinces without trips on a day has no row of it; a day that the ministry did not publish has no rows at all.',
  sources: [mitma],
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2022-02' }),
    study: col.code(2, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    local_date: col.local_date(3, "Day on Madrid's clock.", { example: '2022-02-01' }),
    day_starts_at: col.instant(4, 'Begin of the day.', { example: '2022-01-31T23:00:00.000Z' }),
    origin_province: col.string(5, 'INE code of the province that the trips begin in; abroad FR, PT or EXTERNAL.', { example: '01' }),
    destination_province: col.string(6, 'INE code of the province that they end in; abroad FR, PT or EXTERNAL.', { example: '48' }),
    trips: col.decimal(7, 'Trips: an estimate for the whole population, not a count.', {
      scale: 3,
      precision: 15,
      unit: '1',
      example: 51234.567,
      min: 0,
    }),
    trip_km: col.decimal(8, 'Length of all of these trips together.', {
      scale: 3,
      precision: 15,
      unit: 'km',
      example: 3074074.02,
      min: 0,
    }),
  },
  entity: ['month', 'study', 'local_date', 'origin_province', 'destination_province'],
  time: 'day_starts_at',
  land: 'replace',
  version: 'month',
  partition: [identity('month')],
  order: ['study', 'origin_province', 'destination_province', 'local_date'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})

/**
 * The province of a municipal zone or district, as its id says it: of a municipality, a part or a group of some by the two digits that it begins
 * with, of land that several share (eleven digits, `34`, autonomous community, province) by the fifth and sixth. Regions of France and Portugal
 * are FR and PT; `externo`, and whatever is no zone of Spain, is EXTERNAL.
 */
export function zoneProvince(zone: Sql): Sql {
  return sql`CASE
    WHEN regexp_full_match(${zone}, '34\\d{9}') THEN substr(${zone}, 5, 2)
    WHEN regexp_full_match(${zone}, '\\d{5}(\\d{2})?(_A[DM])?') THEN substr(${zone}, 1, 2)
    WHEN regexp_full_match(${zone}, '(FR|PT)[0-9A-Z]{3}') THEN substr(${zone}, 1, 2)
    ELSE 'EXTERNAL' END`
}
