import { expect, test } from 'vitest'
import { dayOf, type SectionAccident, weekOf } from '../../models/risk/accidents.ts'
import { ANIMALS, CASUALTIES } from '../../models/risk/bases.ts'
import { type Contender, keepRates, unseeing } from '../../models/risk/champion.ts'
import { type Fold, fitWeights, LEVELS, levelsOf, PLACES, placesOf, ratesOn } from '../../models/risk/credibility.ts'
import { baseline } from '../../models/risk/evaluate.ts'
import { fitRisk } from '../../models/risk/fit.ts'
import { gridOf } from '../../models/risk/grid.ts'
import { fitProfile, HOURS, provinceOffset, sunTable } from '../../models/risk/profile.ts'
import { enoughOf, estimatesOf, fitRun, LEAST_ACCIDENTS, profilesOf, type RiskParameters } from '../../models/risk/run.ts'
import { daysOf, everyFourthWeek, isHeld, lastYear, type Split } from '../../models/risk/split.ts'
import { expectScored } from '../helpers/checked-scores.ts'
import { figures } from '../helpers/figures.ts'

const FIRST = dayOf('2024-01-01')
const YEAR = Array.from({ length: 366 }, (_, at) => FIRST + at)
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)
const accident = (values: Partial<SectionAccident>): SectionAccident => ({
  ...{ province_code: '09', road: 'N1', km: 2, local_date: '2024-01-15', hour_local: 12, minute: 0, animal_code: null, ...values },
})

test('weeks of a year are of seven days from New Year on, the last of one or two; every fourth is held out', () => {
  const dates = ['2024-01-01', '2024-01-07', '2024-01-08', '2024-12-28', '2024-12-29', '2024-12-30', '2024-12-31', '2023-12-31']
  expect(dates.map((date) => weekOf(dayOf(date)))).toEqual([0, 0, 1, 51, 51, 52, 52, 52])
  expect(['2024-01-21', '2024-01-22', '2024-01-28', '2024-01-29', '2024-02-19'].map((date) => isHeld(dayOf(date)))).toEqual([
    ...[false, true, true, false, true],
  ])
})

test('clocks of both provinces of the Canaries are an hour behind', () => {
  const noon = Date.UTC(2024, 6, 1, 12)
  expect(['28', '35', '38', '07'].map((code) => provinceOffset(noon, code) / 3_600_000)).toEqual([2, 1, 1, 2])
})

test('the counts of all kinds inform one kind by its share in the province', () => {
  // Two roads of a province; the counts of two kinds on the sections of the first.
  const [boars, others] = [
    [4, 1, 0],
    [2, 3, 5],
  ] as const
  const accidents = [
    ...boars.flatMap((count, at) => Array.from({ length: count }, () => accident({ km: 5 * at, animal_code: '8' }))),
    ...others.flatMap((count, at) => Array.from({ length: count }, () => accident({ km: 5 * at, animal_code: '5' }))),
    accident({ road: 'N2', animal_code: '5' }),
  ]
  const grid = gridOf(accidents)
  const rates = ratesOn(grid, accidents, { weeks: 1, kinds: 2, kindOf: ({ animal_code }) => (animal_code === '8' ? 0 : 1) })
  const levels = levelsOf(grid, rates, 0)
  const level = (section: number, name: (typeof LEVELS)[number]): number => levels[section * LEVELS.length + LEVELS.indexOf(name)] as number
  const share = 5 / 16
  expect(level(0, 'own_all_kinds')).toBeCloseTo(6 * share, 12)
  expect(level(0, 'next_sections_all_kinds')).toBeCloseTo(4 * share, 12)
  expect(level(0, 'rest_of_road_all_kinds')).toBeCloseTo(((4 + 5) / 2) * share, 12)
  expect(level(0, 'province')).toBeCloseTo(5 / 4, 12)
  // A road of one section has the province as its neighbour.
  expect([level(3, 'next_sections'), level(3, 'rest_of_road')]).toEqual([5 / 4, 5 / 4])
})

