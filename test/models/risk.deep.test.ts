import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { animalAccidents } from '../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../lake/query/scan.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { dayOf, type SectionAccident } from '../../models/risk/accidents.ts'
import { ANIMALS, CASUALTIES } from '../../models/risk/bases.ts'
import { dayType, evaluateCity, forecastCity } from '../../models/risk/city.ts'
import { deviance, evaluateSections, holdOut, shareInTop } from '../../models/risk/evaluate.ts'
import { fitRisk, LEAST_WEEKS, predictDay, type RiskModel } from '../../models/risk/fit.ts'
import { gridOf } from '../../models/risk/grid.ts'
import { dayHours, localSun } from '../../models/risk/profile.ts'
import { casualtyAccidents, SECTION_ACCIDENT_COLUMNS, sectionAccidents } from '../../models/risk/rows.sql.ts'
import { fitRun, type RiskParameters } from '../../models/risk/run.ts'
import { everyFourthWeek, isHeld } from '../../models/risk/split.ts'
import { sunClock, sunTimes } from '../../models/risk/sun.ts'
import type { Check } from '../../models/run/run.ts'
import { evaluateRisk } from '../../scripts/checks/evaluations/risk.ts'
import { dgtAccidentTable } from '../../scripts/stand-in/formats/dgt-accidents.ts'
import { spanishAccidents } from '../../scripts/stand-in/world/accidents.ts'
import { makeWorld } from '../../scripts/stand-in/world/world.ts'
import { exampleTableRow } from '../api/service.ts'
import { expectScored } from '../helpers/checked-scores.ts'
import { figures } from '../helpers/figures.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { tempFolder } from '../helpers/temp.ts'
import { landRows, openTestLake } from '../lake/query/fixtures.ts'

const shared = sharedFolder()
const FIRST = dayOf('2024-01-01')
const YEAR = Array.from({ length: 366 }, (_, at) => FIRST + at)
const SPLIT = everyFourthWeek(YEAR)
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)
/** Rates of the sections of each of eight roads: most are calm, some are not. */
const SECTION_RATES = [1, 1, 2, 8, 4, 1, 0.3, 1]
const PROVINCES = ['27', '09', '16']

/** Accidents within two hours after sunset, on three provinces' roads, whose fourth section has the most. */
function madeUp(accidents: number, seed: number): SectionAccident[] {
  const next = figures(seed)
  const total = SECTION_RATES.reduce((sum, rate) => sum + rate, 0)
  return Array.from({ length: accidents }, () => {
    const day = FIRST + Math.floor(next() * 366)
    const province_code = PROVINCES[Math.floor(next() * PROVINCES.length)] as string
    let left = next() * total
    const section = SECTION_RATES.findIndex((rate) => (left -= rate) < 0)
    const hour = (localSun(day, province_code).set_h + 2 * next()) % 24
    return {
      ...{ province_code, road: `N${Math.floor(next() * 8)}`, km: section * 5 + 5 * next(), local_date: dateOf(day) },
      ...{ hour_local: Math.floor(hour), minute: Math.floor((hour % 1) * 60), animal_code: next() < 0.7 ? '8' : '5' },
    }
  })
}
const ACCIDENTS = madeUp(4000, 7)
/** Whether values are the same to the last bit. */
const isSame = (one: ArrayBufferView, other: ArrayBufferView): boolean => Buffer.from(one.buffer).equals(Buffer.from(other.buffer))
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, value) => all + value, 0)

test('the Sun rises and sets when almanacs say', () => {
  const madrid = { lat: 40.4, lon: -3.7 }
  // In Madrid at 6:44 and 21:48 by the summer's clock, at 8:34 and 17:51 by the winter's.
  for (const [date, rise, set] of [
    ['2024-06-21', 4 + 44 / 60, 19 + 48 / 60],
    ['2024-12-21', 7 + 34 / 60, 16 + 51 / 60],
  ] as const) {
    const times = sunTimes(dayOf(date), madrid)
    expect(Math.abs(times.rise_h - rise)).toBeLessThan(0.05)
    expect(Math.abs(times.set_h - set)).toBeLessThan(0.05)
  }
  expect(() => sunTimes(dayOf('2024-06-21'), { lat: 80, lon: 0 })).toThrow('does not rise')
  const times = { rise_h: 7, set_h: 19 }
  expect([7, 13, 19, 1, 6.999].map((hour) => Math.round(sunClock(hour, times)))).toEqual([6, 12, 18, 0, 6])
  // By the clock, not by the Sun, Galicia is later than the Balearic Islands; clocks change between Saturday and Sunday.
  expect(localSun(FIRST, '27').set_h - localSun(FIRST, '07').set_h).toBeGreaterThan(0.4)
  expect(localSun(dayOf('2024-03-31'), '28').set_h - localSun(dayOf('2024-03-30'), '28').set_h).toBeCloseTo(1, 1)
})

