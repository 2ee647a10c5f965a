import { fuelBulletin } from '../../lake/datasets/fuel/bulletin.ts'
import { scan } from '../../lake/query/scan.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'

/** The country that is forecast. */
export const COUNTRY = 'ES'
/** Averages that the bulletin has beside its countries. */
const AVERAGES = ['EU', 'EUR']

const { columns } = fuelBulletin

/** Columns of `weeklyPrices`. */
export const WEEK_COLUMNS = {
  product: columns.product,
  country_code: columns.country_code,
  date: columns.date,
  price_with_tax: columns.price_with_tax,
} as const satisfies Columns

/** A price of the bulletin: of a product in a country in force on a Monday (YYYY-MM-DD), in euros per 1000 litres, taxes included. */
export interface WeekPrice {
  readonly product: string
  readonly country_code: string
  readonly date: string
  readonly price_with_tax: number
}

/** A SELECT of all prices with taxes of the bulletin's countries, of what is sold by the litre; of several editions that tell a week the first by name counts. */
export function weeklyPrices(): Sql {
  return sql`
    SELECT product, country_code, date, price_with_tax
    FROM ${scan(fuelBulletin)}
    WHERE price_with_tax IS NOT NULL AND price_unit = 'EUR/kL' AND country_code NOT IN (${AVERAGES[0] as string}, ${AVERAGES[1] as string})
    QUALIFY row_number() OVER (PARTITION BY product, country_code, date ORDER BY edition) = 1
    ORDER BY product, country_code, date`
}
