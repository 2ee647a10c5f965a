import { fuelArchivePrices } from '../../../lake/datasets/fuel/archive-prices.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { dayBounds, MADRID, madridDate } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketLength, bucketSeconds, bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { optional, record } from '../../define/fields.ts'
import { listOf } from '../../define/params.ts'
import { timeParams } from '../../define/params-time.ts'
import { coverageField } from '../tail.ts'
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
  coverage: coverageField('Share of the whole step in which a price is known'),
})

const c = (name: keyof typeof columns | 'status' | 'is_baseline'): Sql => column(fuelPrices, name)
const a = (name: keyof typeof fuelArchivePrices.columns): Sql => column(fuelArchivePrices, name)

/** The price series of one station. */
export const gasStationHistory = defineEndpoint({
  path: '/api/gas-stations/{id}/history',
  domain: 'fuel',
  plan: 'PRO',
  summary: 'Price series of one filling station',
  about:
    'With interval=raw a point per change of a price. Otherwise a point per day, week, month or year with a known price: the mean is weighted by the time each price held, and a price holds until the publication that changes it, as long as there are publications: ' +
    'where more than a day passes without one, and before the first, prices are those of the archive by day of the ministry as far as it was taken in, each from the begin of its day to its end; ' +
    'with interval=raw its changes are told at the begin of the day, of days without a publication. ' +
    'Where neither tells a price that time counts against `coverage`, and a step that lies in it is absent. ' +
    'What is known ends at `meta.covered_until`: a price that appears then is shown in its step at once, with a `coverage` that is 0 at first and grows with the publications.',
  figure: {
    grain: 'One fuel at one station, in one step; with interval=raw one change of its price.',
    method:
      'Prices as the ministry publishes them, each weighted by the time that it held within the step; days without publications have those of its archive by day.',
  },
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
    from: [fuelPrices, fuelArchivePrices],
    begins: [fuelPrices, fuelArchivePrices],
    query: (p, lake) => {
      const { from, to, interval } = lake.period(p.time, SPAN_DAYS[p.time.interval as keyof typeof SPAN_DAYS])
      const products = p.fuel ? { product: { in: p.fuel } } : {}
      // Among thousands of stations some price changes in nearly every publication, so the rows of all tell when there were any.
      const all = sql`${scan(fuelPrices, { observed_at: { gte: from - GAP_MS, lte: to + GAP_MS } })}`
      const archivedFrom = (begin: number): Sql =>
        sql`${scan(fuelArchivePrices, { station_id: { eq: p.id }, ...products, day_starts_at: { gte: begin, lt: to } })}`
      if (interval === 'raw') {
        const rows = sql`${scan(fuelPrices, { station_id: { eq: p.id }, ...products, is_baseline: { eq: false }, observed_at: { gte: from, lt: to } })}`
        const days = sql`${scan(fuelArchivePrices, { day_starts_at: { gte: from, lt: to } })}`
        const archive = { rows: archivedFrom(dayBounds(madridDate(from, -1)).start), days }
        return sql`${rawPoints(rows)} UNION ALL ${archivedChanges(archive, all, lake.covered_until)}`
      }
      // A price that holds at the begin is in a row of the publication before it or, since each partition opens with every price, of an
      // earlier one of the same partition. Where that publication is older than a gap may be, none is known to hold.
      const rows = scan(fuelPrices, {
        station_id: { eq: p.id },
        ...products,
        observed_at: { gte: partitionStart(fuelPrices, from - GAP_MS), lt: to },
      })
      const of = { rows: sql`${rows}`, archived: archivedFrom(from), all }
      return steps(of, { from, to, interval, covered_until: lake.covered_until })
    },
    subject: {
      of: fuelStations,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as { station_id: string }).station_id === id),
    },
  },
  example: { id: '4375', fuel: 'DIESEL_A', from: dayFromToday(-30, '2025-09-01'), to: dayFromToday(1, '2025-10-01') },
})