test('sections are between the first and the last accident of a road in a province', () => {
  const at = (province_code: string, road: string, km: number): SectionAccident => ({
    ...{ province_code, road, km, local_date: '2024-01-01', hour_local: 1, minute: 0, animal_code: null },
  })
  const grid = gridOf([at('09', 'N1', 12), at('09', 'N1', 31.2), at('27', 'N1', 3)])
  expect(grid.size).toBe(6)
  expect(grid.indexOf(at('09', 'N1', 10))).toBe(0)
  expect(grid.indexOf(at('09', 'N1', 34.9))).toBe(4)
  expect(grid.indexOf(at('27', 'N1', 0))).toBe(5)
  for (const elsewhere of [at('09', 'N1', 9.9), at('09', 'N1', 35), at('27', 'N1', 5), at('28', 'N1', 12)])
    expect(grid.indexOf(elsewhere)).toBe(-1)
})

test('held-out accidents do not change the forecast', () => {
  const before = holdOut(ACCIDENTS, SPLIT)
  const next = figures(11)
  const shuffled = ACCIDENTS.map((accident) =>
    isHeld(dayOf(accident.local_date)) ? { ...accident, km: 40 * next(), hour_local: Math.floor(24 * next()), road: 'N1' } : accident,
  )
  const after = holdOut(
    shuffled.filter((_, at) => at % 5 !== 0 || !isHeld(dayOf((shuffled[at] as SectionAccident).local_date))),
    SPLIT,
  )
  expect(isSame(after.expected, before.expected)).toBe(true)
  expect(isSame(after.baseline, before.baseline)).toBe(true)
  expect(isSame(after.counts, before.counts)).toBe(false)
  // Accidents of the fit do.
  const other = holdOut(ACCIDENTS.slice(100), SPLIT)
  expect(isSame(other.expected, before.expected)).toBe(false)
})

test('the forecast adds up to the later accidents, and beats means', () => {
  const { model, counts, expected, baseline, mean } = holdOut(ACCIDENTS, SPLIT)
  expect(sum(expected) / sum(counts)).toBeGreaterThan(0.9)
  expect(sum(expected) / sum(counts)).toBeLessThan(1.1)
  expect(deviance(counts, expected)).toBeLessThan(deviance(counts, baseline))
  expect(deviance(counts, baseline)).toBeLessThan(deviance(counts, new Float64Array(counts.length).fill(mean)))
  expect(shareInTop(counts, expected, 0.05)).toBeGreaterThan(0.4)
  expect(model.kinds).toEqual(['8', '5'])
})

test('a share of accidents is on unseen sections, and is forecast from the weeks of the seen ones', () => {
  // A road of its own for every third accident.
  const scattered = ACCIDENTS.map((accident, at) => (at % 3 === 0 ? { ...accident, road: `CM${at}` } : accident))
  const { model, accidents, unseen } = holdOut(scattered, SPLIT)
  expect(Math.abs(model.unseenShare - unseen / accidents)).toBeLessThan(0.04)
  expect(model.unseenShare).toBeGreaterThan(0.25)
})

test('a section with few accidents takes after those around it, one with many after itself', () => {
  const model = fitRisk(ACCIDENTS, YEAR)
  const rateAt = (of: RiskModel, km: number): number => {
    const at = of.grid.indexOf({ ...(ACCIDENTS[0] as SectionAccident), province_code: '09', road: 'N1', km })
    return of.rates.reduce((all, rates) => all + (rates[at] as number), 0)
  }
  const [own, all] = [(km: number) => count(km) / model.weeks, ACCIDENTS.length / model.weeks / model.grid.size]
  const count = (km: number): number =>
    ACCIDENTS.filter((one) => one.province_code === '09' && one.road === 'N1' && Math.floor(one.km / 5) === km / 5).length
  expect(rateAt(model, 15)).toBeLessThan(own(15))
  expect(rateAt(model, 15)).toBeGreaterThan(2 * all)
  expect(rateAt(model, 30)).toBeGreaterThan(own(30))
  expect(rateAt(model, 30)).toBeLessThan(all)
})

