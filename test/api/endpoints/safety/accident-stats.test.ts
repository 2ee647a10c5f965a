import { afterAll, beforeAll, expect, test } from 'vitest'
import { monthSpan } from '../../../../jobs/feeds/safety/accident.ts'
import { roadAccidents } from '../../../../lake/datasets/safety/road-accidents.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 10)

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.land(roadAccidents, ROWS, NOW)
})
afterAll(() => service?.close())

/** The given number of accidents of a source in a month. */
function some(source: string, year: number, month: number, count: number, values: AnyRow = {}): AnyRow[] {
  const { isClockChange: _, ...span } = monthSpan(year, month, 'Europe/Madrid')
  return Array.from({ length: count }, (_one, at) =>
    exampleTableRow(roadAccidents, {
      ...{
        source,
        edition: `${source}-${year}`,
        accident_id: `${month}-${values.province_code ?? ''}-${values.road ?? ''}-${values.severity ?? ''}-${at}`,
      },
      ...{ year, month, ...span, province_code: '28', road: null, km: null, ...values },
    }),
  )
}

const ROWS: readonly AnyRow[] = [
  // The whole of 2023 and three months of 2024, in Madrid; a few in Granada.
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((month) => some('dgt_accidents', 2023, month, 4)),
  ...some('dgt_accidents', 2024, 1, 5),
  ...some('dgt_accidents', 2024, 2, 6),
  ...some('dgt_accidents', 2024, 3, 4, { severity: 'FATAL', killed_30d: 1, slight_30d: 0, road: 'A-1', km: 3 }),
  ...some('dgt_accidents', 2024, 3, 1, { road: 'A1', km: 4, severity: 'NONE', is_casualty: false, slight_30d: 0 }),
  ...some('dgt_accidents', 2023, 2, 2, { province_code: '18' }),
  ...some('madrid', 2024, 1, 7, { killed_30d: null, hospitalised_30d: null, slight_30d: null }),
  ...some('madrid', 2024, 1, 3, { severity: 'NONE', is_casualty: false, killed_30d: null, hospitalised_30d: null, slight_30d: null }),
]

const stats = async (query: string): Promise<Reply[]> => {
  const reply = await service.json(`/api/accidentes/stats?${query}`)
  expect(reply.stats, JSON.stringify(reply)).toBeDefined()
  return reply.stats
}
const pick = (rows: readonly Reply[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]))

test('by source and year; a year is compared by the months that both years have', async () => {
  expect(
    pick(
      await stats('sort=year'),
      'source',
      'year',
      'accidents',
      'months',
      'months_compared',
      'compared_accidents',
      'previous_accidents',
      'change_pct',
    ),
  ).toEqual([
    ['dgt_accidents', 2023, 50, 12, 0, null, null, null],
    // 15 in January to March, against 14 of 50.
    ['dgt_accidents', 2024, 15, 3, 3, 15, 14, 7.1],
  ])
  const [row] = await stats('year=2024')
  expect(row).toMatchObject({
    fatal_accidents: 4,
    serious_accidents: 0,
    killed_30d: 4,
    slight_30d: 11,
    province: null,
    province_code: null,
    month: null,
  })
})

test('by year: one count of each source and year', async () => {
  expect(pick(await stats('group_by=year&sort=year'), 'source', 'year', 'accidents')).toEqual([
    ['dgt_accidents', 2023, 50],
    ['dgt_accidents', 2024, 15],
  ])
  expect(await stats('group_by=year,province&sort=year')).toEqual(await stats('group_by=province&sort=year'))
})

test('no figure ever sums sources', async () => {
  const rows = await stats('source=dgt_accidents,madrid&year=2024')
  expect(pick(rows, 'source', 'accidents', 'killed_30d', 'killed_24h')).toEqual([
    ['dgt_accidents', 15, 4, 0],
    ['madrid', 7, null, 0],
  ])
  expect(pick(await stats('source=madrid&casualty=all'), 'accidents', 'months_compared', 'change_pct')).toEqual([[10, 0, null]])
})

test('by groups: a group without accidents now still has its count of the year before', async () => {
  expect(
    pick(
      await stats('group_by=province&year=2024&sort=-accidents'),
      'province',
      'accidents',
      'previous_accidents',
      'change_pct',
      'killed_30d',
    ),
  ).toEqual([
    ['Madrid', 15, 12, 25, 4],
    ['Granada', 0, 2, -100, null],
  ])
  const months = await stats('group_by=month,severity&year=2024&sort=-accidents')
  expect(pick(months, 'month', 'severity', 'accidents', 'previous_accidents').sort()).toEqual([
    [1, 'SLIGHT', 5, 4],
    [2, 'SLIGHT', 6, 6],
    [3, 'FATAL', 4, 0],
    [3, 'SLIGHT', 0, 4],
  ])
})

test('spellings of a road are one', async () => {
  expect(pick(await stats('group_by=road&casualty=all&year=2024&road=a1'), 'road', 'accidents')).toEqual([['A-1', 5]])
})

test('by sections of 5 km, whatever the spelling; accidents without a kilometre are in none', async () => {
  const rows = await stats('group_by=section,severity&casualty=all&year=2024&sort=-accidents')
  expect(pick(rows, 'section', 'severity', 'accidents', 'road').filter(([section]) => section !== null)).toEqual([
    ['28/A1/0', 'FATAL', 4, null],
    ['28/A1/0', 'NONE', 1, null],
  ])
  const [counted] = await golden(
    service.lake,
    [roadAccidents],
    `SELECT count(*) AS accidents FROM road_accidents WHERE source = 'dgt_accidents' AND year = 2024 AND road IN ('A-1', 'A1') AND km < 5`,
  )
  const [one] = await stats('group_by=section&casualty=all&year=2024&road=A-1')
  expect([one?.section, one?.accidents]).toEqual(['28/A1/0', counted?.['accidents']])
})

test('a period is compared with the same one a year before, and cuts off accidents that are not wholly inside', async () => {
  expect(pick(await stats('from=2024-02-01&to=2024-03-15'), 'year', 'accidents', 'months', 'previous_accidents')).toEqual([[2024, 6, 1, 6]])
  expect(pick(await stats('from=2023-12-01&to=2024-02-01&sort=year'), 'year', 'accidents', 'months', 'previous_accidents')).toEqual([
    [2023, 4, 1, null],
    [2024, 5, 1, 4],
  ])
  expect(await stats('from=2022-01-01&to=2022-02-01')).toEqual([])
})

test('a year that is not there is refused with those that are', async () => {
  const response = await service.get('/api/accidentes/stats?year=2019')
  expect([response.status, ((await response.json()) as Reply).errors[0].detail]).toEqual([400, expect.stringContaining('2023, 2024')])
})

test('pages hold each group once', async () => {
  const found: unknown[] = []
  let path = '/api/accidentes/stats?group_by=month&limit=4'
  while (path) {
    const reply = await service.json(path)
    found.push(...pick(reply.stats, 'year', 'month'))
    path = reply.next_cursor ? `/api/accidentes/stats?group_by=month&limit=4&cursor=${encodeURIComponent(reply.next_cursor)}` : ''
  }
  expect(found).toHaveLength(15)
  expect(new Set(found.map(String)).size).toBe(15)
})
