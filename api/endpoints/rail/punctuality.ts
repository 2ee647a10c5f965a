import { LONG_DISTANCE, RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { railCalendar, railRoutes, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, optional, record } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { listOf, oneOf } from '../../kernel/params/params.ts'
import { type Period, periodParams } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import type { LakeView } from '../../kernel/reads/lake-view.ts'
import { commuterStationParam, railParams } from './known-names.ts'
import { type RunsAsked, runsOf, versionsInForce } from './punctuality-sql.ts'

const { columns } = railTripUpdates
const PUNCTUALITY_PAGE = defineMethodPage('train-punctuality', new URL('./punctuality.md', import.meta.url))

/** Days by travel pattern. */
const DAY_TYPES = defineCodes('day_type', 'Kind of day by the calendar weekday alone: holidays are not distinguished.', {
  WORKDAY: ['De lunes a viernes', 'Monday to Friday'],
  SATURDAY: ['Sábado', 'Saturday'],
  SUNDAY: ['Domingo', 'Sunday'],
})

/** Dimensions of a group. */
const GROUPS = ['network', 'nucleo', 'line', 'station', 'hour', 'day_type'] as const
type Group = (typeof GROUPS)[number]

const count = (about: string, example: number): Column<number> => field.integer(about, '1', example)
const share = (about: string, example: number): Column<number | null> => maybe.decimal(about, '1', 6, example)
const seconds = (about: string, example: number): Column<number | null> => maybe.integer(about, 's', example)

const punctuality = record('RailPunctuality', 'Punctuality of the trains of a group; dimensions not grouped by are null.', {
  network: optional(columns.network, 'Network; null unless grouped by network, nucleo or line.'),
  nucleo_code: optional(
    columns.nucleo_code,
    'Commuter network (núcleo); null unless grouped by nucleo or line, and for long-distance trains.',
  ),
  line: optional(
    columns.line,
    'Line in the trip id, or product of long distance (list rail_product) by the timetable in force; null unless grouped by it, and for long-distance trains outside the timetable.',
  ),
  stop_id: optional(columns.next_stop_id, 'Station; null unless grouped by.'),
  hour: maybe.integer(
    'Hour (0 to 23, Madrid) of the planned departure from the first stop; of the planned arrival, if grouped by or limited to stations. Null unless grouped by it, and for trips outside the timetable.',
    'h',
    null,
  ),
  day_type: maybe.code(
    'Kind of service day by calendar weekday; null unless grouped by it. Public holidays are ignored: one on a Tuesday is a WORKDAY, though traffic may resemble a Sunday.',
    DAY_TYPES,
    null,
  ),
  observed_trips: count('Trips in trip updates, including cancelled ones and excluding buses.', 512),
  cancelled_trips: count('Observed trips whose last state is cancelled; for long distance, every variant of the train.', 9),
  measured_trips: count('Observed trips with a valid delay: not cancelled, and with a credible delay stated.', 498),
  doubtful_trips: count('Observed trips whose delay is not credible (below -1800 s or above 21600 s); it is left out.', 1),
  within_3_min_share: share('Share of the measured trips that were at most 3 minutes (180 s) late, 0 to 1.', 0.851406),
  within_5_min_share: share('Share of the measured trips that were at most 5 minutes (300 s) late, 0 to 1.', 0.917671),
  cancelled_share: share('Share of the observed trips that were cancelled, 0 to 1.', 0.017578),
  delay_median_s: seconds('Median delay: the lowest that at least half of the measured trips do not exceed; negative if early.', 60),
  delay_p90_s: seconds('90th percentile of the delay: the lowest that at least 90 % of the measured trips do not exceed.', 240),
  scheduled_trips: maybe.integer(
    'Trips of the timetable in force, without replacement buses; null if no timetable covers any of the days.',
    '1',
    530,
  ),
  matched_trips: count('Observed trips that are in that timetable.', 509),
  coverage: share('Share of the scheduled trips that were observed (matched by scheduled), 0 to 1; null if none is scheduled.', 0.960377),
  days: count('Service days with a trip, observed or scheduled.', 7),
  days_with_timetable: count('Those days with a timetable: scheduled trips are from these days only.', 7),
})

/** Default length of the period, days. */
const SPAN_DAYS = 7

/**
 * The requested period with its open ends closed. Throws `InvalidParam` if no service day begins in it, because trips count by
 * service day.
 */
function daysAsked(period: Period<null>, lake: Pick<LakeView, 'period'>): { readonly from: number; readonly to: number } {
  const closed = lake.period(period, SPAN_DAYS)
  const { start, end } = dayBounds(madridDate(closed.from))
  if ((start === closed.from ? start : end) < closed.to) return closed
  const date = madridDate(closed.from)
  throw new InvalidParam(
    `expected a period in which a service day begins, at 00:00 in Madrid, such as from=${date} and to=${madridDate(end)}; trips are counted by service day`,
    period.to === null ? { parameter: 'from', value: isoInstant(closed.from) } : { parameter: 'to', value: isoInstant(closed.to) },
  )
}

/** Punctuality of trains. */
export const railPunctuality = defineEndpoint({
  path: '/api/trenes/puntualidad',
  plan: 'PRO',
  summary: 'Punctuality of trains by network, line, station, hour and kind of day',
  summary_es: 'Puntualidad de los trenes por red, línea, estación, hora y tipo de día',
  about:
    'Counts trips by service day: every day that begins (00:00 in Madrid) in the period. Cancelled trips count at their timetabled stops. A regional train in the timetables of both networks counts once in each. Replacement buses are excluded. From the lake, at most ten minutes behind the live state; `meta.covered_until` says how far.',
  explained: PUNCTUALITY_PAGE,
  statistic: {
    grain: 'One value per requested group, over the service days of the period.',
    method:
      'Trips by service day, each with the delay of the last state that names it: observed trips, and trips of the timetable in force. Trips that were not observed are in no share.',
  },
  params: {
    group_by: listOf(
      oneOf('Dimensions to group by, one or more; network by default. A line includes its network and núcleo.', GROUPS, {
        example: 'line',
      }),
    ),
    period: periodParams({ span: '7 days' }),
    ...railParams,
    station: commuterStationParam,
  },
  returns: keyedList('punctuality', punctuality, ['network', 'nucleo_code', 'line', 'stop_id', 'hour', 'day_type'], {
    sorts: [
      'observed_trips',
      'cancelled_trips',
      'cancelled_share',
      'within_3_min_share',
      'within_5_min_share',
      'delay_median_s',
      'delay_p90_s',
      'scheduled_trips',
      'coverage',
      'hour',
    ],
    order: '-observed_trips',
    limit: { default: 100, max: 1000 },
  }),
  read: {
    kind: 'lake',
    from: [railTripUpdates, railRoutes, railCalendar, railTrips, railStopTimes],
    prequery: (p, lake) => versionsInForce({ ...p, period: daysAsked(p.period, lake), atStations: isAtStations(p) }),
    query: (p, lake, found) => {
      const groups: readonly Group[] = p.group_by ?? ['network']
      return figuresOf(runsOf({ ...askedOf(p, lake, found), hours: groups.includes('hour') }), groups)
    },
    existingValues: {
      line: {
        expected: 'expected a line or product with observed or scheduled trains for this period and the other filters',
        values: (p, lake, found) => sql`
          SELECT DISTINCT line AS value
          FROM (${runsOf({ ...askedOf(p, lake, found), line: null })})
          WHERE line IS NOT NULL
          ORDER BY value`,
      },
    },
  },
  example: { group_by: 'line', from: dayFromToday(-1, '2026-08-25'), to: dayFromToday(1, '2026-08-26'), nucleo: '51' },
})

/** The requested runs, except for the planned hour. */
function askedOf(
  p: Omit<RunsAsked, 'period' | 'versions' | 'atStations' | 'hours'> &
    Parameters<typeof isAtStations>[0] & { readonly period: Period<null> },
  lake: LakeView,
  found: readonly AnyRow[],
): RunsAsked {
  return {
    ...p,
    period: daysAsked(p.period, lake),
    versions: found.map((row) => row['timetable_version'] as string),
    atStations: isAtStations(p),
    hours: false,
  }
}

/**
 * True if trips count at stations. Throws `InvalidParam` for trains without station names, by product or alone.
 */
function isAtStations(p: {
  readonly group_by: readonly Group[] | null
  readonly station: readonly string[] | null
  readonly network: readonly string[] | null
  readonly line: readonly string[] | null
}): boolean {
  if (p.station === null && !p.group_by?.includes('station')) return false
  const product = p.line?.find((line) => Object.hasOwn(RAIL_PRODUCTS.codes, line))
  if (product !== undefined) {
    const expected = 'expected commuter lines with station or group_by=station: trip updates of long distance name no stations'
    throw new InvalidParam(expected, { parameter: 'line', value: product })
  }
  if (p.network?.every((network) => network === LONG_DISTANCE)) {
    const expected = 'expected CERCANIAS with station or group_by=station: trip updates of long distance name no stations'
    throw new InvalidParam(expected, { parameter: 'network', value: LONG_DISTANCE })
  }
  return true
}

/** Statistics of each group of runs. */
function figuresOf(runs: Sql, groups: readonly Group[]): Sql {
  const by = (which: readonly Group[], value: Sql): Sql =>
    which.some((group) => groups.includes(group)) ? value : sql`CAST(NULL AS VARCHAR)`
  const dayType = sql`CASE isodow(service_date) WHEN 6 THEN 'SATURDAY' WHEN 7 THEN 'SUNDAY' ELSE 'WORKDAY' END`
  const part = (some: Sql, all: Sql): Sql => sql`CAST(round(${some} / nullif(${all}, 0), 6) AS DECIMAL(9, 6))`
  const [observed, cancelled, measured] = [sql`observed_trips`, sql`cancelled_trips`, sql`measured_trips`]
  return sql`
    SELECT
      * EXCLUDE (within_3_min, within_5_min),
      ${part(sql`within_3_min`, measured)} AS within_3_min_share,
      ${part(sql`within_5_min`, measured)} AS within_5_min_share,
      ${part(cancelled, observed)} AS cancelled_share,
      ${part(sql`matched_trips`, sql`scheduled_trips`)} AS coverage
    FROM (
      SELECT
        ${join([
          sql`${by(['network', 'nucleo', 'line'], sql`network`)} AS network`,
          sql`${by(['nucleo', 'line'], sql`nucleo_code`)} AS nucleo_code`,
          sql`${by(['line'], sql`line`)} AS line`,
          sql`${by(['station'], sql`stop_id`)} AS stop_id`,
          sql`hour`,
          sql`${by(['day_type'], dayType)} AS day_type`,
          sql`CAST(count(*) FILTER (WHERE is_observed) AS INTEGER) AS observed_trips`,
          sql`CAST(count(*) FILTER (WHERE is_cancelled) AS INTEGER) AS cancelled_trips`,
          sql`CAST(count(delay_s) FILTER (WHERE delay_quality = 'OK') AS INTEGER) AS measured_trips`,
          sql`CAST(count(*) FILTER (WHERE delay_quality = 'DOUBTFUL') AS INTEGER) AS doubtful_trips`,
          sql`count(*) FILTER (WHERE delay_quality = 'OK' AND delay_s <= 180) AS within_3_min`,
          sql`count(*) FILTER (WHERE delay_quality = 'OK' AND delay_s <= 300) AS within_5_min`,
          sql`quantile_disc(delay_s, 0.5) FILTER (WHERE delay_quality = 'OK') AS delay_median_s`,
          sql`quantile_disc(delay_s, 0.9) FILTER (WHERE delay_quality = 'OK') AS delay_p90_s`,
          sql`CASE WHEN bool_or(has_timetable) THEN CAST(count(*) FILTER (WHERE is_scheduled) AS INTEGER) END AS scheduled_trips`,
          sql`CAST(count(*) FILTER (WHERE is_observed AND is_scheduled) AS INTEGER) AS matched_trips`,
          sql`CAST(count(DISTINCT service_date) AS INTEGER) AS days`,
          sql`CAST(count(DISTINCT service_date) FILTER (WHERE has_timetable) AS INTEGER) AS days_with_timetable`,
        ])}
      FROM (${runs})
      GROUP BY ALL
    )`
}
