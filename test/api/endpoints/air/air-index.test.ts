import { expect, test } from 'vitest'
import { levelOf, nationalIndex } from '../../../../lake/datasets/air/national-index.ts'

const HOUR = 3_600_000
const AT = Date.UTC(2026, 8, 2, 21)

/** The same value for the given number of hours up to AT. */
const held = (value: number, hours = 1, from = 1): ReadonlyMap<number, number> =>
  new Map(Array.from({ length: hours }, (_, back) => [AT - (from + back) * HOUR, value]))

test.each([
  ['NO2', [40, 90, 120, 230, 340]],
  ['O3', [50, 100, 130, 240, 380]],
  ['PM10', [20, 40, 50, 100, 150]],
  ['PM2_5', [10, 20, 25, 50, 75]],
  ['SO2', [100, 200, 350, 500, 750]],
] as const)('%s has the limits of the amended order, in whole micrograms', (pollutant, limits) => {
  const levels = ['GOOD', 'FAIRLY_GOOD', 'MODERATE', 'POOR', 'VERY_POOR', 'EXTREMELY_POOR']
  expect(limits.map((limit) => levelOf(pollutant, limit))).toEqual(levels.slice(0, 5))
  expect(limits.map((limit) => levelOf(pollutant, limit + 0.49))).toEqual(levels.slice(0, 5))
  expect(limits.map((limit) => levelOf(pollutant, limit + 0.5))).toEqual(levels.slice(1))
  expect([levelOf(pollutant, 0), levelOf(pollutant, 100_000)]).toEqual(['GOOD', 'EXTREMELY_POOR'])
})

const indexOf = (station: Readonly<Record<string, ReadonlyMap<number, number>>>): ReturnType<typeof nationalIndex> =>
  nationalIndex(new Map(Object.entries(station)), AT)

test('gases count by the last hour, particles by the mean of 24 hours, and the worst decides', () => {
  const rising = new Map([...held(10, 23, 2), ...held(250)])
  expect(indexOf({ NO2: rising })).toEqual({ level: 'VERY_POOR', is_partial: false, pollutants: ['NO2'] })
  // (23 × 10 + 250) / 24 is 20: still good.
  expect(indexOf({ PM10: rising })).toEqual({ level: 'GOOD', is_partial: false, pollutants: ['PM10'] })
  expect(indexOf({ NO2: held(41), O3: held(60), PM10: held(15, 24) })).toEqual({
    ...{ level: 'FAIRLY_GOOD', is_partial: false, pollutants: ['NO2', 'O3'] },
  })
})

test('a pollutant without a value makes it partial, a mean needs 18 hours, and pollutants of no index count for nothing', () => {
  expect(indexOf({ NO2: held(50), O3: held(200, 5, 2) })).toEqual({ level: 'FAIRLY_GOOD', is_partial: true, pollutants: ['NO2'] })
  expect(indexOf({ NO2: held(50), PM2_5: held(60, 18) })).toMatchObject({ level: 'VERY_POOR', is_partial: false })
  expect(indexOf({ NO2: held(50), PM2_5: held(60, 17) })).toMatchObject({ level: 'FAIRLY_GOOD', is_partial: true })
  expect(indexOf({ NO2: held(50), CO: held(9) })).toMatchObject({ level: 'FAIRLY_GOOD', is_partial: false })
  expect([indexOf({ CO: held(9) }), indexOf({ O3: held(200, 5, 2) }), indexOf({ PM10: held(20, 24, 2) })?.level]).toEqual([
    null,
    null,
    'GOOD',
  ])
})
