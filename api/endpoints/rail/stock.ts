import { RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_PRODUCTS, RAIL_STOCK_TYPES } from '../../../lake/datasets/rail/codes.ts'
import { railStock } from '../../../lake/datasets/rail/stock.ts'
import { railFleet } from '../../../lake/datasets/rail/trains.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint, keyedList, type LakeKnown } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { codeParam, listOf, oneOf, param, plainText, textParam } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { bucketStart } from '../../kernel/reads/buckets.ts'
import { isOneOf } from '../../kernel/reads/filter.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { TRAINS_PAGE } from './train.ts'

const { columns: fleet } = railFleet
const { columns: stock } = railStock
const DAYS = 30
const HOUR_US = 3_600_000_000
/** The network whose trains have no vehicle numbers on the map. */
const COMMUTER = 'CERCANIAS'
/** Operators covered by the map and the model list. */
const OPERATORS = ['RENFE'] as const

/** Fields of each model. */
const MODEL = {
  ...pick(stock, 'model', 'stock_type', 'seats_min', 'seats_max', 'gauges_mm', 'top_speeds_kmh', 'powers_kw', 'mass_t', 'length_m'),
  ...pick(stock, 'manufacturer', 'units_built', 'is_accessible'),
} as const

const FLAT = {
  network: optional(fleet.network, 'Network of the line; null for a series not seen on any.'),
  line: maybe.text(
    'Line; for long distance, the corridor as the map names it. Null for a series not seen on any.',
    'Madrid - Vitoria - Irún',
  ),
  nucleo_code: maybe.code('Commuter network (núcleo) of the line; null for long distance.', RAIL_NUCLEOS, null),
  product: optional(fleet.product, 'Commercial product of its trains, if the map states one.'),
  series: maybe.text(
    'Series: the first three digits of vehicle numbers. Null for commuter lines, whose vehicle numbers the map does not state, and for models without one in their name.',
    '449',
  ),
  operator: field.text('Operator of the trains.', 'RENFE'),
  observations: field.integer(
    `Runs with the series there in the ${DAYS} days, by vehicle numbers; of a commuter line, all runs that the map shows. A train number on one day in Madrid is one run.`,
    '1',
    1,
  ),
  share_pct: maybe.decimal(
    'Share of the runs of that line and product with known vehicle numbers. Runs with two series count for both, so shares may add up to more than 100.',
    '%',
    1,
    100,
  ),
  trains: field.integer('Train numbers with the series there; of a commuter line, all.', '1', 1),
  vehicles: field.integer('Vehicles of the series that were seen there, distinguished by their numbers; 0 for commuter lines.', '1', 1),
  accessible_pct: maybe.decimal('Share of those runs that the map marks as accessible; null if it states nothing.', '%', 1, 0),
  first_seen_at: maybe.instant('First observation within the 30 days.', '2026-03-11T15:14:20.000Z'),
  last_seen_at: maybe.instant('Last observation.', '2026-03-11T15:14:20.000Z'),
  stock_type: maybe.code(
    'Purpose of the series; null if the model list lacks it or its models differ.',
    RAIL_STOCK_TYPES,
    'MEDIUM_DISTANCE',
  ),
  seats_min: maybe.integer('Lowest number of seats of its models; null if the model list lacks it or its seats.', '1', 257),
  seats_max: maybe.integer('Highest number of seats of its models; null if the model list lacks it or its seats.', '1', 257),
} as const

const use = record('RailStockUse', 'A series of trains on a line: how often it was seen there, and its models.', {
  ...FLAT,
  models: nested.objects(
    "Models of the series in the operator's list; empty if it has none. A vehicle number identifies only the series.",
    MODEL,
  ),
})

type UseRow = ValueOf<typeof FLAT> & { readonly models: readonly ValueOf<typeof MODEL>[] | null }

/** First digits of vehicle numbers, or digits of narrow-gauge models. */
const seriesParam = param({
  about: 'Series, three or four digits.',
  schema: { type: 'string', pattern: '^\\d{3,4}$' },
  parse: (text) => {
    if (/^\d{3,4}$/.test(text)) return plainText(text, 4)
    throw new InvalidParam('expected three or four digits, such as 449')
  },
  example: '449',
})

/** A line without accents in lower case, for comparison. */
const foldedText = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
/** The line of a train on the map, or its corridor. */
const LINE_NAME = sql`coalesce(line, corridor)`

