import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fuelMinistryMeans } from '../../../jobs/feeds/fuel/ministry-means.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const fixture = (file: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures/fuel_ministry_means', file))
const parse = (bytes: Buffer): Promise<Publication> =>
  parsePublication(fuelMinistryMeans, [{ name: 'means', bytes }], Date.UTC(2026, 10, 1), { keeps: () => true })
const rowsOf = ({ rows }: Publication): AnyRow[] => rows.get('fuel_ministry_days') as AnyRow[]
const shown = (rows: readonly AnyRow[]): unknown[][] => rows.map((row) => [row['day'], row['product'], row['price_mean']])

test('both headers give the same products; a day begins in Madrid; an empty cell is no price', async () => {
  const [names, titles] = [await parse(fixture('names.csv')), await parse(fixture('titles.csv'))]
  expect(shown(rowsOf(names))).toEqual([
    ['2025-11-03', 'GASOLINE_95_E5', 1.466],
    ['2025-11-03', 'DIESEL_A', 1.408],
    ['2025-11-04', 'GASOLINE_95_E5', 1.467],
  ])
  expect(shown(rowsOf(titles))).toEqual([
    ['2026-03-28', 'GASOLINE_95_E5', 1.51],
    ['2026-03-28', 'DIESEL_A', 1.728],
    ['2026-03-29', 'GASOLINE_95_E5', 1.517],
    ['2026-03-29', 'DIESEL_A', 1.727],
  ])
  // The clock is put forward on the 29th.
  expect(rowsOf(titles).map((row) => row['period_start'])).toEqual(
    ['2026-03-27T23:00Z', '2026-03-27T23:00Z', '2026-03-28T23:00Z', '2026-03-28T23:00Z'].map((at) => Date.parse(at)),
  )
})

test('an invalid day, a repeated day or an invalid number is quarantined; an unknown product keeps its name', async () => {
  const text =
    'fecha,Gasolina 95 E5,Queroseno\n2026-01-01,1.5,1.0\n2026-01-01,1.6,1.0\n01/01/2026,1.5,1.0\n2026-01-03,1.5\n2026-01-02,n/d!,1.0\n'
  const publication = await parse(Buffer.from(text))
  expect(shown(rowsOf(publication))).toEqual([
    ['2026-01-01', 'GASOLINE_95_E5', 1.5],
    ['2026-01-01', 'Precio Queroseno', 1],
    ['2026-01-02', 'Precio Queroseno', 1],
  ])
  expect(publication.report.unknownCodes).toEqual({ fuel_product: { 'Precio Queroseno': 2 } })
  const { fuel_ministry_days: quarantined = {} } = publication.report.quarantined
  expect(Object.values(quarantined)).toEqual([1, 1, 1, 1])
  expect(Object.keys(quarantined)).toEqual(expect.arrayContaining(['fecha comes twice', 'fecha is no day', 'another number of fields']))
})

test('a page, a table without products and one that is cut off are refused', async () => {
  await expect(parse(Buffer.from('<html><body></body></html>\n'))).rejects.toThrow('lacks fecha')
  await expect(parse(Buffer.from('fecha\n2026-01-01\n'))).rejects.toThrow('has no product')
  await expect(parse(fixture('names.csv').subarray(0, -5))).rejects.toThrow()
})

test.skipIf(!shared)('the recorded tables have 120 days of both fuels each', async () => {
  const capture = (file: string): Buffer => readFileSync(join(shared as string, 'feeds/miteco-eess-derived', file))
  for (const [file, first, last] of [
    ['media_nacional_diaria_geoportal_20251103-20260302.csv', ['2025-11-03', 1.466, 1.408], ['2026-03-02', 1.494, 1.453]],
    ['media_nacional_diaria_geoportal_20260424-20260821.csv', ['2026-04-24', 1.51, 1.728], null],
  ] as const) {
    const publication = await parse(capture(file))
    const days = Map.groupBy(rowsOf(publication), (row) => row['day'] as string)
    const dayOf = ([day, rows]: [string, AnyRow[]]): unknown[] => [day, ...rows.map((row) => row['price_mean'])]
    expect([publication.report.quarantined, days.size, rowsOf(publication).length]).toEqual([{}, 120, 240])
    const parsed = [...days].map(dayOf)
    expect(parsed[0]).toEqual(first)
    if (last) expect(parsed.at(-1)).toEqual(last)
  }
})
