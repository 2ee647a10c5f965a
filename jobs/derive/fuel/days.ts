import { fuelArchivePrices, fuelDays, fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { foldNameSql } from '../../../lake/places/name-key.ts'
import type { Dialect } from '../../../lake/query/dialect.ts'
import { bind, instant, join, outputName, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineDerived, type MonthSpan } from '../define.ts'

/**
 * Prices by day of Spain, provinces and brands: from the register's publications, and from the archive on days without one. A
 * day uses only one of them.
 */
export const fuelDaysDerived = defineDerived({
  by: 'months',
  into: fuelDays,
  from: [fuelPrices, fuelStations, fuelArchivePrices],
  fallbackInputs: [fuelArchivePrices],
  revision: 4,
  // The state at the start of a month is in the partition of the instant before, which opens with the full state at its own
  // start.
  reads: ({ from, to }) => ({ from: partitionStart(fuelPrices, from - 1), to }),
  isShared: true,
  rows: daysOf,
})

/** Fetches of the register: a row that a lake writer added makes no publication. */
const A_FETCH = 'fuel_stations.%'
/** Most of the 4,106 brands have one station, whose prices are no average. */
const LEAST_STATIONS = 3

const dateOf = (at: string, { localTime }: Dialect): Sql => sql`CAST(${localTime(outputName(at))} AS DATE)`
/** The brand, normalized for comparison. */
const signOf = (dialect: Dialect): Sql => sql`nullif(${foldNameSql(sql`brand`, dialect)}, '')`

function daysOf(month: MonthSpan, [prices, stations, archive]: readonly SqlPart[], dialect: Dialect): Sql {
  const figures = figuresOf(dialect)
  const areas = [
    sql`SELECT 'NATION' AS area_kind, 'ES' AS area, ${figures} FROM held GROUP BY date, product`,
    sql`SELECT 'PROVINCE' AS area_kind, province_code AS area, ${figures} FROM held GROUP BY date, product, province_code`,
    sql`SELECT 'OPERATOR' AS area_kind, sign AS area, ${figures} FROM held WHERE sign IS NOT NULL GROUP BY date, product, sign HAVING count(*) >= ${LEAST_STATIONS}`,
  ]
  return sql`
    WITH published AS (
      SELECT DISTINCT ${dateOf('observed_at', dialect)} AS date
      FROM ${prices as SqlPart}
      WHERE observed_at >= ${instant(month.from)} AND observed_at < ${instant(month.to)} AND fetch_id LIKE ${A_FETCH}
    ),
    sold AS (${atEnds(month, dialect, { rows: prices as SqlPart, thing: ['station_id', 'product'], values: ['price', 'price_unit', 'province_code', 'price_issue'] })}),
    open AS (${atEnds(month, dialect, { rows: stations as SqlPart, thing: ['station_id'], values: ['brand', 'sale_type'] })}),
    held AS ${dialect.once} (
      SELECT date, product, price, price_unit, province_code, brand, ${signOf(dialect)} AS sign, 'PUBLICATIONS' AS basis
      FROM sold
      SEMI JOIN published USING (date)
      LEFT JOIN open USING (station_id, date)
      WHERE sold.status <> 'ENDED' AND price_issue IS NULL AND sale_type IS DISTINCT FROM 'RESTRICTED'
      UNION ALL
      SELECT ${dateOf('day_starts_at', dialect)} AS date, product, price, price_unit, province_code, brand, ${signOf(dialect)} AS sign, 'ARCHIVE' AS basis
      FROM ${archive as SqlPart}
      ANTI JOIN published ON published.date = ${dateOf('day_starts_at', dialect)}
      WHERE day_starts_at >= ${instant(month.from)} AND price_issue IS NULL AND sale_type IS DISTINCT FROM 'RESTRICTED'
    ),
    names AS (
      SELECT sign, max_by(brand, (stations, brand)) AS name
      FROM (SELECT sign, brand, count(*) AS stations FROM held WHERE sign IS NOT NULL GROUP BY ALL)
      GROUP BY sign
    )
    SELECT ${month.month} AS month, ${dialect.startOfDate(sql`date`)} AS period_start, area_kind, area, names.name AS name, ${FIGURES}
    FROM (${join(areas, sql` UNION ALL `)}) AS areas
    LEFT JOIN names ON names.sign = CASE WHEN area_kind = 'OPERATOR' THEN areas.area END`
}

const FIGURES = join(
  [
    ...['date', 'product', 'price_unit', 'basis', 'stations', 'price_mean'],
    ...['price_min', 'price_p25', 'price_median', 'price_p75', 'price_max'],
  ].map(outputName),
)

function figuresOf({ wholeQuotient }: Dialect): Sql {
  // Exact and rounded half up: engines round the mean of decimals differently.
  const thousandths = sql`sum(CAST(price * 1000 AS BIGINT))`
  const mean = wholeQuotient(sql`CAST(20 * ${thousandths} + count(*) AS BIGINT)`, sql`2 * count(*)`)
  const quantile = (share: Sql): Sql => sql`CAST(percentile_disc(${share}) WITHIN GROUP (ORDER BY price) AS DECIMAL(9, 3))`
  return sql`
    date, product, min(price_unit) AS price_unit, min(basis) AS basis, CAST(count(*) AS INTEGER) AS stations,
    CAST(CAST(${mean} AS DECIMAL(12, 0)) * CAST(0.0001 AS DECIMAL(5, 4)) AS DECIMAL(9, 4)) AS price_mean,
    min(price) AS price_min, ${quantile(sql`0.25`)} AS price_p25, ${quantile(sql`0.5`)} AS price_median, ${quantile(sql`0.75`)} AS price_p75,
    max(price) AS price_max`
}

/** The state of each thing at the end of each day of a month: its last row of a day applies until the day of its next row. */
function atEnds(
  month: MonthSpan,
  dialect: Dialect,
  { rows, thing, values }: { readonly rows: SqlPart; readonly thing: readonly string[]; readonly values: readonly string[] },
): Sql {
  const first = bind('date', fuelDays.columns.date, madridDate(month.from))
  const last = bind('date', fuelDays.columns.date, madridDate(month.to - 1))
  const names = (of: readonly string[]): Sql => join(of.map(outputName))
  const own = names([...thing, ...values, 'status'])
  return sql`
    SELECT ${own}, ${dialect.eachDate(sql`first_date`, sql`last_date`)} AS date
    FROM (
      SELECT ${own}, greatest(since, ${first}) AS first_date, least(until - 1, ${last}) AS last_date
      FROM (
        SELECT *, coalesce(lead(since) OVER (PARTITION BY ${names(thing)} ORDER BY since), ${last} + 1) AS until
        FROM (
          SELECT *, row_number() OVER (PARTITION BY ${names(thing)}, since ORDER BY observed_at DESC) AS nth
          FROM (SELECT ${own}, observed_at, ${dateOf('observed_at', dialect)} AS since FROM ${rows})
        )
        WHERE nth = 1
      )
    )
    WHERE first_date <= last_date`
}
