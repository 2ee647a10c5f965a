import type { trafficForecasts } from '../../lake/datasets/road/traffic-forecasts.ts'
import type { Row } from '../../lake/schema/dataset.ts'
import type { ServedOf } from '../run/run.ts'
import { type Board, boardOf } from './board.ts'
import { HORIZONS_HOURS } from './features.ts'
import { type Grid, partOf, TRAFFIC_KINDS } from './grid.ts'
import { ALL_SERIES, forecastOf, horizonOf, type Known, type TrafficParameters, weightsOf } from './predict.ts'
import { jointScales, noiseScales } from './scales.ts'
import { keptSpreads } from './spread.ts'
import { inCityOf, type Typical, typicalOf } from './typical.ts'

/** A row of `traffic_forecasts`. */
export type ForecastRow = Row<typeof trafficForecasts>

/** Inputs of forecasts besides counts, in a form for a thread. */
export interface Served {
  readonly model: string
  readonly model_version: string
  readonly parameters: TrafficParameters
  readonly of: ServedOf
}

const HOUR_MS = 3_600_000
const LEVEL = 0.8
/** Days before the last one whose typical values the features use, with a margin. */
const LAG_DAYS = 30
/** Series put on a board at once. */
const CHUNK = 300
/** Minimum days with counts, of the last ten weeks, for a forecast. */
const LEAST_DAYS = 21
const RECENT_DAYS = 70
/** Hours without a count after which nothing is forecast. */
const SILENT_HOURS = 24

/**
 * Forecasts of every series of a grid for the four hours after its newest one, from the last eight months and fitted parameters.
 * For a model with a panel, series without data in ten weeks are left out.
 */
export function predictTraffic(grid: Grid, served: Served): ForecastRow[] {
  const { panel } = served.parameters
  const origin = originOf(grid)
  if (panel === null) return rowsOf(boardOf(grid), { origin, served, city: null })
  const known = { ...grid, ...livingOf(grid) }
  const panelBoard = boardOf(partOf(known, panel))
  const city = typicalOf(panelBoard, lately(panelBoard, origin))
  const chunks = Array.from({ length: Math.ceil(known.series.length / CHUNK) }, (_, at) => at * CHUNK)
  return chunks.flatMap((from) => rowsOf(boardOf(known, from, from + CHUNK), { origin, served, city }))
}

/** The newest hour of a grid with data: day of the grid and local hour. */
interface Origin {
  readonly day: number
  readonly hour: number
}

function originOf({ counts, days }: Grid): Origin {
  let at = days * 24 - 1
  while (at > 0 && counts.every((of) => Number.isNaN(of[at]))) at--
  return { day: Math.floor(at / 24), hour: at % 24 }
}

function livingOf({ series, counts, days }: Grid): Pick<Grid, 'series' | 'counts'> {
  const isKnown = (at: number): boolean =>
    counts[at]?.subarray(Math.max(0, days - RECENT_DAYS) * 24).some((count) => !Number.isNaN(count)) ?? false
  const living = series.flatMap((_, at) => (isKnown(at) ? [at] : []))
  return { series: living.map((at) => series[at] as string), counts: living.map((at) => counts[at] as Grid['counts'][number]) }
}

function lately(board: Board, { day }: Origin): { readonly since: number; readonly slowSince: number } {
  return { since: board.days - LAG_DAYS, slowSince: day }
}

function rowsOf(
  board: Board,
  of: {
    readonly origin: Origin
    readonly served: Served
    readonly city: Typical | null
  },
): ForecastRow[] {
  const { origin, served, city } = of
  const { spread } = served.parameters
  const own = typicalOf(board, lately(board, origin))
  const typical = city ? inCityOf(own, city) : own
  const scales = spread.scales ? jointScales(board, typical, spread.scales) : noiseScales(board, typical)
  const known = { board, typical, weights: weightsOf(served.parameters, board), ...keptSpreads(board, scales, spread) }
  const slot = board.slots[origin.day * 24 + origin.hour] as number
  return board.series.flatMap((_, at) => {
    const reason = reasonOf(board, at, slot)
    return HORIZONS_HOURS.flatMap((horizon) =>
      slot + horizon < board.hours ? [rowOf(known, { series: at, slot: slot + horizon, horizon }, { reason, served })] : [],
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
  const [series_id = '', letter = ''] = (series[target.series] as string).split(' ')
  const series_kind = TRAFFIC_KINDS[letter as keyof typeof TRAFFIC_KINDS]
  const direction = series_kind === 'COUNT_STATION' ? (letter as '1' | '2') : null
  const horizon = horizonOf(target.horizon)
  const made = reason === null ? forecastOf(known, target) : null
  const { isBaseline, error } = served.of[`${ALL_SERIES} ${horizon}`] ?? { isBaseline: true, error: null }
  const tenth = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value * 10) / 10)
  const intensity_veh_h = tenth(isBaseline ? made?.typical : made?.value)
  const [low, high] = isBaseline ? [made?.typicalLow, made?.typicalHigh] : [made?.low, made?.high]
  return {
    ...{ model: served.model, model_version: served.model_version, made_at: begins + (target.slot - target.horizon + 1) * HOUR_MS },
    ...{ series_kind, series: direction === null ? series_id : `${series_id}/${direction}`, series_id, direction, horizon },
    ...{ starts_at: begins + target.slot * HOUR_MS, hour_local: clockAt[target.slot] as number },
    intensity_veh_h,
    interval_level: LEVEL,
    // Errors of the typical value may all be on one side; the served number must still be within its interval.
    interval_low: made === null ? null : Math.min(intensity_veh_h as number, tenth(low) as number),
    interval_high: made === null ? null : Math.max(intensity_veh_h as number, tenth(high) as number),
    baseline: tenth(made?.typical),
    forecast_kind: made === null ? null : isBaseline ? 'BASELINE' : 'MODEL',
    recent_error: made === null ? null : error,
    reason: made === null ? (reason ?? 'FEW_DAYS') : null,
  }
}
