import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import type { Region } from '../../../lake/places/regions.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { isOfRegionSql } from '../../kernel/filters/place.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { activeDuring, followedIn } from '../../kernel/reads/active-during.ts'
import { bucketStart } from '../../kernel/reads/buckets.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'

const { columns } = v16Beacons
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
  domain: 'road',
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
  returns: {
    kind: 'list',
    name: 'stats',
    record: count,
    key: ['province_code'],
    sorts: ['active', 'activations'],
    order: '-active',
    limit: { default: 100, max: 1000 },
  },
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
