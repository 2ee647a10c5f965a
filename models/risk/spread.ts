import type { Grid } from './grid.ts'

/** Candidates, of which the likeliest are used: factors of the variance from credibility, and of the squared mean. */
const OWN = [1, 1.5, 2, 3, 4, 6] as const
const SQUARE = [0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32] as const
const LEVEL = 0.8

/** Predictions of some counts, with their uncertainty. */
export interface RiskForecast {
  readonly counts: ArrayLike<number>
  readonly means: Float64Array
  /** Variance of each mean: of the expectation, not of the outcome. */
  readonly variances: Float64Array
}

/** Uncertainty of means: variance = `own` × that of credibility + `square` × mean². */
export interface Spread {
  readonly own: number
  readonly square: number
}

/** The variance of a mean under a spread. */
export const varianceOf = ({ own, square }: Spread, mean: number, variance: number): number => own * variance + square * mean ** 2

/**
 * The spread that maximizes the likelihood of out-of-sample counts, each Poisson with a gamma-distributed mean (negative
 * binomial). Credibility alone treats all sections of a place as equal, and its inputs as certain, which understates the
 * variance.
 */
export function fitSpread(folds: readonly RiskForecast[]): Spread {
  let [best, most]: [Spread, number] = [{ own: 1, square: 0 }, Number.NEGATIVE_INFINITY]
  for (const own of OWN)
    for (const square of SQUARE) {
      const spread = { own, square }
      let sum = 0
      for (const { counts, means, variances } of folds)
        for (let at = 0; at < means.length; at++) {
          const mean = means[at] as number
          if (mean > 0) sum += logLikelihood(counts[at] as number, mean, varianceOf(spread, mean, variances[at] as number))
        }
      if (sum > most) [best, most] = [spread, sum]
    }
  return best
}

/** Log-likelihood of a count, up to a constant independent of the variance. */
function logLikelihood(count: number, mean: number, variance: number): number {
  if (!(variance > 0)) return count * Math.log(mean) - mean
  const shape = mean ** 2 / variance
  let sum = -shape * Math.log1p(mean / shape) + count * Math.log(mean / (1 + mean / shape))
  for (let step = 1; step < count; step++) sum += Math.log1p(step / shape)
  return sum
}

/**
 * Share of counts in the middle 80 % of their predictive distribution (negative binomial). A count covers a step of the
 * distribution and counts by its part between 10 and 90 %: the nonrandomized transform of Czado, Gneiting and Held (Biometrics
 * 65, 2009), 80 % on average if calibrated. Null without counts.
 */
export function coverageOf({ counts, means, variances }: RiskForecast): number | null {
  let [inside, all] = [0, 0]
  for (let at = 0; at < means.length; at++) {
    const mean = means[at] as number
    if (!(mean > 0)) continue
    const [below, upTo] = stepOf(counts[at] as number, mean, variances[at] as number)
    all++
    if (upTo > below) inside += Math.max(0, Math.min(upTo, (1 + LEVEL) / 2) - Math.max(below, (1 - LEVEL) / 2)) / (upTo - below)
  }
  return all === 0 ? null : inside / all
}

/** Probability of fewer than a count, and of at most as many. */
function stepOf(count: number, mean: number, variance: number): [below: number, upTo: number] {
  const shape = variance > 0 ? mean ** 2 / variance : Number.POSITIVE_INFINITY
  const isPoisson = shape === Number.POSITIVE_INFINITY
  let chance = isPoisson ? Math.exp(-mean) : Math.exp(-shape * Math.log1p(mean / shape))
  let [below, upTo] = [0, chance]
  for (let number = 1; number <= count; number++) {
    chance *= isPoisson ? mean / number : ((mean / (shape + mean)) * (shape + number - 1)) / number
    ;[below, upTo] = [upTo, upTo + chance]
  }
  return [below, upTo]
}

/** Counts and means by tenths of the means, lowest first. */
export function tenthsOf({ counts, means, variances }: RiskForecast): RiskForecast[] {
  const order = Array.from(means, (_, at) => at)
    .filter((at) => (means[at] as number) > 0)
    .sort((one, other) => (means[one] as number) - (means[other] as number) || one - other)
  return Array.from({ length: 10 }, (_, tenth) => {
    const mine = order.slice(Math.floor((tenth * order.length) / 10), Math.floor(((tenth + 1) * order.length) / 10))
    const pick = (of: ArrayLike<number>): Float64Array => Float64Array.from(mine, (at) => of[at] as number)
    return { counts: pick(counts), means: pick(means), variances: pick(variances) }
  })
}

/** Sums cells by section: counts and expectations, with the variance from that of the section's rate. */
export function bySection(
  { size }: Grid,
  {
    counts,
    expected,
    rates,
    variances,
  }: {
    readonly counts: ArrayLike<number>
    readonly expected: Float64Array
    /** Weekly rate of each section. */
    readonly rates: Float64Array
    readonly variances: Float64Array
  },
): RiskForecast {
  const cells = expected.length / size
  const sums = { counts: new Float64Array(size), means: new Float64Array(size), variances: new Float64Array(size) }
  for (let section = 0; section < size; section++) {
    let [count, mean] = [0, 0]
    for (let at = section * cells; at < (section + 1) * cells; at++) {
      count += counts[at] as number
      mean += expected[at] as number
    }
    sums.counts[section] = count
    sums.means[section] = mean
    const rate = rates[section] as number
    sums.variances[section] = rate > 0 ? (variances[section] as number) * (mean / rate) ** 2 : 0
  }
  return sums
}
