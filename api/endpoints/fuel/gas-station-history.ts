import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { optional, record } from '../../define/fields.ts'
import { listOf } from '../../define/params.ts'
import { timeParams } from '../../define/params-time.ts'
import { stationId } from './gas-station-detail.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelPrices
const INTERVALS = ['raw', '1d', '1w', '1mo', '1y'] as const

const point = record('FuelPricePoint', 'One step of the series of a price.', {
  period_start: col.instant(0, 'Begin of the step; with interval=raw the publication that changed the price.', {
    example: '2025-09-26T22:00:00.000Z',
  }),
  interval: col.string(0, 'Length of the step.', { example: '1d' }),
  fuel: columns.product,
  price: {
    ...columns.price,
    about:
      'Mean price of the step, each price weighted by the time it held; with interval=raw the new price, null where it is no longer sold.',
    nullable: true,
  },
  price_min: optional(columns.price, 'Lowest price of the step.'),
  price_max: optional(columns.price, 'Highest price of the step.'),
  price_last: optional(columns.price, 'Price at the end of the step.'),
  price_unit: columns.price_unit,
  coverage: col.decimal(0, 'Share of the step in which a price is known, 0 to 1; null with interval=raw.', {
    scale: 3,
    unit: '1',
    nullable: true,
    example: 1,
  }),
})

const c = (name: keyof typeof columns | 'status' | 'is_baseline'): Sql => column(fuelPrices, name)

/** The price series of one station. */
export const gasStationHistory = defineEndpoint({
  path: '/api/gas-stations/{id}/history',
  domain: 'fuel',
  plan: 'PRO',
  summary: 'Price series of one filling station',
  about:
    'With interval=raw a point per change of a price. Otherwise a point per day, week, month or year with a known price: the mean is weighted by the time each price held, and a price holds until the publication that changes it. ' +
    'What is known ends at `meta.covered_until`: a price that appears then is shown in its step at once, with a `coverage` that is 0 at first and grows with the publications.',
  params: {
    id: stationId,
    fuel: listOf(fuelParam),
    time: timeParams(INTERVALS, { interval: '1d', span: '31 days (raw, 1d), a year (1w) or all (longer)' }),
  },
  returns: {
    kind: 'list',
    name: 'history',
    record: point,
    key: ['period_start', 'fuel'],
    sorts: ['period_start'],
    order: 'period_start',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [fuelPrices],
    query: (p, lake) => {
      const { from, to, interval } = lake.period(p.time, SPAN_DAYS[p.time.interval as keyof typeof SPAN_DAYS])
      const products = p.fuel ? { product: { in: p.fuel } } : {}
      if (interval === 'raw') {
        return rawPoints(
          sql`${scan(fuelPrices, { station_id: { eq: p.id }, ...products, is_baseline: { eq: false }, observed_at: { gte: from, lt: to } })}`,
        )
      }
      // Each month's partition opens with every price that holds, so the month of the begin (or the one before it, whose last prices hold until then) tells them.
      const before = Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() - 1)
      const rows = scan(fuelPrices, { station_id: { eq: p.id }, ...products, observed_at: { gte: before, lt: to } })
      // A price holds at least for the instant of its publication, so that those of the newest one show before the next has come.
      return steps(sql`${rows}`, { from, to: Math.min(to, lake.covered_until + 1), interval })
    },
    subject: {
      of: fuelStations,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as { station_id: string }).station_id === id),
    },
  },
  example: { id: '4375', fuel: 'DIESEL_A', from: '2025-09-01', to: '2025-10-01' },
})

/** Width of the period where no begin is given, in days. */
const SPAN_DAYS = { raw: 31, '1d': 31, '1w': 366, '1mo': 100_000, '1y': 100_000 } as const

function rawPoints(rows: Sql): Sql {
  const price = sql`CASE WHEN ${c('status')} = 'ENDED' THEN NULL ELSE ${c('price')} END`
  return sql`
    SELECT
      ${c('observed_at')} AS period_start,
      'raw' AS "interval",
      ${c('product')} AS fuel,
      ${price} AS price,
      ${price} AS price_min,
      ${price} AS price_max,
      ${price} AS price_last,
      ${c('price_unit')} AS price_unit,
      NULL AS coverage
    FROM ${rows}`
}

/** Points per step: each price holds from its publication to the next one of its product, cut at the steps' borders. */
function steps(rows: Sql, period: { readonly from: number; readonly to: number; readonly interval: Bucket }): Sql {
  const { interval } = period
  const [from, to] = [instant(period.from), instant(period.to)]
  const first = bucketStart(sql`greatest(since, ${from})`, interval)
  return sql`
    SELECT
      period_start,
      ${interval} AS "interval",
      fuel,
      CAST(sum(price * held_s) / sum(held_s) AS DECIMAL(9, 3)) AS price,
      min(price) AS price_min,
      max(price) AS price_max,
      arg_max(price, held_from) AS price_last,
      arg_max(price_unit, held_from) AS price_unit,
      CAST(least(1, sum(held_s) / (epoch(${bucketEnd(sql`period_start`, interval)}) - epoch(period_start))) AS DECIMAL(4, 3)) AS coverage
    FROM (
      SELECT
        period_start,
        fuel,
        price,
        price_unit,
        greatest(since, period_start, ${from}) AS held_from,
        epoch(least(until, ${bucketEnd(sql`period_start`, interval)}, ${to})) - epoch(greatest(since, period_start, ${from})) AS held_s
      FROM (
        SELECT fuel, price, price_unit, since, until, timezone(${MADRID}, unnest(starts)) AS period_start
        FROM (
          SELECT
            *,
            generate_series(timezone(${MADRID}, ${first}), timezone(${MADRID}, least(until, ${to})), ${stepLength(interval)}) AS starts
          FROM (
            SELECT
              ${c('product')} AS fuel,
              ${c('price')} AS price,
              ${c('price_unit')} AS price_unit,
              ${c('status')} AS status,
              ${c('observed_at')} AS since,
              coalesce(lead(${c('observed_at')}) OVER (PARTITION BY ${c('product')} ORDER BY ${c('observed_at')}), ${to}) AS until
            FROM ${rows}
          )
          WHERE status <> 'ENDED' AND until > ${from} AND since < ${to}
        )
      )
    )
    WHERE held_s > 0
    GROUP BY period_start, fuel`
}

function stepLength(interval: Bucket): Sql {
  if (interval === '1w') return sql`INTERVAL 7 DAY`
  if (interval === '1mo') return sql`INTERVAL 1 MONTH`
  return interval === '1y' ? sql`INTERVAL 1 YEAR` : sql`INTERVAL 1 DAY`
}