/** Rolling stock by line. */
export const railStockList = defineEndpoint({
  path: '/api/trenes/flota',
  plan: 'PRO',
  summary: 'Rolling stock per line: type, seats, accessibility',
  summary_es: 'Material rodante por línea: tipo, plazas y accesibilidad',
  about: `Series by line, counted from the vehicle numbers on Renfe's map over the ${DAYS} days before the end of the data. The map numbers long-distance trains only: commuter lines are listed on request, without series. Requests without filters also list models not seen anywhere, with 0 observations.`,
  explained: TRAINS_PAGE,
  params: {
    network: codeParam('Network.', RAIL_NETWORKS, { example: 'AVLDMD' }),
    nucleo: listOf(codeParam('Commuter network.', RAIL_NUCLEOS, { example: '10' })),
    line: textParam('Full name of a line or corridor, such as C1; case and accents are ignored.', { example: 'madrid - vitoria - irun' }),
    product: listOf(codeParam('Commercial product.', RAIL_PRODUCTS, { example: 'MD' })),
    series: listOf(seriesParam),
    operator: oneOf('Operator; there is one.', OPERATORS, { example: 'RENFE' }),
  },
  returns: keyedList('fleet', use, ['network', 'nucleo_code', 'line', 'product', 'series'], {
    sorts: ['observations', 'series', 'line', 'seats_max'],
    order: '-observations',
  }),
  read: {
    kind: 'lake',
    from: [railFleet, railStock],
    query: (p, lake) => usesIn(lastDays(lake), p),
    existingValues: {
      network: known('a network on the map', sql`network`),
      nucleo: known('a núcleo on the map', sql`nucleo_code`),
      line: known('a commuter line, or a corridor with vehicle numbers, on the map', LINE_NAME, foldedText),
      product: known('a product with vehicle numbers on the map', sql`product`),
      series: {
        expected: `expected a series seen in the ${DAYS} days or in the list of models`,
        values: (_, lake) =>
          sql`${valuesOf(sql`unnest(series)`, lake)} UNION SELECT series FROM ${scan(railStock)} WHERE series IS NOT NULL ORDER BY value`,
      },
    },
    rows: { columns: FLAT, finish: (row: UseRow) => ({ ...row, models: row.models ?? [] }) },
  },
  example: { series: '449' },
})

/** The counted days, ms since the epoch. */
function lastDays(lake: LakeView): { readonly from: number; readonly to: number } {
  return lake.period({ from: null, to: null, interval: null }, DAYS)
}

/** A query of the known values of a property of trains with vehicle numbers. */
function known(what: string, value: Sql, fold?: (text: string) => string): LakeKnown<unknown> {
  const values = (_: unknown, lake: LakeView): Sql => sql`${valuesOf(value, lake)} ORDER BY value`
  return { expected: `expected ${what} in the ${DAYS} days`, values, ...(fold ? { fold } : {}) }
}

function valuesOf(what: Sql, lake: LakeView): Sql {
  const { from, to } = lastDays(lake)
  return sql`
    SELECT DISTINCT value
    FROM (SELECT ${what} AS value FROM ${scan(railFleet, { observed_at: { gte: from, lt: to } })} WHERE ${isCounted(true)})
    WHERE value IS NOT NULL`
}

interface Filter {
  readonly network: string | null
  readonly nucleo: readonly string[] | null
  readonly line: string | null
  readonly product: readonly string[] | null
  readonly series: readonly string[] | null
}

const folded = (text: Sql): Sql => sql`lower(strip_accents(${text}))`
const LINE = sql`network, nucleo_code, line, product`
const sameLine = (one: Sql, other: Sql): Sql =>
  sql`${one}.network = ${other}.network AND ${one}.nucleo_code IS NOT DISTINCT FROM ${other}.nucleo_code AND ${one}.line IS NOT DISTINCT FROM ${other}.line AND ${one}.product IS NOT DISTINCT FROM ${other}.product`

/** Selects the counted trains: those with vehicle numbers and, if requested, those of commuter lines. */
function isCounted(hasCommuters: boolean): Sql {
  return hasCommuters ? sql`(len(series) > 0 OR network = ${COMMUTER})` : sql`len(series) > 0`
}

/**
 * Series by line. Half a million observations a day are first reduced to one per train, formation and hour: Madrid's days are
 * slow to compute and begin at whole UTC hours. 3.5 s of CPU for the 9.7 million of thirty days.
 */