test('sections are grouped by their place on the road, and each group learns the weight of its own count', () => {
  const grid = gridOf([
    ...[0, 15].map((km) => accident({ km })),
    ...[0, 5].map((km) => accident({ road: 'N2', km })),
    ...[accident({ road: 'N3' })],
  ])
  expect([...placesOf(grid)].map((place) => PLACES[place])).toEqual(['END', 'INNER', 'INNER', 'END', 'OF_TWO', 'OF_TWO', 'ALONE'])
  const next = figures(4)
  const size = 400
  const rates = Array.from({ length: size }, () => 0.2 + next())
  const mean = rates.reduce((sum, one) => sum + one, 0) / size
  // Inner sections are unchanged, ends are all alike.
  const fold: Fold = {
    levels: Float64Array.from(rates.flatMap((rate) => [rate, ...Array<number>(LEVELS.length - 1).fill(mean)])),
    places: Uint8Array.from(rates, (_, at) => (at % 2 === 0 ? 3 : 2)),
    exposure: new Float64Array(size).fill(10),
    counts: Float64Array.from(rates, (rate, at) => 10 * (at % 2 === 0 ? rate : mean)),
  }
  const [, , ends, inner] = fitWeights([fold]) as [Float64Array, Float64Array, Float64Array, Float64Array]
  expect(inner[0]).toBeGreaterThan(0.9)
  expect(ends[0]).toBeLessThan(0.05)
  for (const weights of [ends, inner]) expect(weights.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 2)
})

test('the season of a province with 300 accidents is half its own, half that of all', () => {
  const next = figures(8)
  const at = (province_code: string, days: number): SectionAccident =>
    accident({ province_code, local_date: dateOf(FIRST + Math.floor(days * next())), hour_local: Math.floor(24 * next()) })
  // In one province all are in the first half of the year.
  const accidents = [...Array.from({ length: 300 }, () => at('09', 183)), ...Array.from({ length: 6000 }, () => at('27', 366))]
  const { season } = fitProfile({ accidents, days: YEAR, provinces: ['09', '27', '16'], byWeekday: false }, sunTable(YEAR))
  const mean = (code: string, from: number, to: number): number =>
    (season[code] ?? []).slice(from, to).reduce((sum, one) => sum + one, 0) / (to - from)
  const ratio = mean('09', 34, 46) / mean('09', 6, 18)
  expect(ratio).toBeGreaterThan(0.25)
  expect(ratio).toBeLessThan(0.45)
  expect(Math.abs(mean('27', 34, 46) / mean('27', 6, 18) - 1)).toBeLessThan(0.2)
  // One without any has the season of all.
  expect(Math.max(...(season['16'] ?? [])) - Math.min(...(season['16'] ?? []))).toBeLessThan(1e-9)
})

test('the three commonest kinds are separate, if they have five hundred at least', () => {
  const next = figures(6)
  const of = (animal_code: string | null, count: number): SectionAccident[] =>
    Array.from({ length: count }, () =>
      accident({ animal_code, km: 40 * next(), local_date: dateOf(FIRST + Math.floor(366 * next())), hour_local: Math.floor(24 * next()) }),
    )
  expect(fitRisk([...of('1', 510), ...of('8', 700), ...of('5', 600), ...of('7', 550), ...of(null, 900)], YEAR).kinds).toEqual([
    '8',
    '5',
    '7',
  ])
  expect(fitRisk([...of('8', 500), ...of('5', 499)], YEAR).kinds).toEqual(['8'])
})

test('years count that have enough accidents, of enough weeks, the newest first; days after the last accident are not known', () => {
  const next = figures(2)
  const of = (year: number, count: number, days = 365): SectionAccident[] =>
    Array.from({ length: count }, () =>
      accident({
        km: 30 * next(),
        local_date: dateOf(dayOf(`${year}-01-01`) + Math.floor(days * next())),
        hour_local: Math.floor(24 * next()),
      }),
    )
  const all = [...of(2020, 1100), ...of(2021, 1200), ...of(2022, LEAST_ACCIDENTS - 1), ...of(2023, 1300), ...of(2024, 1400, 200)]
  const yearsOf = (years: number): unknown[] =>
    [...Map.groupBy(enoughOf(all, { years }), ({ local_date }) => local_date.slice(0, 4))].map(([year, theirs]) => [year, theirs.length])
  expect(yearsOf(1)).toEqual([['2023', 1300]])
  expect(yearsOf(3)).toEqual([
    ['2023', 1300],
    ['2021', 1200],
    ['2020', 1100],
  ])
  expect(enoughOf(of(2024, 900), { years: 1 })).toEqual([])
  const { data_from, data_to, made_at, checks, scores } = fitRun(of(2024, 1200, 274), ANIMALS)
  // Held-out weeks between others claim no time ahead.
  expect(new Set([...checks, ...scores].map(({ horizon }) => horizon))).toEqual(new Set(['HELD_OUT_WEEKS']))
  expect([data_from, data_to, made_at]).toEqual(['2024-01-01', '2024-09-30', Date.UTC(2024, 8, 30, 22)])
})

