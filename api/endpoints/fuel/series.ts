import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { dayBounds, MADRID } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketLength, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint, type LakeView } from '../../define/endpoint.ts'
import { meaning, nested, record } from '../../define/fields.ts'
import { group, listOf } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import { type Period, timeParams } from '../../define/params-time.ts'
import { Refused } from '../../define/problems.ts'
import { noSeries, seriesParam } from './series-params.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelDays
const INTERVALS = ['1d', '1w', '1mo', '1y'] as const
/** Where the series of weekly averages begin. */
const BEGIN = dayBounds('2019-01-01').start

const point = record('FuelSeriesPoint', 'One step of the series of average prices of a fuel.', {
  fuel: columns.product,
  area: meaning(columns.area, 'ES, or the INE code of the province.'),
  period_start: col.instant(0, 'Begin of the step.', { example: '2025-09-21T22:00:00.000Z' }),
  interval: col.string(0, 'Length of the step.', { example: '1w' }),
  price_eur_l: col.decimal(0, 'Average price, taxes included; null of what is sold by weight.', {
    scale: 4,
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
  price_without_tax_eur_l: col.decimal(0, 'Average price without taxes, where the series has it; STATION_MEAN has none.', {
    scale: 4,
    unit: 'EUR/L',
    nullable: true,
    example: null,
  }),
  stations: col.integer(0, 'Stations with a price, on the average of its days; of STATION_MEAN.', {
    unit: '1',
    nullable: true,
    example: 11432,
  }),
  coverage: col.decimal(0, 'Share of the days of the whole step that a price is known of, 0 to 1.', {
    scale: 6,
    unit: '1',
    example: 0.142857,
  }),
})

const METHOD =
  'STATION_MEAN: the mean of the days that a price is known of, each day counting once; of a day the mean of the last prices that are known when it ends in Madrid, taxes included, each station counting once, those that sell to members only not at all. ' +
  'The day that goes on is as of the newest publication; a day on which nothing was published is not known.'

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
    from: [fuelDays],
    query: (p, lake) => {
      const { rows, interval } = daysOf(p, lake)
      return sql`
        SELECT
          product AS fuel,
          area,
          begun AS period_start,
          ${interval} AS "interval",
          CASE WHEN min(price_unit) = 'EUR/L' THEN CAST(avg(price_mean) AS DECIMAL(9, 4)) END AS price_eur_l,
          CASE WHEN min(price_unit) = 'EUR/kg' THEN CAST(1000 * avg(price_mean) AS DECIMAL(9, 1)) END AS price_eur_t,
          CAST(NULL AS DECIMAL(9, 4)) AS price_without_tax_eur_l,
          CAST(round(avg(stations)) AS INTEGER) AS stations,
          CAST(count(*) / ${daysIn(sql`begun`, interval)} AS DECIMAL(7, 6)) AS coverage
        FROM (SELECT *, ${bucketStart(c('period_start'), interval)} AS begun FROM ${rows})
        GROUP BY product, area, begun`
    },
    asides: {
      missing_periods: (p, lake) => {
        const { rows, interval, from, to } = daysOf(p, lake)
        const end = Math.min(to, lake.covered_until)
        const local = (at: Sql): Sql => sql`timezone(${MADRID}, ${at})`
        return sql`
          SELECT min(begun) AS "from", ${bucketEnd(sql`max(begun)`, interval)} AS "to"
          FROM (
            SELECT begun, nth - row_number() OVER (ORDER BY begun) AS run
            FROM (
              SELECT timezone(${MADRID}, step) AS begun, row_number() OVER (ORDER BY step) AS nth
              FROM (SELECT unnest(generate_series(${local(sql`${instant(from)}`)}, ${local(sql`${instant(end)}`)}, ${bucketLength(interval)})) AS step)
              WHERE timezone(${MADRID}, step) < ${instant(end)}
            )
            ANTI JOIN (SELECT DISTINCT ${bucketStart(c('period_start'), interval)} AS begun FROM ${rows}) USING (begun)
          )
          GROUP BY run
          ORDER BY 1`
      },
    },
  },
  example: { fuel: 'DIESEL_A', series: 'STATION_MEAN' },
})

const c = (name: keyof typeof columns): Sql => column(fuelDays, name)

interface Asked {
  readonly fuel: readonly string[] | null
  readonly of: { readonly series: string; readonly province: string | null }
  readonly time: Period
}

/** The days that a request asks for, and the steps that they are in. Throws where the series has none. */
function daysOf({ fuel, of, time }: Asked, lake: LakeView): { rows: Sql; interval: Bucket; from: number; to: number } {
  if (of.series !== 'STATION_MEAN') throw noSeries(of.series)
  const isBefore = time.to !== null && time.to <= BEGIN
  const { from, to, interval } = lake.period({ ...time, from: time.from ?? (isBefore ? null : BEGIN) }, 366)
  const rows = scan(fuelDays, {
    area_kind: { eq: of.province === null ? 'NATION' : 'PROVINCE' },
    area: { eq: of.province ?? 'ES' },
    ...(fuel ? { product: { in: fuel } } : {}),
    period_start: { gte: from, lt: to },
  })
  return { rows: sql`${rows}`, interval: interval as Bucket, from, to }
}

/** The days of a step, by Madrid's calendar. */
function daysIn(begin: Sql, interval: Bucket): Sql {
  const date = (at: Sql): Sql => sql`CAST(timezone(${MADRID}, ${at}) AS DATE)`
  return sql`(${date(bucketEnd(begin, interval))} - ${date(begin)})`
}
