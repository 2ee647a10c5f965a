import { expect, test } from 'vitest'
import { boardOf } from '../../models/traffic/board.ts'
import { makeGrid } from '../../models/traffic/grid.ts'
import { panelOf } from '../../models/traffic/live.ts'
import { makeTally, type Outcome, SUBSETS } from '../../models/traffic/tally.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000
const [FIRST, LAST] = [dayOf('2024-12-01'), dayOf('2026-03-31')]

function tallyOf(): ReturnType<typeof makeTally> {
  const grid = makeGrid(FIRST, LAST)
  grid.add({ name: 'ES01 1', day: LAST, vehicles: Array.from({ length: 24 }, () => 7) })
  return makeTally(boardOf(grid.end()))
}
const outcome = (date: string, values: Partial<Outcome> = {}): Outcome => ({
  ...{ day: dayOf(date) - FIRST, clock: 12, horizon: 2, count: 100, value: 90, low: 80, high: 120, typical: 130, standing: 115 },
  ...values,
})

test('a fit is checked on the last 28 days with counts, and errors cover the last 365', () => {
  const { isChecked, isScored } = tallyOf()
  const first = (is: (day: number) => boolean): number => Array.from({ length: LAST - FIRST + 1 }, (_, day) => day).findIndex(is)
  expect([LAST - FIRST + 1 - first(isChecked), LAST - FIRST + 1 - first(isScored)]).toEqual([28, 365])
})

test('outcomes are added up by season, on holidays and by night, by horizon and by hour', () => {
  const tally = tallyOf()
  const subsetsOf = (date: string, clock = 12): string[] => {
    const before = SUBSETS.map((subset) => tally.scored[1]?.[subset].points ?? 0)
    tally.add(outcome(date, { clock }))
    return SUBSETS.filter((subset, at) => (tally.scored[1]?.[subset].points ?? 0) > (before[at] as number))
  }
  expect(subsetsOf('2025-11-30')).toEqual(['ALL', 'AUTUMN'])
  expect(subsetsOf('2025-12-01')).toEqual(['ALL', 'WINTER'])
  expect(subsetsOf('2026-02-28')).toEqual(['ALL', 'WINTER'])
  expect(subsetsOf('2026-03-01')).toEqual(['ALL', 'SPRING'])
  expect(subsetsOf('2025-05-31')).toEqual(['ALL', 'SPRING'])
  expect(subsetsOf('2025-06-01')).toEqual(['ALL', 'SUMMER'])
  expect(subsetsOf('2025-09-01')).toEqual(['ALL', 'AUTUMN'])
  // A Sunday that is no holiday, and a Monday that is one.
  expect(subsetsOf('2025-10-19')).toEqual(['ALL', 'AUTUMN'])
  expect(subsetsOf('2025-12-08')).toEqual(['ALL', 'WINTER', 'HOLIDAY'])
  expect([subsetsOf('2026-03-30', 5), subsetsOf('2026-03-30', 6)]).toEqual([
    ['ALL', 'SPRING', 'NIGHT'],
    ['ALL', 'SPRING'],
  ])
  expect(subsetsOf('2025-03-01')).toEqual([])
  expect(tally.byHour[1]?.map(({ points }) => points).filter((points) => points > 0)).toEqual([1, 1, 9])
  expect(tally.scored[0]?.ALL.points).toBe(0)
})

test('errors are of the forecast, of the typical value and of the champion over the same outcomes; an interval contains the outcomes inside', () => {
  const tally = tallyOf()
  for (const count of [79, 80, 100, 120, 121]) tally.add(outcome('2026-03-20', { count }))
  expect(tally.checked[1]).toMatchObject({ points: 5, vehicles: 500, error: 11 + 10 + 10 + 30 + 31, baseline: 150, inside: 3 })
  expect(tally.checked[1]?.standing).toBe(36 + 35 + 15 + 5 + 6)
  expect([tally.checked[1]?.first, tally.checked[1]?.last]).toEqual([dayOf('2026-03-20') - FIRST, dayOf('2026-03-20') - FIRST])
  // A standing version that cannot say one outcome cannot be held against any.
  tally.add(outcome('2026-03-21', { standing: null }))
  expect(tally.checked[1]?.standing).toBeNaN()
})

test('a model of all sensors is fitted to 240 of those that measure most of the time, the same ones for the same', () => {
  const sensors = Array.from({ length: 1000 }, (_, at) => ({
    sensor_id: String(3000 + at),
    hours: at % 4 === 0 ? 79 : 80 + (at % 21),
    until: 0,
  }))
  const panel = panelOf(sensors)
  expect([panel.length, new Set(panel).size]).toEqual([240, 240])
  expect(panel.filter((id) => Number(id) % 4 === 0)).toEqual([])
  expect(panelOf(sensors.toReversed())).toEqual(panel)
  // One that comes or goes leaves the others.
  const fewer = panelOf(sensors.filter(({ sensor_id }) => sensor_id !== panel[7]))
  expect(fewer.slice(0, -1)).toEqual(panel.filter((_, at) => at !== 7))
  // Not the first ones by their names: old and new ones alike.
  expect(panel.filter((id) => Number(id) >= 3500).length).toBeGreaterThan(80)
  expect(panelOf([{ sensor_id: '1', hours: 0, until: 0 }])).toEqual([])
  expect(panelOf([])).toEqual([])
})
