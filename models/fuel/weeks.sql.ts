import { fuelBulletin } from '../../lake/datasets/fuel/bulletin.ts'
import { SOLD_BY_TONNE } from '../../lake/datasets/fuel/codes.ts'
import { scan } from '../../lake/query/scan.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import type { Column, Columns, RowOf } from '../../lake/schema/columns.ts'

/** The country whose prices are forecast. */
export const COUNTRY = 'ES'
/** Averages in the bulletin besides its countries. */
const AVERAGES = ['EU', 'EUR']

const { columns } = fuelBulletin

/** Columns of `weeklyPrices`. */
export const WEEK_COLUMNS = {
  product: columns.product,
  country_code: columns.country_code,
  date: columns.date,
  price_with_tax: columns.price_with_tax as Column<number>,
} as const satisfies Columns

/** A bulletin price of a product in a country on a Monday (YYYY-MM-DD), in euros per 1000 litres or per tonne, taxes included. */
export type WeekPrice = Readonly<RowOf<typeof WEEK_COLUMNS>>

/**
 * A SELECT of all prices with taxes of the bulletin's countries, each product in its sales unit. If several editions contain a
 * week, the first by name counts.
 */
export function weeklyPrices(): Sql {
  const [low, high] = SOLD_BY_TONNE
  const unit = sql`CASE WHEN product IN (${low}, ${high}) THEN 'EUR/t' ELSE 'EUR/kL' END`
  return sql`
    SELECT product, country_code, date, price_with_tax
    FROM ${scan(fuelBulletin)}
    WHERE price_with_tax IS NOT NULL AND price_unit = ${unit} AND country_code NOT IN (${AVERAGES[0] as string}, ${AVERAGES[1] as string})
    QUALIFY row_number() OVER (PARTITION BY product, country_code, date ORDER BY edition) = 1
    ORDER BY product, country_code, date`
}