test('the hour of the greatest risk moves with the Sun and with the clock', () => {
  const model = fitRisk(ACCIDENTS, YEAR)
  const peak = (province_code: string, date: string): number => {
    const hours = dayHours(model.profiles[0] as RiskModel['profiles'][number], province_code, dayOf(date))
    return hours.indexOf(Math.max(...hours))
  }
  for (const province_code of PROVINCES)
    for (const date of ['2024-01-15', '2024-04-10', '2024-07-01', '2024-10-20', '2024-11-05']) {
      const { set_h } = localSun(dayOf(date), province_code)
      expect(peak(province_code, date) + 0.5).toBeGreaterThan(set_h - 0.5)
      expect(peak(province_code, date) + 0.5).toBeLessThan(set_h + 2.5)
    }
  // A day has the sum of its hours, all sections together, and a year its accidents.
  const year = YEAR.filter((_, at) => at % 7 === 0).reduce((all, day) => all + sum(predictDay(model, day)), 0)
  expect((7 * year) / ACCIDENTS.length).toBeGreaterThan(0.95)
  expect((7 * year) / ACCIDENTS.length).toBeLessThan(1.05)
})

test('a champion is scored on the same outcomes: by parameters that never saw them, or not at all', () => {
  const fit = fitRun(ACCIDENTS, ANIMALS)
  expectScored(fit)
  const [check] = fit.checks
  expect(check?.standing).toBeNull()
  const { parameters } = fitRun(ACCIDENTS, ANIMALS)
  // The same accidents: the parameters fitted without the held-out weeks give the same again, and not those that saw them.
  expect(fitRun(ACCIDENTS, ANIMALS, parameters).checks[0]?.standing).toBeCloseTo(check?.error as number, 6)
  // With parameters of the year before, the served model makes the forecast.
  const later = ACCIDENTS.map((one) => ({ ...one, local_date: one.local_date.replace('2024-02-29', '2024-02-28').replace('2024', '2025') }))
  const next = fitRun(later, ANIMALS, parameters).checks[0] as Check
  expect(next.standing).toBeGreaterThan(0)
  expect(next.standing).not.toBe(
    fitRun(later, ANIMALS, { ...parameters, rates: parameters.rates.map((road) => road.map(() => [0.01, 0.01])) }).checks[0]?.standing,
  )
  // Sections that it does not know have the mean of those that it does, so that nothing there is held impossible.
  const elsewhere = { ...parameters, roads: parameters.roads.map(([, road, first]) => ['48', road, first] as const) }
  const unknown = fitRun(later, ANIMALS, elsewhere).checks[0]?.standing as number
  expect([unknown > (next.standing as number), Number.isFinite(unknown)]).toEqual([true, true])
  // Data newer than the outcomes, and a revision without held-out data, give no score.
  expect(fitRun(ACCIDENTS, ANIMALS, { ...parameters, data_to: '2025-12-31' }).checks[0]?.standing).toBeNull()
  const { trial: _trial, ...old } = parameters
  expect(fitRun(ACCIDENTS, ANIMALS, old as RiskParameters).checks[0]?.standing).toBeNull()
})

test('with several years the parameters are checked on unseen accidents, also those fitted a year before', () => {
  const moved = (years: number): SectionAccident[] =>
    ACCIDENTS.map((one) => ({ ...one, local_date: one.local_date.replace('02-29', '02-28').replace('2024', String(2024 + years)) }))
  const [before, after] = [
    [...moved(-2), ...moved(-1), ...ACCIDENTS],
    [...moved(-1), ...ACCIDENTS, ...moved(1)],
  ]
  const { parameters } = fitRun(before, CASUALTIES)
  expect(parameters.data_to).toBe('2024-12-31')
  const figures = evaluateSections(before, null, CASUALTIES).figures
  expect(new Set(figures.map(({ horizon, window }) => `${horizon} ${window}`))).toEqual(new Set(['P1Y 2024-01-01:2024-12-31']))
  // What it serves never saw the last year.
  const [check] = fitRun(after, CASUALTIES, parameters).checks
  expect(check).toMatchObject({ series: 'casualty_accidents', horizon: 'P1Y', standing: expect.closeTo(check?.error as number, 3) })
  const blind = { ...parameters, rates: parameters.rates.map((road) => road.map(() => [0.01])) }
  expect(fitRun(after, CASUALTIES, blind).checks[0]?.standing).toBeGreaterThan(check?.standing as number)
})

