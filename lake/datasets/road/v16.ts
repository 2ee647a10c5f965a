import { allBut, BASQUE_COUNTRY } from '../../places/gaps.ts'
import { instant, type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col, orNull } from '../../schema/columns.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { ROAD_DIRECTIONS } from './codes.ts'
import { COMPASS_DIRECTIONS } from './incident-codes.ts'
import { dgt } from './sources.ts'

/** Connected V16 emergency beacons. The public id identifies one activation and nothing else. */
export const v16Beacons = roadDataset({
  id: 'v16_beacons',
  title: 'V16 emergency beacons',
  about: 'Active connected V16 beacons of stopped vehicles, one row per state of an activation.',
  sources: [dgt],
  lacks: allBut('V16 beacons', BASQUE_COUNTRY),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    source_id: col.string(2, "The source's own id of the activation; never published by the API.", { example: '1234567' }),
    beacon_id: col.string(3, 'Public id of one activation.', { example: 'v16_4H7K2QX9M1TZ' }),
    first_seen_at: col.instant(4, 'First publication that contained it.', { example: '2026-01-02T12:23:28.413Z' }),
    observed_at: col.instant(5, 'Publication of this state.', { example: '2026-01-02T12:23:28.413Z' }),
    activated_at: col.instant(6, 'Activation time stated by the source.', { example: '2026-01-02T12:10:02.000Z' }),
    road: col.string(7, 'Road designation as published.', orNull('A-7')),
    km: col.decimal(8, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 531.214 }),
    direction: col.code(9, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    province_code: col.string(10, 'INE code of the province.', orNull('30')),
    municipality_code: col.string(11, 'INE code of the municipality.', orNull('30024')),
    municipality: col.string(12, 'Municipality as published, else the name for its code.', orNull('Lorca')),
    position: col.point([13, 14], 'Position of the beacon.', orNull({ lat: 37.6712, lon: -1.7017 })),
    compass_direction: col.code(15, 'Direction of travel by the compass.', COMPASS_DIRECTIONS, orNull('NORTH_EAST')),
  },
  entity: ['source', 'source_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  life: { id: 'beacon_id', prefix: 'v16', since: 'first_seen_at' },
})

/** Length of the sections for counting activations. It is coarse so that no statistic follows one vehicle. */
const SECTION_KM = 10

/** V16 beacon activations by road section and hour, derived from the beacons one day after each day. No feed fills it. */
export const v16Hours = roadDataset({
  id: 'v16_hours',
  title: 'V16 activations by road section and hour',
  about: `Number of V16 beacons activated by hour and ${SECTION_KM} km road section, by the source's activation time; beacons published more than a day later are excluded.`,
  sources: [dgt],
  lacks: allBut('V16 beacons', BASQUE_COUNTRY),
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2026-01' }),
    period_start: col.instant(2, 'Begin of the hour.', { example: '2026-01-02T12:00:00.000Z' }),
    section: col.string(3, 'Key of the section: province, road and first kilometre, where known.', {
      example: '30/A-7/530',
    }),
    province_code: col.string(4, 'INE code of the province.', orNull('30')),
    road: col.string(5, 'Road designation as published.', orNull('A-7')),
    km: col.integer(6, 'First kilometre of the section.', { unit: 'km', nullable: true, example: 530 }),
    km_to: col.integer(7, 'Its last kilometre, not included.', { unit: 'km', nullable: true, example: 540 }),
    activations: col.integer(8, 'Beacons activated.', { unit: '1', example: 1, min: 1 }),
  },
  entity: ['month', 'section'],
  time: 'period_start',
  version: 'month',
  order: ['section', 'period_start'],
})

/**
 * Activations of a period (ms, half-open) by section and hour, with the columns of `v16_hours` except the month. Input: rows of
 * `v16_beacons` from the period's start to a day after its end. Each beacon counts once, at its first row's place.
 */
export function activationsBySection(beacons: SqlPart, { from, to }: { readonly from: number; readonly to: number }): Sql {
  return sql`
    SELECT period_start, concat_ws('/', coalesce(province_code, ''), coalesce(road, ''), CAST(km AS VARCHAR)) AS section,
      province_code, road, km, km + ${SECTION_KM} AS km_to, CAST(count(*) AS INTEGER) AS activations
    FROM (
      SELECT time_bucket(INTERVAL 1 HOUR, activated_at) AS period_start, province_code, road,
        CASE WHEN road IS NOT NULL THEN CAST(floor(km / ${SECTION_KM}) AS INTEGER) * ${SECTION_KM} END AS km
      FROM ${beacons}
      WHERE activated_at >= ${instant(from)} AND activated_at < ${instant(to)} AND first_seen_at <= activated_at + INTERVAL 1 DAY
      QUALIFY row_number() OVER (PARTITION BY beacon_id ORDER BY observed_at) = 1
    )
    GROUP BY ALL`
}
