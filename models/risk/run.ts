import type { riskEstimates, riskProfiles } from '../../lake/datasets/safety/risk.ts'
import type { Row } from '../../lake/schema/dataset.ts'
import { dayBounds } from '../../lake/schema/time.ts'
import { drawChart } from '../run/chart.ts'
import type { Fit } from '../run/run.ts'
import { dayOf, SECTION_KM, type SectionAccident, weekOf } from './accidents.ts'
import type { RiskBasis } from './bases.ts'
import { type Contender, keepRates, standingError } from './champion.ts'
import { coverages, deviance, holdOut, shareInTop } from './evaluate.ts'
import { fitRisk, LEAST_WEEKS, short } from './fit.ts'
import { HOURS } from './profile.ts'
import { dateOf, daysOf, everyFourthWeek, lastYear, type Split } from './split.ts'

/** Minimum accidents in the newest year for a fit. */
export const LEAST_ACCIDENTS = 1000
/** Minimum accidents on a road in a province for numbers of its sections. */
const LEAST_OF_ROAD = 3
/** Period of the estimates: a week of a mean year. */
const PERIOD = 'P7D'
const LEVEL = 0.8
/** Quantile of the normal distribution at 0.9, for an interval with equal tails. */
const Z = 1.2816
const TOP = 0.05
/** Upper limits of the classes, as shares of the ranked sections. */
const CLASSES = [
  ['VERY_HIGH', 0.05],
  ['HIGH', 0.2],
  ['MEDIUM', 0.5],
  ['LOW', 1],
] as const

/** The parameters of a version: everything its estimates need, in plain numbers. */
export type RiskParameters = Contender & {
  readonly kinds: readonly string[]
  /** By road and section: the variance of the expected number. */
  readonly variances: readonly (readonly number[])[]
  /** By road and section: observed accidents. */
  readonly counts: readonly (readonly number[])[]
}

/** The accidents of the newest years with enough of them, as many as a basis uses; none if there is no such year. */
export function enoughOf(accidents: readonly SectionAccident[], { years: most }: Pick<RiskBasis, 'years'>): readonly SectionAccident[] {
  const years = Map.groupBy(accidents, ({ local_date }) => local_date.slice(0, 4))
  const enough = [...years].filter(
    ([, theirs]) =>
      theirs.length >= LEAST_ACCIDENTS && new Set(theirs.map((one) => weekOf(dayOf(one.local_date)))).size > (LEAST_WEEKS * 4) / 3,
  )
  return enough
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .slice(0, most)
    .flatMap(([, theirs]) => theirs)
}

/**
 * Fits the model of a basis to its newest years of enough accidents. Evaluates it and the champion on the last year (`lastYear`),
 * if possible predicted from as many years as the basis fits, else on every fourth week.
 */
export function fitRun(
  accidents: readonly SectionAccident[],
  basis: RiskBasis,
  standing: RiskParameters | null = null,
): Fit<RiskParameters> {
  const { series, byWeekday } = basis
  const [known, served] = [enoughOf(accidents, { years: basis.years + 1 }), enoughOf(accidents, basis)]
  const days = daysOf(served)
  const split = lastYear(known, basis) ?? everyFourthWeek(days)
  const { horizon, from: window_from, to: window_to, known_to } = split
  const held = holdOut(known, split, { byWeekday })
  const { counts, expected } = held
  const happened = counts.reduce((all, count) => all + count, 0)
  const error = deviance(counts, expected)
  const baseline = deviance(counts, held.baseline)
  const model = fitRisk(served, days, { byWeekday })
  const [data_from, data_to] = [dateOf(days[0] as number), dateOf(days.at(-1) as number)]
  const seen = new Float64Array(model.grid.size)
  for (const accident of served) seen[model.grid.indexOf(accident)] = (seen[model.grid.indexOf(accident)] as number) + 1
  const each = <T>(of: (section: number) => T): T[][] =>
    model.grid.roads.map(({ offset, length }) => Array.from({ length }, (_, at) => of(offset + at)))
  const about = { series, horizon, window_from, window_to, subset: 'ALL', metric_unit: '1' } as const
  const kind = 'HISTORICAL_MEAN' as const
  return {
    ...{ data_from, data_to, made_at: dayBounds(data_to).end },
    parameters: {
      ...{ data_to, kinds: model.kinds, ...keepRates(model), trial: { ...keepRates(held.model), known_to } },
      variances: each((section) => short(model.variances[section] as number)),
      counts: each((section) => seen[section] as number),
    },
    checks: [{ series, horizon, error, baseline, points: counts.length, standing: standing && standingError(standing, held, split) }],
    scores: [
      { ...about, metric: 'DEVIANCE', value: error, baseline, baseline_kind: kind, points: counts.length },
      {
        ...{ ...about, metric: 'SHARE_IN_TOP_5', value: shareInTop(counts, expected, TOP) },
        ...{ baseline: shareInTop(counts, held.baseline, TOP), baseline_kind: kind, points: happened },
      },
      {
        ...{ ...about, metric: 'CALIBRATION', value: expected.reduce((all, value) => all + value, 0) / happened },
        ...{ baseline: null, baseline_kind: null, points: happened },
      },
      ...coverages(held).map(({ of, value }, at) => ({
        ...{ ...about, metric: 'COVERAGE_80', subset: at === 0 ? 'ALL' : 'GREATEST_TENTH', value },
        ...{ baseline: null, baseline_kind: null, points: of.means.length },
      })),
    ],
    charts: [hoursChart(split, counts, expected)],
  }
}

