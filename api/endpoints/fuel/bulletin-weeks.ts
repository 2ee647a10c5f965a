import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { field } from '../../kernel/reply-fields.ts'

/** The bulletin's products that filling stations sell, with their names there. */
const FUELS = { EURO_SUPER_95: 'GASOLINE_95_E5', AUTOMOTIVE_GAS_OIL: 'DIESEL_A', LPG_MOTOR_FUEL: 'LPG' } as const

const c = (name: keyof typeof fuelBulletin.columns): Sql => column(fuelBulletin, name)
const SPAIN = { country_code: { eq: 'ES' }, price_unit: { eq: 'EUR/kL' } } as const

/** Method of the prices, for `meta.method`. */
export const BULLETIN_METHOD =
  'BULLETIN: prices in force on Mondays as Spain reports them to the European Commission, weighted by sales, not a mean of stations. Longer steps are the mean of their Mondays. ' +
  'GASOLINE_95_E5 is its Euro-super 95, DIESEL_A its automotive gas oil.'

/** The columns of `spanishWeeks` for statistics. */
export const weekColumns = {
  product: field.text('Fuel.'),
  price_mean: col.decimal(0, 'Price with taxes.', { scale: 6, precision: 12, unit: 'EUR/L' }),
  price_without_tax: col.decimal(0, 'Price without taxes.', { scale: 6, precision: 12, unit: 'EUR/L', nullable: true }),
} as const

/**
 * A query of Spain's weeks that begin in a half-open time (ms), for some fuels or all: `product`, `date`, `period_start`
 * (TIMESTAMPTZ), and `price_mean` and `price_without_tax` in EUR/L as DECIMAL(12, 6), the latter null if no edition states it.
 * The first edition that states a price counts.
 */
export function spanishWeeks(of: { readonly fuel: readonly string[] | null; readonly from: number; readonly to: number }): Sql {
  const wanted = Object.entries(FUELS).filter(([, fuel]) => of.fuel === null || of.fuel.includes(fuel))
  const rows = scan(fuelBulletin, {
    ...SPAIN,
    product: { in: wanted.map(([product]) => product) },
    period_start: { gte: of.from, lt: of.to },
  })
  const fuels = Object.entries(FUELS).map(([product, fuel]) => sql`WHEN ${product} THEN ${fuel}`)
  const perLitre = (price: Sql): Sql => sql`CAST(${price} / 1000 AS DECIMAL(12, 6))`
  return sql`(
    SELECT
      CASE ${c('product')} ${join(fuels, sql` `)} END AS product,
      ${c('date')} AS date,
      ${c('period_start')} AS period_start,
      ${perLitre(c('price_with_tax'))} AS price_mean,
      ${perLitre(c('price_without_tax'))} AS price_without_tax
    FROM ${rows}
    WHERE ${c('price_with_tax')} IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY ${c('product')}, ${c('date')} ORDER BY ${c('edition')}) = 1
  )`
}

/**
 * End of the bulletin's data for Spain up to an instant (ms): just after the begin of its newest week. Later steps do not count
 * as gaps.
 */
export function bulletinEnd(until: number): Sql {
  return sql`(SELECT least(max(${c('period_start')}) + INTERVAL 1 SECOND, ${instant(until)}) FROM ${scan(fuelBulletin, SPAIN)})`
}
