import { type Figure, figureOf, type Limit, type Window } from '../figures.ts'
import { dayOf, type SectionAccident, WEEKS, weekOf } from './accidents.ts'
import type { RiskBasis } from './bases.ts'
import { fitRisk, LEAST_WEEKS, predictDay, predictWith, type RiskModel } from './fit.ts'
import type { Grid } from './grid.ts'
import { HOURS, type Profile, sunTable, weekHours } from './profile.ts'
import { everyFourthWeek, lastYear, type Split } from './split.ts'
import { bySection, coverageOf, type RiskForecast, tenthsOf } from './spread.ts'

/** Weeks on either side that are averaged in the baseline's profile: two give a better baseline than one. */
const AROUND = 2

/**
 * The plain baseline: each section's count shrunk to the overall mean (gamma-Poisson, by moments), times the hourly shares of the
 * weeks around. Expected accidents by section × held-out week × hour, on sections in the training data.
 */
export function baseline(
  grid: Grid,
  accidents: readonly SectionAccident[],
  { days, heldDays, seenShare }: { readonly days: readonly number[]; readonly heldDays: readonly number[]; readonly seenShare: number },
): Float64Array {
  const counts = new Float64Array(grid.size)
  const byCell = new Float64Array(WEEKS * HOURS)
  for (const accident of accidents) {
    const [section, cell] = [grid.indexOf(accident), weekOf(dayOf(accident.local_date)) * HOURS + accident.hour_local]
    counts[section] = (counts[section] as number) + 1
    byCell[cell] = (byCell[cell] as number) + 1
  }
  const mean = accidents.length / grid.size
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / grid.size
  // If the variance does not exceed chance, all sections get the mean.
  const shape = variance > mean ? mean ** 2 / (variance - mean) : Number.POSITIVE_INFINITY
  const rates = counts.map((count) => (shape === Number.POSITIVE_INFINITY ? mean : (mean * (count + shape)) / (mean + shape)))

  const daysOf = (list: readonly number[]): Map<number, number> => {
    const numbers = new Map<number, number>()
    for (const day of list) numbers.set(weekOf(day), (numbers.get(weekOf(day)) ?? 0) + 1)
    return numbers
  }
  const [fitted, held] = [daysOf(days), [...daysOf(heldDays)]]
  const expected = new Float64Array(grid.size * held.length * HOURS)
  for (const [place, [week, itsDays]] of held.entries()) {
    const near = [...fitted].filter(([other]) => Math.min(Math.abs(other - week), WEEKS - Math.abs(other - week)) <= AROUND)
    const nearDays = near.reduce((sum, [, some]) => sum + some, 0)
    for (let hour = 0; hour < HOURS; hour++) {
      const happened = near.reduce((sum, [other]) => sum + (byCell[other * HOURS + hour] as number), 0)
      // Half an accident in hours without any, so that their probability is not zero.
      const share = (((happened + 0.5) / nearDays) * itsDays * seenShare) / accidents.length
      for (let section = 0; section < grid.size; section++)
        expected[(section * held.length + place) * HOURS + hour] = (rates[section] as number) * share
    }
  }
  return expected
}

/** Share of top cells whose share of accidents is measured. */
const TOP = 0.05
const PER = 1000
/** Characters of the year in a date. */
const YEAR = 4
/** By basis: for accidents with animals the known achievable values; otherwise the model must beat its baseline. */
const LIMITS_OF = {
  ANIMALS: { ratio: { max: 0.995 }, top: { min: 0.36 } },
  CASUALTY: { ratio: { max: 1 }, top: null },
} as const
const LIMITS = {
  calibration: { min: 0.95, max: 1.05 },
  coverage: { min: 0.75, max: 0.85 },
  seconds: { max: 10 },
} as const

/** Cells of the held-out days, by section × week × hour: counts and predictions. */
export interface Held {
  readonly model: RiskModel
  readonly counts: Uint16Array
  readonly expected: Float64Array
  readonly baseline: Float64Array
  /** Mean rate of a cell from the training days alone. */
  readonly mean: number
  /** Held-out accidents, and those on sections not in the training data. */
  readonly accidents: number
  readonly unseen: number
  /** All held-out days of each section together, with the uncertainty of the prediction. */
  readonly sections: RiskForecast
  /** A profile's values for the cells of a province's held-out days: week × hour. */
  readonly cellsOf: (profile: Profile, province_code: string) => Float64Array
}