function hoursChart({ from, to, known_to }: Split, counts: Uint16Array, expected: Float64Array) {
  const sums = (values: ArrayLike<number>): number[] => {
    const hours = new Array<number>(HOURS).fill(0)
    for (let at = 0; at < values.length; at++) hours[at % HOURS] = (hours[at % HOURS] as number) + (values[at] as number)
    return hours.map(short)
  }
  return drawChart({
    ...{ name: 'hours', unit: 'accidents', kind: 'bars' },
    title: `Accidents ${known_to === null ? 'of held-out weeks' : `from ${from} to ${to}`} by hour, observed and expected`,
    labels: Array.from({ length: HOURS }, (_, hour) => String(hour)),
    figures: [
      { name: 'Seen', values: sums(counts) },
      { name: 'Expected', values: sums(expected) },
    ],
  })
}

/** Further data of estimates, beyond the parameters. */
export interface ModelRun {
  readonly model: string
  readonly model_version: string
  readonly made_at: number
  readonly recent_error: number | null
}

/** The rows of `risk_estimates`, one per section. */
export function estimatesOf(
  { roads, rates, variances, counts }: RiskParameters,
  basis: RiskBasis,
  made: ModelRun,
): Row<typeof riskEstimates>[] {
  const all = roads.flatMap(([province_code, road, first], at) => {
    const seen = (counts[at] as readonly number[]).reduce((sum, count) => sum + count, 0)
    return (rates[at] as readonly (readonly number[])[]).map((byKind, section) => {
      const expected = byKind.reduce((sum, one) => sum + one, 0)
      const km = (first + section) * SECTION_KM
      const [accidents, variance] = [counts[at]?.[section] as number, variances[at]?.[section] as number]
      return { province_code, road, km, byKind, seen, expected, accidents, variance }
    })
  })
  const baseline = all.reduce((sum, { expected }) => sum + expected, 0) / all.length
  const ranked = all.filter(({ seen }) => seen >= LEAST_OF_ROAD).sort((one, other) => other.expected - one.expected)
  const ranks = new Map(ranked.map((one, at) => [one, at + 1]))
  return all.map((one) => {
    const { province_code, road, km, byKind, seen, expected, accidents, variance } = one
    const rank = ranks.get(one) ?? null
    const [low, high] = rank === null || !(variance > 0) ? [null, null] : intervalOf(expected, variance)
    return {
      ...made,
      ...{ section: `${province_code}/${road}/${km}`, province_code, road, km, km_to: km + SECTION_KM },
      ...{ risk_basis: basis.basis, accidents },
      ...{ horizon: PERIOD, interval_level: LEVEL, interval_low: low, interval_high: high, baseline: short(baseline), rank },
      expected: rank === null ? null : expected,
      expected_by_kind: rank === null ? [] : byKind,
      risk_class: rank === null ? null : (CLASSES.find(([, share]) => rank <= Math.ceil(share * ranked.length))?.[0] ?? 'LOW'),
      reason: rank === null ? `not enough data: ${seen} accidents on the road in the province, ${LEAST_OF_ROAD} are needed` : null,
    }
  })
}

/** The middle 80 % of a gamma distribution with a mean and variance, by Wilson and Hilferty's cube of a normal. */
export function intervalOf(mean: number, variance: number): [low: number, high: number] {
  const shape = mean ** 2 / variance
  const at = (z: number): number => short(mean * Math.max(0, 1 - 1 / (9 * shape) + z / (3 * Math.sqrt(shape))) ** 3)
  return [at(-Z), at(Z)]
}

/** The rows of `risk_profiles`, one per kind. */
export function profilesOf({ kinds, profiles }: RiskParameters, { model, model_version, made_at }: ModelRun): Row<typeof riskProfiles>[] {
  return profiles.map(({ bySun, byHour, season }, at) => ({
    ...{ model, model_version, made_at, kind: at + 1, animal_code: kinds[at] ?? null },
    ...{ by_sun: bySun, by_hour: byHour, season },
  }))
}
