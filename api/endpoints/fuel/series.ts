import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { dayBounds, MADRID } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketLength, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { meaning, nested, record } from '../../define/fields.ts'
import type { LakeView } from '../../define/lake-view.ts'
import { group, listOf } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import { type Period, timeParams } from '../../define/params-time.ts'
import { Refused } from '../../define/problems.ts'
import { BULLETIN_METHOD, bulletinEnd, spanishWeeks } from './bulletin-weeks.ts'
import { datasetsOf, MINISTRY_METHOD, ministryDays, ministryEnd, SERIES_DATASETS, seriesParam } from './series-params.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelDays
const INTERVALS = ['1d', '1w', '1mo', '1y'] as const
/** Where the averages begin unless told. */
const BEGIN = dayBounds('2019-01-01').start

const point = record('FuelSeriesPoint', 'One step of the series of average prices of a fuel.', {
  fuel: columns.product,
  area: meaning(columns.area, 'ES, or the INE code of the province.'),
  period_start: col.instant(0, 'Begin of the step.', { example: '2025-09-21T22:00:00.000Z' }),
  interval: col.string(0, 'Length of the step.', { example: '1w' }),
  price_eur_l: col.decimal(0, 'Average price, taxes included; null of what is sold by weight.', {
    scale: 6,
    unit: 'EUR/L',
    nullable: true,
    example: 1.4321,
  }),
  price_eur_t: col.decimal(0, 'The same of what is sold by weight: gases and hydrogen; else null.', {
    scale: 1,
    unit: 'EUR/t',
    nullable: true,
    example: null,
  }),
  price_without_tax_eur_l: col.decimal(
    0,
    'Average price without duties and taxes, of the same days; null where not all of them tell it, as in STATION_MEAN.',
    {
      scale: 6,
      unit: 'EUR/L',
      nullable: true,
      example: null,
    },
  ),
  stations: col.integer(0, 'Stations with a price, on the average of its days; of STATION_MEAN.', {
    unit: '1',
    nullable: true,
    example: 11432,
  }),
  coverage: col.decimal(0, 'Share of the days of the whole step that a price is known of, 0 to 1; of BULLETIN of its Mondays.', {
    scale: 6,
    unit: '1',
    example: 0.142857,
  }),
})

const METHOD =
  'STATION_MEAN: the mean of the days that a price is known of, each day counting once; of a day the mean of the last prices that are known when it ends in Madrid, taxes included, each station counting once, those that sell to members only not at all. ' +
  'The day that goes on is as of the newest publication; a day on which nothing was published is that of the archive of the ministry by day, as far as it was taken in, and else not known. ' +
  `${MINISTRY_METHOD} ${BULLETIN_METHOD}`

/** Average prices of fuels over the years. */
export const fuelHistory = defineEndpoint({
  path: '/api/combustible/historico',
  domain: 'fuel',
  plan: 'PRO',
  summary: 'Average price of each fuel by week, since 2019',
  about: `A point per step with a price; \`missing_periods\` lists what is between. Series are never mixed in one answer: one that nothing is held of is refused. ${METHOD}`,
  figure: { grain: 'One fuel, in Spain or a province, in one step.', method: METHOD },
  params: {
    fuel: listOf(fuelParam),
    of: group({ series: seriesParam, province: provinceParam }, ({ series, province }) => {
      if (province !== null && series !== 'STATION_MEAN')
        throw new Refused('is of series=STATION_MEAN only: the others are of all Spain', { parameter: 'province' })
      return { series, province }
    }),
    time: timeParams(INTERVALS, { interval: '1w', span: 'from 2019-01-01' }),
  },
  returns: {
    kind: 'list',
    name: 'prices',
    record: point,
    key: ['period_start', 'fuel'],
    sorts: ['period_start'],
    order: 'period_start',
    asides: {
      missing_periods: nested.objects(
        'Periods of whole steps, within the one asked for, without a price of any of the fuels asked for; neighbours are one.',
        {
          from: col.instant(0, 'Begin.', { example: '2025-08-31T22:00:00.000Z' }),
          to: col.instant(0, 'End, not included.', { example: '2025-09-14T22:00:00.000Z' }),
        },
      ),
    },
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: SERIES_DATASETS,
    fromOf: ({ of }) => datasetsOf(of.series),
    query: (p, lake) => {
      const { rows, interval } = daysOf(p, lake)
      if (p.of.series !== 'STATION_MEAN') return publishedQuery(rows, interval, p.of.series === 'BULLETIN' ? mondaysIn : daysIn)
      return sql`
        SELECT
          product AS fuel,
          area,
          begun AS period_start,
          ${interval} AS "interval",
          CASE WHEN min(price_unit) = 'EUR/L' THEN CAST(CAST(avg(price_mean) AS DECIMAL(9, 4)) AS DECIMAL(9, 6)) END AS price_eur_l,
          CASE WHEN min(price_unit) = 'EUR/kg' THEN CAST(1000 * avg(price_mean) AS DECIMAL(9, 1)) END AS price_eur_t,
          CAST(NULL AS DECIMAL(9, 6)) AS price_without_tax_eur_l,
          CAST(round(avg(stations)) AS INTEGER) AS stations,
          CAST(count(*) / ${daysIn(sql`begun`, interval)} AS DECIMAL(7, 6)) AS coverage
        FROM (SELECT *, ${bucketStart(sql`period_start`, interval)} AS begun FROM ${rows})
        GROUP BY product, area, begun`
    },
    asides: {
      missing_periods: (p, lake) => {
        const { rows, interval, from, end } = daysOf(p, lake)
        const local = (at: Sql): Sql => sql`timezone(${MADRID}, ${at})`
        return sql`
          SELECT min(begun) AS "from", ${bucketEnd(sql`max(begun)`, interval)} AS "to"
          FROM (
            SELECT begun, nth - row_number() OVER (ORDER BY begun) AS run
            FROM (
              SELECT timezone(${MADRID}, step) AS begun, row_number() OVER (ORDER BY step) AS nth
              FROM (SELECT unnest(generate_series(${local(sql`${instant(from)}`)}, ${local(end)}, ${bucketLength(interval)})) AS step)
              WHERE timezone(${MADRID}, step) < ${end}
            )
            ANTI JOIN (SELECT DISTINCT ${bucketStart(sql`period_start`, interval)} AS begun FROM ${rows}) USING (begun)
          )
          GROUP BY run
          ORDER BY 1`
      },
    },
  },
  example: { fuel: 'DIESEL_A', series: 'STATION_MEAN' },
})

