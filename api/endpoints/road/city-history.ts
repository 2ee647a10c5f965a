import { ARCHIVE_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficCityHours } from '../../../lake/datasets/road/traffic-city-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings-15m.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { sumsOfReadings } from '../../../lake/datasets/road/traffic-sums.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { bucketStart } from '../../define/buckets.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { max, meanFromSums, parameter, shareOfReadings } from '../../define/figures.ts'
import { series, steps } from '../../define/series.ts'
import { seriesOf } from '../../define/series-of.ts'
import { CITIES, cityId, sourceOf } from './cities.ts'
import { followsLive, readingFigures, SOURCE_METHOD, sourceParam, trafficSources } from './traffic-steps.ts'

const { columns } = trafficCityHours

const average = (about: string, unit: string, example: number) => col.decimal(0, about, { scale: 1, unit, nullable: true, example })
const share = (level: string, example: number) =>
  col.decimal(0, `Share of the readings with a level of service that have ${level}.`, { scale: 2, unit: '%', nullable: true, example })

const points = series({
  name: 'CityTrafficPoint',
  about: 'One step of the series of the traffic of a city; source and period of readings are never mixed in it.',
  example: ['2024-02-25T11:00:00.000Z', '1h'],
  of: { city: col.string(0, 'The city.', { example: 'madrid' }) },
  fields: {
    source: columns.source,
    period_s: columns.period_s,
    sensors: col.integer(0, 'Sensors with a reading, in the hour of the step that has most.', { unit: '1', example: 4871 }),
    readings: columns.readings,
    coverage: col.decimal(0, 'Share of the readings that so many sensors give in the whole step that are there, 0 to 1.', {
      scale: 6,
      unit: '1',
      example: 1,
    }),
    intensity_veh_h: average('Vehicles per hour and sensor, the mean of the readings.', 'veh/h', 90.5),
    occupancy_pct: average('Share of time that sensors were occupied, the mean of the readings.', '%', 1.5),
    load_pct: average('Degree of use of the roads, the mean of the readings.', '%', 3.2),
    speed_kmh: average('Mean speed of the readings with one: M-30 and interurban sensors only.', 'km/h', 62.1),
    slow_pct: share('SLOW', 16.67),
    queues_pct: share('QUEUES', 8.33),
    congestion_pct: share('CONGESTION', 0.12),
  },
  key: ['source', 'period_s'],
})

const params = {
  ciudad: cityId,
  source: sourceParam,
  time: steps({ '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1h' }),
}

const METHOD =
  'Means of all readings of all sensors in the step that the publisher does not call wrong, each reading counting once, wherever its sensor stands; shares of levels of service as the publisher grades them.'

/** How congested a city was. */
export const cityHistory = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}/historico',
  domain: 'road',
  plan: 'PRO',
  summary: 'Series of the congestion of a city',
  about: `Nothing is interpolated: a step without readings is absent. A city whose traffic centre is not read yet is refused. ${METHOD} ${SOURCE_METHOD}`,
  figure: { grain: 'One city in one step, by source and period of the readings, which are never summed together.', method: METHOD },
  params,
  returns: points,
  read: seriesOf({
    ...trafficSources,
    params,
    returns: points,
    of: trafficReadings,
    at: 'observed_at',
    where: { source: (p) => sourceOf(p.ciudad) },
    from: [trafficReadings, trafficCityHours, trafficReadings15m],
    reads: ({ source }) => [source === ARCHIVE_SOURCE ? trafficReadings15m : trafficReadings, trafficCityHours],
    begins: [trafficReadings, trafficCityHours],
    rollup: {
      of: trafficCityHours,
      step: '1h',
      where: { source: sourcesAsked },
      watermark: { source: (p) => sourceOf(p.ciudad) },
      follows: followsLive,
      make: (rows, { step }) => sql`
        SELECT ${bucketStart(sql`observed_at`, step)} AS period_start, source, period_s,
          count(DISTINCT sensor_id) FILTER (WHERE quality <> 'ERROR') AS sensors, ${sumsOfReadings}
        FROM ${rows}
        GROUP BY ALL`,
    },
    fields: {
      ...readingFigures,
      city: parameter('ciudad'),
      sensors: max('sensors'),
      coverage: shareOfReadings({ count: 'readings', each_s: 'period_s', things: 'sensors' }),
      slow_pct: meanFromSums('slow_readings', 'level_readings', { times: 100 }),
      queues_pct: meanFromSums('queues_readings', 'level_readings', { times: 100 }),
      congestion_pct: meanFromSums('congestion_readings', 'level_readings', { times: 100 }),
    },
    subject: { of: trafficSensors, isKnown: ({ ciudad }) => CITIES.has(ciudad) },
  }),
  example: { ciudad: 'madrid', from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(1, '2024-02-26') },
})

/** The sources of a city's readings that are asked for. */
function sourcesAsked({ ciudad, source }: { readonly ciudad: string; readonly source: string | null }): string[] {
  const live = sourceOf(ciudad)
  const sources = live === LIVE_SOURCE ? [LIVE_SOURCE, ARCHIVE_SOURCE] : [live]
  return source === null ? sources : sources.filter((one) => one === source)
}