function usesIn(period: { readonly from: number; readonly to: number }, { network, nucleo, line, product, series }: Filter): Sql {
  const hasCommuters = (line !== null || nucleo !== null || network === COMMUTER) && product === null && series === null
  const ofLine = line === null ? sql`true` : sql`${folded(LINE_NAME)} = ${folded(sql`${line}`)}`
  const observed = scan(railFleet, {
    observed_at: { gte: period.from, lt: period.to },
    ...(network === null ? {} : { network: { eq: network } }),
  })
  const wanted = [
    sql`true`,
    // Series not seen anywhere are on no line.
    ...(network === null && nucleo === null && line === null && product === null ? [] : [sql`uses.observations IS NOT NULL`]),
    ...(nucleo === null ? [] : [isOneOf(sql`uses.nucleo_code`, nucleo)]),
    ...(product === null ? [] : [isOneOf(sql`uses.product`, product)]),
    ...(series === null ? [] : [isOneOf(sql`coalesce(uses.series, models.series)`, series)]),
  ]
  return sql`
    WITH hours AS MATERIALIZED (
      SELECT network, nucleo_code, ${LINE_NAME} AS line, product, train_number, vehicle_numbers,
        epoch_us(observed_at) // ${HOUR_US} AS hour,
        any_value(series) AS all_series, bool_or(is_accessible) AS is_accessible, min(observed_at) AS first_seen_at, max(observed_at) AS last_seen_at
      FROM ${observed}
      WHERE ${isCounted(hasCommuters)} AND ${ofLine}
      GROUP BY ALL
    ),
    runs AS MATERIALIZED (
      SELECT ${LINE}, train_number, all_series, vehicle_numbers, 
        ${bucketStart(sql`make_timestamptz(hour * ${HOUR_US})`, '1d')} AS day,
        bool_or(is_accessible) AS is_accessible, min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at
      FROM hours
      GROUP BY ALL
    ),
    each AS MATERIALIZED (SELECT *, unnest(CASE WHEN len(all_series) = 0 THEN [NULL] ELSE all_series END) AS series FROM runs),
    lines AS (SELECT ${LINE}, count(DISTINCT (train_number, day)) AS runs FROM runs GROUP BY ALL),
    counted AS (
      SELECT ${LINE}, series,
        count(DISTINCT (train_number, day)) AS observations,
        count(DISTINCT train_number) AS trains,
        count(DISTINCT (train_number, day)) FILTER (WHERE is_accessible) AS accessible,
        count(DISTINCT (train_number, day)) FILTER (WHERE is_accessible IS NOT NULL) AS known,
        min(first_seen_at) AS first_seen_at,
        max(last_seen_at) AS last_seen_at
      FROM each
      GROUP BY ALL
    ),
    numbers AS (
      SELECT ${LINE}, series, count(DISTINCT vehicle) AS vehicles
      FROM (SELECT *, unnest(vehicle_numbers) AS vehicle FROM each)
      WHERE starts_with(vehicle, series)
      GROUP BY ALL
    ),
    uses AS (
      SELECT counted.*, numbers.vehicles, CASE WHEN counted.series IS NOT NULL THEN 100 * observations / lines.runs END AS share_pct
      FROM counted
      JOIN lines ON ${sameLine(sql`counted`, sql`lines`)}
      LEFT JOIN numbers ON ${sameLine(sql`counted`, sql`numbers`)} AND counted.series = numbers.series
    ),
    models AS (${modelsBySeries()})
    SELECT
      uses.network, uses.nucleo_code, uses.line, uses.product,
      coalesce(uses.series, models.series) AS series,
      ${OPERATORS[0]} AS operator,
      CAST(coalesce(uses.observations, 0) AS INTEGER) AS observations,
      CAST(uses.share_pct AS DECIMAL(4, 1)) AS share_pct,
      CAST(coalesce(uses.trains, 0) AS INTEGER) AS trains,
      CAST(coalesce(uses.vehicles, 0) AS INTEGER) AS vehicles,
      CAST(100 * uses.accessible / nullif(uses.known, 0) AS DECIMAL(4, 1)) AS accessible_pct,
      uses.first_seen_at, uses.last_seen_at,
      models.stock_type, models.seats_min, models.seats_max, models.models
    FROM uses
    FULL JOIN models ON uses.series = models.series
    WHERE ${join(wanted, sql` AND `)}`
}

/** The last state of each model, grouped by series. */
function modelsBySeries(): Sql {
  const names = Object.keys(MODEL) as (keyof typeof MODEL)[]
  const members = join(names.map((name) => sql`${column(railStock, name)} := ${column(railStock, name)}`))
  return sql`
    SELECT
      series,
      CASE WHEN count(DISTINCT stock_type) = 1 THEN min(stock_type) END AS stock_type,
      min(seats_min) AS seats_min,
      max(seats_max) AS seats_max,
      list(struct_pack(${members}) ORDER BY model, purpose) AS models
    FROM (
      SELECT * FROM ${scan(railStock)}
      QUALIFY row_number() OVER (PARTITION BY model, purpose ORDER BY observed_at DESC) = 1
    )
    GROUP BY series`
}
