import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { FUEL_SERIES } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { fuelMinistryDays } from '../../../lake/datasets/fuel/ministry-days.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { LakeKnown } from '../../define/lake-read.ts'
import { codeParam, type Param, withDefault } from '../../define/params.ts'

/** `series`: where the prices come from. */
export const seriesParam: Param<string> = withDefault(
  codeParam('Where the prices come from; two series are never in one answer.', FUEL_SERIES, { example: 'BULLETIN' }),
  'BULLETIN',
)

/** The datasets that series are answered from. */
export const SERIES_DATASETS = [fuelBulletin, fuelDays, fuelMinistryDays] as const

/** The dataset that a series is answered from: never two. One of which nothing is held is refused (503), for no other is as good. */
export function datasetsOf(series: string): readonly (typeof SERIES_DATASETS)[number][] {
  if (series === 'BULLETIN') return [fuelBulletin]
  return [series === 'MINISTRY_DAILY' ? fuelMinistryDays : fuelDays]
}

/** The fuels that a series has prices of: another is refused, with these. */
export const knownFuels: Omit<LakeKnown<never>, 'values'> & { readonly values: (values: { readonly series: string }) => Sql } = {
  expected: 'expected a fuel that the series has prices of',
  values: ({ series }) => {
    const [dataset] = datasetsOf(series) as readonly Dataset[] as readonly [Dataset]
    return sql`SELECT DISTINCT ${column(dataset, 'product')} AS value FROM ${scan(dataset, {})} ORDER BY value`
  },
}

/** How the means of the ministry are made, for `meta.method`. */
export const MINISTRY_METHOD =
  'MINISTRY_DAILY: the national means of petrol 95 and diesel by day as the ministry publishes them, with taxes; how it makes them is not told. Longer steps are the mean of their days.'

/** The ministry's means of days that begin within a time (ms, the end not included): `product`, `date`, `period_start` and `price_mean` in EUR/L. */
export function ministryDays(of: { readonly fuel: readonly string[] | null; readonly from: number; readonly to: number }): Sql {
  const rows = scan(fuelMinistryDays, { ...(of.fuel ? { product: { in: of.fuel } } : {}), period_start: { gte: of.from, lt: of.to } })
  const c = (name: keyof typeof fuelMinistryDays.columns): Sql => column(fuelMinistryDays, name)
  return sql`(
    SELECT ${c('product')} AS product, CAST(${c('day')} AS DATE) AS date, ${c('period_start')} AS period_start, ${c('price_mean')} AS price_mean,
      CAST(NULL AS DECIMAL(12, 6)) AS price_without_tax
    FROM ${rows}
  )`
}

/** The end of what the ministry has told, until an instant (ms): later steps are not missing. */
export function ministryEnd(until: number): Sql {
  const newest = sql`max(${column(fuelMinistryDays, 'period_start')}) + INTERVAL 1 SECOND`
  return sql`(SELECT least(${newest}, ${instant(until)}) FROM ${scan(fuelMinistryDays, {})})`
}
