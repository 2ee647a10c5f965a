import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { FUEL_SERIES } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { fuelMinistryDays } from '../../../lake/datasets/fuel/ministry-days.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { codeParam, type Param, withDefault } from '../../kernel/params/params.ts'
import type { LakeKnown } from '../../kernel/reads/lake-read.ts'

/** The parameter `series`: the source of prices. */
export const seriesParam: Param<string> = withDefault(
  codeParam('Source of the prices; a reply never mixes two series.', FUEL_SERIES, { example: 'BULLETIN' }),
  'BULLETIN',
)

/** Source datasets of the series. */
export const SERIES_DATASETS = [fuelBulletin, fuelDays, fuelMinistryDays] as const

/** The one dataset that a series is read from. If it has no data the reply is 503, because no other dataset is equivalent. */
export function datasetsOf(series: string): readonly (typeof SERIES_DATASETS)[number][] {
  if (series === 'BULLETIN') return [fuelBulletin]
  return [series === 'MINISTRY_DAILY' ? fuelMinistryDays : fuelDays]
}

/** The fuels of a series. Other fuels are rejected with a list of these. */
export const knownFuels: Omit<LakeKnown<never>, 'values'> & { readonly values: (values: { readonly series: string }) => Sql } = {
  expected: 'expected a fuel with prices in the series',
  values: ({ series }) => {
    const [dataset] = datasetsOf(series) as readonly Dataset[] as readonly [Dataset]
    return sql`SELECT DISTINCT ${column(dataset, 'product')} AS value FROM ${scan(dataset, {})} ORDER BY value`
  },
}

/** Method of the ministry's means, for `meta.method`. */
export const MINISTRY_METHOD =
  'MINISTRY_DAILY: the national means of petrol 95 and diesel by day as the ministry publishes them, with taxes; the ministry does not publish the method. Longer steps are the mean of their days.'

/** The ministry's daily means in a half-open time (ms): `product`, `date`, `period_start` and `price_mean` in EUR/L. */
export function ministryDays(of: { readonly fuel: readonly string[] | null; readonly from: number; readonly to: number }): Sql {
  const rows = scan(fuelMinistryDays, { ...(of.fuel ? { product: { in: of.fuel } } : {}), period_start: { gte: of.from, lt: of.to } })
  const c = (name: keyof typeof fuelMinistryDays.columns): Sql => column(fuelMinistryDays, name)
  return sql`(
    SELECT ${c('product')} AS product, CAST(${c('day')} AS DATE) AS date, ${c('period_start')} AS period_start, ${c('price_mean')} AS price_mean,
      CAST(NULL AS DECIMAL(12, 6)) AS price_without_tax
    FROM ${rows}
  )`
}

/** End of the ministry's data up to an instant (ms). Later steps do not count as gaps. */
export function ministryEnd(until: number): Sql {
  const newest = sql`max(${column(fuelMinistryDays, 'period_start')}) + INTERVAL 1 SECOND`
  return sql`(SELECT least(${newest}, ${instant(until)}) FROM ${scan(fuelMinistryDays, {})})`
}
