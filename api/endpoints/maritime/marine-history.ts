import { MARINE_USES, marinePrices, marineStations } from '../../../lake/datasets/maritime/marine-fuel.ts'
import { foldNameSql } from '../../../lake/places/name-key.ts'
import { foldName } from '../../../lake/places/names.ts'
import type { Region } from '../../../lake/places/regions.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field } from '../../kernel/fields.ts'
import { codeParam, textParam } from '../../kernel/params/params.ts'
import { wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { bucketEnd } from '../../kernel/reads/buckets.ts'
import { heldMean, max, min, same, shareHeld } from '../../kernel/reads/figures.ts'
import { cutAtSteps, publicationRuns } from '../../kernel/reads/held.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { coverageField } from '../common-fields.ts'
import { marineFuelParam, usesOf } from './marine-prices.ts'

const { columns } = marinePrices
/** Longest validity of prices after the last change of any price: with some 130 stations, a week without one is an outage. */
const GAP_MS = 7 * 86_400_000

const perLitre = (about: string, example: number) => field.decimal(about, 'EUR/L', 6, example)

const points = series({
  list: 'prices',
  name: 'MarineFuelPoint',
  about: 'One step of a marine fuel series: the mean of the requested stations.',
  example: ['2026-06-19T22:00:00.000Z', '1d'],
  of: { fuel: columns.product },
  fields: {
    price_eur_l: perLitre('Mean price per litre, each station counting once at every moment.', 1.459),
    price_min_eur_l: perLitre('Lowest price of a station in the step.', 1.399),
    price_max_eur_l: perLitre('Highest price of a station in the step.', 1.539),
    stations: field.integer('Maximum number of stations with a price at one moment of the step.', '1', 74),
    coverage: coverageField('Share of the whole step with a known price'),
  },
  key: ['fuel'],
})

const params = {
  fuel: marineFuelParam,
  port: textParam('Name of a port, its locality or its municipality, or the beginnings of its words.', {
    max: 80,
    example: 'Marina Lanzarote',
  }),
  station: textParam('Id of one station.', { max: 40, example: 'mar_3f1c09a2b7de' }),
  use: codeParam('Vessels that the stations supply: LEISURE and FISHING include stations for both.', MARINE_USES, { example: 'LEISURE' }),
  province: wholeProvinceParam,
  time: steps({ '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}

const METHOD =
  'Prices as the ministry publishes them, per litre. A price is valid until the publication that changes it, as long as at least one price changes per week. ' +
  'At every moment each station has the same weight; a step is the mean over its time. Fuel sold by weight has no price per litre and is left out, as are implausible prices.'

/** Series of marine fuel prices. */
export const marineHistory = defineEndpoint({
  path: '/api/maritimo/historico',
  plan: 'PRO',
  summary: 'Marine fuel prices by day, week, month or year, since we collect them',
  summary_es: 'Precios de carburantes marinos por día, semana, mes o año',
  about:
    'The register has no past prices: the series comes from the publications that this service has collected since `meta.covered_from`. At every moment each station has the same weight; a step is the mean over its time. Fuel sold by weight and implausible prices are left out.',
  statistic: { grain: 'One fuel at the requested stations, in one step.', method: METHOD },
  params,
  returns: points,
  read: {
    ...seriesOf({
      params,
      returns: points,
      of: marinePrices,
      at: 'held',
      from: [marinePrices, marineStations],
      shape: {
        columns: {
          product: columns.product,
          price_mean: points.record.fields.price_eur_l,
          price_min: points.record.fields.price_min_eur_l,
          price_max: points.record.fields.price_max_eur_l,
          stations: points.record.fields.stations,
        },
      },
      rows: (_, asked, period, lake) => meansOfStations(asked, period, lake),
      fields: {
        fuel: same('product'),
        price_eur_l: heldMean('price_mean'),
        price_min_eur_l: min('price_min'),
        price_max_eur_l: max('price_max'),
        stations: max('stations'),
        coverage: shareHeld(),
      },
    }),
    existingValues: {
      fuel: { expected: 'expected a fuel with prices in ports', values: () => pricedValues('product') },
      station: { expected: 'expected the id of a station, as /api/maritimo lists them', values: () => pricedValues('station_id') },
    },
  },
  example: { fuel: 'DIESEL_A', from: dayFromToday(-30, '2026-06-01'), to: dayFromToday(1, '2026-07-01') },
})

function pricedValues(name: 'product' | 'station_id'): Sql {
  return sql`SELECT DISTINCT ${c(name)} AS value FROM ${scan(marinePrices, {})} ORDER BY value LIMIT 1000`
}

interface Asked {
  readonly fuel: readonly string[] | null
  readonly port: string | null
  readonly station: string | null
  readonly use: string | null
  readonly province: Region | null
}

interface Between {
  readonly from: number
  readonly to: number
}

const c = (name: keyof typeof columns | 'status'): Sql => column(marinePrices, name)
const s = (name: keyof typeof marineStations.columns): Sql => column(marineStations, name)

/**
 * The means of the selected stations, each from one change of any of their prices to the next. Prices are cut at months, so that
 * the join compares a moment with the prices of its month alone.
 */
function meansOfStations(asked: Asked, { from, to }: Between, lake: Pick<LakeView, 'covered_until'>): Sql {
  const { fuel, station, use, province } = asked
  const since = partitionStart(marinePrices, from - GAP_MS)
  const rows = scan(marinePrices, {
    ...(fuel ? { product: { in: fuel } } : {}),
    ...(station === null ? {} : { station_id: { eq: station } }),
    ...(use === null ? {} : { use: { in: usesOf(use) } }),
    ...(province === null ? {} : { province_code: { in: province } }),
    observed_at: { gte: since, lt: to },
  })
  const published = sql`SELECT ${c('observed_at')} AS published FROM ${scan(marinePrices, { observed_at: { gte: from - GAP_MS, lt: to + GAP_MS } })}`
  const [begin, end] = [instant(from), instant(to)]
  return sql`(
    WITH runs AS MATERIALIZED (${publicationRuns(published, { gap_ms: GAP_MS, covered_until: lake.covered_until })}),
    known AS (
      SELECT *, lead(since) OVER (PARTITION BY station_id, product ORDER BY since) AS next
      FROM (
        SELECT ${c('station_id')} AS station_id, ${c('product')} AS product, ${c('price_eur_l')} AS price, ${c('status')} AS status,
          ${c('observed_at')} AS since
        FROM ${rows}
      )
    ),
    held AS (
      SELECT product, price, greatest(known.since, runs.since, ${begin}) AS since,
        least(coalesce(known.next, ${end}), runs.until, ${end}) AS until
      FROM known
      JOIN runs ON runs.since < coalesce(known.next, ${end}) AND runs.until > known.since
      WHERE status <> 'ENDED' AND price IS NOT NULL AND ${isIn(asked)}
    ),
    pieces AS MATERIALIZED (
      SELECT product, price, step_start AS month, held_from AS since, least(until, ${bucketEnd(sql`step_start`, '1mo')}) AS until
      FROM ${cutAtSteps(sql`FROM held`, '1mo')}
    ),
    moments AS (
      SELECT product, month, begun AS since, lead(begun) OVER (PARTITION BY product, month ORDER BY begun) AS until
      FROM (SELECT product, month, since AS begun FROM pieces UNION SELECT product, month, until FROM pieces)
    )
    SELECT product, moments.since, moments.until, avg(price) AS price_mean, min(price) AS price_min, max(price) AS price_max, count(*) AS stations
    FROM moments
    JOIN pieces USING (product, month)
    WHERE pieces.since <= moments.since AND pieces.until >= moments.until
    GROUP BY ALL
  )`
}

/** Selects the stations of a port: each word of its name begins a word of the station's port, locality or municipality. */
function isIn({ port }: Pick<Asked, 'port'>): Sql {
  if (port === null) return sql`true`
  const names = sql`concat_ws(' ', ${s('port')}, ${s('locality')}, ${s('municipality')})`
  const folded = sql`concat(' ', ${foldNameSql(names)})`
  const words = foldName(port).split(' ')
  if (words[0] === '') return sql`false`
  const conditions = words.map((word) => sql`contains(${folded}, ${` ${word}`})`)
  return sql`station_id IN (SELECT ${s('station_id')} FROM ${scan(marineStations, {})} WHERE ${join(conditions, sql` AND `)})`
}
