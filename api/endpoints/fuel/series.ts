import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { FUEL_SERIES } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays, fuelMinistryDays } from '../../../lake/datasets/fuel/prices.ts'
import type { Filter } from '../../../lake/iceberg/types.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested } from '../../kernel/fields.ts'
import { codeParam, group, listOf, type Param, withDefault } from '../../kernel/params/params.ts'
import { wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { mean, onlyWhere, parameter, same, shareOfDays, shareOfMondays, value } from '../../kernel/reads/figures.ts'
import type { LakeKnown } from '../../kernel/reads/lake-read.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesBy } from '../../kernel/reads/series-of.ts'
import { seriesSource } from '../../kernel/reads/series-source.ts'
import { PRICES_PAGE } from './price-figures.ts'
import { fuelParam } from './station.ts'

/** The bulletin's products that filling stations sell, with their names there. */
const FUELS = { EURO_SUPER_95: 'GASOLINE_95_E5', AUTOMOTIVE_GAS_OIL: 'DIESEL_A', LPG_MOTOR_FUEL: 'LPG' } as const

const c = (name: keyof typeof fuelBulletin.columns): Sql => column(fuelBulletin, name)
const SPAIN = { country_code: { eq: 'ES' }, price_unit: { eq: 'EUR/kL' } } as const

/** Method of the prices, for `meta.method`. */
export const BULLETIN_METHOD =
  'BULLETIN: prices in force on Mondays as Spain reports them to the European Commission, weighted by sales, not a mean of stations. Longer steps are the mean of their Mondays. ' +
  'GASOLINE_95_E5 is its Euro-super 95, DIESEL_A its automotive gas oil.'

/** The columns of `spanishWeeks` for statistics. */
const weekColumns = {
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

/** End of a table's data up to an instant (ms): just after the begin of its newest period. Later steps do not count as gaps. */
function dataEnd(dataset: Dataset, until: number, filter: Filter = {}): Sql {
  const newest = sql`max(${column(dataset, 'period_start')}) + INTERVAL 1 SECOND`
  return sql`(SELECT least(${newest}, ${instant(until)}) FROM ${scan(dataset, filter)})`
}

/** The same of the bulletin's data for Spain. */
const bulletinEnd = (until: number): Sql => dataEnd(fuelBulletin, until, SPAIN)

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

const { columns } = fuelDays

const prices = series({
  list: 'prices',
  name: 'FuelSeriesPoint',
  about: 'One step of the average price series of a fuel.',
  example: ['2025-09-21T22:00:00.000Z', '1w'],
  of: { fuel: columns.product, area: meaning(columns.area, 'ES, or the INE code of the province.') },
  fields: {
    price_eur_l: maybe.decimal('Average price, taxes included; null for fuels sold by weight.', 'EUR/L', 6, 1.4321),
    price_eur_t: maybe.decimal('The same for fuels sold by weight (gases and hydrogen); else null.', 'EUR/t', 1, null),
    price_without_tax_eur_l: maybe.decimal(
      'Average price without duties and taxes, of the same days; null if any of them lacks it, and for STATION_MEAN.',
      'EUR/L',
      6,
      null,
    ),
    stations: maybe.integer('Stations with a price, averaged over its days; only for STATION_MEAN.', '1', 11432),
    coverage: field.decimal(
      'Share of the days of the whole step with a known price, 0 to 1; for BULLETIN, of its Mondays.',
      '1',
      6,
      0.142857,
    ),
  },
  key: ['fuel'],
  asides: {
    missing_periods: nested.objects(
      'Periods of whole steps within the requested one, without a price of any requested fuel; adjacent periods are merged.',
      {
        from: field.instant('Begin.', '2025-08-31T22:00:00.000Z'),
        to: field.instant('End, not included.', '2025-09-14T22:00:00.000Z'),
      },
    ),
  },
})

const params = {
  fuel: listOf(fuelParam),
  of: group({ series: seriesParam, province: wholeProvinceParam }, ({ series, province }) => {
    if (province !== null && series !== 'STATION_MEAN')
      throw new InvalidParam('is for series=STATION_MEAN only: the others cover all of Spain', { parameter: 'province' })
    return { series, province }
  }),
  time: steps({ '1d': 366, '1w': 366, '1mo': 366, '1y': 366 }, { initial: '1w', since: '2019-01-01' }),
}

/** The means of the stations of Spain or a province. */
const stationMeans = seriesSource({
  params,
  returns: prices,
  of: fuelDays,
  at: 'period_start',
  where: {
    product: parameter('fuel'),
    area_kind: (p) => (p.of.province === null ? 'NATION' : 'PROVINCE'),
    area: (p) => p.of.province ?? ['ES'],
  },
  fields: {
    fuel: same('product'),
    area: same('area'),
    price_eur_l: onlyWhere('price_unit', 'EUR/L', mean('price_mean', { scale: 4 })),
    price_eur_t: onlyWhere('price_unit', 'EUR/kg', mean('price_mean', { times: 1000 })),
    price_without_tax_eur_l: value(null),
    stations: mean('stations'),
    coverage: shareOfDays(),
  },
})

/** Published national means. */
const national = {
  fuel: same('product'),
  area: value('ES'),
  price_eur_l: mean('price_mean'),
  price_eur_t: value(null),
  stations: value(null),
} as const

const ministryMeans = seriesSource({
  params,
  returns: prices,
  of: fuelMinistryDays,
  at: 'period_start',
  where: { product: parameter('fuel') },
  fields: { ...national, price_without_tax_eur_l: value(null), coverage: shareOfDays() },
  until: (until) => dataEnd(fuelMinistryDays, until),
})

const bulletin = seriesSource({
  params,
  returns: prices,
  of: fuelBulletin,
  at: 'period_start',
  shape: { columns: weekColumns },
  rows: (_, { fuel }, { from, to }) => spanishWeeks({ fuel, from, to }),
  lacks: { '1d': '1d is for the other series only: the bulletin is weekly' },
  fields: { ...national, price_without_tax_eur_l: mean('price_without_tax', { needsAll: true }), coverage: shareOfMondays() },
  until: bulletinEnd,
})

const METHOD =
  'STATION_MEAN: the mean of the days with a known price, each with the same weight. The value of a day is the mean of the last prices known at its end in Madrid, taxes included. Each station has the same weight; stations that sell only to members are left out. ' +
  'The current day is as of the newest publication. A day without a publication uses the daily archive of the ministry, if loaded; otherwise it is not known. ' +
  `${MINISTRY_METHOD} ${BULLETIN_METHOD}`

/** Average prices of fuels over the years. */
export const fuelHistory = defineEndpoint({
  path: '/api/combustible/historico',
  plan: 'PRO',
  summary: 'Average price of each fuel by week, since 2019',
  summary_es: 'Precio medio de cada carburante por semana, desde 2019',
  about:
    'One point per step with a price; `missing_periods` lists the gaps. STATION_MEAN: the mean of all stations, with equal weight. MINISTRY_DAILY: the daily mean of the ministry. BULLETIN: the weekly price that Spain reports to the European Commission. A reply never mixes series; a series without data is rejected.',
  explained: PRICES_PAGE,
  statistic: { grain: 'One fuel, in Spain or a province, in one step.', method: METHOD },
  params,
  returns: prices,
  read: {
    ...seriesBy({
      params,
      returns: prices,
      by: ({ of }) => of.series,
      sources: { STATION_MEAN: stationMeans, MINISTRY_DAILY: ministryMeans, BULLETIN: bulletin },
      from: SERIES_DATASETS,
      missing: 'missing_periods',
    }),
    existingValues: { fuel: { ...knownFuels, values: ({ of }) => knownFuels.values(of) } },
  },
  example: { fuel: 'DIESEL_A', series: 'STATION_MEAN' },
})
