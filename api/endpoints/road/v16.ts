import { activationsBySection, v16Beacons, v16Hours } from '../../../lake/datasets/road/v16.ts'
import type { Region } from '../../../lake/places/regions.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { type ChangeOf, defineEndpoint, keyedList, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, nested, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, isOfRegionSql, isOnRoadSql, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { provinceParam, roadParams, wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { activeDuring, followedIn } from '../../kernel/reads/active-during.ts'
import { bucketStart } from '../../kernel/reads/buckets.ts'
import { same, shareFollowed, sum } from '../../kernel/reads/figures.ts'
import { isOneOf } from '../../kernel/reads/filter.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { originFields, placeFields, provinceField, provinceName } from '../common-fields.ts'

const { columns } = v16Beacons

/** A beacon. Nothing in it links two activations of one vehicle. */
export const beacon = record('V16Beacon', 'An active V16 emergency beacon: a stopped vehicle on the road.', {
  id: columns.beacon_id,
  ...pick(columns, 'road', 'km', 'direction', 'compass_direction'),
  ...placeFields(columns),
  ...pick(columns, 'position', 'activated_at'),
  ...originFields(columns),
})

/** Converts rows of the dataset to beacons. */
export const toBeacon = projection(v16Beacons, beacon)

/** The beacon of a change; its status says whether it is still active. */
export function changedBeacon(change: ChangeOf<typeof v16Beacons>): ValueOf<typeof beacon.fields> {
  const made = toBeacon(change.row)
  return change.kind === 'ENDED' ? { ...made, status: 'ENDED' } : made
}

/** Active beacons. */
export const v16List = defineEndpoint({
  path: '/api/v16',
  plan: 'FREE',
  summary: 'Active V16 emergency beacons with their position',
  summary_es: 'Balizas V16 activas, con su posición',
  about: 'The id identifies one activation only; the id of the source is never shown.',
  filters: [placeFilter, roadFilter, areaFilter],
  returns: listReturn('beacons', beacon, { sorts: ['id', 'activated_at', 'updated_at', 'road', 'km'] }),
  read: { kind: 'memory', from: [v16Beacons], records: ([state]) => state.rows.map(toBeacon) },
  example: { province: 'Murcia' },
})

const HOUR_MS = 3_600_000
const HOURS = 24
/** Dimensions to count by: nothing finer, so that no count can track a vehicle. */
const GROUPS = ['province'] as const

const FLAT = {
  province_code: columns.province_code,
  active: field.integer('Active at the end of the data of the lake.', '1', 12),
  activations: field.integer('Activated in the listed hours, as far as these are known.', '1', 240),
} as const

const count = record('V16Count', 'Number of active V16 beacons, and activations in each of the last hours.', {
  province: provinceField(columns.province_code),
  ...FLAT,
  hours: nested.objects('The hours in order, each with its activations; the last one is not over.', {
    period_start: field.instant('Begin of the hour.', '2026-01-02T12:00:00.000Z'),
    activations: maybe.integer('Activated in the hour; null if it ended before the beacon data of the lake begins.', '1', 10),
  }),
})

