import { DETECTOR_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficCountStations } from '../../../lake/datasets/road/traffic-count-stations.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts-hourly.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { trafficTypicalWeeks } from '../../../lake/datasets/road/traffic-typical-weeks.ts'
import { detectorCorridors } from '../../../lake/places/corridors.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { LEAST_DAYS, LEAST_TYPICAL_DAYS } from '../../../models/traffic/fit.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { InvalidParam, type Problem, problem } from '../../kernel/problems.ts'
import { distinctValues } from '../../kernel/reads/cached-query.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import type { SeriesKind } from './forecast-views.ts'

/** By kind of id: what it identifies, the parameter and path that list it, and the existing ids. */
const LISTED = {
  SENSOR: {
    what: 'the id of a traffic sensor',
    parameter: 'sensor',
    path: '/api/trafico/sensores',
    ids: distinctValues({ name: 'ids of traffic sensors', dataset: trafficSensors, column: 'sensor_id' }),
  },
  COUNT_STATION: {
    what: 'the id of a count station',
    parameter: 'station',
    path: '/api/movilidad/estaciones',
    ids: distinctValues({ name: 'ids of count stations', dataset: trafficCountStations, column: 'station_id' }),
  },
} as const

const detectorIds = distinctValues({
  ...{ name: 'ids of traffic detectors', dataset: trafficSensors, column: 'sensor_id' },
  filter: { source: { eq: DETECTOR_SOURCE } },
})

/** What the models forecast, and what each waits for before it has any forecast. */
const MODELS = {
  traffic_counts: { of: 'count stations', step: `${LEAST_DAYS} days of counts, which a model needs for its first fit` },
  traffic: { of: 'live sensors and corridors', step: `${LEAST_DAYS} days of live readings, which a model needs for its first fit` },
  traffic_detectors: {
    of: 'detectors and access roads',
    step: `${LEAST_TYPICAL_DAYS} days of readings of detectors on the road, after which typical values are served; a model needs ${LEAST_DAYS} for its first fit, and DGT publishes no archive`,
  },
} as const

/** The problem that all forecasts are for past hours: their input data is late, or only arrives as an archive. */
export function noneAhead(all: readonly { readonly starts_at: number | null }[]): Problem {
  const newest = isoInstant(Math.max(...new Set(all.map(({ starts_at }) => starts_at as number))))
  return problem(
    'feed-unavailable',
    `There is no forecast of a future hour: the newest is of ${newest}. sensor, station or corridor return those of one series, past or future.`,
  )
}

/** Source datasets of the views. */
const MISSING = { forecast: [trafficForecasts], heatmap: [trafficTypicalWeeks], comparison: [trafficHours, trafficCountsHourly] } as const

/** By view: the missing result of a series, and the data that it waits for. */
const WITHOUT = {
  forecast: () => ['It has no forecast', 'more hours of it than were measured in the weeks that forecasts look at'],
  heatmap: () => ['It has no usual values', 'hours of it in a month that is over'],
  comparison: (kind: SeriesKind) =>
    kind === 'SENSOR'
      ? ['There is nothing to compare', 'an hour in the last 24 hours that is at least half measured']
      : ['There is nothing to compare', 'the first hour of it'],
} as const satisfies Record<string, (kind: SeriesKind) => readonly [what: string, step: string]>

/**
 * Explains why a series has no forecasts: the id is unknown, no model is published yet (no forecasts of its kind, `of`, at
 * all), or another reason. An empty list would mean that no traffic is expected.
 */
export async function noneOf(
  { optional: extra }: Pick<MemoryAsk<readonly []>, 'optional'>,
  {
    kind,
    id,
    view,
    source = null,
    of = [],
  }: {
    readonly kind: SeriesKind
    readonly id: string
    readonly view: keyof typeof WITHOUT
    /** Source that a list is limited to. */
    readonly source?: string | null
    readonly of?: readonly { readonly model: string | null }[]
  },
): Promise<never> {
  if (id !== '' && kind !== 'CORRIDOR') {
    const { what, parameter, path, ids } = LISTED[kind as 'SENSOR' | 'COUNT_STATION']
    const known = await extra(ids, '')
    // Data that cannot be read now does not reject an id.
    if (known?.size && !known.has(id))
      throw new InvalidParam(`expected ${what}, as ${path} lists them`, { parameter, value: id, near: () => nearest(id, known) })
  }
  const isDetector =
    source === DETECTOR_SOURCE ||
    (kind === 'CORRIDOR' && detectorCorridors().some((one) => one.id === id && one.basis.source === DETECTOR_SOURCE)) ||
    (kind === 'SENSOR' && id !== '' && (await extra(detectorIds, ''))?.has(id) === true)
  const model = kind === 'COUNT_STATION' ? 'traffic_counts' : isDetector ? LIVE_MODELS.traffic_detectors.id : LIVE_MODELS.traffic.id
  const stands = of.some((one) => one.model === model)
  if (view !== 'forecast' || (id !== '' && stands)) {
    const [what, step] = WITHOUT[view](kind)
    throw noDataYet(`${id}: ${what}`, { missing: MISSING[view], waits_for: [step] })
  }
  const isAny = id === '' && source === null
  const what = isAny ? 'There are no forecasts yet' : `There are no forecasts of ${MODELS[model].of} yet`
  const step = isAny ? `${LEAST_DAYS} days of counts, or of live readings, which a model needs for its first fit` : MODELS[model].step
  throw noDataYet(`${what} (/api/prediccion/modelos${isAny ? '' : `?model=${model}`})`, {
    missing: MISSING.forecast,
    waits_for: [step],
  })
}
