import { fuelDays } from '../../lake/datasets/fuel/prices.ts'
import { scan } from '../../lake/query/scan.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import { type Columns, col, type RowOf } from '../../lake/schema/columns.ts'

const { columns } = fuelDays
/** Days of history used. */
const LOOK_BACK_DAYS = 730

/** Columns of `stationMeans`. */
export const MEANS_COLUMNS = {
  product: columns.product,
  area_kind: columns.area_kind,
  area: columns.area,
  dates: col.list([0, 0], 'Past days with a price, in order.', col.local_date(0, 'Day.')),
  prices: col.list([0, 0], 'Mean of the stations on each of them.', col.float(0, 'Mean.', { unit: 'EUR/L' })),
} as const satisfies Columns

/** Mean station prices of an area by day: days in order (YYYY-MM-DD), and prices in EUR/L, taxes included. */
export type StationMeans = Readonly<RowOf<typeof MEANS_COLUMNS>>

/**
 * A SELECT of the means of Spain and its provinces in some months, for products sold by the litre; without the newest day, which
 * may be incomplete, and days more than two years before.
 */
export function stationMeans(months: readonly string[]): Sql {
  return sql`
    SELECT product, area_kind, area, list(date ORDER BY date) AS dates, list(CAST(price_mean AS DOUBLE) ORDER BY date) AS prices
    FROM (
      SELECT *, max(date) OVER () AS newest
      FROM ${scan(fuelDays, { month: { in: months }, price_unit: { eq: 'EUR/L' }, area_kind: { in: ['NATION', 'PROVINCE'] } })}
    )
    WHERE date < newest AND date >= newest - ${LOOK_BACK_DAYS}
    GROUP BY product, area_kind, area
    ORDER BY product, area_kind, area`
}
