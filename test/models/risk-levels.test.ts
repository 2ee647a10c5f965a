import { expect, test } from 'vitest'
import { dayOf, type SectionAccident } from '../../models/risk/accidents.ts'
import { LEVELS, levelsOf, ratesOn } from '../../models/risk/credibility.ts'
import { fitRisk } from '../../models/risk/fit.ts'
import { gridOf } from '../../models/risk/grid.ts'
import { dayHours, hourShares } from '../../models/risk/profile.ts'
import { figures } from '../helpers/figures.ts'

const WEEKS = 4
/** Accidents on sections one after the other, from km 0 on. */
const COUNTS = [4, 1, 2, 3, 0, 6]

const accidents: SectionAccident[] = COUNTS.flatMap((count, section) =>
  Array.from({ length: count }, () => ({
    ...{ province_code: '09', road: 'N1', km: 5 * section + 2, local_date: '2024-01-15', hour_local: 12, minute: 0, animal_code: '8' },
  })),
)

test('a section is compared with the neighbouring sections, and those two and three away, as rates a week', () => {
  const grid = gridOf(accidents)
  const rates = ratesOn(grid, accidents, { weeks: WEEKS, kinds: 1, kindOf: () => 0 })
  const levels = levelsOf(grid, rates, 0)
  const levelOf = (section: number, name: (typeof LEVELS)[number]): number =>
    levels[section * LEVELS.length + LEVELS.indexOf(name)] as number
  const mean = (of: readonly number[]): number => of.reduce((sum, at) => sum + (COUNTS[at] as number), 0) / of.length / WEEKS
  for (const [section, next, further] of [
    [0, [1], [2, 3]],
    [2, [1, 3], [0, 4, 5]],
    [5, [4], [2, 3]],
  ] as const) {
    expect(levelOf(section, 'own')).toBeCloseTo(mean([section]), 12)
    expect(levelOf(section, 'next_sections')).toBeCloseTo(mean(next), 12)
    expect(levelOf(section, 'second_and_third_sections')).toBeCloseTo(mean(further), 12)
    expect(levelOf(section, 'rest_of_road')).toBeCloseTo(mean([0, 1, 2, 3, 4, 5].filter((at) => at !== section)), 12)
  }
})

test('an hour is that of the clock of its province: on the Canaries an hour less', () => {
  const next = figures(3)
  const year = Array.from({ length: 366 }, (_, at) => dayOf('2024-01-01') + at)
  const dated = Array.from({ length: 2000 }, (): SectionAccident => {
    const local_date = new Date((dayOf('2024-01-01') + Math.floor(366 * next())) * 86_400_000).toISOString().slice(0, 10)
    const place = { province_code: next() < 0.5 ? '35' : '09', road: 'N1', km: 40 * next() }
    return { ...place, local_date, hour_local: 17 + Math.floor(3 * next()), minute: 0, animal_code: '8' }
  })
  const { profiles } = fitRisk(dated, year)
  const shares = hourShares(profiles)
  const noon = Date.UTC(2024, 6, 1, 12)
  for (const [province_code, hour] of [
    ['35', 13],
    ['09', 14],
  ] as const)
    expect(shares(province_code, noon)).toEqual(profiles.map((profile) => dayHours(profile, province_code, dayOf('2024-07-01'))[hour]))
})
