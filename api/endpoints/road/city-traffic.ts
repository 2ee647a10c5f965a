import { trafficCityHours } from '../../../lake/datasets/road/traffic-city-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSectionHours } from '../../../lake/datasets/road/traffic-section-hours.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSections } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { startOf } from '../../../lake/query/intervals.ts'
import { defineEndpoint, listReturn, type MemoryAsk } from '../../kernel/endpoint.ts'
import { CITIES } from './cities.ts'
import { type CityNow, type CityTraffic, cityTraffic, nowFields } from './city-fields.ts'
import { cityProfile, cityTypical } from './city-typical.ts'
import { knownLevel, serviceOf } from './levels.ts'
import { sensorsOf } from './sensor.ts'
import { deviationOf, diff, momentOf, TYPICAL_PAGE, tenth } from './typical.ts'

const FROM = [trafficReadings, trafficSensors, trafficSectionStates, trafficSections] as const
type Ask = Pick<MemoryAsk<typeof FROM>, 'states' | 'optional'>
type City = Pick<CityTraffic, 'id' | 'name' | 'municipality_code' | 'kind' | 'source'>

const METHOD =
  'Means over the reporting sensors or street sections, each counting once wherever it is. Shares of levels as the publisher grades them; in Bilbao this service computes them from the occupancy.'