/**
 * Fits to the accidents of a split's fitted days, and predicts those of its held-out days. Accidents of other days, and held-out
 * days outside the window, are ignored. `byWeekday` as in `fitRisk`.
 */
export function holdOut(
  accidents: readonly SectionAccident[],
  { fitted, held }: Pick<Split, 'fitted' | 'held'>,
  { window = null, byWeekday = false }: { readonly window?: Window | null; readonly byWeekday?: boolean } = {},
): Held {
  const inWindow = (day: number): boolean => window === null || (day >= dayOf(window.from) && day <= dayOf(window.to))
  const heldDays = held.filter(inWindow)
  const [known, future] = [new Set(fitted), new Set(heldDays)]
  const training = accidents.filter(({ local_date }) => known.has(dayOf(local_date)))
  const outcomes = accidents.filter(({ local_date }) => future.has(dayOf(local_date)))
  const model = fitRisk(training, fitted, { byWeekday })
  const weeks = [...new Set(heldDays.map(weekOf))]
  const table = sunTable(heldDays)
  const cellsOf = (profile: Profile, province_code: string): Float64Array => {
    const cells = weekHours(profile, province_code, heldDays, table)
    return Float64Array.from(weeks.flatMap((week) => [...cells.subarray(week * HOURS, (week + 1) * HOURS)]))
  }
  const expected = predictWith(model, (kind, province_code) => cellsOf(model.profiles[kind] as Profile, province_code))
  const counts = new Uint16Array(expected.length)
  let unseen = 0
  for (const accident of outcomes) {
    const section = model.grid.indexOf(accident)
    if (section < 0) {
      unseen++
      continue
    }
    const cell = (section * weeks.length + weeks.indexOf(weekOf(dayOf(accident.local_date)))) * HOURS + accident.hour_local
    counts[cell] = (counts[cell] as number) + 1
  }
  const seenShare = 1 - model.unseenShare
  const rates = Float64Array.from(model.variances, (_, section) =>
    model.rates.reduce((all, ofKind) => all + (ofKind[section] as number), 0),
  )
  return {
    ...{ model, counts, expected, unseen, cellsOf },
    sections: bySection(model.grid, { counts, expected, rates, variances: model.variances }),
    baseline: baseline(model.grid, training, { days: fitted, heldDays, seenShare }),
    mean: (seenShare * training.length * 7) / (model.grid.size * fitted.length * HOURS),
    accidents: outcomes.length,
  }
}

/** Mean Poisson deviance of counts from expectations; infinite if something with expectation 0 happened. */
export function deviance(counts: ArrayLike<number>, expected: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < counts.length; at++) {
    const [count, mean] = [counts[at] as number, expected[at] as number]
    sum += 2 * ((count > 0 ? count * Math.log(count / mean) : 0) - (count - mean))
  }
  return sum / counts.length
}

/** Share of the accidents in the cells with the greatest expectation. */
export function shareInTop(counts: ArrayLike<number>, expected: Float64Array, top: number): number {
  const least = expected.slice().sort()[Math.floor(expected.length * (1 - top))] as number
  let [all, inside] = [0, 0]
  for (let at = 0; at < expected.length; at++) {
    all += counts[at] as number
    if ((expected[at] as number) >= least) inside += counts[at] as number
  }
  return inside / all
}

/** Coverage of intervals: over all sections, and over the tenth with the greatest expectation, where chance does not dominate. */
export function coverages({
  sections,
}: Pick<Held, 'sections'>): { readonly metric: string; readonly of: RiskForecast; readonly value: number }[] {
  return [
    { metric: 'coverage_80', of: sections },
    { metric: 'coverage_80_of_greatest_tenth', of: tenthsOf(sections).at(-1) as RiskForecast },
  ].flatMap(({ metric, of }) => {
    const value = coverageOf(of)
    return value === null ? [] : [{ metric, of, value }]
  })
}

/** The figures of a model, or the reason why there are none. */
type Measured = { readonly figures: readonly Figure[]; readonly reason?: string }

