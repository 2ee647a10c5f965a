import { corridorHours } from '../../../lake/datasets/mobility/corridors.ts'
import { TYPICAL_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import { DETECTOR_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficCountStations, trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours, trafficTypicalWeeks } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { detectorCorridors, sensorCorridors } from '../../../lake/places/corridors.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { liveModel } from '../../../models/traffic/live-models.ts'
import { defineEndpoint, keyedList, type MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, nulls, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { group, listOf, oneOf, textParam, withDefault } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { memo } from '../../kernel/reads/memo.ts'
import {
  type ComparedHour,
  comparedDays,
  heatmaps,
  measuredHours,
  noneAhead,
  noneOf,
  type SeriesKind,
  trafficForecastRows,
} from './forecast-views.ts'
import { ABOUT_TYPICAL, deviationFields, deviationOf, momentOf, sensorProfile, typicalAt } from './typical.ts'

const { columns } = trafficForecasts
const HOUR_MS = 3_600_000
const VIEWS = ['forecast', 'heatmap', 'comparison'] as const
const HORIZONS = ['PT1H', 'PT2H', 'PT3H', 'PT4H'] as const

const veh = (about: string, example: number) => field.decimal(about, 'veh/h', 1, example)
const only = (view: string): string => `Only with view=${view}.`

const fields = {
  series_kind: meaning(columns.series_kind, 'Kind of series.'),
  series_id: columns.series_id,
  direction: columns.direction,
  source: field.text('Source of the counts or readings behind it; series of different sources are never mixed.', LIVE_SOURCE),
  period: field.text('Interval of those counts or readings, as an ISO 8601 duration.', 'PT1H'),
  unit: field.text('Unit of intensities, interval ends and baseline.', 'veh/h'),
  starts_at: optional(columns.starts_at, 'Begin of the hour. Not with view=heatmap.'),
  weekday_iso: optional(trafficTypicalWeeks.columns.weekday_iso, `Day of the week, 1 for Monday. ${only('heatmap')}`),
  hour_local: columns.hour_local,
  intensity_veh_h: meaning(
    columns.intensity_veh_h,
    'Vehicles per hour: expected (forecast; null without a number, see `reason`), the median of the hours (heatmap), or measured (comparison).',
  ),
  interval: nested.maybe(
    'Prediction interval, from past errors of the model; it always contains the forecast number. Null without a number. Only with view=forecast.',
    { level: columns.interval_level, low: veh('Lower end.', 371.2), high: veh('Upper end.', 460.3) },
  ),
  baseline: meaning(
    columns.baseline,
    'Typical value of the hour and kind of day. With view=forecast, as in the model: a mean of the last ten weeks with more weight for similar and recent days. With view=comparison, the median described in `meta.method`. Null without one. Not with view=heatmap.',
  ),
  intensity_p10_veh_h: maybe.decimal(
    'Vehicles per hour that a tenth of the hours do not exceed. Not with view=forecast.',
    'veh/h',
    1,
    null,
  ),
  intensity_p90_veh_h: maybe.decimal(
    'Vehicles per hour that nine tenths of the hours do not exceed. Not with view=forecast.',
    'veh/h',
    1,
    null,
  ),
  hours: maybe.integer('Hours behind the median, tenths or typical value. Not with view=forecast.', '1', null),
  month: optional(trafficTypicalWeeks.columns.month, `Month of these hours in Madrid. ${only('heatmap')}`),
  intensity_diff_veh_h: deviationFields.intensity_diff_veh_h,
  intensity_diff_pct: deviationFields.intensity_diff_pct,
  absence: maybe.code(`Why there is no typical value. ${only('comparison')}`, TYPICAL_ABSENCES, null),
  horizon: optional(columns.horizon, `Time from the newest data to the end of the hour. ${only('forecast')}`),
  ...pick(columns, 'forecast_kind', 'recent_error', 'reason'),
  is_over: maybe.boolean(
    `True if the hour has already ended, because the newest data of the series is older, as in archives. ${only('forecast')}`,
    null,
  ),
  made_at: optional(columns.made_at, `End of the newest hour of its input data. ${only('forecast')}`),
  model: optional(columns.model, `Model of the forecast. ${only('forecast')}`),
  model_version: optional(columns.model_version, `Version of the model. ${only('forecast')}`),
} as const

const OF_FORECASTS = ['interval', 'horizon', 'forecast_kind', 'recent_error', 'reason', 'is_over', 'made_at', 'model', 'model_version']
const OF_COMPARISONS = ['intensity_diff_veh_h', 'intensity_diff_pct', 'absence']
/** Fields outside a view. */
const OMITTED: Readonly<Record<(typeof VIEWS)[number], readonly string[]>> = {
  forecast: ['weekday_iso', 'intensity_p10_veh_h', 'intensity_p90_veh_h', 'hours', 'month', ...OF_COMPARISONS],
  heatmap: ['starts_at', 'baseline', ...OF_FORECASTS, ...OF_COMPARISONS],
  comparison: ['weekday_iso', 'month', ...OF_FORECASTS],
}

const forecast = record('TrafficForecast', 'The traffic of a series in an hour: expected, usual or measured.', fields, {
  sometimes: [...new Set(Object.values(OMITTED).flat())],
})
type Forecast = ValueOf<typeof fields>

/** The request by `view`. Parameters of the other views are rejected, because they would have no effect. */
const asked = group(
  {
    view: withDefault(
      oneOf(
        'Kind of reply: forecast is the expected traffic of the next hours; heatmap the usual traffic at each hour of the week; comparison the latest measurements against typical values.',
        VIEWS,
        { example: 'forecast' },
      ),
      'forecast',
    ),
    sensor: textParam("The publisher's id of a traffic sensor.", { max: 40, example: '3840' }),
    station: textParam('Id of a count station.', { max: 40, example: 'ES01' }),
    corridor: oneOf(
      'A corridor of city sensors, or an access road with detectors.',
      [...sensorCorridors(), ...detectorCorridors()].map(({ id }) => id),
    ),
    source: oneOf('Only series of this source; only for view=forecast without a series.', [LIVE_SOURCE, DETECTOR_SOURCE], {
      example: DETECTOR_SOURCE,
    }),
    horizon: listOf(oneOf('Time from the newest data to the end of the hour.', HORIZONS, { example: 'PT1H' })),
    at: instantParam('Instant in the requested hour; only for view=forecast.', '2026-01-02T19:00:00Z'),
  },
  (values) => {
    const { view, sensor, station, corridor, source, horizon, at } = values
    const named = Object.entries({ sensor, station, corridor }).filter(([, value]) => value !== null)
    const [, second] = named
    if (second)
      throw new InvalidParam('expected only one of sensor, station and corridor', { parameter: second[0], value: String(second[1]) })
    if (source !== null && (view !== 'forecast' || named.length > 0))
      throw new InvalidParam('expected only with view=forecast, and without sensor, station and corridor', {
        parameter: 'source',
        value: source,
      })
    if (view === 'forecast') return values
    if (horizon !== null) throw new InvalidParam('expected only with view=forecast', { parameter: 'horizon', value: horizon.join() })
    if (at !== null) throw new InvalidParam('expected only with view=forecast', { parameter: 'at' })
    if (named.length === 0) throw new InvalidParam('expected only with sensor, station or corridor', { parameter: 'view', value: view })
    return values
  },
)

const METHOD =
  'forecast: ridge regressions of the log ratio of vehicles to the typical value, one per hour of the clock, horizon and day-off state; intervals from earlier errors. Its typical value (`baseline`) is the geometric mean of the last ten weeks, with more weight for similar and recent days. `/api/prediccion/modelos` has the errors. ' +
  'heatmap: median and tenths of the hours of the newest complete month, by day of the week and clock hour. ' +
  `comparison: the newest hour of a sensor, or the newest day of a count station or corridor, minus the typical value. Typical values outside forecasts: ${ABOUT_TYPICAL}`

const EXPLAINED = defineMethodPage('traffic-forecasts', new URL('../../../models/traffic/method.md', import.meta.url))

/** Traffic forecasts, usual traffic, and deviations of measured traffic. */
export const trafficForecastList = defineEndpoint({
  path: '/api/trafico/prediccion',
  plan: 'PRO',
  summary: 'Traffic forecasts for four hours, usual traffic, and deviations from typical',
  summary_es: 'Predicción del tráfico a cuatro horas, tráfico habitual y comparación',
  about:
    'Horizons count from the newest data (`made_at`). Counts arrive monthly, so their hours may be long past (`is_over`); a list of all series has future hours only. A series with too little data has records without a number; `reason` says why. ' +
    'Before the first fit the reply is 404 `no-data-yet`. The views heatmap and comparison require one series. Each view has its own members.',
  explained: EXPLAINED,
  statistic: {
    grain:
      'One hour of a sensor, of a direction of a count station, or of a corridor (the mean of its sensors; of an access road, of its carriageways, each the sum of its lanes).',
    method: METHOD,
  },
  params: { asked },
  returns: keyedList('forecasts', forecast, ['starts_at', 'weekday_iso', 'hour_local', 'series_kind', 'series_id', 'direction'], {
    sorts: ['starts_at', 'series_id', 'intensity_veh_h'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [
      ...[trafficForecasts, trafficTypicalWeeks, trafficHours, trafficReadings, corridorHours, trafficCountsHourly],
      ...[trafficSensors, trafficCountStations],
    ],
    needs: [trafficForecasts],
    clockGranularity_s: 3600,
    omit: { by: 'view', fields: ({ asked }) => OMITTED[asked.view] },
    answer: async (ask, { asked: { view, horizon, at, source, ...named } }, now) => {
      const [kind, id] = seriesOf(named)
      if (view !== 'forecast') {
        const found = await (view === 'heatmap'
          ? heatmapOf(ask, kind, id, now)
          : kind === 'SENSOR'
            ? sensorNow(ask, id, now)
            : dayOf(ask, kind, id, now))
        return found.length > 0 ? found : noneOf(ask, { kind, id, view, source })
      }
      const published = publishedOf(await ask.cached(trafficForecastRows, ''), now)
      const ofSource = (rows: readonly Forecast[]): readonly Forecast[] =>
        source === null ? rows : rows.filter((row) => row.source === source)
      const [all, ahead, bySeries] = [ofSource(published.all), ofSource(published.ahead), published.bySeries]
      const found = id === '' ? all : (bySeries.get(`${kind} ${id}`) ?? [])
      if (found.length === 0) return noneOf(ask, { kind, id, view, source, of: all })
      const wanted = id === '' && at === null ? ahead : at === null ? found : inHour(found, at)
      if (wanted.length === 0) throw noneAhead(all)
      const ofHorizon = (rows: readonly Forecast[]): readonly Forecast[] =>
        horizon === null ? rows : rows.filter((row) => (horizon as readonly string[]).includes(row.horizon as string))
      const records = ofHorizon(wanted)
      if (records.length === 0) {
        const past = at === null ? ofHorizon(all) : []
        throw past.length > 0 ? noneAhead(past) : otherHorizons(wanted, { value: String(horizon), at })
      }
      return { records, counts: {}, isLacking: wanted.every(({ is_over }) => is_over) }
    },
  },
  example: { view: 'comparison', station: 'ES01' },
})

type Ask = Pick<MemoryAsk<readonly []>, 'cached'>
type ForecastRow = Row<typeof trafficForecasts>

/** The one requested series; an empty id without one. */
function seriesOf(named: {
  readonly sensor: string | null
  readonly station: string | null
  readonly corridor: string | null
}): [SeriesKind, string] {
  if (named.corridor !== null) return ['CORRIDOR', named.corridor]
  return named.station === null ? ['SENSOR', named.sensor ?? ''] : ['COUNT_STATION', named.station]
}

const NOTHING = { ...nulls(fields), period: 'PT1H', unit: 'veh/h' } as const

function forecastOf(row: ForecastRow, now: number): Forecast {
  const { interval_level: level, interval_low: low, interval_high: high, series: _series, ...rest } = row
  const interval = low === null || high === null ? null : { level, low, high }
  return { ...NOTHING, source: liveModel(row.model)?.source ?? LIVE_SOURCE, ...rest, interval, is_over: row.starts_at + HOUR_MS <= now }
}

interface PublishedForecasts {
  readonly all: readonly Forecast[]
  /** Those of future hours. */
  readonly ahead: readonly Forecast[]
  readonly bySeries: ReadonlyMap<string, readonly Forecast[]>
}

/**
 * All forecasts as replies show them, and by series: computed once an hour per state of the lake, as thousands of sensors have
 * four each.
 */
const publishedOf = memo((rows: readonly ForecastRow[], now: number): PublishedForecasts => {
  const all = rows.map((row) => forecastOf(row, now))
  const ahead = all.filter(({ is_over }) => !is_over)
  return { all, ahead, bySeries: Map.groupBy(all, ({ series_kind, series_id }) => `${series_kind} ${series_id}`) }
})

/** The forecasts of the hour of an instant (ms). Throws `InvalidParam` with the available hours if there are none. */
function inHour(rows: readonly Forecast[], at: number): readonly Forecast[] {
  const found = rows.filter(({ starts_at }) => (starts_at as number) <= at && at < (starts_at as number) + HOUR_MS)
  if (found.length > 0) return found
  const hours = new Set(rows.map(({ starts_at }) => starts_at as number))
  const [first, end] = [isoInstant(Math.min(...hours)), isoInstant(Math.max(...hours) + HOUR_MS)]
  throw new InvalidParam(`expected an instant in an hour with a forecast: from ${first} to before ${end}`, {
    ...{ parameter: 'at', value: isoInstant(at) },
  })
}

/** The error for horizons without a forecast of the hour, with the available ones. */
function otherHorizons(rows: readonly Forecast[], { value, at }: { readonly value: string; readonly at: number | null }): InvalidParam {
  const allowed = [...new Set(rows.map(({ horizon }) => horizon as string))].sort()
  return new InvalidParam(
    `expected ${allowed.join(' or ')}, the horizons with a forecast of ${at === null ? 'future hours' : 'the hour of `at`'}`,
    {
      parameter: 'horizon',
      value,
      allowed,
    },
  )
}

async function heatmapOf({ cached: slice }: Ask, series_kind: SeriesKind, series_id: string, now: number): Promise<Forecast[]> {
  const hours = await slice(heatmaps, JSON.stringify([series_kind, series_id, madridDate(now).slice(0, 7)]))
  return hours.map(({ period_s: _period, ...hour }) => ({ ...NOTHING, series_kind, series_id, ...hour }))
}

async function dayOf({ cached: slice }: Ask, series_kind: SeriesKind, series_id: string, now: number): Promise<Forecast[]> {
  const hours = await slice(comparedDays, JSON.stringify([series_kind, series_id, madridDate(now, 1)]))
  return hours.map(({ period_s: _period, weeks: _weeks, ...hour }) => ({
    ...{ ...NOTHING, series_kind, series_id, ...hour, ...deviation(hour.intensity_veh_h, hour.baseline) },
    absence: hour.baseline === null ? 'FEW_WEEKS' : null,
  }))
}

async function sensorNow({ cached: slice }: Ask, id: string, now: number): Promise<Forecast[]> {
  const begun = Math.floor(now / HOUR_MS) * HOUR_MS
  const [last] = await slice(measuredHours, JSON.stringify([id, begun]))
  if (!last) return []
  const moment = momentOf(last.starts_at)
  const typical = typicalAt(await slice(sensorProfile, JSON.stringify([last.source, id, moment.date])), moment)
  const { intensity_veh_h: baseline, intensity_p10_veh_h, intensity_p90_veh_h, hours, hour_local, absence } = typical
  const { source, starts_at, intensity_veh_h } = last
  return [
    {
      ...{ ...NOTHING, series_kind: 'SENSOR', series_id: id, direction: null, source, starts_at, hour_local, intensity_veh_h, baseline },
      ...{ intensity_p10_veh_h, intensity_p90_veh_h, hours, absence, ...deviation(intensity_veh_h, baseline) },
    },
  ]
}

function deviation(
  measured: ComparedHour['intensity_veh_h'],
  typical: ComparedHour['baseline'],
): Pick<Forecast, 'intensity_diff_veh_h' | 'intensity_diff_pct'> {
  const none = { occupancy_pct: null, load_pct: null }
  const { intensity_diff_veh_h, intensity_diff_pct } = deviationOf(
    { intensity_veh_h: measured, ...none },
    { intensity_veh_h: typical, ...none },
  )
  return { intensity_diff_veh_h, intensity_diff_pct }
}
