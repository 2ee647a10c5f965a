import { corridorHours } from '../../../lake/datasets/mobility/corridors.ts'
import { TYPICAL_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { archiveOf, isArchive, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { ABOUT_HOLIDAYS, cityHolidays } from '../../../lake/places/holidays.ts'
import { scan } from '../../../lake/query/scan.ts'
import { bindList, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { dayBounds, MADRID, madridDate, offsetAt } from '../../../lake/schema/time.ts'
import { field, maybe, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

/** Weeks before a day that its typical values are based on. */
const WINDOW_WEEKS = 13
/** Minimum weeks with the hour on such a day for a typical value. */
export const LEAST_WEEKS = 4

/** The page about typical values. */
export const TYPICAL_PAGE = defineMethodPage('typical-traffic', new URL('./typical.md', import.meta.url))

/** Definition of typical values, for descriptions. */
export const ABOUT_TYPICAL =
  `A typical value is the median of the same Madrid clock hour on days of the same kind, in the ${WINDOW_WEEKS} weeks before the day. Kinds are Monday to Friday, Saturday, and Sunday or holiday. ` +
  `With fewer than ${LEAST_WEEKS} such weeks there is none, and \`absence\` says why. ${ABOUT_HOLIDAYS} The hour that October repeats counts twice, the one that March skips is missing. ` +
  'It uses the live readings or, if these are too few, the monthly archive (sources that end in _archive); never both.'

const usual = (about: string, unit: string, example: number) => maybe.decimal(about, unit, 1, example)

/** Fields of the typical values of an hour and kind of day, for any kind of series. */
export const usualFields = {
  day_type: corridorHours.columns.day_type,
  hour_local: corridorHours.columns.hour_local,
  weeks: field.integer(`Weeks behind it, of the ${WINDOW_WEEKS} before the day.`, '1', 11),
  hours: field.integer('Hours that it rests on.', '1', 52),
  source: maybe.text('Source of the readings behind it; null without readings.', LIVE_SOURCE),
  period_s: maybe.integer('Length of the period of each of these readings.', 's', 300),
  intensity_veh_h: usual('Typical vehicles per hour.', 'veh/h', 120),
  occupancy_pct: usual('Typical share of time that the road was occupied.', '%', 2.5),
  load_pct: usual('Typical degree of use of the road.', '%', 11.3),
  absence: maybe.code('Why there is no typical value; null if there is one.', TYPICAL_ABSENCES, null),
} as const

/** The same for one sensor. */
export const typicalFields = {
  ...usualFields,
  intensity_p10_veh_h: usual('Vehicles per hour that a tenth of these hours do not exceed.', 'veh/h', 96.4),
  intensity_p90_veh_h: usual('Vehicles per hour that nine tenths of these hours do not exceed.', 'veh/h', 151.8),
} as const

export type Typical = ValueOf<typeof typicalFields>

const apart = (what: string, unit: string, example: number) =>
  maybe.decimal(`${what} now minus the typical value; null if either is missing.`, unit, 1, example)

/** Difference between measured and typical values. */
export const deviationFields = {
  intensity_diff_veh_h: apart('Vehicles per hour', 'veh/h', 24),
  intensity_diff_pct: maybe.decimal('The same as a share of the typical value; null also if that is 0.', '%', 1, 20),
  occupancy_diff_pct: apart('Occupancy, in percentage points,', '%', 0.5),
  load_diff_pct: apart('Load, in percentage points,', '%', 1.7),
} as const

/** An hour of a kind of day, on Madrid's clock. */
export interface Moment {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly day_type: string
  readonly hour_local: number
}

/** The hour and kind of day of an instant (ms) in a city. */
export function momentOf(at: number, city = 'madrid'): Moment {
  const date = madridDate(at)
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  const isOff = weekday === 0 || cityHolidays(city, Number(date.slice(0, 4))).includes(date)
  const day_type = isOff ? 'SUNDAY_HOLIDAY' : weekday === 6 ? 'SATURDAY' : 'WORKDAY'
  return { date, day_type, hour_local: new Date(at + offsetAt(at)).getUTCHours() }
}

/** Begin and end (ms) of the weeks behind the typical values of a day (YYYY-MM-DD in Madrid). */
export function windowBefore(date: string): { readonly gte: number; readonly lt: number } {
  const { start } = dayBounds(date)
  return { gte: dayBounds(madridDate(start, -7 * WINDOW_WEEKS)).start, lt: start }
}

/** The possible sources of the typical values for a source's readings. */
export function sourcesFor(source: string): string[] {
  return [source, archiveOf(source)].filter((one) => one !== null)
}

/** Rows of an hourly roll-up in the window before a day, with `local_date`, `hour_local` and `day_type` in a city. */
export function hoursOfDays(hours: SqlPart, date: string, city = 'madrid'): Sql {
  const { gte } = windowBefore(date)
  const years = [...new Set([madridDate(gte), date].map((day) => Number(day.slice(0, 4))))]
  const holidays = bindList(
    'local_date',
    corridorHours.columns.local_date,
    years.flatMap((year) => cityHolidays(city, year)),
  )
  return sql`
    SELECT *, CASE WHEN isodow(local_date) = 7 OR local_date IN ${holidays} THEN 'SUNDAY_HOLIDAY' WHEN isodow(local_date) = 6 THEN 'SATURDAY' ELSE 'WORKDAY' END AS day_type
    FROM (
      SELECT *, CAST(timezone(${MADRID}, period_start) AS DATE) AS local_date, CAST(hour(timezone(${MADRID}, period_start)) AS INTEGER) AS hour_local
      FROM ${hours}
    )`
}

type ProfileHour = Omit<Typical, 'absence' | 'source' | 'period_s'> & { readonly source: string; readonly period_s: number }

const { absence: _, ...profileColumns } = typicalFields

/**
 * Typical values of a sensor before a day, by `[source, sensor, day]` as JSON: per hour and day type, by source and reading
 * period.
 */
export const sensorProfile = defineCachedQuery<readonly ProfileHour[]>({
  name: 'typical hours of a sensor',
  from: [trafficHours],
  maxEntries: 500,
  read: async (reader, key) => {
    const [source = '', sensor_id = '', date = ''] = JSON.parse(key) as [string, string, string]
    const hours = scan(trafficHours, { source: { in: sourcesFor(source) }, sensor_id: { eq: sensor_id }, period_start: windowBefore(date) })
    // An hour less than half measured is not representative.
    const query = sql`
      SELECT source, period_s, day_type, hour_local,
        CAST(count(DISTINCT date_trunc('week', local_date)) AS INTEGER) AS weeks,
        CAST(count(*) AS INTEGER) AS hours,
        quantile_disc(intensity, 0.5) AS intensity_veh_h,
        quantile_disc(intensity, 0.1) AS intensity_p10_veh_h,
        quantile_disc(intensity, 0.9) AS intensity_p90_veh_h,
        quantile_disc(occupancy, 0.5) AS occupancy_pct,
        quantile_disc(load, 0.5) AS load_pct
      FROM (
        SELECT *,
          CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS intensity,
          CAST(occupancy_sum_pct / nullif(occupancy_readings, 0) AS DECIMAL(9, 1)) AS occupancy,
          CAST(load_sum_pct / nullif(load_readings, 0) AS DECIMAL(9, 1)) AS load
        FROM (${hoursOfDays(hours, date)})
        WHERE intensity_readings * period_s >= 1800
      )
      GROUP BY source, period_s, day_type, hour_local
      ORDER BY source, period_s, day_type, hour_local`
    return await reader.all<ProfileHour>(query, profileColumns)
  },
})

/**
 * Picks one of several typical values by source and period: the first with enough weeks, live readings preferred; else that
 * with most weeks.
 */
export function bestOf<T extends { readonly weeks: number; readonly source: string; readonly period_s: number }>(
  found: readonly T[],
): T | null {
  const rank = (one: T): number => (one.weeks < LEAST_WEEKS ? 0 : isArchive(one.source) ? 1 : 2)
  const order = (one: T, other: T): number => rank(other) - rank(one) || other.weeks - one.weeks || one.period_s - other.period_s
  return found.toSorted(order)[0] ?? null
}

/** The values of an hour without typical values. */
export const NOT_TYPICAL = {
  ...{ weeks: 0, hours: 0, source: null, period_s: null, intensity_veh_h: null, occupancy_pct: null, load_pct: null },
  ...{ intensity_p10_veh_h: null, intensity_p90_veh_h: null },
} as const

/** Typical values of a profile at a moment; `profile` is null if it cannot be read now. */
export function typicalAt(profile: readonly ProfileHour[] | null, { day_type, hour_local }: Moment): Typical {
  const best = bestOf((profile ?? []).filter((one) => one.day_type === day_type && one.hour_local === hour_local))
  if (best && best.weeks >= LEAST_WEEKS) return { ...best, absence: null }
  const { weeks = 0, hours = 0, source = null, period_s = null } = best ?? {}
  return { ...NOT_TYPICAL, day_type, hour_local, weeks, hours, source, period_s, absence: profile === null ? 'NOT_NOW' : 'FEW_WEEKS' }
}

interface Measured {
  readonly intensity_veh_h: number | null
  readonly occupancy_pct: number | null
  readonly load_pct: number | null
}

/** Difference between measured and typical values. */
export function deviationOf(now: Measured, typical: Measured): ValueOf<typeof deviationFields> {
  const intensity_diff_veh_h = diff(now.intensity_veh_h, typical.intensity_veh_h)
  const share =
    intensity_diff_veh_h !== null && typical.intensity_veh_h ? tenth((100 * intensity_diff_veh_h) / typical.intensity_veh_h) : null
  return {
    intensity_diff_veh_h,
    intensity_diff_pct: share,
    occupancy_diff_pct: diff(now.occupancy_pct, typical.occupancy_pct),
    load_diff_pct: diff(now.load_pct, typical.load_pct),
  }
}

/** The difference of two values, to a tenth; null if either is null. */
export function diff(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : tenth(one - other)
}

/** A number to a tenth. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10
}