/** Cities and their current traffic. */
export const cityList = defineEndpoint({
  path: '/api/trafico/ciudades',
  domain: 'road',
  plan: 'PRO',
  summary: 'Current congestion of cities, compared with the typical hour',
  summary_es: 'Congestión de las ciudades ahora, frente a lo habitual de la hora',
  about:
    'Madrid has sensors; Barcelona, València and Bilbao have street sections. `congestion_index` compares a city with its own typical hours; publishers grade differently, so across cities only shares of the network (`dense_or_worse_pct`) compare. Cities without data are NOT_YET.',
  explained: TYPICAL_PAGE,
  statistic: { grain: 'One city now.', method: METHOD },
  params: {},
  returns: listReturn('cities', cityTraffic, {
    sorts: ['id', 'availability', 'load_pct', 'congestion_pct', 'dense_or_worse_pct', 'congestion_index'],
    order: 'availability',
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: FROM,
    lake: [trafficCityHours, trafficSectionHours],
    needs: [],
    isOfAny: true,
    answer: (ask) =>
      Promise.all(
        [...CITIES].map(([id, { name, municipality_code, kind, source }]) => cityNow(ask, { id, name, municipality_code, kind, source })),
      ),
  },
  example: {},
})

const NOTHING: CityNow = Object.freeze(Object.fromEntries(Object.keys(nowFields).map((name) => [name, null]))) as CityNow

/** The current reading of a sensor or section. */
interface Said {
  readonly level_of_service: string | null
  readonly isClosed: boolean
  readonly intensity_veh_h: number | null
  readonly occupancy_pct: number | null
  readonly load_pct: number | null
  readonly observed_at: number
  /** Begin of its period, ms. */
  readonly starts_at: number
}

async function cityNow({ states, optional: extra }: Ask, city: City): Promise<CityTraffic> {
  const { listed, newest, said } = city.kind === 'SECTIONS' ? sectionsOfCity(states, city) : sensorsOfCity(states, city)
  const none = {
    ...city,
    availability: 'NOT_YET',
    ...NOTHING,
    congestion_index: null,
    index_absence: 'NO_DATA',
    typical: null,
    deviation: null,
  }
  if (newest === null) return none
  const now = nowOf(said, listed, city.kind)
  const moment = momentOf(said.length === 0 ? newest : Math.max(...said.map(({ starts_at }) => starts_at)), city.id)
  const hours = await extra(cityProfile, JSON.stringify([city.id, moment.date]))
  const typical = cityTypical(hours, moment, now.sensors_reporting ?? 0)
  const levels = {
    slow_diff_pct: diff(now.slow_pct, typical.slow_pct),
    queues_diff_pct: diff(now.queues_pct, typical.queues_pct),
    congestion_diff_pct: diff(now.congestion_pct, typical.congestion_pct),
  }
  const deviation = typical.absence === null ? { ...deviationOf(now, typical), ...levels } : null
  return { ...city, availability: 'AVAILABLE', ...now, ...indexOf(now, typical), typical, deviation }
}

/** The congestion index, or the reason for its absence. */
function indexOf(
  { dense_or_worse_pct: now }: CityNow,
  { absence, dense_or_worse_pct: usual }: NonNullable<CityTraffic['typical']>,
): Pick<CityTraffic, 'congestion_index' | 'index_absence'> {
  if (now !== null && usual) return { congestion_index: tenth((100 * now) / usual), index_absence: null }
  return { congestion_index: null, index_absence: now === null ? 'NOT_GRADED' : (absence ?? 'NOT_TYPICAL') }
}

/** Data of a city: the size of its catalogue, its last publication (ms; null for never) and its current readings. */
interface OfCity {
  readonly listed: number
  readonly newest: number | null
  readonly said: readonly Said[]
}

function sensorsOfCity([readings, sensors]: Ask['states'], { id, source }: City): OfCity {
  const listed = [...sensorsOf(sensors).values()].filter((one) => one.city === id && one.status === 'ACTIVE').length
  // Includes the catalogue, which may arrive before the first readings.
  const times = [readings, sensors].flatMap(({ parts }) => parts.map(({ data_time }) => data_time))
  const said = readings.rows
    .filter((row) => row.source === source && !row.is_stale && row.quality !== 'ERROR')
    .map((row) => ({
      ...row,
      level_of_service: serviceOf(row.level_of_service),
      isClosed: false,
      starts_at: startOf(trafficReadings, row),
    }))
  return { listed, newest: times.length === 0 ? null : Math.max(...times), said }
}

/** Whether a section has a recent state. */
export const isReporting = ({ is_stale, level, intensity_veh_h }: Ask['states'][2]['rows'][number]): boolean =>
  !is_stale && (level !== 'UNKNOWN' || intensity_veh_h !== null)

function sectionsOfCity([, , states, catalogue]: Ask['states'], { id, source }: City): OfCity {
  const rows = states.rows.filter((row) => row.source === source)
  const said = rows.filter(isReporting).map((row) => ({
    ...{
      ...row,
      level_of_service: row.level === 'CLOSED' ? null : knownLevel(row.level),
      isClosed: row.level === 'CLOSED',
      load_pct: null,
    },
    starts_at: startOf(trafficSectionStates, row),
  }))
  const known = new Set(catalogue.rows.filter((row) => row.city === id && row.status === 'ACTIVE').map((row) => row.section_id))
  // States of sections outside the catalogue count too.
  for (const row of rows) known.add(row.section_id)
  return { listed: known.size, newest: rows.length === 0 ? null : Math.max(...rows.map((row) => row.observed_at)), said }
}

function nowOf(said: readonly Said[], listed: number, kind: string): CityNow {
  const levels = said.flatMap(({ level_of_service }) => level_of_service ?? [])
  const closed = said.filter(({ isClosed }) => isClosed).length
  const shareOf = (...names: readonly string[]): number | null =>
    levels.length === 0 ? null : tenth((100 * levels.filter((one) => names.includes(one)).length) / levels.length)
  return {
    sensors: listed,
    sensors_reporting: said.length,
    sensors_graded: levels.length,
    sensors_closed: kind === 'SECTIONS' ? closed : null,
    coverage: listed === 0 ? null : Math.min(1, Math.round((10_000 * (levels.length + closed)) / listed) / 10_000),
    intensity_veh_h: meanOf(said.map((one) => one.intensity_veh_h)),
    occupancy_pct: meanOf(said.map((one) => one.occupancy_pct)),
    load_pct: meanOf(said.map((one) => one.load_pct)),
    fluid_pct: shareOf('FREE'),
    slow_pct: shareOf('DENSE'),
    queues_pct: shareOf('VERY_DENSE'),
    congestion_pct: shareOf('CONGESTED'),
    dense_or_worse_pct: shareOf('DENSE', 'VERY_DENSE', 'CONGESTED'),
    observed_at: said.length === 0 ? null : Math.max(...said.map((one) => one.observed_at)),
  }
}

function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null)
  return there.length === 0 ? null : tenth(there.reduce((sum, value) => sum + value, 0) / there.length)
}
