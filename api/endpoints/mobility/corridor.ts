import { CORRIDOR_BASES } from '../../../lake/datasets/mobility/codes.ts'
import { corridorHours, corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { mitmaTrafficMap } from '../../../lake/datasets/mobility/sources.ts'
import type { Corridor } from '../../../lake/places/corridors.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, type ValueOf } from '../../kernel/fields.ts'
import { isSectionOn } from '../../kernel/filters.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type ImdSection, sectionsOf, wantedYears } from './imd-sections.ts'

const HOUR_MS = 3_600_000

/** Counts of a sensor of a corridor in a year; of the lanes of a carriageway together, under the id of the first. */
interface SensorYear {
  readonly sensor_id: string
  /** Number of hours with an intensity, and the sum of their mean intensities. */
  readonly hours: number
  readonly vehicles: number
}

interface SensorRow extends SensorYear {
  readonly corridor_id: string
  readonly year: number
  readonly source: string
  readonly period_s: number
}

/** The readings of a corridor in a year, from the one source and period with most hours. */
interface CorridorReadings {
  readonly year: number
  readonly source: string
  readonly period_s: number
  readonly sensors: ReadonlyMap<string, SensorYear>
  /** The same sensors, source and period in the year before; empty without data. */
  readonly before: ReadonlyMap<string, SensorYear>
}

const sensorYears = defineCachedQuery<readonly SensorRow[]>({
  name: 'sensors of corridors by year',
  from: [corridorSensorMonths],
  read: async (reader) => {
    const query = sql`
      WITH sensors AS (
        SELECT corridor_id, CAST(month[:4] AS INTEGER) AS year, source, period_s, coalesce(point_id, sensor_id) AS point, sensor_id,
          max(point_sensors) AS point_sensors, sum(hours) AS hours, CAST(sum(intensity_sum_veh_h) AS DOUBLE) AS vehicles
        FROM ${scan(corridorSensorMonths)}
        GROUP BY corridor_id, year, source, period_s, point, sensor_id
      )
      SELECT corridor_id, year, source, period_s, point AS sensor_id, CAST(max(hours) AS INTEGER) AS hours,
        CASE WHEN count(*) = 1 THEN max(vehicles) ELSE sum(vehicles / hours) * max(hours) END AS vehicles
      FROM sensors
      GROUP BY corridor_id, year, source, period_s, point
      HAVING max(point_sensors) IS NULL OR count(*) = max(point_sensors)
      ORDER BY ALL`
    const { corridor_id, source, period_s, sensor_id, hours } = corridorSensorMonths.columns
    const columns = { corridor_id, year: col.integer(0, ''), source, period_s, sensor_id, hours, vehicles: col.float(0, '') }
    return await reader.all(query, columns)
  },
})

/** The readings of a corridor in a year, by default the newest available; null without readings. */
async function readingsOf(
  cached: MemoryAsk<readonly []>['cached'],
  corridor_id: string,
  asked: number | null,
): Promise<CorridorReadings | null> {
  const theirs = (await cached(sensorYears, '')).filter((row) => row.corridor_id === corridor_id)
  const year = asked ?? Math.max(...theirs.map((row) => row.year))
  const kinds = [
    ...Map.groupBy(
      theirs.filter((row) => row.year === year),
      (row) => JSON.stringify([row.source, row.period_s]),
    ).values(),
  ]
  const hoursOf = (rows: readonly SensorRow[]): number => rows.reduce((sum, { hours }) => sum + hours, 0)
  const [most] = kinds.sort((one, other) => hoursOf(other) - hoursOf(one))
  const [first] = most ?? []
  if (!most || !first) return null
  const before = theirs.filter((row) => row.year === year - 1 && row.source === first.source && row.period_s === first.period_s)
  const byId = (rows: readonly SensorRow[]): Map<string, SensorYear> => new Map(rows.map((row) => [row.sensor_id, row]))
  return { year, source: first.source, period_s: first.period_s, sensors: byId(most), before: byId(before) }
}

/** Hours of a year in Madrid. */
export function hoursOfYear(year: number): number {
  return (dayBounds(`${year + 1}-01-01`).start - dayBounds(`${year}-01-01`).start) / HOUR_MS
}

/** Vehicles per day at a sensor. */
export function dailyAt({ vehicles, hours }: SensorYear): number {
  return (24 * vehicles) / hours
}

/** Columns of a profile: usual values at an hour of a kind of day. */
export const profileFields = {
  ...pick(corridorHours.columns, 'day_type', 'hour_local'),
  mean_veh_h: field.decimal('Mean of the hours.', 'veh/h', 1, 2140.4),
  p10_veh_h: field.decimal('Value that a tenth of the hours do not exceed.', 'veh/h', 1, 1720.8),
  p90_veh_h: field.decimal('Value that nine tenths of the hours do not exceed.', 'veh/h', 1, 2510.2),
  days: field.integer('Days with the hour.', '1', 52),
} as const

/** A row of a profile. */
type ProfileHour = ValueOf<typeof profileFields>

const profiles = defineCachedQuery<readonly ProfileHour[]>({
  name: 'profile of a corridor',
  from: [corridorHours],
  maxEntries: 20,
  read: async (reader, key) => {
    const [corridor = '', year = 0, source = '', period_s = 0] = JSON.parse(key) as [string, number, string, number]
    const hours = scan(corridorHours, {
      corridor_id: { eq: corridor },
      source: { eq: source },
      period_s: { eq: period_s },
      period_start: { gte: dayBounds(`${year}-01-01`).start, lt: dayBounds(`${year + 1}-01-01`).start },
    })
    const query = sql`
      SELECT day_type, hour_local,
        CAST(avg(intensity_mean_veh_h) AS DECIMAL(9, 1)) AS mean_veh_h,
        quantile_disc(intensity_mean_veh_h, 0.1) AS p10_veh_h,
        quantile_disc(intensity_mean_veh_h, 0.9) AS p90_veh_h,
        CAST(count(DISTINCT local_date) AS INTEGER) AS days
      FROM ${hours}
      GROUP BY day_type, hour_local
      ORDER BY day_type = 'SUNDAY_HOLIDAY', day_type = 'SATURDAY', hour_local`
    return await reader.all(query, profileFields)
  },
})

/** The usual hourly values of a corridor in a year. */
function profileOf(
  cached: MemoryAsk<readonly []>['cached'],
  corridor_id: string,
  { year, source, period_s }: CorridorReadings,
): Promise<readonly ProfileHour[]> {
  return cached(profiles, JSON.stringify([corridor_id, year, source, period_s]))
}

/** The sections of a year by the folded names of their roads; cached. */
const roadsOf = memo((sections: readonly ImdSection[]) => Map.groupBy(sections, ({ road }) => foldRoad(road)))

/**
 * The sections of a year on a corridor, ordered by its roads and their kilometres. Sections that only touch its end are left
 * out.
 */
function sectionsOn({ roads }: Corridor, sections: readonly ImdSection[]): ImdSection[] {
  const found = roads.flatMap(({ road, km_from, km_to, province_code }) =>
    (roadsOf(sections).get(foldRoad(road)) ?? []).filter(
      (one) =>
        (province_code === null || one.province_code === province_code) &&
        isSectionOn({ road: null, km_from, km_to }, one) &&
        (km_to === null || Math.min(one.km_from, one.km_to) < km_to),
    ),
  )
  return [...new Set(found)]
}

/** Inputs of mean daily vehicles. */
interface VehicleKm {
  readonly veh_km: number
  /** Kilometres times days. */
  readonly km_days: number
}

/** A section with vehicle-km. */
const isStated = (one: ImdSection): boolean => one.veh_km !== null && one.length_km > 0

/** The totals of sections; those without vehicle-km or length are left out. */
function vehicleKmOf(sections: readonly ImdSection[]): VehicleKm {
  let [veh_km, km_days] = [0, 0]
  for (const one of sections.filter(isStated)) {
    veh_km += one.veh_km ?? 0
    km_days += one.length_km * one.year_days
  }
  return { veh_km, km_days }
}

/** The totals in two years of the sections present in both; a section that is split in parts counts as one. */
function matchedOf(
  sections: readonly ImdSection[],
  before: readonly ImdSection[],
): { readonly now: VehicleKm; readonly then: VehicleKm; readonly sections: number } {
  const ids = (of: readonly ImdSection[]): Set<string> => new Set(of.filter(isStated).map(({ section_id }) => section_id))
  const then = ids(before)
  const both = new Set([...ids(sections)].filter((id) => then.has(id)))
  const among = ({ section_id }: ImdSection): boolean => both.has(section_id)
  return { now: vehicleKmOf(sections.filter(among)), then: vehicleKmOf(before.filter(among)), sections: both.size }
}

const VEHICLES = { scale: 1, unit: 'veh/d' } as const

/** Fields of a corridor in a year. */
export const corridorFields = {
  id: field.text('Id of the corridor.', 'madrid-a-6'),
  name: field.text('Name.', 'A-6 en la Comunidad de Madrid'),
  roads: nested.objects('Its roads, each with the kilometres that its data covers.', {
    road: field.text('Road designation.', 'A-6'),
    km_from: field.decimal('Least kilometre.', 'km', 3, 20.1),
    km_to: field.decimal('Greatest kilometre.', 'km', 3, 32.94),
  }),
  year: field.integer('Year.', '1', 2018),
  stale: field.boolean('True if the year ended more than two years ago: traffic may have changed since.', true),
  basis: field.code('Source of the traffic data.', CORRIDOR_BASES, 'MINISTRY_SECTIONS'),
  imd_veh_day: col.decimal(0, 'Mean daily vehicles of the year.', { ...VEHICLES, example: 92_780 }),
  previous_imd_veh_day: col.decimal(0, 'The same in the year before, on sections or at sensors present in both years; null without any.', {
    ...VEHICLES,
    nullable: true,
    example: null,
  }),
  comparable_imd_veh_day: col.decimal(0, 'Mean daily vehicles of the year on these: the basis of change_pct.', {
    ...VEHICLES,
    nullable: true,
    example: null,
  }),
  change_pct: maybe.decimal('Change from the year before on the same sections or at the same sensors.', '%', 2, null),
  units: field.integer('Sections, sensors, or carriageways with detectors at a kilometre, of the year.', '1', 1),
  matched_units: field.integer('Those that are also in the year before.', '1', 0),
  length_km: field.decimal('Length: of the sections as published, or of the road along the sensors.', 'km', 3, 12.76),
  coverage: field.decimal(
    'Share of the length with figures, 0 to 1; for sensors, share of the hours of the year with an intensity.',
    '1',
    6,
    1,
  ),
  source: field.text('Source of the figures.', 'mitma_traffic_map'),
  period_s: optional(corridorSensorMonths.columns.period_s, 'Length of the period of a sensor reading; null for sections.'),
  profile: nested.maybeObjects(
    'Usual values of each hour, vehicles per hour at the mean sensor; null for sections, which have no hourly counts.',
    profileFields,
  ),
} as const

type CorridorFigures = Omit<ValueOf<typeof corridorFields>, 'stale'>
type Slices = MemoryAsk<readonly []>['cached']

/** A corridor with its source data: sections or sensors. */
export interface CorridorTraffic {
  readonly figures: CorridorFigures
  readonly sections: readonly ImdSection[]
  readonly sensors: readonly SensorYear[]
}

/** A year that ended longer ago is stale: the map of a year is published one or two years later. */
const FRESH_YEARS = 2

/** The record of a corridor as of an instant (ms). */
export function withAge<T extends CorridorFigures>(figures: T, now: number): T & { readonly stale: boolean } {
  return { ...figures, stale: figures.year < Number(madridDate(now).slice(0, 4)) - FRESH_YEARS }
}

/** Reads a corridor in a year, by default the newest available; null without data. */
export function trafficOf(cached: Slices, corridor: Corridor, year: number | null): Promise<CorridorTraffic | null> {
  return corridor.basis.kind === 'MINISTRY_SECTIONS' ? bySections(cached, corridor, year) : bySensors(cached, corridor, year)
}

async function bySections(cached: Slices, corridor: Corridor, asked: number | null): Promise<CorridorTraffic | null> {
  const [year] = await wantedYears(cached, asked === null ? null : [asked])
  if (year === undefined) return null
  const sections = sectionsOn(corridor, await sectionsOf(cached, year))
  const all = vehicleKmOf(sections)
  if (all.km_days === 0) return null
  const matched = matchedOf(sections, sectionsOn(corridor, await sectionsOf(cached, year - 1)))
  const length = (of: readonly ImdSection[]): number => of.reduce((sum, { length_km }) => sum + length_km, 0)
  const roads = [...Map.groupBy(sections, ({ road }) => road)].map(([road, theirs]) => ({
    road,
    km_from: Math.min(...theirs.flatMap(({ km_from, km_to }) => [km_from, km_to])),
    km_to: Math.max(...theirs.flatMap(({ km_from, km_to }) => [km_from, km_to])),
  }))
  const figures: CorridorFigures = {
    ...{ id: corridor.id, name: corridor.name, roads, year, basis: 'MINISTRY_SECTIONS' },
    imd_veh_day: tenth(all.veh_km / all.km_days),
    ...changeOf(matched.now.veh_km / matched.now.km_days, matched.then.veh_km / matched.then.km_days),
    units: sections.length,
    matched_units: matched.sections,
    length_km: Math.round(1000 * length(sections)) / 1000,
    coverage: share(length(sections.filter(({ veh_km }) => veh_km !== null)) / length(sections)),
    ...{ source: mitmaTrafficMap.id, period_s: null, profile: null },
  }
  return { figures, sections, sensors: [] }
}

async function bySensors(cached: Slices, corridor: Corridor, asked: number | null): Promise<CorridorTraffic | null> {
  const found = await readingsOf(cached, corridor.id, asked)
  if (!found || corridor.basis.kind === 'MINISTRY_SECTIONS') return null
  const sensors = [...found.sensors.values()]
  const both = sensors.filter(({ sensor_id }) => found.before.has(sensor_id))
  const mean = (of: readonly SensorYear[]): number => of.reduce((sum, one) => sum + dailyAt(one), 0) / of.length
  const figures: CorridorFigures = {
    ...{ id: corridor.id, name: corridor.name, year: found.year, basis: corridor.basis.kind },
    roads: corridor.roads.flatMap(({ road, km_from, km_to }) => (km_from === null || km_to === null ? [] : [{ road, km_from, km_to }])),
    imd_veh_day: tenth(mean(sensors)),
    ...changeOf(mean(both), mean(both.map(({ sensor_id }) => found.before.get(sensor_id) as SensorYear))),
    units: sensors.length,
    matched_units: both.length,
    length_km: corridor.basis.length_km,
    coverage: share(sensors.reduce((sum, { hours }) => sum + hours, 0) / (sensors.length * hoursOfYear(found.year))),
    ...{ source: found.source, period_s: found.period_s },
    profile: await profileOf(cached, corridor.id, found),
  }
  return { figures, sections: [], sensors }
}

/** The change between two means, which are NaN if nothing is in both years. */
function changeOf(now: number, then: number): Pick<CorridorFigures, 'previous_imd_veh_day' | 'comparable_imd_veh_day' | 'change_pct'> {
  const isKnown = Number.isFinite(now) && Number.isFinite(then)
  return {
    previous_imd_veh_day: isKnown ? tenth(then) : null,
    comparable_imd_veh_day: isKnown ? tenth(now) : null,
    change_pct: isKnown && then > 0 ? Math.round(10_000 * (now / then - 1)) / 100 : null,
  }
}

const tenth = (value: number): number => Math.round(10 * value) / 10
const share = (value: number): number => Math.round(1e6 * value) / 1e6
