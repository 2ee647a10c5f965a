import { isoInstant, offsetAt } from '../../lake/schema/time.ts'
import { drawChart } from '../run/chart.ts'
import type { CardChart } from '../run/run.ts'
import type { Board } from './board.ts'
import { HORIZONS_HOURS } from './features.ts'
import type { Forecast } from './predict.ts'
import type { Sums, Tally } from './tally.ts'

/** Days of one series that are shown with their forecasts. */
const SHOWN_DAYS = 7
const HOUR_MS = 3_600_000

/** The last days of the series with the most vehicles, with the forecasts made an hour before. */
export interface Observed {
  readonly name: string
  readonly points: readonly { readonly at: number; readonly count: number; readonly forecast: Forecast }[]
  add(forecast: Forecast, count: number): void
}

/** Creates the recorder of the shown series of a board. */
export function makeObserved({ series, vehicles, hours, days, dayAt, begins }: Board): Observed {
  const from = dayAt.indexOf(Math.max(0, days - 1 - SHOWN_DAYS))
  const sums = series.map((_, at) => {
    const of = vehicles.subarray(at * hours + from, (at + 1) * hours)
    return of.reduce((sum, count) => sum + (Number.isNaN(count) ? 0 : count), 0)
  })
  const shown = sums.indexOf(Math.max(...sums))
  const points: { at: number; count: number; forecast: Forecast }[] = []
  return {
    name: series[shown] as string,
    points,
    add(forecast, count) {
      const { series: of, slot, horizon } = forecast.target
      if (of === shown && horizon === 1 && slot >= from) points.push({ at: begins + slot * HOUR_MS, count, forecast })
    },
  }
}

/** Charts of the last scored window: observed and forecast, errors by hour of the day, and coverage of the intervals. */
export function trafficCharts({ scored, byHour }: Tally, { name, points }: Observed): CardChart[] {
  const share = (part: number, of: number): number | null => (of === 0 ? null : part / of)
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour))
  const errorsOf = (horizon: number, of: 'error' | 'baseline'): (number | null)[] =>
    (byHour[horizon - 1] as readonly Sums[]).map((sums) => share(sums[of], sums.vehicles))
  return [
    drawChart({
      ...{
        name: 'observed',
        title: `${name}: observed, and forecast an hour before, Madrid time`,
        unit: 'veh/h',
        kind: 'lines',
      },
      labels: points.map(({ at }) => isoInstant(at + offsetAt(at)).slice(0, 13)),
      figures: [
        { name: 'Observed', values: points.map(({ count }) => count) },
        { name: 'Forecast', values: points.map(({ forecast }) => forecast.value) },
      ],
      band: {
        name: '80 % interval',
        low: points.map(({ forecast }) => forecast.low),
        high: points.map(({ forecast }) => forecast.high),
      },
    }),
    drawChart({
      ...{ name: 'hours', title: 'Error by hour of the day, as a share of the vehicles', unit: '1', kind: 'lines', labels: hours },
      figures: [
        { name: 'Forecast 1 h', values: errorsOf(1, 'error') },
        { name: 'Forecast 4 h', values: errorsOf(4, 'error') },
        { name: 'Typical value', values: errorsOf(1, 'baseline') },
      ],
    }),
    drawChart({
      ...{ name: 'coverage', title: 'Share of outcomes within the 80 % interval', unit: '1', kind: 'bars' },
      labels: HORIZONS_HOURS.map((horizon) => `PT${horizon}H`),
      figures: [{ name: 'Covered', values: scored.map(({ ALL }) => share(ALL.inside, ALL.points)) }],
      level: { name: '0.8', value: 0.8 },
    }),
  ]
}
