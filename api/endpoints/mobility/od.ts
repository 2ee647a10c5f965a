import { ZONE_LEVELS } from '../../../lake/datasets/mobility/codes.ts'
import {
  mobilityDistrictTrips,
  mobilityFlowDays,
  mobilityGauTrips,
  mobilityTrips,
  mobilityV1Trips,
} from '../../../lake/datasets/mobility/trips.ts'
import { mobilityZoneMembers } from '../../../lake/datasets/mobility/zones.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, optional, record } from '../../kernel/fields.ts'
import { codeParam, listOf, oneOf, type Param, textParam, withDefault } from '../../kernel/params/params.ts'
import { type Period, timeParams } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { type Bucket, dateField } from '../../kernel/reads/buckets.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { MOBILITY_PAGE, nothingOf, studyParam, tripSums } from './study.ts'

const { columns } = mobilityTrips
const c = (name: keyof typeof columns): Sql => column(mobilityTrips, name)
const z = (name: keyof typeof mobilityZoneMembers.columns): Sql => column(mobilityZoneMembers, name)

/** Tables of trips between zones, by study and level. Different levels describe the same trips. */
const TRIPS: Readonly<Record<string, Readonly<Record<string, typeof mobilityTrips>>>> = {
  V1: { MUNICIPALITY: mobilityV1Trips },
  V2: { MUNICIPALITY: mobilityTrips, DISTRICT: mobilityDistrictTrips, GAU: mobilityGauTrips },
}

/** The table of these trips. Throws for a level that the study lacks. */
function tripsOf({ study, level }: { readonly study: string; readonly level: string }): typeof mobilityTrips {
  const levels = TRIPS[study] ?? {}
  const trips = levels[level]
  if (!trips)
    throw new InvalidParam(`expected an available level of the study ${study}`, {
      parameter: 'level',
      value: level,
      allowed: Object.keys(levels),
    })
  return trips
}

/** Zones with trips in the study of 2020 and 2021 since the end of 2020 that no list of the ministry contains. */
const UNLISTED_ZONES: Readonly<Record<string, readonly string[]>> = { V1: ['04902', '28006', '28106', '28123', '28127'] }

const INTERVALS = ['1d', '1w', '1mo', '1y'] as const
const GROUPS = ['hour', 'distance'] as const
/** The level whose days the roll-up by provinces also lists. It is far smaller, so a day is available once it is rolled up. */
const ROLLED_LEVEL = 'MUNICIPALITY'

const cell = record('MobilityCell', 'Trips from one zone to another, or within one, in a step of time.', {
  origin_zone: columns.origin_zone,
  destination_zone: columns.destination_zone,
  period_start: field.instant('Begin of the step.', '2022-01-31T23:00:00.000Z'),
  interval: field.text('Length of the step.', '1d'),
  date: dateField('2022-01-31T23:00:00.000Z', '1d'),
  study: columns.study,
  level: columns.zone_level,
  hour: optional(
    columns.hour,
    'Hour of the local clock in which the trips begin: 8 is from 08:00 to 09:00. Null unless grouped by it. The hour of a clock change is as the ministry publishes it.',
  ),
  distance_band: optional(columns.distance_band, 'Length of the trips; null unless grouped by it.'),
  trips: col.decimal(0, 'Trips on the days that are present: an estimate for the whole population, not a count.', {
    scale: 3,
    precision: 18,
    unit: '1',
    example: 2.925,
  }),
  trip_km: col.decimal(0, 'Total length of these trips.', { scale: 3, precision: 18, unit: 'km', example: 137.889 }),
  mean_distance_km: col.decimal(0, 'Mean length of a trip; null without trips.', {
    scale: 3,
    precision: 12,
    unit: 'km',
    nullable: true,
    example: 47.142,
  }),
  days_present: field.integer('Days of the step that the study has published at this level and that are loaded.', 'd', 1),
  days_expected: field.integer('Days of the whole step.', 'd', 1),
})

const zoneParam = (about: string, example: string): Param<readonly string[] | null> =>
  listOf(textParam(`${about}: ids of the study, at the requested level, comma-separated.`, { max: 60, example }))

const METHOD =
  'Sums of the trips that the ministry estimates, over the days of the step that are present; missing days are not filled in. Trips by purpose, residence, age, sex and income are added up. ' +
  'The study does not state the means of transport. A pair of zones without trips in a step is absent.'

