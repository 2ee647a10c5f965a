import { ARCHIVE_SOURCE, archiveOf, LIVE_SOURCE, TRAFFIC_SOURCES } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { sumsOfReadings, trafficCityHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import {
  SECTION_CITIES,
  sectionStates,
  sumsOfStates,
  trafficSectionHours,
  trafficSectionStates,
  trafficSectionStatesArchive,
} from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { sql } from '../../../lake/query/sql.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe } from '../../kernel/fields.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { bucketStart } from '../../kernel/reads/buckets.ts'
import { max, meanFromSums, parameter, shareOfReadings, value } from '../../kernel/reads/figures.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesBy } from '../../kernel/reads/series-of.ts'
import { seriesSource } from '../../kernel/reads/series-source.ts'
import { CITIES, cityId, sourceOf } from './cities.ts'
import { followsLive, liveOrArchive, readingFigures, SOURCE_METHOD, trafficSources } from './traffic-steps.ts'

const { columns } = trafficCityHours

const average = (about: string, unit: string, example: number) => maybe.decimal(about, unit, 1, example)
const share = (level: string, example: number) =>
  maybe.decimal(`Share of the readings with a level of service that have ${level}.`, '%', 2, example)

const points = series({
  name: 'CityTrafficPoint',
  about: 'One step of the traffic series of a city; source and period of readings are never mixed in it.',
  example: ['2024-02-25T11:00:00.000Z', '1h'],
  of: { city: field.text('The city.', 'madrid') },
  fields: {
    source: columns.source,
    period_s: columns.period_s,
    sensors: field.integer('Sensors or street sections with a reading, in the hour of the step with most.', '1', 4871),
    readings: columns.readings,
    coverage: field.decimal(
      'Share of the readings expected from this number of sensors or sections over the whole step, 0 to 1.',
      '1',
      6,
      1,
    ),
    intensity_veh_h: average('Vehicles per hour and sensor or section, mean of the readings; null if none are published.', 'veh/h', 90.5),
    occupancy_pct: average('Share of time that sensors were occupied, mean of the readings.', '%', 1.5),
    load_pct: average('Degree of use of the roads, mean of the readings.', '%', 3.2),
    speed_kmh: average('Mean speed of the readings that state one: the M-30 and interurban sensors of Madrid, and Bilbao.', 'km/h', 62.1),
    slow_pct: share('DENSE', 16.67),
    queues_pct: share('VERY_DENSE', 8.33),
    congestion_pct: share('CONGESTED', 0.12),
    closed_pct: maybe.decimal('Share of the states that are CLOSED, which the other shares exclude; null in Madrid.', '%', 2, null),
    dense_or_worse_pct: share('one of the three: the share of the network that is dense or worse', 25.12),
  },
  key: ['source', 'period_s'],
})

/** Sources of live data and of archives, of all cities. */
const SOURCES = [
  ...TRAFFIC_SOURCES,
  ...Object.values(SECTION_CITIES).flatMap(({ source, archive }) => (archive === null ? [source] : [source, archive])),
] as const

const params = {
  ciudad: cityId,
  source: oneOf(
    'Source of the series: the live data, every 5 minutes, or the monthly archive (madrid_archive, barcelona_traffic_archive). By default the live data, or the archive if the period has no live data; never both. A source of another city gives no steps.',
    SOURCES,
    { example: LIVE_SOURCE },
  ),
  time: steps({ '1h': 7, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1h' }),
}
type Asked = { readonly ciudad: string; readonly source: string | null }

/** What the series of sensors and of sections have in common. */
const common = { params, returns: points, at: 'observed_at', where: { source: (p: Asked) => sourceOf(p.ciudad) } } as const
const rollup = {
  step: '1h',
  where: { source: sourcesAsked },
  watermark: { source: (p: Asked) => sourceOf(p.ciudad) },
  follows: followsLive,
} as const

const METHOD =
  'Means of all readings in the step that the publisher does not mark as wrong, each counting once wherever its sensor or section is. Shares of levels as the publisher grades them; in Bilbao computed from the occupancy. Publishers grade differently.'

const sensorSeries = seriesSource({
  ...trafficSources,
  ...common,
  of: trafficReadings,
  from: [trafficReadings, trafficCityHours, trafficReadings15m],
  reads: ({ source }) => [source === ARCHIVE_SOURCE ? trafficReadings15m : trafficReadings, trafficCityHours],
  rollup: {
    ...rollup,
    of: trafficCityHours,
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
    closed_pct: value(null),
    dense_or_worse_pct: meanFromSums(['slow_readings', 'queues_readings', 'congestion_readings'], 'level_readings', { times: 100 }),
  },
})

const sectionSeries = seriesSource({
  ...liveOrArchive(trafficSectionStatesArchive, ({ ciudad }: Asked) => sourceOf(ciudad)),
  ...common,
  of: trafficSectionStates,
  from: [trafficSectionStates, trafficSectionHours, trafficSectionStatesArchive],
  reads: (values) => [followsLive(values) ? trafficSectionStates : trafficSectionStatesArchive, trafficSectionHours],
  rollup: {
    ...rollup,
    of: trafficSectionHours,
    make: (rows, { step }) => sql`
      SELECT ${bucketStart(sql`observed_at`, step)} AS period_start, source, period_s, ${sumsOfStates}
      FROM (${sectionStates(rows)})
      GROUP BY ALL`,
  },
  fields: {
    ...readingFigures,
    load_pct: value(null),
    city: parameter('ciudad'),
    sensors: max('sections'),
    coverage: shareOfReadings({ count: 'readings', each_s: 'period_s', things: 'sections' }),
    slow_pct: meanFromSums('dense_readings', 'level_readings', { times: 100 }),
    queues_pct: meanFromSums('very_dense_readings', 'level_readings', { times: 100 }),
    congestion_pct: meanFromSums('congested_readings', 'level_readings', { times: 100 }),
    closed_pct: meanFromSums('closed_readings', 'readings', { times: 100 }),
    dense_or_worse_pct: meanFromSums(['dense_readings', 'very_dense_readings', 'congested_readings'], 'level_readings', { times: 100 }),
  },
})

/** Congestion of a city over time. */
export const cityHistory = defineEndpoint({
  path: '/api/trafico/ciudades/{ciudad}/historico',
  plan: 'PRO',
  summary: 'Congestion series of a city',
  summary_es: 'Serie de la congestión de una ciudad',
  about: `Nothing is interpolated: a step without readings is absent. Across cities compare \`dense_or_worse_pct\`, the share of the network that is dense or worse. ${SOURCE_METHOD}`,
  statistic: { grain: 'One city in one step, by source and period of the readings, which are never summed together.', method: METHOD },
  params,
  returns: points,
  read: seriesBy({
    params,
    returns: points,
    by: ({ ciudad }) => CITIES.get(ciudad)?.kind ?? 'SENSORS',
    sources: { SENSORS: sensorSeries, SECTIONS: sectionSeries },
    from: [
      ...[trafficReadings, trafficCityHours, trafficReadings15m],
      ...[trafficSectionStates, trafficSectionHours, trafficSectionStatesArchive],
    ],
    begins: [trafficReadings, trafficCityHours, trafficSectionStates, trafficSectionHours],
    subject: { of: trafficSensors, isKnown: ({ ciudad }) => CITIES.has(ciudad) },
  }),
  example: { ciudad: 'madrid', from: dayFromToday(-1, '2024-02-25'), to: dayFromToday(1, '2024-02-26') },
})

/** The requested sources of a city. */
function sourcesAsked({ ciudad, source }: Asked): string[] {
  const live = sourceOf(ciudad)
  const sources = [live, archiveOf(live)].filter((one) => one !== null)
  return source === null ? sources : sources.filter((one) => one === source)
}
