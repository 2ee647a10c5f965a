import { drawChart } from '../run/chart.ts'
import type { CardChart } from '../run/run.ts'
import { coverageOf, meanError, type Outcome } from './outcomes.ts'
import { unitOf } from './panel.ts'

const SHOWN = ['GASOLINE_95_E5 P7D', 'DIESEL_A P7D'] as const

/**
 * Charts of the last scored window, from outcomes by product and horizon: observed and forecast, errors compared with the last
 * value's, coverage.
 */
export function fuelCharts(byLabel: ReadonlyMap<string, readonly Outcome[]>): CardChart[] {
  if (byLabel.size === 0) return []
  const labels = [...byLabel.keys()]
  const errors = (['EUR/L', 'EUR/t'] as const).flatMap((unit) => {
    const theirs = labels.filter((label) => unitOf(label.split(' ')[0] as string) === unit)
    return theirs.length === 0 ? [] : [errorChart(unit, theirs, byLabel)]
  })
  const observed = SHOWN.flatMap((label) => {
    const outcomes = byLabel.get(label)
    return outcomes === undefined ? [] : [observedChart(label, outcomes)]
  })
  const coverage = drawChart({
    ...{ name: 'coverage', title: 'Share of outcomes within the 80 % interval', unit: '1', kind: 'bars', labels },
    figures: [{ name: 'Covered', values: labels.map((label) => coverageOf(byLabel.get(label) ?? []).share) }],
    level: { name: '0.8', value: 0.8 },
  })
  return [...observed, ...errors, coverage]
}

/** Errors of products with one unit; other units need an axis of their own. */
function errorChart(unit: 'EUR/L' | 'EUR/t', labels: readonly string[], byLabel: ReadonlyMap<string, readonly Outcome[]>): CardChart {
  const by = (said: (one: Outcome) => number): number[] => labels.map((label) => meanError(byLabel.get(label) ?? [], said))
  return drawChart({
    ...{
      name: unit === 'EUR/L' ? 'errors' : 'errors-by-tonne',
      title: 'Mean absolute error in the last scored window',
      unit,
      kind: 'bars',
    },
    labels,
    figures: [
      { name: 'Forecast', values: by(({ value }) => value) },
      { name: 'Last value', values: by(({ last }) => last) },
    ],
  })
}

function observedChart(label: string, outcomes: readonly Outcome[]): CardChart {
  const [product = '', horizon = ''] = label.split(' ')
  return drawChart({
    ...{
      name: `observed-${product.toLowerCase()}`,
      title: `${product}: observed, and forecast ${horizon} before`,
      unit: 'EUR/L',
      kind: 'lines',
    },
    ...{ labels: outcomes.map(({ date }) => date), isOpen: true },
    figures: [
      { name: 'Observed', values: outcomes.map(({ actual }) => actual) },
      { name: 'Forecast', values: outcomes.map(({ value }) => value) },
    ],
    band: { name: '80 % interval', low: outcomes.map(({ low }) => low), high: outcomes.map(({ high }) => high) },
  })
}
