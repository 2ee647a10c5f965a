import { fuelArchivePrices, fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { optional } from '../../kernel/fields.ts'
import { listOf } from '../../kernel/params/params.ts'
import { bucketEnd } from '../../kernel/reads/buckets.ts'
import { heldMean, last, max, min, parameter, same, shareHeld } from '../../kernel/reads/figures.ts'
import { publicationRuns } from '../../kernel/reads/held.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { coverageField } from '../common-fields.ts'
import { stationId } from './gas-stations.ts'
import { PRICES_PAGE } from './price-figures.ts'
import { fuelParam } from './station.ts'

/** Longest time between two publications in which prices of the first stay valid: nights pass without any price change. */
const GAP_MS = 86_400_000

const c = (name: keyof typeof fuelPrices.columns | 'status'): Sql => column(fuelPrices, name)
const a = (name: keyof typeof fuelArchivePrices.columns): Sql => column(fuelArchivePrices, name)

/** Prices to read: of one station, of some products or of all. */
interface Asked {
  readonly id: string
  readonly fuel: readonly string[] | null
}

interface Between {
  readonly from: number
  readonly to: number
}

const ofStation = ({ id, fuel }: Asked) => ({ station_id: { eq: id }, ...(fuel ? { product: { in: fuel } } : {}) })

/**
 * Times without a gap between publications. Nearly every publication changes the price of some station, so the rows of all
 * stations show them.
 */
function runsIn({ from, to }: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
  const published = sql`SELECT ${c('observed_at')} AS published FROM ${scan(fuelPrices, { observed_at: { gte: from - GAP_MS, lte: to + GAP_MS } })}`
  return publicationRuns(published, { gap_ms: GAP_MS, covered_until: lake.covered_until })
}

/**
 * The prices of a station with their time of validity: from a publication to the next one of the product, as long as
 * publications arrive; otherwise archive prices are valid for their day. An implausible price is no known price.
 */
function heldPrices(_: unknown, asked: Asked, period: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
  const [from, to] = [instant(period.from), instant(period.to)]
  // A price valid at the begin is in the row of a publication before it, or of an earlier one in the same partition, since each
  // partition opens with every price. If that publication is older than a gap may be, no price is known.
  const rows = scan(fuelPrices, {
    ...ofStation(asked),
    observed_at: { gte: partitionStart(fuelPrices, period.from - GAP_MS), lt: period.to },
  })
  const days = scan(fuelArchivePrices, { ...ofStation(asked), day_starts_at: { gte: period.from, lt: period.to } })
  return sql`(
    WITH runs AS MATERIALIZED (${runsIn(period, lake)}),
    gaps AS (
      SELECT coalesce(lag(until) OVER (ORDER BY since), ${from}) AS since, since AS until FROM runs
      UNION ALL
      SELECT max(until), ${to} FROM runs
    ),
    prices AS (
      SELECT ${c('product')} AS product, ${c('price')} AS price, ${c('price_unit')} AS price_unit, ${c('status')} AS status,
        ${c('price_issue')} AS price_issue,
        ${c('observed_at')} AS since,
        coalesce(lead(${c('observed_at')}) OVER (PARTITION BY ${c('product')} ORDER BY ${c('observed_at')}), ${to}) AS until
      FROM ${rows}
    )
    SELECT product, price, price_unit, greatest(prices.since, runs.since, ${from}) AS since, least(prices.until, runs.until, ${to}) AS until
    FROM prices
    JOIN runs ON runs.since < prices.until AND runs.until > prices.since
    WHERE status <> 'ENDED' AND price_issue IS NULL
    UNION ALL
    SELECT product, price, price_unit, greatest(days.since, gaps.since), least(days.until, gaps.until)
    FROM (
      SELECT ${a('product')} AS product, ${a('price')} AS price, ${a('price_unit')} AS price_unit, ${a('day_starts_at')} AS since,
        ${bucketEnd(a('day_starts_at'), '1d')} AS until
      FROM ${days}
      WHERE ${a('price_issue')} IS NULL
    ) AS days
    JOIN gaps ON gaps.since < days.until AND gaps.until > days.since
  )`
}

/** The price changes of a station: from publications, and for days without one from one archive day to the next. */
function priceChanges(asked: Asked, period: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
  const { from, to } = period
  const rows = scan(fuelPrices, { ...ofStation(asked), is_baseline: { eq: false }, observed_at: { gte: from, lt: to } })
  return sql`
    SELECT *, 'raw' AS "interval", price AS price_min, price AS price_max, price AS price_last, NULL AS coverage
    FROM (
      SELECT ${c('observed_at')} AS period_start, ${c('product')} AS fuel, CASE WHEN ${c('status')} <> 'ENDED' THEN ${c('price')} END AS price,
        ${c('price_unit')} AS price_unit
      FROM ${rows}
      UNION ALL BY NAME ${archivedChanges(asked, period, lake)}
    )`
}

/**
 * Changes at a station from one archive day to the next, on days without a publication: prices that the previous day lacks, and
 * products that only the previous day has.
 */
function archivedChanges(asked: Asked, period: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
  const { from, to } = period
  const days = scan(fuelArchivePrices, { day_starts_at: { gte: from, lt: to } })
  // Begins on the day before the period.
  const rows = scan(fuelArchivePrices, { ...ofStation(asked), day_starts_at: { gte: dayBounds(madridDate(from, -1)).start, lt: to } })
  const price = sql`${a('product')} AS fuel, ${a('price')} AS price, ${a('price_unit')} AS price_unit`
  return sql`
    SELECT begun AS period_start, fuel, price, price_unit
    FROM (
      SELECT coalesce(today.begun, before.next) AS begun, coalesce(today.fuel, before.fuel) AS fuel, today.price AS price,
        before.price AS price_before, coalesce(today.price_unit, before.price_unit) AS price_unit
      FROM (SELECT ${a('day_starts_at')} AS begun, ${price} FROM ${rows}) AS today
      FULL JOIN (SELECT ${bucketEnd(a('day_starts_at'), '1d')} AS next, ${price} FROM ${rows}) AS before
        ON before.next = today.begun AND before.fuel = today.fuel
    ) AS changes
    SEMI JOIN (SELECT DISTINCT ${a('day_starts_at')} AS begun FROM ${days}) AS archived USING (begun)
    ANTI JOIN (${runsIn(period, lake)}) AS runs ON runs.since < ${bucketEnd(sql`begun`, '1d')} AND runs.until > begun
    WHERE price IS DISTINCT FROM price_before`
}

const { columns } = fuelPrices

const points = series({
  name: 'FuelPricePoint',
  about: 'One step of a price series.',
  example: ['2025-09-26T22:00:00.000Z', '1d'],
  periodStart: 'Begin of the step; with interval=raw the publication that changed the price.',
  fields: {
    fuel: columns.product,
    price: optional(
      columns.price,
      'Mean price of the step, each price weighted by the time that it was valid. With interval=raw the new price, null if it is no longer sold.',
    ),
    price_min: optional(columns.price, 'Lowest price of the step.'),
    price_max: optional(columns.price, 'Highest price of the step.'),
    price_last: optional(columns.price, 'Price at the end of the step.'),
    price_unit: columns.price_unit,
    coverage: coverageField('Share of the whole step with a known price'),
  },
  key: ['fuel'],
})

const params = {
  id: stationId,
  fuel: listOf(fuelParam),
  time: steps({ raw: 31, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}

/** The price series of one station. */
export const gasStationHistory = defineEndpoint({
  path: '/api/gas-stations/{id}/history',
  plan: 'PRO',
  summary: 'Price series of one filling station',
  summary_es: 'Serie de precios de una gasolinera',
  about:
    'With interval=raw one point per price change, otherwise one per step with a known price: the mean weighted by the time that each was valid. Gaps between publications use the daily archive of the ministry. An implausible price counts as unknown; interval=raw shows it as published. Data ends at `meta.covered_until`.',
  explained: PRICES_PAGE,
  statistic: {
    grain: 'One fuel at one station, in one step; with interval=raw one change of its price.',
    method:
      'Prices as the ministry publishes them, each weighted by the time that it was valid within the step. Days without publications use the daily archive.',
  },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: fuelPrices,
    at: 'held',
    where: { station_id: parameter('id'), product: parameter('fuel') },
    from: [fuelPrices, fuelArchivePrices],
    begins: [fuelPrices, fuelArchivePrices],
    rows: heldPrices,
    points: { query: priceChanges },
    fields: {
      fuel: same('product'),
      price: heldMean('price'),
      price_min: min('price'),
      price_max: max('price'),
      price_last: last('price'),
      price_unit: last('price_unit'),
      coverage: shareHeld(),
    },
    subject: { of: fuelStations, where: { station_id: parameter('id') } },
  }),
  example: { id: '4375', fuel: 'DIESEL_A', from: dayFromToday(-30, '2025-09-01'), to: dayFromToday(1, '2025-10-01') },
})