test('where weekdays count, an hour has the share of its weekday, and a week the sum of its accidents', () => {
  // Monday to Friday at 8, on Saturdays and Sundays at 4.
  const accidents = ACCIDENTS.map((one) => {
    const isWeekend = [0, 6].includes(new Date(one.local_date).getUTCDay())
    return { ...one, hour_local: isWeekend ? 4 : 8, minute: 30, animal_code: null }
  })
  const model = fitRisk(accidents, YEAR, { byWeekday: true })
  const [profile] = model.profiles
  const hoursOf = (date: string): Float64Array => dayHours(profile as RiskModel['profiles'][number], '09', dayOf(date))
  // A Thursday, a Saturday, and the Sunday on which clocks change.
  for (const [date, most, least] of [
    ['2024-06-13', 8, 4],
    ['2024-06-15', 4, 8],
    ['2024-10-27', 4, 8],
  ] as const) {
    const hours = hoursOf(date)
    expect(hours.indexOf(Math.max(...hours))).toBe(most)
    expect(hours[least] as number).toBeLessThan(0.05 * (hours[most] as number))
  }
  const weeks = YEAR.slice(0, 364).reduce((all, day) => all + sum(hoursOf(dateOf(day))), 0)
  expect(weeks / 52).toBeCloseTo(1, 1)
  // When every day is alike both have the same hour.
  const [plain] = fitRisk(accidents, YEAR).profiles
  const alike = ['2024-06-13', '2024-06-15'].map((date) => {
    const hours = dayHours(plain as RiskModel['profiles'][number], '09', dayOf(date))
    return hours.indexOf(Math.max(...hours))
  })
  expect(alike).toEqual([8, 8])
})

test('accidents of the national table have a day of their month and weekday, by chance and always the same', async () => {
  const lake = await openTestLake(tempFolder())
  try {
    const row = (at: number, values: AnyRow): AnyRow =>
      exampleTableRow(roadAccidents, {
        ...{ edition: 'dgt-2024', accident_id: `${at}`, source: 'dgt_accidents', is_casualty: true, province_code: '18' },
        ...{ road: 'A-44', km: 118.4, year: 2024, month: 2, weekday_iso: 4, hour_local: 14, ...values },
      })
    const months = Array.from({ length: 12 * 7 }, (_, at) => ({ month: 1 + (at % 12), weekday_iso: 1 + (at % 7) }))
    const left = [
      { road: null },
      { km: null },
      { hour_local: null },
      { weekday_iso: null },
      { is_casualty: false },
      { province_code: null },
    ]
    await landRows(lake, roadAccidents, [
      // A month of 29 days that begins on a Thursday: five of them.
      ...Array.from({ length: 200 }, (_, at) => row(at, {})),
      ...months.map((values, at) => row(1000 + at, values)),
      ...left.map((values, at) => row(2000 + at, values)),
    ])
    const read = async (): Promise<readonly SectionAccident[]> =>
      (await lake.query(casualtyAccidents(scan(roadAccidents)), { columns: SECTION_ACCIDENT_COLUMNS, maxRows: 1000 })) as never
    const rows = await read()
    expect(rows).toHaveLength(200 + months.length)
    expect(rows[0]).toMatchObject({ province_code: '18', road: 'A44', km: 118.4, hour_local: 14, minute: 30, animal_code: null })
    const monthAndDay = ({ local_date }: SectionAccident): string =>
      `${Number(local_date.slice(5, 7))} ${new Date(local_date).getUTCDay() || 7}`
    const expectedDays = months.map(({ month, weekday_iso }) => `${month} ${weekday_iso}`)
    expect(rows.map(monthAndDay).sort()).toEqual([...expectedDays, ...new Array<string>(200).fill('2 4')].sort())
    const thursdays = Map.groupBy(rows, ({ local_date }) => local_date)
    for (const day of ['01', '08', '15', '22', '29']) expect(thursdays.get(`2024-02-${day}`)?.length ?? 0).toBeGreaterThan(20)
    expect(await read()).toEqual(rows)
  } finally {
    await lake.close()
  }
})

test('too few weeks are refused', () => {
  const days = YEAR.slice(0, 7 * (LEAST_WEEKS - 1))
  expect(() => fitRisk(ACCIDENTS, days)).toThrow(`at least ${LEAST_WEEKS}`)
})

