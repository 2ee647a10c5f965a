import { trafficCountStations } from '../../../lake/datasets/road/traffic-count-stations.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts-hourly.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { trafficTypicalWeeks } from '../../../lake/datasets/road/traffic-typical-weeks.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { LEAST_DAYS } from '../../../models/traffic/fit.ts'
import type { MemoryAsk } from '../../define/endpoint.ts'
import { noDataYet } from '../../define/no-data.ts'
import { type Problem, problem, Refused } from '../../define/problems.ts'
import { valuesSlice } from '../../define/slice.ts'
import { nearest } from '../../define/suggest.ts'
import type { SeriesKind } from './forecast-views.ts'

/** A fit may come any night, but not within minutes. */
const RETRY_S = 3600

/** Where ids are of: what they are of, the parameter and the path that lists them, and those that there are. */
const LISTED = {
  SENSOR: {
    what: 'the id of a traffic sensor',
    parameter: 'sensor',
    path: '/api/trafico/sensores',
    ids: valuesSlice({ name: 'ids of traffic sensors', dataset: trafficSensors, column: 'sensor_id' }),
  },
  COUNT_STATION: {
    what: 'the id of a count station',
    parameter: 'station',
    path: '/api/movilidad/estaciones',
    ids: valuesSlice({ name: 'ids of count stations', dataset: trafficCountStations, column: 'station_id' }),
  },
} as const

/** The problem that all forecasts are of hours that are over: the data that they rest on are late, or come by archive alone. */
export function noneAhead(all: readonly { readonly starts_at: number | null }[]): Problem {
  const newest = isoInstant(Math.max(...new Set(all.map(({ starts_at }) => starts_at as number))))
  return problem(
    'feed-unavailable',
    `There is no forecast of an hour to come: the newest is of ${newest}. sensor, station or corridor ask for those of one series, over or not.`,
    { retry_after_s: RETRY_S },
  )
}

/** The datasets that views are made of. */
const MISSING = { forecast: [trafficForecasts], heatmap: [trafficTypicalWeeks], comparison: [trafficHours, trafficCountsHourly] } as const

/** What there is nothing of in a view of a series, and what it waits for. */
const WITHOUT = {
  forecast: () => ['There is no forecast of it', 'more hours of it than were measured in the weeks that forecasts look at'],
  heatmap: () => ['Nothing is known to be usual of it', 'hours of it in a month that is over'],
  comparison: (kind: SeriesKind) =>
    kind === 'SENSOR'
      ? ['There is nothing to compare', 'an hour of it in the last 24 hours that was measured for half of it']
      : ['There is nothing to compare', 'the first hour of it'],
} as const satisfies Record<string, (kind: SeriesKind) => readonly [what: string, step: string]>

/**
 * What is answered of a series of which nothing was found: the refusal of an id that nothing has; that no model stands yet, where there are no
 * forecasts (`of`) at all of what its model makes; else why there is none of it. An empty list would say that there is nothing to expect.
 */
export async function noneOf(
  { extra }: Pick<MemoryAsk<readonly []>, 'extra'>,
  {
    kind,
    id,
    view,
    of = [],
  }: {
    readonly kind: SeriesKind
    readonly id: string
    readonly view: keyof typeof WITHOUT
    readonly of?: readonly { readonly series_kind: SeriesKind }[]
  },
): Promise<never> {
  if (id !== '' && kind !== 'CORRIDOR') {
    const { what, parameter, path, ids } = LISTED[kind as 'SENSOR' | 'COUNT_STATION']
    const known = await extra(ids, '')
    // What cannot be read now refuses nothing.
    if (known?.size && !known.has(id))
      throw new Refused(`expected ${what}, as ${path} lists them`, { parameter, value: id, near: () => nearest(id, known) })
  }
  const isOfCounts = kind === 'COUNT_STATION'
  const stands = of.some(({ series_kind }) => (series_kind === 'COUNT_STATION') === isOfCounts)
  if (view !== 'forecast' || (id !== '' && stands)) {
    const [what, step] = WITHOUT[view](kind)
    throw noDataYet(`${id}: ${what}`, { missing: MISSING[view], waits_for: [step], retry_after_s: RETRY_S })
  }
  const model = isOfCounts ? 'traffic_counts' : 'traffic'
  const [whose, data] = isOfCounts ? ['count stations', 'counts'] : ['live sensors and corridors', 'live readings']
  const [what, step] =
    id === ''
      ? ['There are no forecasts yet', `${LEAST_DAYS} days of counts, or of live readings`]
      : [`There are no forecasts of ${whose} yet`, `${LEAST_DAYS} days of ${data}`]
  throw noDataYet(`${what} (/api/prediccion/modelos${id === '' ? '' : `?model=${model}`})`, {
    missing: MISSING.forecast,
    waits_for: [`${step}, which a model needs before it is fitted`],
    retry_after_s: RETRY_S,
  })
}
