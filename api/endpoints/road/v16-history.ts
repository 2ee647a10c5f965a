import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { activationsBySection, v16Hours } from '../../../lake/datasets/road/v16-hours.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { bind, column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type Bucket, bucketEnd, bucketSeconds, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { meaning, record, type ValueOf } from '../../define/fields.ts'
import type { LakeView } from '../../define/lake-view.ts'
import { provinceParam, roadParams } from '../../define/params-place.ts'
import { type Period, timeParams } from '../../define/params-time.ts'
import { isOnRoadSql } from '../../define/place-sql.ts'
import { newestOf, rolledUntil } from '../../define/rolled.ts'
import { provinceField, provinceName } from '../tail.ts'

const { columns } = v16Hours
const INTERVALS = ['1h', '1d', '1w', '1mo', '1y'] as const
/** Width of the period where no begin is given, in days. */
const SPAN_DAYS = { '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' } as const
const DAY_MS = 86_400_000

const FLAT = {
  period_start: meaning(columns.period_start, 'Begin of the step.'),
  interval: col.string(0, 'Length of the step.', { example: '1h' }),
  section: columns.section,
  province_code: columns.province_code,
  road: columns.road,
  km: columns.km,
  km_to: columns.km_to,
  activations: columns.activations,
  coverage: col.decimal(0, 'Share of the step in which the lake has followed the beacons, 0 to 1.', { scale: 6, unit: '1', example: 1 }),
} as const

const point = record('V16Activations', 'How many V16 beacons were activated on a section of road in one step.', {
  ...FLAT,
  province: provinceField(columns.province_code),
})

const METHOD =
  'An activation counts once, in the hour that the source states for it and on the section of 10 km where it was first published; those that were published more than a day after it count for nothing. Days and longer steps are sums of hours.'

/** Activations of the past. */
export const v16History = defineEndpoint({
  path: '/api/v16/history',
  domain: 'road',
  plan: 'PRO',
  summary: 'Activations of V16 beacons by road section and hour, day, week, month or year',
  about: `Counts of sections only: no beacon is told by itself, and none can be followed. A section without activations in a step has no record of it. Of a stretch of road, all sections that it touches. ${METHOD}`,
  figure: { grain: 'One section of 10 km of a road in a province, in one step.', method: METHOD },
  params: {
    time: timeParams(INTERVALS, { interval: '1h', span: '7 days (1h), 31 days (1d), a year (1w) or all (longer)' }),
    province: provinceParam,
    stretch: roadParams,
  },
  returns: {
    kind: 'list',
    name: 'history',
    record: point,
    key: ['period_start', 'section'],
    sorts: ['period_start', 'activations'],
    order: 'period_start',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [v16Beacons, v16Hours],
    first: (p, lake) => newestOf(rolledRows(p, lake)),
    query: (p, lake, found) => {
      const { from, to, interval } = periodOf(p, lake)
      const since = rolledUntil(found, { from, to })
      const beacons = scan(v16Beacons, { observed_at: { gte: since, lt: to + DAY_MS } })
      const c = (name: keyof typeof columns): Sql => column(v16Hours, name)
      const province =
        p.province === null ? sql`true` : sql`${c('province_code')} = ${bind('province_code', columns.province_code, p.province)}`
      const begin = sql`greatest(period_start, ${instant(lake.covered_from ?? from)})`
      const end = sql`least(${bucketEnd(sql`period_start`, interval)}, ${instant(lake.covered_until)})`
      return sql`
        SELECT
          period_start,
          ${interval} AS "interval",
          section,
          province_code,
          road,
          km,
          km_to,
          activations,
          CAST(greatest(0, epoch(${end}) - epoch(${begin})) / ${bucketSeconds(sql`period_start`, interval)} AS DECIMAL(7, 6)) AS coverage
        FROM (
          SELECT ${bucketStart(sql`period_start`, interval)} AS period_start, section, province_code, road, km, km_to,
            CAST(sum(activations) AS INTEGER) AS activations
          FROM (
            SELECT * FROM ${rolledRows(p, lake)}
            UNION ALL BY NAME ${activationsBySection(beacons, { from: since, to })}
          ) AS hours
          WHERE ${province} AND ${isOnRoadSql(p.stretch, { road: c('road'), km: c('km'), km_to: sql`${c('km_to')} - 0.001` })}
          GROUP BY ALL
        )`
    },
    rows: {
      columns: FLAT,
      finish: (row: ValueOf<typeof FLAT>) => ({ ...row, province: provinceName(row.province_code) }),
    },
  },
  example: { from: dayFromToday(-1, '2026-01-02'), to: dayFromToday(1, '2026-01-03'), province: 'Murcia' },
})

interface Asked {
  readonly time: Period
}

function periodOf({ time }: Asked, lake: LakeView): { from: number; to: number; interval: Bucket } {
  const { from, to, interval } = lake.period(time, SPAN_DAYS[time.interval as keyof typeof SPAN_DAYS])
  return { from, to, interval: interval as Bucket }
}

/** The hours of the period that are rolled up. */
function rolledRows(asked: Asked, lake: LakeView): Scan {
  const { from, to } = periodOf(asked, lake)
  return scan(v16Hours, { period_start: { gte: from, lt: to } })
}
