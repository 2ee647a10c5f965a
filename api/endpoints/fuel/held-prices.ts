import { fuelArchivePrices } from '../../../lake/datasets/fuel/archive-prices.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { bucketEnd } from '../../kernel/reads/buckets.ts'
import { publicationRuns } from '../../kernel/reads/held.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'

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
export function heldPrices(_: unknown, asked: Asked, period: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
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
export function priceChanges(asked: Asked, period: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
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
