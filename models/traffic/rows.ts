import type { trafficForecasts } from '../../lake/datasets/road/traffic-forecasts.ts'
import type { Row } from '../../lake/schema/dataset.ts'
import type { ServedOf } from '../run/run.ts'
import { type Board, boardOf } from './board.ts'
import type { CountDay } from './counts.sql.ts'
import { ALL_SERIES, forecastOf, horizonOf, type Known, type TrafficParameters } from './predict.ts'
import { HORIZONS_HOURS, makeSpread } from './spread.ts'
import { typicalOf } from './typical.ts'

/** A row of `traffic_forecasts`. */
export type ForecastRow = Row<typeof trafficForecasts>

/** What forecasts are made with beside counts, as it can be sent to a thread. */
export interface Served {
  readonly model: string
  readonly model_version: string
  readonly parameters: TrafficParameters
  readonly of: ServedOf
}

const HOUR_MS = 3_600_000
const LEVEL = 0.8
/** Days before the last one whose typical values features look at, with some to spare. */
const LAG_DAYS = 30
/** Days with counts, of the last ten weeks, below which nothing is forecast. */
const LEAST_DAYS = 21
const RECENT_DAYS = 70
/** Hours without a count after which nothing is forecast. */
const SILENT_HOURS = 24

/** The forecasts of every series of some counts in the four hours after the newest of them: of what the last eight months tell, and what was learnt before. */
export function predictTraffic(days: readonly CountDay[], served: Served): ForecastRow[] {
  const board = boardOf(days)
  const { series, hours, vehicles } = board
  const { weights, spread } = served.parameters
  let origin = hours - 1
  while (origin > 0 && series.every((_, at) => Number.isNaN(vehicles[at * hours + origin]))) origin--
  const lately = { since: board.days - LAG_DAYS, slowSince: board.dayAt[origin] as number }
  const known = { board, typical: typicalOf(board, lately), weights, spread: makeSpread(board, spread) }
  return series.flatMap((_, at) => {
    const reason = reasonOf(board, at, origin)
    return HORIZONS_HOURS.flatMap((horizon) =>
      origin + horizon < hours ? [rowOf(known, { series: at, slot: origin + horizon, horizon }, { reason, served })] : [],
    )
  })
}

function reasonOf({ vehicles, hours, dayAt, days }: Board, series: number, origin: number): ForecastRow['reason'] {
  const isThere = (slot: number): boolean => slot >= 0 && !Number.isNaN(vehicles[series * hours + slot])
  const lately = Array.from({ length: SILENT_HOURS }, (_, back) => origin - back)
  if (!lately.some(isThere)) return 'SILENT'
  const known = new Set<number>()
  for (let slot = origin; slot >= 0 && (dayAt[slot] as number) >= days - RECENT_DAYS; slot--)
    if (isThere(slot)) known.add(dayAt[slot] as number)
  return known.size < LEAST_DAYS ? 'FEW_DAYS' : null
}

function rowOf(
  known: Known,
  target: { readonly series: number; readonly slot: number; readonly horizon: number },
  { reason, served }: { readonly reason: ForecastRow['reason']; readonly served: Served },
): ForecastRow {
  const { begins, clockAt, series } = known.board
  const [series_id = '', direction] = (series[target.series] as string).split(' ')
  const horizon = horizonOf(target.horizon)
  const made = reason === null ? forecastOf(known, target) : null
  const { isBaseline, error } = served.of[`${ALL_SERIES} ${horizon}`] ?? { isBaseline: true, error: null }
  const tenth = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value * 10) / 10)
  const isModel = made !== null && !isBaseline
  return {
    ...{ model: served.model, model_version: served.model_version, made_at: begins + (target.slot - target.horizon + 1) * HOUR_MS },
    ...{
      series_kind: 'COUNT_STATION',
      series: `${series_id}/${direction}`,
      series_id,
      direction: direction as ForecastRow['direction'],
      horizon,
    },
    ...{ starts_at: begins + target.slot * HOUR_MS, hour_local: clockAt[target.slot] as number },
    intensity_veh_h: tenth(isBaseline ? made?.typical : made?.value),
    interval_level: LEVEL,
    interval_low: isModel ? tenth(made.low) : null,
    interval_high: isModel ? tenth(made.high) : null,
    baseline: tenth(made?.typical),
    forecast_kind: made === null ? null : isBaseline ? 'BASELINE' : 'MODEL',
    recent_error: made === null ? null : error,
    reason: made === null ? (reason ?? 'FEW_DAYS') : null,
  }
}