test('districts of a city are foretold better than by the means of their cells', () => {
  expect(['2024-01-02', '2024-01-05', '2024-01-06', '2024-01-07', '2024-01-13'].map((date) => dayType(dayOf(date)))).toEqual([
    0, 1, 3, 3, 2,
  ])
  const next = figures(3)
  const made = (days: readonly number[]) => ({
    days,
    // Late on most days, early on Saturdays, Sundays and holidays.
    accidents: Array.from({ length: days.length * 12 }, () => {
      const day = days[Math.floor(next() * days.length)] as number
      const late = 24 * Math.sqrt(next())
      const district = ['CENTRO', 'RETIRO', 'USERA'][Math.floor(3 * next() ** 2)] as string
      return { district, local_date: dateOf(day), hour_local: Math.floor(dayType(day) > 1 ? 24 - late : late) % 24 }
    }),
  })
  const [before, after] = [made(YEAR.slice(0, 91)), made(YEAR.slice(120, 240))]
  const found = evaluateCity(before, after, { from: dateOf(YEAR[120] as number), to: dateOf(YEAR[239] as number) })
  expect(found.filter(({ limit }) => limit !== null).map(({ ok }) => ok)).toEqual([true, true])
  const { model } = forecastCity(before, after.days)
  expect(sum(model) / after.accidents.length).toBeGreaterThan(0.9)
  expect(sum(model) / after.accidents.length).toBeLessThan(1.1)
})

test('accidents are read from the lake with the road as it is compared and the minute', async () => {
  const lake = await openTestLake(tempFolder())
  try {
    const row = exampleTableRow(animalAccidents)
    await landRows(lake, animalAccidents, [row, { ...row, accident_id: 'other', road: null }])
    const rows = await lake.query(sectionAccidents(), { columns: SECTION_ACCIDENT_COLUMNS, maxRows: 10 })
    expect(rows).toEqual([
      { province_code: '02', road: 'CM332', km: 43.1, local_date: '2024-01-22', hour_local: 1, minute: 50, animal_code: '8' },
    ])
  } finally {
    await lake.close()
  }
})

test('files of the national table are measured beside those of accidents with animals', { timeout: 60_000 }, async () => {
  const folder = join(tempFolder(), 'dgt-accidentes')
  mkdirSync(folder, { recursive: true })
  const world = makeWorld(1, 'small')
  for (const [year, name] of [
    [2019, 'Tabla-Accidentes-2019.xlsx'],
    [2020, 'TABLA_ACCIDENTES_20.XLSX'],
  ] as const) {
    const accidents = spanishAccidents(world, 'dgt', year, 2000)
    writeFileSync(join(folder, name), dgtAccidentTable({ year, accidents, at: Date.UTC(2021, 10, 5), hasUnknownCodes: false }))
  }
  const lake = await openTestLake(tempFolder())
  try {
    const said: string[] = []
    const found = await evaluateRisk(lake, { data: dirname(folder), window: null, say: (line) => said.push(line) })
    expect(new Set(found.map(({ model, series, window }) => `${model} ${series} ${window.replace(/-\d\d-\d\d/g, '')}`))).toEqual(
      new Set(['risk_casualties casualty_accidents 2019:2020']),
    )
    const ratio = found.find(({ metric }) => metric === 'deviance_to_baseline')
    expect(ratio).toMatchObject({ limit: { max: 1 }, ok: true })
    expect(said.join()).toContain('no file of dgt_animal_accidents')
  } finally {
    await lake.close()
  }
})

test.skipIf(shared === null)('on the accidents of 2024 and on those of Madrid all limits hold', { timeout: 300_000 }, async () => {
  const lake = await openTestLake(tempFolder())
  try {
    const found = await evaluateRisk(lake, { data: `${shared}/feeds`, window: null, say: () => undefined })
    expect(found.filter(({ ok }) => !ok)).toEqual([])
    expect(found.filter(({ limit }) => limit !== null).map(({ metric }) => metric)).toEqual([
      ...['deviance_to_baseline', 'share_in_top_5_percent', 'calibration_on_seen_sections', 'calibration_with_unseen_sections'],
      ...[
        'coverage_80',
        'coverage_80_of_greatest_tenth',
        'seconds_for_24_hours_of_all_sections',
        'deviance_to_mean_of_cell',
        'deviance_to_mean_of_district_and_hour',
      ],
    ])
  } finally {
    await lake.close()
  }
})