/** Accidents of a year on the sections of a road, more of them on its first ones. */
function yearly(year: number, count = LEAST_ACCIDENTS + 100): SectionAccident[] {
  const next = figures(year)
  return Array.from({ length: count }, () =>
    accident({
      km: 40 * next() ** 2,
      local_date: dateOf(dayOf(`${year}-01-01`) + Math.floor(364 * next())),
      hour_local: Math.floor(24 * next()),
    }),
  )
}

test('the last of three whole years in a row is held out whole, and predicted from the years before, as many as the basis fits', () => {
  const of = (...years: number[]): SectionAccident[] => years.flatMap((year) => yearly(year, 300))
  const daysIn = (...years: number[]): number => years.reduce((sum, year) => sum + (year % 4 === 0 ? 366 : 365), 0)
  const split = lastYear(of(2024, 2022, 2023), CASUALTIES)
  expect(split).toMatchObject({ horizon: 'P1Y', from: '2024-01-01', to: expect.stringMatching(/^2024-12-/), known_to: expect.any(String) })
  expect(split?.fitted[0]).toBe(dayOf('2022-01-01'))
  expect((split?.known_to as string) < (split?.from as string)).toBe(true)
  expect(Math.max(...(split?.fitted ?? []))).toBe(dayOf(split?.known_to as string))
  expect(Math.min(...(split?.held ?? []))).toBe(dayOf('2024-01-01'))
  const [first] = lastYear(of(2020, 2021, 2022, 2023, 2024), CASUALTIES)?.fitted ?? []
  expect(first).toBe((split?.fitted[0] as number) - daysIn(2021))
  // Too few years, a year between them, a year without its last month, and a fit of one year.
  expect(lastYear(of(2023, 2024), CASUALTIES)).toBeNull()
  expect(lastYear(of(2021, 2022, 2024), CASUALTIES)).toBeNull()
  for (const cut of ['2022-01', '2023-07', '2024-12'])
    expect([
      cut,
      lastYear(
        of(2022, 2023, 2024).filter(({ local_date }) => !local_date.startsWith(cut)),
        CASUALTIES,
      ),
    ]).toEqual([cut, null])
  expect(lastYear(of(2022, 2023, 2024), ANIMALS)).toBeNull()
  expect(lastYear([], CASUALTIES)).toBeNull()
})

test('errors of the last year are a year ahead, of a fit that did not see it', () => {
  const [before, last] = [[2023, 2022, 2021].flatMap((year) => yearly(year)), yearly(2024)]
  const served = keepRates(fitRisk(before, daysOf(before), CASUALTIES))
  const champion = { ...served, data_to: '2023-12-30', trial: { ...served, known_to: '2022-12-31' } } as unknown as RiskParameters
  const fit = fitRun([...last, ...before], CASUALTIES, champion)
  expectScored(fit)
  expect(fit.data_from).toBe('2022-01-01')
  expect(new Set(fit.scores.map(({ horizon, window_from }) => `${horizon} ${window_from}`))).toEqual(new Set(['P1Y 2024-01-01']))
  expect(fit.scores.find(({ metric }) => metric === 'CALIBRATION')?.points).toBe(last.length)
  // The trial is the champion's fit to the same three years, to the last digit: a new year alone is no reason for a refusal.
  expect([fit.parameters.trial.rates, fit.checks[0]?.standing]).toEqual([served.rates, fit.checks[0]?.error])
})