/**
 * The figures with the last year held out if the data are long enough (`lastYear`), else with every fourth week: see `holdOut`.
 * The last year is the newest with an accident in the window; weeks are those of the basis's number of years.
 */
export function evaluateSections(accidents: readonly SectionAccident[], window: Window | null, basis: RiskBasis): Measured {
  const dates = accidents.map(({ local_date }) => local_date).sort()
  const last = dates.findLast((date) => window === null || (date >= window.from && date <= window.to))
  const asked = window === null ? '' : ` from ${window.from} to ${window.to}`
  if (last === undefined) return { figures: [], reason: `no accident${asked}; accidents exist from ${dates[0]} to ${dates.at(-1)}` }
  const year = Number(last.slice(0, YEAR))
  const known = accidents.filter(({ local_date }) => Number(local_date.slice(0, YEAR)) <= year)
  const theirs = dates.filter((date) => Number(date.slice(0, YEAR)) > year - basis.years && Number(date.slice(0, YEAR)) <= year)
  const [first, newest] = [theirs[0] as string, theirs.at(-1) as string]
  const days = Array.from({ length: dayOf(newest) - dayOf(first) + 1 }, (_, at) => dayOf(first) + at)
  const split = lastYear(known, basis) ?? everyFourthWeek(days)
  const weeks = new Set(split.fitted.map(weekOf)).size
  if (weeks < LEAST_WEEKS)
    return { figures: [], reason: `accidents from ${first} to ${newest}: ${weeks} weeks to fit to, ${LEAST_WEEKS} are needed` }
  const held = holdOut(known, split, { window, byWeekday: basis.byWeekday })
  const { model, counts, expected } = held
  const happened = counts.reduce((sum, count) => sum + count, 0)
  if (happened === 0)
    return {
      figures: [],
      reason: `no accident on a known section in a held-out ${split.known_to === null ? 'week (every fourth of the year)' : 'year'}${asked}`,
    }
  const limits = LIMITS_OF[basis.basis]
  const started = performance.now()
  const cells = predictDay(model, dayOf(newest)).length
  const seconds = (performance.now() - started) / 1000
  const sum = (values: Float64Array): number => values.reduce((all, value) => all + value, 0)
  const ours = deviance(counts, expected)
  const plain = deviance(counts, held.baseline)
  const all = sum(expected) / (1 - model.unseenShare)
  const from = window && window.from > split.from ? window.from : split.from
  const to = window && window.to < split.to ? window.to : split.to
  const about = { model: basis.model, series: basis.series, window: `${from}:${to}`, horizon: split.horizon } as const
  const figure = (metric: string, value: number, points: number, other: { baseline?: number; limit?: Limit | null } = {}): Figure =>
    figureOf(about, metric, { value, points, ...other })
  const figures = [
    figure('deviance_per_1000_cells', PER * ours, counts.length, { baseline: PER * plain }),
    figure('deviance_of_mean_per_1000_cells', PER * deviance(counts, new Float64Array(counts.length).fill(held.mean)), counts.length),
    figure('deviance_to_baseline', ours / plain, counts.length, { baseline: 1, limit: limits.ratio }),
    figure('share_in_top_5_percent', shareInTop(counts, expected, TOP), happened, {
      ...{ baseline: shareInTop(counts, held.baseline, TOP), limit: limits.top },
    }),
    figure('calibration_on_seen_sections', sum(expected) / happened, happened, {
      ...{ baseline: sum(held.baseline) / happened, limit: LIMITS.calibration },
    }),
    figure('calibration_with_unseen_sections', all / held.accidents, held.accidents, { limit: LIMITS.calibration }),
    figure('unseen_share', held.unseen / held.accidents, held.accidents, { baseline: model.unseenShare }),
    // For comparison, coverage with certain rates: chance alone.
    ...coverages(held).map(({ metric, of, value }) =>
      figure(metric, value, of.means.length, {
        limit: LIMITS.coverage,
        baseline: coverageOf({ ...of, variances: new Float64Array(of.means.length) }) as number,
      }),
    ),
    figure('seconds_for_24_hours_of_all_sections', seconds, cells, { limit: LIMITS.seconds }),
  ]
  return { figures }
}
