import { airportDays, airportObservedDays } from '../../../lake/datasets/aviation/airport-days.ts'
import { PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { scan } from '../../../lake/query/scan.ts'
import { join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Column, RowOf } from '../../../lake/schema/columns.ts'
import { maybe, meaning, pick, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

/** The page about flights, airports and aircraft. */
export const AVIATION_PAGE = defineMethodPage('aviation', new URL('./aviation.md', import.meta.url))

const { columns } = airportDays

const shareOf = (about: string, example: number): Column<number | null> =>
  maybe.decimal(`${about}, 0 to 1; null if unknown.`, '1', 6, example)
const minutesOf = (about: string, example: number): Column<number | null> => maybe.decimal(`${about}; null if unknown.`, 'min', 1, example)

/** Punctuality of flights. */
export const punctualityFields = {
  ...pick(columns, 'flights', 'movements'),
  punctual_share: shareOf(`Share of the movements at most ${PUNCTUAL_MINUTES} minutes late`, 0.794),
  mean_delay_minutes: minutesOf('Mean delay of the movements, early ones counting as 0', 12.6),
  ...pick(columns, 'cancelled', 'diverted'),
  cancelled_share: shareOf('Share of the flights that were cancelled', 0.0104),
} as const

/** Counts of EUROCONTROL. */
export const networkFields = {
  nm_movements: meaning(columns.nm_movements, 'Departures and arrivals, by EUROCONTROL.'),
  atfm_delay_minutes: columns.atfm_delay_minutes,
  atfm_delay_per_arrival_minutes: minutesOf('ATFM delay per arrival', 0.2),
} as const

/** Observations of receivers: from a different source than all other figures, and never added to them. */
export const observedFields = {
  observed_departures: meaning(
    airportObservedDays.columns.observed_departures,
    'Departures that ADS-B receivers observed, a lower bound; null without reception of the ground there.',
  ),
  observed_arrivals: meaning(
    airportObservedDays.columns.observed_arrivals,
    'Arrivals that ADS-B receivers observed, a lower bound; null without reception of the ground there.',
  ),
} as const

/** Sums of days. */
export const SUMS = {
  ...pick(columns, 'flights', 'movements', 'cancelled', 'diverted', 'punctual', 'delay_minutes'),
  ...pick(columns, 'nm_movements', 'atfm_arrivals', 'atfm_delay_minutes'),
} as const
export type Sums = RowOf<typeof SUMS>

const part = (some: number | null, all: number | null, scale: number): number | null =>
  some === null || !all ? null : Math.round((some / all) * 10 ** scale) / 10 ** scale

/** Figures of flights, from their sums. */
export function punctualityOf(
  sums: Pick<Sums, 'flights' | 'movements' | 'cancelled' | 'diverted' | 'punctual' | 'delay_minutes'>,
): ValueOf<typeof punctualityFields> {
  const { flights, movements, cancelled, diverted } = sums
  return {
    ...{ flights, movements, cancelled, diverted },
    punctual_share: part(sums.punctual, movements, 6),
    mean_delay_minutes: part(sums.delay_minutes, movements, 1),
    cancelled_share: part(cancelled, flights, 6),
  }
}

/** Figures of EUROCONTROL, from their sums. */
export function networkOf({ nm_movements, atfm_delay_minutes, atfm_arrivals }: Sums): ValueOf<typeof networkFields> {
  return { nm_movements, atfm_delay_minutes, atfm_delay_per_arrival_minutes: part(atfm_delay_minutes, atfm_arrivals, 1) }
}

/** Column names of the sums of flights, and of EUROCONTROL's. */
const FLIGHT_SUMS = ['flights', 'movements', 'cancelled', 'diverted', 'punctual', 'delay_minutes'] as const
const NETWORK_SUMS = ['nm_movements', 'atfm_arrivals', 'atfm_delay_minutes'] as const

const sums = (names: readonly (keyof Sums)[], condition: Sql): Sql =>
  join(names.map((name) => sql`CAST(sum(${outputName(name)}) FILTER (WHERE ${condition}) AS INTEGER) AS ${outputName(name)}`))

/** Number of newest days per source that count in the list of airports. */
export const RECENT_DAYS = 30

const RECENT = { iata: columns.iata, ...SUMS, flights_until: columns.local_date, network_until: columns.local_date }
type Recent = RowOf<typeof RECENT>

/** Sums of the newest days by airport: for flights and EUROCONTROL each, the days up to its own newest one. */
export const recentDays = defineCachedQuery<ReadonlyMap<string, Recent>>({
  name: 'recent days of airports',
  from: [airportDays],
  async read({ all }) {
    const days = scan(airportDays)
    const since = (until: Sql): Sql => sql`local_date > ${until} - ${RECENT_DAYS}`
    const rows = await all(
      sql`
        WITH newest AS (
          SELECT max(local_date) FILTER (WHERE flights IS NOT NULL) AS flights_until,
            max(local_date) FILTER (WHERE nm_movements IS NOT NULL OR atfm_arrivals IS NOT NULL) AS network_until
          FROM ${days}
        )
        SELECT iata, ${sums(FLIGHT_SUMS, since(sql`flights_until`))}, ${sums(NETWORK_SUMS, since(sql`network_until`))},
          any_value(flights_until) AS flights_until, any_value(network_until) AS network_until
        FROM ${days}, newest
        GROUP BY iata
        ORDER BY iata`,
      RECENT,
    )
    return new Map(rows.map((row) => [row.iata, row]))
  },
})

const OBSERVED = {
  iata: columns.iata,
  ...pick(airportObservedDays.columns, 'observed_departures', 'observed_arrivals'),
  observed_coverage: airportObservedDays.columns.coverage,
  observed_until: airportObservedDays.columns.local_date,
}

/** Observed movements of the newest days, by airport; the share of their minutes with positions, and the newest day. */
export const recentObserved = defineCachedQuery<ReadonlyMap<string, RowOf<typeof OBSERVED>>>({
  name: 'recent observed days of airports',
  from: [airportObservedDays],
  async read({ all }) {
    const days = scan(airportObservedDays)
    const rows = await all(
      sql`
        WITH newest AS (SELECT max(local_date) AS observed_until FROM ${days})
        SELECT iata, CAST(sum(observed_departures) AS INTEGER) AS observed_departures,
          CAST(sum(observed_arrivals) AS INTEGER) AS observed_arrivals,
          CAST(sum(coverage) / ${RECENT_DAYS} AS DECIMAL(9, 6)) AS observed_coverage, any_value(observed_until) AS observed_until
        FROM ${days}, newest
        WHERE local_date > observed_until - ${RECENT_DAYS}
        GROUP BY iata
        ORDER BY iata`,
      OBSERVED,
    )
    return new Map(rows.map((row) => [row.iata, row]))
  },
})

/** Number of months shown for an airport. */
const MONTHS = 12

const MONTH = { month: columns.month, ...SUMS }

/** Sums of the newest twelve months of an airport, oldest first, by its IATA code. */
export const monthsOfAirport = defineCachedQuery<readonly RowOf<typeof MONTH>[]>({
  name: 'months of an airport',
  from: [airportDays],
  maxEntries: 60,
  read: ({ all }, iata) =>
    all(
      sql`
        SELECT *
        FROM (
          SELECT month, ${sums([...FLIGHT_SUMS, ...NETWORK_SUMS], sql`true`)}
          FROM ${scan(airportDays, { iata: { eq: iata } })}
          GROUP BY month
          ORDER BY month DESC
          LIMIT ${MONTHS}
        )
        ORDER BY month`,
      MONTH,
    ),
})

/** The cause of most of the ATFM delay of arrivals, by `iata date`, for the newest days with any. */
export const atfmCauses = defineCachedQuery<ReadonlyMap<string, string>>({
  name: 'newest ATFM causes',
  from: [airportDays],
  async read({ all }) {
    const rows = await all(
      sql`
        SELECT iata, local_date, atfm_cause, atfm_delay_minutes
        FROM ${scan(airportDays)}
        WHERE atfm_delay_minutes > 0 AND atfm_cause IS NOT NULL
        ORDER BY local_date DESC, iata
        LIMIT 500`,
      pick(columns, 'iata', 'local_date', 'atfm_cause', 'atfm_delay_minutes'),
    )
    return new Map(rows.map((row) => [`${row.iata} ${row.local_date}`, row.atfm_cause as string]))
  },
})

/** Sums of a state's flights. */
export function sumsOfFlights(
  shown: readonly { readonly state: string; readonly delay_minutes: number | null; readonly actual_at: number | null }[],
): Omit<Sums, (typeof NETWORK_SUMS)[number]> {
  const flown = shown.filter(({ actual_at }) => actual_at !== null)
  return {
    flights: shown.length,
    movements: flown.length,
    cancelled: shown.filter(({ state }) => state === 'CANCELLED').length,
    diverted: shown.filter(({ state }) => state === 'DIVERTED').length,
    punctual: flown.filter(({ delay_minutes }) => delay_minutes !== null && delay_minutes <= PUNCTUAL_MINUTES).length,
    delay_minutes: flown.reduce((sum, { delay_minutes }) => sum + Math.max(0, delay_minutes ?? 0), 0),
  }
}