/** Current number of beacons, and activations of the last day. */
export const v16Stats = defineEndpoint({
  path: '/api/v16/stats',
  plan: 'FREE',
  recent: { hours: HOURS, wider: 'PRO' },
  summary: 'Active V16 beacons, and activations per hour of the last day',
  summary_es: 'Balizas V16 activas y activaciones por hora del último día',
  about:
    'Counts only, for all of Spain or by province. The hours are the last 24, including the current one. An activation counts in the hour that the source states. Hours before the beacon data of the lake begins are null. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far.',
  statistic: {
    grain: 'All of Spain or one province, in one hour.',
    method: 'Active beacons, and activations in the hour that the source states, each counted once.',
  },
  params: {
    group_by: oneOf('Dimensions to count by; by default all together.', GROUPS, { example: 'province' }),
    province: provinceParam,
  },
  returns: keyedList('stats', count, ['province_code'], {
    sorts: ['active', 'activations'],
    order: '-active',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [v16Beacons],
    query: (p, lake) => {
      const { to } = lake.period({ from: null, to: null, interval: null }, 1)
      const last = Math.floor((to - 1) / HOUR_MS) * HOUR_MS
      return countsOf({ ...p, to, first: last - (HOURS - 1) * HOUR_MS, last })
    },
    rows: {
      columns: FLAT,
      finish: (row: { province_code: string | null; active: number; activations: number; hours: readonly Hour[] }) => ({
        ...row,
        province: provinceName(row.province_code),
      }),
    },
  },
  example: { group_by: 'province' },
})

interface Hour {
  readonly period_start: number
  readonly activations: number | null
}

function countsOf(of: {
  readonly group_by: string | null
  readonly province: Region | null
  readonly to: number
  readonly first: number
  readonly last: number
}): Sql {
  const [first, last] = [instant(of.first), instant(of.last)]
  const period = { from: of.first, to: of.to }
  const time = column(v16Beacons, v16Beacons.time)
  const lives = activeDuring(v16Beacons, period, ['province_code', 'municipality_code', 'activated_at'])
  const wanted = of.province === null ? sql`true` : isOfRegionSql(of.province, (name) => column(v16Beacons, name))
  // All of Spain is one group, even without beacons.
  const groups = of.group_by === null ? sql`SELECT CAST(NULL AS VARCHAR) AS province_code` : sql`SELECT DISTINCT province_code FROM lives`
  const group = of.group_by === null ? sql`CAST(NULL AS VARCHAR)` : sql`province_code`
  const hour = bucketStart(sql`activated_at`, '1h')
  return sql`
    WITH lives AS MATERIALIZED (SELECT ${group} AS province_code, activated_at, status FROM (${lives}) WHERE ${wanted}),
    per_hour AS (SELECT province_code, ${hour} AS period_start, count(*) AS activations FROM lives WHERE activated_at >= ${first} GROUP BY ALL),
    began AS (SELECT coalesce(min(${time}), ${last}) AS began_at FROM ${followedIn(v16Beacons, period)}),
    hours AS (SELECT unnest(generate_series(${first}, ${last}, INTERVAL 1 HOUR)) AS period_start),
    steps AS (
      SELECT groups.province_code, hours.period_start,
        CASE WHEN hours.period_start + INTERVAL 1 HOUR > began_at THEN coalesce(per_hour.activations, 0) END AS activations
      FROM (${groups}) AS groups
      CROSS JOIN hours
      CROSS JOIN began
      LEFT JOIN per_hour
        ON per_hour.province_code IS NOT DISTINCT FROM groups.province_code AND per_hour.period_start = hours.period_start
    )
    SELECT
      province_code,
      CAST((SELECT count(*) FROM lives WHERE status <> 'ENDED' AND lives.province_code IS NOT DISTINCT FROM steps.province_code) AS INTEGER) AS active,
      CAST(sum(activations) AS INTEGER) AS activations,
      list({'period_start': period_start, 'activations': CAST(activations AS INTEGER)} ORDER BY period_start) AS hours
    FROM steps
    GROUP BY province_code`
}

const { columns: hourColumns } = v16Hours

const points = series({
  name: 'V16Activations',
  about: 'Number of V16 beacons activated on a road section in one step.',
  example: ['2026-01-02T12:00:00.000Z', '1h'],
  fields: {
    ...pick(hourColumns, 'section', 'province_code', 'road', 'km', 'km_to', 'activations'),
    coverage: field.decimal('Share of the step for which the lake has beacon data, 0 to 1.', '1', 6, 1),
    province: provinceField(hourColumns.province_code),
  },
  key: ['section'],
  sorts: ['activations'],
})

const params = {
  time: steps({ '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1h' }),
  province: wholeProvinceParam,
  stretch: roadParams,
}

const METHOD =
  'An activation counts once, in the hour that the source states and on the 10 km section where it was first published. Activations published more than a day later do not count. Days and longer steps are sums of hours.'

/** Past activations. */
export const v16History = defineEndpoint({
  path: '/api/v16/history',
  plan: 'PRO',
  summary: 'Activations of V16 beacons by road section and hour, day, week, month or year',
  summary_es: 'Activaciones de balizas V16 por tramo de carretera y periodo',
  about: `Counts by section only: no single beacon is shown, and none can be tracked. A section without activations in a step has no record. A stretch includes all sections that it touches. ${METHOD}`,
  statistic: { grain: 'One 10 km section of a road in a province, in one step.', method: METHOD },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: v16Beacons,
    at: 'observed_at',
    late_ms: 86_400_000,
    rollup: { of: v16Hours, step: '1h', make: activationsBySection },
    only: (p) => {
      const c = (name: keyof typeof hourColumns): Sql => column(v16Hours, name)
      const isInProvince = p.province === null ? sql`true` : isOneOf(c('province_code'), p.province)
      return sql`${isInProvince} AND ${isOnRoadSql(p.stretch, { road: c('road'), km: c('km'), km_to: sql`${c('km_to')} - 0.001` })}`
    },
    fields: {
      section: same('section'),
      province_code: same('province_code'),
      road: same('road'),
      km: same('km'),
      km_to: same('km_to'),
      activations: sum('activations'),
      coverage: shareFollowed(),
    },
    computed: { province: (row) => provinceName(row.province_code) },
  }),
  example: { from: dayFromToday(-1, '2026-01-02'), to: dayFromToday(1, '2026-01-03'), province: 'Murcia' },
})
