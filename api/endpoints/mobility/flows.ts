import { imdRoads } from '../../../lake/datasets/mobility/imd.ts'
import { mobilityFlowDays } from '../../../lake/datasets/mobility/trips.ts'
import { scan } from '../../../lake/query/scan.ts'
import { castTo, column, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Columns, col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { group, oneOf, withDefault } from '../../kernel/params/params.ts'
import { roadParam, wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { type Period, timeParams } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { type Bucket, bucketBounds, dateField } from '../../kernel/reads/buckets.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { IMD_FIELDS, IMD_FLAT, IMD_METHOD, imdRows } from './imd-view.ts'
import { DEFAULT_STUDY, MOBILITY_PAGE, nothingOf, studyParam, tripSums } from './study.ts'

const { columns } = mobilityFlowDays
const c = (name: keyof typeof columns): Sql => column(mobilityFlowDays, name)

const INTERVALS = ['1d', '1w', '1mo', '1y'] as const
/** The views of this path. */
const VIEWS = ['flows', 'imd'] as const
/** Width of the period if only its end is given, in days. */
const SPAN_DAYS = 31

/** Columns of the rows of either view. */
const STEP = {
  period_start: field.instant('Begin of the step.', '2022-01-31T23:00:00.000Z'),
  interval: field.text('Length of the step; 1y with view=imd.', '1mo'),
  date: dateField('2022-01-31T23:00:00.000Z', '1mo'),
} as const

/** Columns of the rows of trips. */
const FLAT = {
  origin_province_code: optional(
    columns.origin_province,
    'INE code of the province where the trips begin; abroad FR, PT or EXTERNAL. Only with view=flows.',
  ),
  destination_province_code: optional(
    columns.destination_province,
    'INE code of the province where they end; abroad FR, PT or EXTERNAL. Only with view=flows.',
  ),
  study: optional(columns.study, 'Study of the trips. Only with view=flows.'),
  trips: col.decimal(0, 'Trips on the days that are present: an estimate for the whole population, not a count. Only with view=flows.', {
    ...{ scale: 3, precision: 18, unit: '1', nullable: true, example: 51234.567 },
  }),
  trip_km: col.decimal(0, 'Total length of these trips. Only with view=flows.', {
    ...{ scale: 3, precision: 18, unit: 'km', nullable: true, example: 3074074.02 },
  }),
  mean_distance_km: col.decimal(0, 'Mean length of a trip; null without trips. Only with view=flows.', {
    ...{ scale: 3, precision: 12, unit: 'km', nullable: true, example: 60 },
  }),
  days_present: maybe.integer('Days of the step that the study has published and that are loaded. Only with view=flows.', 'd', 1),
  days_expected: maybe.integer('Days of the whole step. Only with view=flows.', 'd', 28),
} as const

/** Fields that only one view has. */
const VIEW_FIELDS = {
  flows: ['origin_province', 'destination_province', ...Object.keys(FLAT)],
  imd: Object.keys(IMD_FIELDS),
} as const satisfies Readonly<Record<(typeof VIEWS)[number], readonly string[]>>

const ROWS = { ...STEP, ...FLAT, ...IMD_FLAT } as const

const mobility = record(
  'Mobility',
  'Trips from one province to another, or within one, in a step of time; or the daily traffic of a road in a province and a year.',
  {
    ...STEP,
    origin_province: provinceField(columns.origin_province),
    destination_province: provinceField(columns.destination_province),
    ...FLAT,
    ...IMD_FIELDS,
  },
  { sometimes: Object.values(VIEW_FIELDS).flat() },
)

/** The request by `view`. Parameters of the other view are rejected, because they would have no effect. */
const asked = group(
  {
    view: withDefault(
      oneOf('Kind of reply: flows are trips between provinces, imd is the daily traffic of roads by year.', VIEWS, { example: 'flows' }),
      'flows',
    ),
    study: studyParam,
    origin: wholeProvinceParam,
    destination: wholeProvinceParam,
    road: roadParam,
  },
  (values) => {
    const { view, study, origin, destination, road } = values
    const others = {
      flows: { road: road !== null },
      imd: { origin: origin !== null, destination: destination !== null, study: study !== DEFAULT_STUDY },
    }
    for (const [parameter, isGiven] of Object.entries(others[view]))
      if (isGiven) throw new InvalidParam(`expected only with view=${view === 'imd' ? 'flows' : 'imd'}`, { parameter })
    return values
  },
)

const METHOD =
  'flows: sums of the hourly trips that the ministry estimates between municipal zones, over the days of the step that are present; missing days are not filled in. ' +
  'A pair of provinces without trips in a step is absent. The mean distance covers all trips together.'

/** Trips between provinces, or the daily traffic of roads. */
export const mobilityList = defineEndpoint({
  path: '/api/movilidad',
  plan: 'PRO',
  summary: 'Trips between provinces by step of time, or daily road traffic (IMD) by year',
  summary_es: 'Viajes entre provincias por periodo, o tráfico diario (IMD) por año',
  about:
    'view=flows sums the hourly trips that the ministry estimates, by default of the newest month with data of every day. view=imd has the daily traffic of roads, by default of every year. Missing days are not filled in. A pair of provinces without trips in a step is absent; a study without any data is rejected.',
  explained: MOBILITY_PAGE,
  statistic: {
    grain: 'flows: one province of origin, one of destination, one step, one study. imd: one road, one province, one year.',
    method: `${METHOD} ${IMD_METHOD}`,
  },
  params: {
    asked,
    time: timeParams(INTERVALS, {
      interval: '1mo',
      span: `the newest complete month without an end (every year for view=imd), else ${SPAN_DAYS} days`,
    }),
  },
  returns: keyedList('mobility', mobility, ['period_start', 'origin_province_code', 'destination_province_code', 'road', 'province_code'], {
    sorts: ['period_start', 'trips', 'trip_km', 'mean_distance_km', 'imd_veh_day', 'heavy_share_pct', 'veh_km_year'],
    order: '-trips',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [mobilityFlowDays, imdRoads],
    fromOf: (p) => (p.asked.view === 'imd' ? [imdRoads] : [mobilityFlowDays]),
    coverageRows: ({ asked }) => (asked.view === 'imd' ? null : [{ dataset: mobilityFlowDays, filter: { study: { eq: asked.study } } }]),
    prequery: (p) => (p.asked.view === 'imd' ? null : newestMonth(p.asked.study)),
    query: (p, lake, found) => {
      const { view, study, origin, destination, road } = p.asked
      if (view === 'imd') return sql`SELECT ${NO_FLOW}, * FROM (${imdRows({ road, time: p.time }, lake)})`
      const { from, to, interval } = periodOf({ study, time: p.time }, lake, found)
      const within = { study: { eq: study }, day_starts_at: { gte: from, lt: to } }
      const wanted = scan(mobilityFlowDays, {
        ...within,
        ...(origin === null ? {} : { origin_province: { in: origin } }),
        ...(destination === null ? {} : { destination_province: { in: destination } }),
      })
      const days = scan(mobilityFlowDays, within)
      const by = [sql`origin_province AS origin_province_code`, sql`destination_province AS destination_province_code`]
      return sql`SELECT *, ${study} AS study, ${NO_IMD} FROM (${tripSums({ cells: wanted, days, by, interval })})`
    },
    rows: {
      columns: ROWS,
      finish: (row: ValueOf<typeof ROWS>) => ({
        origin_province: provinceName(row.origin_province_code),
        destination_province: provinceName(row.destination_province_code),
        province: provinceName(row.province_code),
        ...row,
      }),
    },
    omit: { by: 'view', fields: ({ asked }) => VIEW_FIELDS[asked.view === 'imd' ? 'flows' : 'imd'] },
  },
  example: { origin: '01' },
})

/** The columns of a view as NULL, for rows of the other view. */
const nothing = (of: Columns): Sql => join(Object.entries(of).map(([name, one]) => sql`${castTo(one, null)} AS ${outputName(name)}`))
const NO_FLOW = nothing(FLAT)
const NO_IMD = nothing(IMD_FLAT)

/** The default month (YYYY-MM); null for a study without data. */
function newestMonth(study: string): Sql {
  return sql`
    SELECT month
    FROM (
      SELECT ${c('month')} AS month, count(DISTINCT local_date) = day(last_day(max(local_date))) AS is_whole
      FROM ${scan(mobilityFlowDays, { study: { eq: study } })}
      GROUP BY 1
    )
    ORDER BY is_whole DESC, month DESC
    LIMIT 1`
}

/** The period of the reply, in whole steps. Throws if the study has no data. */
function periodOf(
  { study, time }: { readonly study: string; readonly time: Period },
  lake: LakeView,
  [newest]: readonly AnyRow[],
): { readonly from: number; readonly to: number; readonly interval: Bucket } {
  const month = newest?.['month']
  if (typeof month !== 'string') throw nothingOf(mobilityFlowDays, { study })
  const whole = bucketBounds(dayBounds(`${month}-01`).start, '1mo')
  const isOpen = time.from === null && time.to === null
  const { from, to, interval } = lake.period(isOpen ? { ...time, from: whole.start, to: whole.end } : time, SPAN_DAYS)
  return { from, to, interval: interval as Bucket }
}
