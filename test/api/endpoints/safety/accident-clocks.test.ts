import { afterAll, beforeAll, expect, test } from 'vitest'
import { monthSpan, spanOf } from '../../../../jobs/feeds/safety/accident.ts'
import { roadAccidents } from '../../../../lake/datasets/safety/road-accidents.ts'
import { zoneOf } from '../../../../lake/places/clocks.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 10)

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.land(roadAccidents, ROWS, NOW)
})
afterAll(() => service?.close())

/** An accident of the national table, which gives the month by the clock of its province. */
function ofMonth(accident_id: string, month: number, province_code: string): AnyRow {
  const { isClockChange: _, ...span } = monthSpan(2024, month, zoneOf(province_code))
  return exampleTableRow(roadAccidents, { edition: 'dgt-2024', accident_id, year: 2024, month, province_code, ...span })
}

/** An accident of another source, which gives the minute, on the same islands. */
function ofMinute(accident_id: string, date: string, time: string): AnyRow {
  const { isClockChange: _, ...span } = spanOf(date, time, zoneOf('35')) as NonNullable<ReturnType<typeof spanOf>>
  const year = Number(date.slice(0, 4))
  return exampleTableRow(roadAccidents, { source: 'madrid', edition: `madrid-${year}`, accident_id, year, province_code: '35', ...span })
}

const ROWS: readonly AnyRow[] = [
  ...[1, 2, 3, 10, 12].flatMap((month) => ['28', '35', '38'].map((province) => ofMonth(`${month}-${province}`, month, province))),
  ofMinute('late', '2024-02-29', '23:30'),
]

const ids = async (query: string): Promise<string[]> =>
  (await service.json(`/api/accidentes/microdata?limit=1000&${query}`)).accidents.map((one: Reply) => one.accident_id ?? one.id).sort()

test('months of the Canaries are those of their own clock: a month of plain dates has the accidents of all provinces', async () => {
  expect(await ids('from=2024-02-01&to=2024-03-01')).toEqual(['2-28', '2-35', '2-38'])
  expect(await ids('from=2024-12-01&to=2025-01-01')).toEqual(['12-28', '12-35', '12-38'])
  // The clock changes in March and in October.
  expect(await ids('from=2024-03-01&to=2024-04-01')).toEqual(['3-28', '3-35', '3-38'])
  expect(await ids('from=2024-10-01&to=2024-11-01')).toEqual(['10-28', '10-35', '10-38'])
  expect(await ids('from=2024-01-01&to=2025-01-01')).toEqual(await ids('year=2024'))
  // A range one minute shorter than the month contains none of it.
  expect(await ids('from=2024-02-01T00:01:00%2B01:00&to=2024-03-01')).toEqual([])
  const { stats } = await service.json('/api/accidentes/stats?from=2024-02-01&to=2024-03-01&group_by=province')
  expect(stats.map((one: Reply) => [one.province_code, one.accidents]).sort()).toEqual(['28', '35', '38'].map((code) => [code, 1]))
})

test('the date is that of the place, as precise as the source', async () => {
  const dates = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/accidentes/microdata?fields=date&${query}`)).accidents.map((one: Reply) => one.date)
  expect(await dates('from=2024-03-01&to=2024-04-01')).toEqual(['2024-03', '2024-03', '2024-03'])
  expect(await dates('source=madrid')).toEqual(['2024-02-29'])
})

test('an accident with a known minute is at that instant', async () => {
  expect(await ids('source=madrid&from=2024-02-29T23:30:00Z&to=2024-02-29T23:31:00Z')).toEqual(['late'])
  expect(await ids('source=madrid&to=2024-03-01')).toEqual([])
})

test('the covered period and the latest row are those of the requested source', async () => {
  const at = async (query: string): Promise<unknown[]> => {
    const { meta } = await service.json(`/api/accidentes/microdata?${query}`)
    return [meta.covered_from, meta.latest_row_at]
  }
  expect(await at('source=madrid')).toEqual(['2024-02-29T23:30:00.000Z', '2024-02-29T23:30:00.000Z'])
  expect(await at('')).toEqual(['2023-12-31T23:00:00.000Z', '2024-12-01T00:00:00.000Z'])
})