interface Asked {
  readonly fuel: readonly string[] | null
  readonly of: { readonly series: string; readonly province: string | null }
  readonly time: Period
}

/** What a request asks for: rows with a `product`, a `period_start` and prices, the steps that they are in, and how far prices are known. */
interface Found {
  readonly rows: Sql
  readonly interval: Bucket
  readonly from: number
  readonly end: Sql
}

/** The days that a request asks for, of BULLETIN its Mondays. Throws where the series has no such steps. */
function daysOf({ fuel, of, time }: Asked, lake: LakeView): Found {
  if (of.series === 'BULLETIN' && time.interval === '1d')
    throw new Refused('1d is of the other series only: the bulletin is weekly', { parameter: 'interval' })
  const isBefore = time.to !== null && time.to <= BEGIN
  const { from, to, interval } = lake.period({ ...time, from: time.from ?? (isBefore ? null : BEGIN) }, 366)
  const found = { from, interval: interval as Bucket }
  if (of.series === 'BULLETIN') return { ...found, rows: spanishWeeks({ fuel, from, to }), end: bulletinEnd(to) }
  if (of.series === 'MINISTRY_DAILY') return { ...found, rows: ministryDays({ fuel, from, to }), end: ministryEnd(to) }
  const rows = scan(fuelDays, {
    area_kind: { eq: of.province === null ? 'NATION' : 'PROVINCE' },
    area: { eq: of.province ?? 'ES' },
    ...(fuel ? { product: { in: fuel } } : {}),
    period_start: { gte: from, lt: to },
  })
  return { ...found, rows: sql`${rows}`, end: sql`${instant(Math.min(to, lake.covered_until))}` }
}

/** The points of what is published as national means, of the days of a step that a price is told of; `daysOfStep` counts those that there are. */
function publishedQuery(rows: Sql, interval: Bucket, daysOfStep: (begin: Sql, interval: Bucket) => Sql): Sql {
  return sql`
    SELECT
      product AS fuel,
      'ES' AS area,
      begun AS period_start,
      ${interval} AS "interval",
      CAST(avg(price_mean) AS DECIMAL(9, 6)) AS price_eur_l,
      CAST(NULL AS DECIMAL(9, 1)) AS price_eur_t,
      CASE WHEN count(price_without_tax) = count(*) THEN CAST(avg(price_without_tax) AS DECIMAL(9, 6)) END AS price_without_tax_eur_l,
      CAST(NULL AS INTEGER) AS stations,
      CAST(count(*) / ${daysOfStep(sql`begun`, interval)} AS DECIMAL(7, 6)) AS coverage
    FROM (SELECT *, ${bucketStart(sql`period_start`, interval)} AS begun FROM ${rows})
    GROUP BY product, begun`
}

const dateOf = (at: Sql): Sql => sql`CAST(timezone(${MADRID}, ${at}) AS DATE)`

/** The Mondays of a step, by Madrid's calendar. */
function mondaysIn(begin: Sql, interval: Bucket): Sql {
  // The first Monday from a day on.
  const monday = (at: Sql): Sql => sql`CAST(date_trunc('week', ${dateOf(at)} + 6) AS DATE)`
  return sql`((${monday(bucketEnd(begin, interval))} - ${monday(begin)}) // 7)`
}

/** The days of a step, by Madrid's calendar. */
function daysIn(begin: Sql, interval: Bucket): Sql {
  return sql`(${dateOf(bucketEnd(begin, interval))} - ${dateOf(begin)})`
}
