import { fuelArchivePrices, fuelDays, fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { foldNameSql } from '../../../lake/places/name-key.ts'
import { bind, instant, join, outputName, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { partitionStart } from '../../../lake/schema/partitions.ts'
import { MADRID, madridDate } from '../../../lake/schema/time.ts'
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
  revision: 3,
  // The state at the start of a month is in the partition of the instant before, which opens with the full state at its own
  // start.
  reads: ({ from, to }) => ({ from: partitionStart(fuelPrices, from - 1), to }),
  rows: daysOf,
})

/** Most of the 4,106 brands have one station, whose prices are no average. */
const LEAST_STATIONS = 3

const dateOf = (at: string): Sql => sql`CAST(timezone(${MADRID}, ${outputName(at)}) AS DATE)`
const DATE = dateOf('observed_at')
/** The brand, normalized for comparison. */
const SIGN = sql`nullif(${foldNameSql(sql`brand`)}, '')`

function daysOf(month: MonthSpan, [prices, stations, archive]: readonly SqlPart[]): Sql {
  const areas = [
    sql`SELECT 'NATION' AS area_kind, 'ES' AS area, CAST(NULL AS VARCHAR) AS name, ${FIGURES} FROM held GROUP BY date, product`,
    sql`SELECT 'PROVINCE' AS area_kind, province_code AS area, CAST(NULL AS VARCHAR) AS name, ${FIGURES} FROM held GROUP BY date, product, province_code`,
    sql`SELECT 'OPERATOR' AS area_kind, sign AS area, NULL AS name, ${FIGURES} FROM held WHERE sign IS NOT NULL GROUP BY date, product, sign HAVING count(*) >= ${LEAST_STATIONS}`,
  ]
  return sql`
    WITH published AS (
      SELECT DISTINCT ${DATE} AS date FROM ${prices as SqlPart} WHERE observed_at >= ${instant(month.from)} AND observed_at < ${instant(month.to)}
    ),
    sold AS (${atEnds(month, { rows: prices as SqlPart, thing: ['station_id', 'product'], values: ['price', 'price_unit', 'province_code', 'price_issue'] })}),
    open AS (${atEnds(month, { rows: stations as SqlPart, thing: ['station_id'], values: ['brand', 'sale_type'] })}),
    held AS MATERIALIZED (
      SELECT date, product, price, price_unit, province_code, brand, ${SIGN} AS sign, 'PUBLICATIONS' AS basis
      FROM sold
      SEMI JOIN published USING (date)
      LEFT JOIN open USING (station_id, date)
      WHERE sold.status <> 'ENDED' AND price_issue IS NULL AND sale_type IS DISTINCT FROM 'RESTRICTED'
      UNION ALL
      SELECT ${dateOf('day_starts_at')} AS date, product, price, price_unit, province_code, brand, ${SIGN} AS sign, 'ARCHIVE' AS basis
      FROM ${archive as SqlPart}
      ANTI JOIN published ON published.date = ${dateOf('day_starts_at')}
      WHERE day_starts_at >= ${instant(month.from)} AND price_issue IS NULL AND sale_type IS DISTINCT FROM 'RESTRICTED'
    ),
    names AS (
      SELECT sign, arg_max(brand, (stations, brand)) AS name
      FROM (SELECT sign, brand, count(*) AS stations FROM held WHERE sign IS NOT NULL GROUP BY ALL)
      GROUP BY sign
    )
    SELECT ${month.month} AS month, timezone(${MADRID}, CAST(date AS TIMESTAMP)) AS period_start,
      areas.* REPLACE (names.name AS name)
    FROM (${join(areas, sql` UNION ALL `)}) AS areas
    LEFT JOIN names ON names.sign = CASE WHEN area_kind = 'OPERATOR' THEN areas.area END`
}

const FIGURES = sql`
  date, product, min(price_unit) AS price_unit, min(basis) AS basis, CAST(count(*) AS INTEGER) AS stations, CAST(avg(price) AS DECIMAL(9, 4)) AS price_mean,
  min(price) AS price_min, quantile_disc(price, 0.25) AS price_p25, quantile_disc(price, 0.5) AS price_median,
  quantile_disc(price, 0.75) AS price_p75, max(price) AS price_max`

/** The state of each thing at the end of each day of a month: its last row of a day applies until the day of its next row. */
function atEnds(
  month: MonthSpan,
  { rows, thing, values }: { readonly rows: SqlPart; readonly thing: readonly string[]; readonly values: readonly string[] },
): Sql {
  const first = bind('date', fuelDays.columns.date, madridDate(month.from))
  const last = bind('date', fuelDays.columns.date, madridDate(month.to - 1))
  const names = (of: readonly string[]): Sql => join(of.map(outputName))
  return sql`
    SELECT ${names([...thing, ...values])}, status,
      CAST(unnest(generate_series(CAST(greatest(since, ${first}) AS TIMESTAMP), CAST(least(until - 1, ${last}) AS TIMESTAMP), INTERVAL 1 DAY)) AS DATE) AS date
    FROM (
      SELECT *, coalesce(lead(since) OVER (PARTITION BY ${names(thing)} ORDER BY since), ${last} + 1) AS until
      FROM (
        SELECT ${names([...thing, ...values])}, status, ${DATE} AS since
        FROM ${rows}
        QUALIFY row_number() OVER (PARTITION BY ${names(thing)}, ${DATE} ORDER BY observed_at DESC) = 1
      )
    )`
}
