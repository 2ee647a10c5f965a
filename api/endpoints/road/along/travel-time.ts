import { trafficHours } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { scan } from '../../../../lake/query/scan.ts'
import { join, sql } from '../../../../lake/query/sql.ts'
import { col, type RowOf } from '../../../../lake/schema/columns.ts'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { defineCachedQuery } from '../../../kernel/reads/cached-query.ts'
import type { Passed } from './match.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Weeks whose same hour is typical, and days whose nights are free of traffic. */
const WEEKS = 4
const NIGHTS = 7
/** The free hours of a night, UTC: the emptiest in Spain. */
const NIGHT_HOURS = [1, 2, 3] as const
/** How far before and after it a detector stands for the road, m. */
const REACH_M = 2500
/** Lanes of a place are passed at most this far from each other; farther ones when the path comes again, m. */
const PLACE_M = 1000

const COLUMNS = {
  sensor_id: col.string(1, 'Detector.'),
  typical_kmh: col.float(2, 'Mean speed in the hour.', { unit: 'km/h', nullable: true }),
  free_kmh: col.float(3, 'Mean speed at night.', { unit: 'km/h', nullable: true }),
}

/** Mean speeds at a detector: in the same hour of the last weeks, and at night. */
type Speeds = Readonly<Omit<RowOf<typeof COLUMNS>, 'sensor_id'>>

/** The key of `usualSpeeds` for an instant (ms): the begin of its hour. */
export function hourKey(now: number): string {
  return isoInstant(Math.floor(now / HOUR_MS) * HOUR_MS)
}

/** Usual speeds of DGT's detectors by id, for the hour of a key. */
export const usualSpeeds = defineCachedQuery<ReadonlyMap<string, Speeds>>({
  name: 'usual speeds of detectors',
  from: [trafficHours],
  maxEntries: 3,
  present: (now) => [hourKey(now)],
  read: async ({ all }, key) => {
    const hour = Date.parse(key)
    const typical = Array.from({ length: WEEKS }, (_, week) => hour - 7 * DAY_MS * (week + 1))
    const midnight = Math.floor(hour / DAY_MS) * DAY_MS
    const free = Array.from({ length: NIGHTS }, (_, day) => NIGHT_HOURS.map((one) => midnight - day * DAY_MS + one * HOUR_MS)).flat()
    const among = (hours: readonly number[]) =>
      sql`period_start IN (${join(
        hours.map((one) => sql`epoch_ms(${one})::TIMESTAMPTZ`),
        sql`, `,
      )})`
    const mean = (hours: readonly number[]) => {
      const those = sql`FILTER (WHERE ${among(hours)})`
      return sql`CAST(sum(speed_sum_kmh) ${those} AS DOUBLE) / nullif(sum(speed_readings) ${those}, 0)`
    }
    const rows = await all(
      sql`
        SELECT sensor_id, ${mean(typical)} AS typical_kmh, ${mean(free)} AS free_kmh
        FROM ${scan(trafficHours, { source: { eq: 'dgt' }, period_start: { gte: Math.min(...typical, ...free) } })}
        WHERE ${among([...typical, ...free])} AND speed_readings > 0
        GROUP BY sensor_id`,
      COLUMNS,
    )
    return new Map(rows.map(({ sensor_id, ...speeds }) => [sensor_id, speeds]))
  },
})

/** Travel times over the parts of a path that detectors of its direction describe, s; null where nothing is known. */
export interface TravelTime {
  readonly measured_m: number
  readonly current_time_s: number | null
  readonly typical_time_s: number | null
  readonly free_flow_time_s: number | null
}

/** A place with detectors on a path: the mean of its lanes. */
interface Site {
  readonly along_m: number
  readonly current_kmh: number
  readonly typical_kmh: number | null
  readonly free_kmh: number | null
}

/** The travel times of a path from the detectors of its direction, each as often as it is passed; `usual` is null if unknown. */
export function travelTimeOf(detectors: readonly Passed[], length_m: number, usual: ReadonlyMap<string, Speeds> | null): TravelTime {
  const sites = sitesOf(detectors, usual)
  let [measured, current, typical, free] = [0, 0, 0, 0]
  let [hasTypical, hasFree] = [sites.length > 0, sites.length > 0]
  for (const [at, site] of sites.entries()) {
    const [before, after] = [sites[at - 1], sites[at + 1]]
    const from = Math.max(0, site.along_m - REACH_M, before ? (before.along_m + site.along_m) / 2 : 0)
    const to = Math.min(length_m, site.along_m + REACH_M, after ? (site.along_m + after.along_m) / 2 : length_m)
    const metres = Math.max(0, to - from)
    measured += metres
    current += time_s(metres, site.current_kmh)
    hasTypical &&= site.typical_kmh !== null
    hasFree &&= site.free_kmh !== null
    typical += time_s(metres, site.typical_kmh ?? site.current_kmh)
    free += time_s(metres, site.free_kmh ?? site.current_kmh)
  }
  return {
    measured_m: Math.round(measured),
    current_time_s: sites.length > 0 ? Math.round(current) : null,
    typical_time_s: hasTypical ? Math.round(typical) : null,
    free_flow_time_s: hasFree ? Math.round(free) : null,
  }
}

const time_s = (metres: number, speed_kmh: number): number => (metres * 3.6) / speed_kmh

/** The places of detectors in order. Where usual speeds are known at all, places without one are left out. */
function sitesOf(detectors: readonly Passed[], usual: ReadonlyMap<string, Speeds> | null): Site[] {
  const moving = detectors.filter(({ thing }) => (thing.details.sensor?.speed_kmh ?? 0) > 0)
  const passes: Passed[][] = []
  for (const lanes of Map.groupBy(moving, ({ thing: { road, km, direction } }) => `${road} ${km} ${direction}`).values())
    for (const [at, lane] of lanes.sort((one, other) => one.along_m - other.along_m).entries()) {
      if (at > 0 && lane.along_m - (lanes[at - 1] as Passed).along_m < PLACE_M) passes.at(-1)?.push(lane)
      else passes.push([lane])
    }
  const sites = passes.map((lanes): Site => {
    const speeds = lanes.map(({ thing }) => usual?.get(thing.id))
    return {
      along_m: Math.min(...lanes.map(({ along_m }) => along_m)),
      current_kmh: mean(lanes.map(({ thing }) => thing.details.sensor?.speed_kmh as number)) as number,
      typical_kmh: mean(speeds.map((one) => one?.typical_kmh ?? null)),
      free_kmh: mean(speeds.map((one) => one?.free_kmh ?? null)),
    }
  })
  const known = sites.filter(({ typical_kmh, free_kmh }) => typical_kmh !== null && free_kmh !== null)
  return (known.length > 0 ? known : sites).sort((one, other) => one.along_m - other.along_m)
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((one) => one !== null && one > 0) as number[]
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length
}