/** Width of the period where no begin is given, in days. */
const SPAN_DAYS = { raw: 31, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' } as const

/** Longest time between two publications in which the prices of the first are taken to hold: nights pass without a change of any price. */
const GAP_MS = 86_400_000
const GAP = sql`INTERVAL 24 HOUR`

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

/**
 * What changes from one day of the archive to the next at a station, in days without a publication: prices that the day before did not have, and
 * products that it had and the day has not. `rows` are the station's from the day before the period on, `days` all of the period.
 */
function archivedChanges({ rows, days }: { readonly rows: Sql; readonly days: Sql }, all: Sql, covered_until: number): Sql {
  const next = bucketEnd(sql`begun`, '1d')
  return sql`
    SELECT begun AS period_start, 'raw' AS "interval", fuel, price, price AS price_min, price AS price_max, price AS price_last, price_unit, NULL AS coverage
    FROM (
      SELECT coalesce(today.begun, before.next) AS begun, coalesce(today.fuel, before.fuel) AS fuel, today.price AS price,
        before.price AS price_before, coalesce(today.price_unit, before.price_unit) AS price_unit
      FROM (SELECT ${a('day_starts_at')} AS begun, ${a('product')} AS fuel, ${a('price')} AS price, ${a('price_unit')} AS price_unit FROM ${rows}) AS today
      FULL JOIN (
        SELECT ${bucketEnd(a('day_starts_at'), '1d')} AS next, ${a('product')} AS fuel, ${a('price')} AS price, ${a('price_unit')} AS price_unit FROM ${rows}
      ) AS before ON before.next = today.begun AND before.fuel = today.fuel
    ) AS changes
    SEMI JOIN (SELECT DISTINCT ${a('day_starts_at')} AS begun FROM ${days}) AS archived USING (begun)
    ANTI JOIN (${runs(all, covered_until)}) AS runs ON runs.since < ${next} AND runs.until > begun
    WHERE price IS DISTINCT FROM price_before`
}

/**
 * Points per step: each price holds from its publication to the next one of its product, cut at the steps' borders and where there were no
 * publications; there those of the archive hold for their day.
 */
function steps(
  { rows, archived, all }: { readonly rows: Sql; readonly archived: Sql; readonly all: Sql },
  period: { readonly from: number; readonly to: number; readonly interval: Bucket; readonly covered_until: number },
): Sql {
  const { interval } = period
  const [from, to] = [instant(period.from), instant(period.to)]
  return sql`
    WITH runs AS MATERIALIZED (${runs(all, period.covered_until)}),
    gaps AS (
      SELECT coalesce(lag(until) OVER (ORDER BY since), ${from}) AS since, since AS until FROM runs
      UNION ALL
      SELECT max(until), ${to} FROM runs
    ),
    prices AS (
      SELECT
        ${c('product')} AS fuel,
        ${c('price')} AS price,
        ${c('price_unit')} AS price_unit,
        ${c('status')} AS status,
        ${c('observed_at')} AS since,
        coalesce(lead(${c('observed_at')}) OVER (PARTITION BY ${c('product')} ORDER BY ${c('observed_at')}), ${to}) AS until
      FROM ${rows}
    ),
    held AS (
      SELECT
        fuel,
        price,
        price_unit,
        greatest(prices.since, runs.since, ${from}) AS since,
        least(prices.until, runs.until, ${to}) AS until
      FROM prices
      JOIN runs ON runs.since < prices.until AND runs.until > prices.since
      WHERE status <> 'ENDED'
      UNION ALL
      SELECT fuel, price, price_unit, greatest(days.since, gaps.since), least(days.until, gaps.until)
      FROM (
        SELECT ${a('product')} AS fuel, ${a('price')} AS price, ${a('price_unit')} AS price_unit, ${a('day_starts_at')} AS since,
          ${bucketEnd(a('day_starts_at'), '1d')} AS until
        FROM ${archived}
      ) AS days
      JOIN gaps ON gaps.since < days.until AND gaps.until > days.since
    ),
    begun AS (
      SELECT
        *,
        timezone(${MADRID}, unnest(generate_series(
          timezone(${MADRID}, ${bucketStart(sql`since`, interval)}),
          timezone(${MADRID}, until),
          ${bucketLength(interval)}
        ))) AS period_start
      FROM held
      WHERE since < until
    ),
    pieces AS (
      SELECT
        period_start,
        fuel,
        price,
        price_unit,
        greatest(since, period_start) AS held_from,
        epoch(least(until, ${bucketEnd(sql`period_start`, interval)})) - epoch(greatest(since, period_start)) AS held_s
      FROM begun
    )
    SELECT
      period_start,
      ${interval} AS "interval",
      fuel,
      CAST(sum(price * held_s) / sum(held_s) AS DECIMAL(9, 3)) AS price,
      min(price) AS price_min,
      max(price) AS price_max,
      arg_max(price, held_from) AS price_last,
      arg_max(price_unit, held_from) AS price_unit,
      CAST(least(1, sum(held_s) / ${bucketSeconds(sql`period_start`, interval)}) AS DECIMAL(7, 6)) AS coverage
    FROM pieces
    WHERE held_s > 0
    GROUP BY period_start, fuel`
}

/**
 * Times without a gap between publications, `[since, until)`. A price holds at least for the instant of its publication, so that those of
 * the newest one show before the next has come. The newest publication may have changed no price, but is known.
 */
function runs(all: Sql, covered_until: number): Sql {
  return sql`
    SELECT min(published) AS since, max(published) + INTERVAL 1 MILLISECOND AS until
    FROM (
      SELECT published, count(*) FILTER (WHERE is_first) OVER (ORDER BY published) AS run
      FROM (
        SELECT published, coalesce(published - lag(published) OVER (ORDER BY published) > ${GAP}, true) AS is_first
        FROM (SELECT ${c('observed_at')} AS published FROM ${all} UNION SELECT ${instant(covered_until)})
      )
    )
    GROUP BY run`
}
