import { col, orNull } from '../../schema/columns.ts'
import { roadDataset } from '../domains.ts'
import { FORECAST_KINDS } from '../service/codes.ts'
import { COUNT_DIRECTIONS, FORECAST_ABSENCES, TRAFFIC_SERIES } from './codes.ts'
import { dgt, madrid } from './sources.ts'

const error = (id: number, about: string, example: number) => col.float(id, about, { unit: '1', example })

/**
 * The current version of each traffic model, and what is served at each horizon: one row per horizon. Each model is a version.
 */
export const trafficModels = roadDataset({
  id: 'traffic_models',
  title: 'Current traffic models',
  about: 'The current version of each traffic model, and for each horizon whether it or its baseline is served, with their errors.',
  sources: [madrid, dgt],
  columns: {
    model: col.string(1, 'Model.', { example: 'traffic_counts' }),
    model_version: col.string(2, 'Version that stands.', { example: 'r1-20230831-4be1c0d2' }),
    made_at: col.instant(3, 'End of the data of its newest evaluation.', { example: '2023-08-31T22:00:00.000Z' }),
    horizon: col.string(4, 'How far ahead, as an ISO 8601 duration.', { example: 'PT1H' }),
    forecast_kind: col.code(5, 'What is served.', FORECAST_KINDS, { example: 'MODEL' }),
    recent_error: error(6, 'Sum of absolute errors of served forecasts divided by the sum of vehicles, in the last scored window.', 0.068),
  },
  entity: ['model', 'horizon'],
  time: 'made_at',
  version: 'model',
  order: ['horizon'],
})

const intensity = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, unit: 'veh/h', nullable: true, example, min: 0 })

/** Traffic forecasts from currently known data. Each model is a version, which each of its runs replaces. */
export const trafficForecasts = roadDataset({
  id: 'traffic_forecasts',
  title: 'Forecasts of traffic',
  about:
    'Vehicles per hour of each series in the hours after the newest data, one to four hours ahead, with intervals: for live sensors, detectors and corridors after each hour, for count stations when new counts arrive. If there is too little data, the row has a reason instead of a number.',
  sources: [madrid, dgt],
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'traffic_counts' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20230831-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest hour of data used.', { example: '2023-08-31T22:00:00.000Z' }),
    series_kind: col.code(4, 'Kind of series.', TRAFFIC_SERIES, { example: 'COUNT_STATION' }),
    series: col.string(5, 'Key of the series within its kind: the id, and the direction of a count station.', {
      example: 'ES01/1',
    }),
    series_id: col.string(6, 'Id of the sensor, count station or corridor.', { example: 'ES01' }),
    direction: col.code(7, 'Direction of a count station; null for other series.', COUNT_DIRECTIONS, orNull('1')),
    horizon: col.string(8, 'Time from the newest data to the end of the hour, as an ISO 8601 duration.', { example: 'PT1H' }),
    starts_at: col.instant(9, 'Begin of the hour.', { example: '2023-08-31T22:00:00.000Z' }),
    hour_local: col.integer(10, 'Hour by the clock of Madrid.', { unit: 'h', example: 0, min: 0, max: 23 }),
    intensity_veh_h: intensity(11, 'Expected vehicles in the hour; null if there is no number, see `reason`.', 412.5),
    interval_level: col.decimal(12, 'Share of outcomes that the interval should contain.', { scale: 2, unit: '1', example: 0.8 }),
    interval_low: intensity(
      13,
      'Lower end of the interval, from errors of the previous model. If the baseline is served, the interval also contains it. Null if there is no number.',
      371.2,
    ),
    interval_high: intensity(14, 'Upper end of the interval.', 460.3),
    baseline: intensity(15, 'Typical value for the hour and kind of day; null if there is none.', 401.7),
    forecast_kind: col.code(16, "Whether the number is the model's or the baseline.", FORECAST_KINDS, orNull('MODEL')),
    recent_error: col.float(
      17,
      'Sum of absolute errors divided by the sum of vehicles, for served forecasts of all series at this horizon in the last scored window.',
      { unit: '1', nullable: true, example: 0.068 },
    ),
    reason: col.code(18, 'Why there is no number; null if there is one.', FORECAST_ABSENCES, orNull(null)),
  },
  entity: ['model', 'series_kind', 'series', 'horizon'],
  time: 'starts_at',
  version: 'model',
  order: ['series_kind', 'series', 'starts_at'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