/** Cells of the matrix of origins and destinations. */
export const mobilityMatrix = defineEndpoint({
  path: '/api/movilidad/od',
  plan: 'PRO',
  summary: 'Trips from zone to zone: cells of the origin-destination matrix',
  summary_es: 'Viajes de zona a zona: celdas de la matriz origen-destino',
  about:
    'By default the newest day. Sums of the trips that the ministry estimates, over the days of the step that are present. The study does not state the means of transport. A pair of zones without trips in a step is absent; a study or zone level without data is rejected. For whole matrices use CSV, Parquet or Arrow.',
  explained: MOBILITY_PAGE,
  statistic: {
    grain: 'One zone of origin, one of destination, one step, one study and level; with `group_by` one hour or distance too.',
    method: METHOD,
  },
  params: {
    level: withDefault(codeParam('Level of the zones.', ZONE_LEVELS, { example: ROLLED_LEVEL }), ROLLED_LEVEL),
    study: studyParam,
    origin: zoneParam('Zones where the trips begin', '01001'),
    destination: zoneParam('Zones that they end in', '01002'),
    group_by: listOf(oneOf('Dimensions to group by, besides zones and steps; several are allowed.', GROUPS, { example: 'hour' })),
    time: timeParams(INTERVALS, { interval: '1d', span: 'the newest day without an end, else a day' }),
  },
  returns: keyedList('cells', cell, ['period_start', 'origin_zone', 'destination_zone', 'hour', 'distance_band'], {
    sorts: ['period_start', 'trips', 'trip_km'],
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [mobilityTrips, mobilityFlowDays, mobilityZoneMembers, mobilityDistrictTrips, mobilityGauTrips, mobilityV1Trips],
    fromOf: ({ study, level }) => [tripsOf({ study, level }), ...(level === ROLLED_LEVEL ? [mobilityFlowDays] : []), mobilityZoneMembers],
    prequery: (p) => sql`
      SELECT strftime(max(local_date), '%Y-%m-%d') AS newest, (${unknownZone(p)}) AS unknown FROM ${daysOf(p)}`,
    query: (p, lake, found) => {
      const { from, to, interval } = periodOf(p, lake, found)
      const { study, level, origin, destination } = p
      const day_starts_at = { gte: from, lt: to }
      const cells = scan(tripsOf(p), {
        ...{ study: { eq: study }, zone_level: { eq: level }, day_starts_at },
        ...(origin === null ? {} : { origin_zone: { in: origin } }),
        ...(destination === null ? {} : { destination_zone: { in: destination } }),
      })
      const by = new Set(p.group_by)
      const days = daysOf(p, day_starts_at)
      const keys = [
        sql`origin_zone`,
        sql`destination_zone`,
        sql`${by.has('hour') ? c('hour') : sql`CAST(NULL AS INTEGER)`} AS hour`,
        sql`${by.has('distance') ? c('distance_band') : sql`CAST(NULL AS VARCHAR)`} AS distance_band`,
      ]
      return sql`SELECT *, ${study} AS study, ${level} AS level FROM (${tripSums({ cells, days, by: keys, interval })})`
    },
  },
  example: {},
})

interface Asked {
  readonly study: string
  readonly level: string
  readonly origin: readonly string[] | null
  readonly destination: readonly string[] | null
  readonly time: Period
}

/** Rows with the `local_date` of each available day of a study and level, optionally within a time (ms). */
function daysOf(asked: Asked, times: { readonly gte?: number; readonly lt?: number } = {}): Sql {
  const { study, level } = asked
  const within = Object.keys(times).length === 0 ? {} : { day_starts_at: times }
  if (level === ROLLED_LEVEL) return sql`${scan(mobilityFlowDays, { study: { eq: study }, ...within })}`
  return sql`${scan(tripsOf(asked), { study: { eq: study }, zone_level: { eq: level }, ...within })}`
}

/**
 * A query of one requested zone that the study lacks; null if it has all or no zones have landed. Places abroad are in no list.
 */
function unknownZone({ study, level, origin, destination }: Asked): Sql {
  const known = UNLISTED_ZONES[study] ?? []
  const asked = [...(origin ?? []), ...(destination ?? [])].filter((zone) => !known.includes(zone))
  if (asked.length === 0) return sql`NULL`
  const zones = scan(mobilityZoneMembers, { study: { eq: study }, zone_level: { eq: level } })
  return sql`
    SELECT min(zone)
    FROM (VALUES ${join(asked.map((zone) => sql`(${zone})`))}) AS asked(zone)
    WHERE zone NOT IN (SELECT ${z('zone_id')} FROM ${zones})
      AND NOT regexp_full_match(zone, 'externo|(FR|PT)[0-9A-Z]{3}')
      AND EXISTS (SELECT 1 FROM ${zones})`
}

/** The period of the reply, in whole steps. Throws if the study and level have no data, or a requested zone is not in them. */
function periodOf(
  { study, level, origin, time }: Asked,
  lake: LakeView,
  [found]: readonly AnyRow[],
): { readonly from: number; readonly to: number; readonly interval: Bucket } {
  const { newest, unknown } = found ?? {}
  if (typeof newest !== 'string') throw nothingOf(tripsOf({ study, level }), { study, level })
  if (typeof unknown === 'string')
    throw new InvalidParam(`expected zone ids of the level ${level} of the study ${study}`, {
      parameter: origin?.includes(unknown) ? 'origin' : 'destination',
      value: unknown,
    })
  const { start, end } = dayBounds(newest)
  const isOpen = time.from === null && time.to === null
  const { from, to, interval } = lake.period(isOpen ? { ...time, from: start, to: end } : time, 1)
  return { from, to, interval: interval as Bucket }
}
