import { FUEL_SERIES, FUEL_TRENDS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { bind, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, record } from '../../kernel/fields.ts'
import { integerParam, listOf, withDefault } from '../../kernel/params/params.ts'
import { PRICES_PAGE } from './price-figures.ts'
import {
  BULLETIN_METHOD,
  datasetsOf,
  knownFuels,
  MINISTRY_METHOD,
  ministryDays,
  SERIES_DATASETS,
  seriesParam,
  spanishWeeks,
} from './series.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelDays
/** Minimum points of a trend. */
const LEAST_POINTS = 4
/** Maximum age of the newest day of a trend, in days. */
const NEWEST_DAYS = 31
const YEAR_WEEKS = 52
/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959964
const METHOD_NAME = 'THEIL_SEN_7_DAYS'

const euros = (about: string, example: number, scale = 6) => field.decimal(about, 'EUR/L', scale, example)
const percent = (about: string, example: number) => field.decimal(about, '%', 2, example)
const slope = (about: string) => field.decimal(about, 'EUR/L/wk', 5, 0.00412)

const trend = record('FuelTrend', 'Trend of the national average price of a fuel.', {
  fuel: columns.product,
  series: field.code('Source of the prices.', FUEL_SERIES, 'STATION_MEAN'),
  as_of: field.date('Day in Madrid of the newest price.', '2025-09-26'),
  price_eur_l: euros('Average price on that day, taxes included.', 1.4321),
  previous_eur_l: euros('The previous price of the trend: a week earlier, or more if weeks are missing.', 1.4298),
  days_between: field.integer('Days between the two.', '1', 7),
  change_eur_l: euros('Change between these two prices.', 0.0023),
  change_pct: percent('The same in per cent of the previous price.', 0.16),
  change_52w_pct: maybe.decimal('Change within 52 weeks; null if the price of that day is not known.', '%', 2, -2.11),
  slope_eur_l_week: slope('Median of the slopes between all pairs of prices (Theil–Sen).'),
  slope_ci95: field.list(
    'Its 95 % confidence interval, by ranks (Sen 1968): from, to.',
    slope('Limit of the interval.'),
    [-0.00102, 0.00733],
  ),
  direction: field.code('STABLE if the interval contains 0.', FUEL_TRENDS, 'STABLE'),
  weeks_used: field.integer('Prices behind the trend, a week apart.', '1', 12),
  method: field.text('Method of the trend.', METHOD_NAME),
})

const METHOD =
  'STATION_MEAN: prices of one weekday, a week apart, back from the last complete day. The value of a day is the mean of the last prices known at its end in Madrid, each station with the same weight. ' +
  `${MINISTRY_METHOD} ${BULLETIN_METHOD} ` +
  "The slope is the median of the slopes between all pairs of prices. Its interval is Sen's, by Kendall's ranks, without correction for ties."

/** Trend and weekly change of fuel prices. */
export const fuelTrend = defineEndpoint({
  path: '/api/combustible/tendencia',
  plan: 'PRO',
  summary: 'Trend of the national price of each fuel, and its weekly change',
  summary_es: 'Tendencia del precio nacional de cada carburante y cambio semanal',
  about: `For fuels sold by the litre. A fuel with fewer than ${LEAST_POINTS} known prices in the requested weeks, or none in the last ${NEWEST_DAYS} days, has no record. A series without data is rejected. The slope is the median of the slopes between all pairs of prices.`,
  explained: PRICES_PAGE,
  statistic: { grain: 'One fuel, in all of Spain, over the requested weeks.', method: METHOD },
  params: {
    fuel: listOf(fuelParam),
    weeks: withDefault(
      integerParam('Number of prices to go back, a week apart.', { min: LEAST_POINTS, max: 104, unit: 'wk', example: '12' }),
      12,
    ),
    series: seriesParam,
  },
  returns: keyedList('trends', trend, ['fuel'], {
    sorts: ['price_eur_l', 'change_pct', 'slope_eur_l_week'],
    order: '-price_eur_l',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: SERIES_DATASETS,
    fromOf: ({ series }) => datasetsOf(series),
    existingValues: { fuel: knownFuels },
    query: ({ fuel, weeks, series }, lake) => {
      const last = madridDate(lake.covered_until, -1)
      const first = madridDate(lake.covered_until, -1 - NEWEST_DAYS - 7 * Math.max(weeks, YEAR_WEEKS))
      const { from, to } = lake.period({ from: dayBounds(first).start, to: dayBounds(last).end, interval: '1d' }, 1)
      const least = madridDate(lake.covered_until, -1 - NEWEST_DAYS)
      if (series === 'BULLETIN') return trendsOf(spanishWeeks({ fuel, from, to }), { series, weeks, least })
      if (series === 'MINISTRY_DAILY') return trendsOf(ministryDays({ fuel, from, to }), { series, weeks, least })
      const rows = scan(fuelDays, {
        area_kind: { eq: 'NATION' },
        price_unit: { eq: 'EUR/L' },
        ...(fuel ? { product: { in: fuel } } : {}),
        period_start: { gte: from, lt: to },
      })
      return trendsOf(sql`${rows}`, { series, weeks, least })
    },
  },
  example: { series: 'STATION_MEAN', weeks: '12' },
})

/** The trend of each fuel, from its days; `least` is the oldest accepted newest day. */
function trendsOf(rows: Sql, of: { readonly series: string; readonly weeks: number; readonly least: string }): Sql {
  const { series, weeks, least } = of
  return sql`
    WITH days AS MATERIALIZED (
      SELECT product AS fuel, date, CAST(price_mean AS DOUBLE) AS price, max(date) OVER (PARTITION BY product) - date AS days_ago FROM ${rows}
    ),
    points AS (
      SELECT fuel, date, price, days_ago, row_number() OVER (PARTITION BY fuel ORDER BY date DESC) AS nth
      FROM days
      WHERE days_ago % 7 = 0 AND days_ago < ${7 * weeks}
    ),
    slopes AS (
      SELECT one.fuel, list(7 * (other.price - one.price) / (one.days_ago - other.days_ago) ORDER BY (other.price - one.price) / (one.days_ago - other.days_ago)) AS sorted
      FROM points AS one
      JOIN points AS other ON other.fuel = one.fuel AND other.days_ago < one.days_ago
      GROUP BY one.fuel
    ),
    newest AS (
      SELECT fuel,
        max(date) AS as_of,
        count(*) AS weeks_used,
        max(price) FILTER (WHERE nth = 1) AS price,
        max(price) FILTER (WHERE nth = 2) AS previous,
        max(days_ago) FILTER (WHERE nth = 2) AS days_between
      FROM points
      GROUP BY fuel
      HAVING count(*) >= ${LEAST_POINTS} AND max(date) >= ${bind('date', columns.date, least)}
    ),
    ranked AS (
      SELECT fuel, list_median(sorted) AS slope,
        sorted[greatest(1, CAST(round((len(sorted) - spread) / 2) AS INTEGER))] AS low,
        sorted[least(len(sorted), CAST(round((len(sorted) + spread) / 2) AS INTEGER) + 1)] AS high
      FROM (
        SELECT fuel, sorted, ${Z} * sqrt(weeks_used * (weeks_used - 1) * (2 * weeks_used + 5) / 18) AS spread
        FROM slopes
        JOIN newest USING (fuel)
      )
    )
    SELECT
      newest.fuel AS fuel,
      ${series} AS series,
      as_of,
      CAST(newest.price AS DECIMAL(9, 6)) AS price_eur_l,
      CAST(previous AS DECIMAL(9, 6)) AS previous_eur_l,
      CAST(days_between AS INTEGER) AS days_between,
      CAST(newest.price - previous AS DECIMAL(9, 6)) AS change_eur_l,
      CAST(100 * (newest.price / previous - 1) AS DECIMAL(9, 2)) AS change_pct,
      CAST(100 * (newest.price / year_ago.price - 1) AS DECIMAL(9, 2)) AS change_52w_pct,
      CAST(slope AS DECIMAL(9, 5)) AS slope_eur_l_week,
      [CAST(low AS DECIMAL(9, 5)), CAST(high AS DECIMAL(9, 5))] AS slope_ci95,
      CASE WHEN low > 0 THEN 'RISING' WHEN high < 0 THEN 'FALLING' ELSE 'STABLE' END AS direction,
      CAST(weeks_used AS INTEGER) AS weeks_used,
      ${METHOD_NAME} AS method
    FROM newest
    JOIN ranked USING (fuel)
    LEFT JOIN days AS year_ago ON year_ago.fuel = newest.fuel AND year_ago.days_ago = ${7 * YEAR_WEEKS}`
}