test('a champion that saw the last year, or most weeks of it, is not scored on it', () => {
  const split = lastYear(
    [2022, 2023, 2024].flatMap((year) => yearly(year, 300)),
    CASUALTIES,
  ) as Split
  const whole = { profiles: [], roads: [], rates: [] }
  const seen = (data_to: string, known_to: string | null | undefined): unknown =>
    unseeing({ ...whole, data_to, trial: { ...whole, known_to } } as Contender, split)
  expect(seen('2024-12-31', '2023-12-31')).toHaveProperty('known_to', '2023-12-31')
  expect(seen('2023-12-31', null)).toHaveProperty('data_to', '2023-12-31')
  // Versions from before walks forward name no last day of their trials, which saw three of four weeks.
  for (const known_to of [null, undefined, '2024-12-31']) expect(seen('2024-12-31', known_to)).toBeUndefined()
  // Weeks are scored by a trial without them, or by one of earlier days.
  const weeks = everyFourthWeek(YEAR)
  const ofWeeks = (data_to: string, known_to: string | null): boolean =>
    unseeing({ ...whole, data_to, trial: { ...whole, known_to } }, weeks) !== undefined
  expect([ofWeeks('2024-12-31', null), ofWeeks('2024-12-31', '2023-12-31'), ofWeeks('2025-12-31', '2024-12-31')]).toEqual([
    ...[true, true, false],
  ])
  expect(ofWeeks('2025-12-31', null)).toBe(false)
})

test('sections are ranked by their expected number, classed by rank, and have no number on roads with fewer than three accidents', () => {
  const sections = 100
  const parameters = {
    ...{ data_to: '2024-12-31', kinds: [], profiles: [] },
    roads: [
      ['09', 'N1', 0],
      ['09', 'N2', 4],
    ],
    rates: [Array.from({ length: sections }, (_, at) => [at + 1, 0.5]), [[900]]],
    variances: [Array.from({ length: sections }, () => 1), [1]],
    counts: [Array.from({ length: sections }, (_, at) => (at < 3 ? 1 : 0)), [2]],
  } as unknown as RiskParameters
  const rows = estimatesOf(parameters, ANIMALS, { model: 'risk', model_version: 'v', made_at: 0, recent_error: 0.1 })
  const ofRank = (rank: number) => rows.find((row) => row.rank === rank)
  expect(ofRank(1)).toMatchObject({
    section: '09/N1/495',
    km: 495,
    km_to: 500,
    expected: 100.5,
    expected_by_kind: [100, 0.5],
    accidents: 0,
  })
  expect([1, 5, 6, 20, 21, 50, 51, 100].map((rank) => ofRank(rank)?.risk_class)).toEqual([
    ...['VERY_HIGH', 'VERY_HIGH', 'HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW'],
  ])
  expect(rows.at(-1)).toMatchObject({
    ...{ section: '09/N2/20', accidents: 2, expected: null, rank: null, risk_class: null, interval_low: null, expected_by_kind: [] },
    reason: 'not enough data: 2 accidents on the road in the province, 3 are needed',
  })
  // The mean is of all sections, with a number or without.
  expect(rows[0]?.baseline).toBeCloseTo((5050 + 50 + 900) / 101, 4)
})

test('the baseline has the shares of the two weeks before and after', () => {
  const grid = gridOf([accident({})])
  // Held out is the week from the 19th of February on.
  const heldDays = YEAR.filter((day) => weekOf(day) === 7)
  const days = YEAR.filter((day) => !isHeld(day))
  const at = (week: number): number => {
    const accidents = [accident({ local_date: dateOf(FIRST + 7 * week) }), accident({ local_date: '2024-09-02' })]
    return baseline(grid, accidents, { days, heldDays, seenShare: 1 })[12] as number
  }
  // Two accidents on the one section, one of them in the 28 days around, and half a one more.
  for (const week of [5, 6, 8, 9]) expect(at(week)).toBeCloseTo((2 * ((1 + 0.5) / 28) * 7) / 2, 12)
  for (const week of [4, 10]) expect(at(week)).toBeCloseTo((2 * (0.5 / 28) * 7) / 2, 12)
  expect(HOURS).toBe(24)
})

test('profiles are numbered from 1, like the numbers by kind of a section; the last one is of all other animals', () => {
  const profile = (value: number) => ({ bySun: [value], byHour: [value + 0.1], season: [value + 0.2] })
  const parameters = { kinds: ['8', '5'], profiles: [1, 2, 3].map(profile) } as unknown as RiskParameters
  const run = { model: 'risk', model_version: 'v', made_at: 7 }
  expect(profilesOf(parameters, { ...run, recent_error: 0.1 })).toEqual(
    [[1, '8'] as const, [2, '5'] as const, [3, null] as const].map(([kind, animal_code]) => ({
      ...run,
      ...{ kind, animal_code, by_sun: [kind], by_hour: [kind + 0.1], season: [kind + 0.2] },
    })),
  )
})
