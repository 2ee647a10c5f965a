import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fuelBulletinFeed } from '../../../jobs/feeds/fuel/bulletin.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { bulletinHistory } from '../../../scripts/stand-in/formats/oil-bulletin.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { bulletinWeeks } from '../../../scripts/stand-in/world/bulletin.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { zipOfFolder } from '../../helpers/zip.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const FIXTURES = join(PROJECT, 'test/fixtures/fuel_bulletin')
const capture = (file: string): Buffer => {
  const bytes = readFileSync(join(shared as string, 'feeds/eu-oil-bulletin', file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
const parse = (bytes: Buffer): Promise<Publication> =>
  parsePublication(fuelBulletinFeed, [{ name: 'history', bytes }], Date.UTC(2026, 10, 1), { keeps: () => true })
const rowsOf = ({ rows }: Publication): AnyRow[] => rows.get('fuel_bulletin') as AnyRow[]
const shown = (rows: readonly AnyRow[]): unknown[][] =>
  rows.map((row) =>
    ['edition', 'country_code', 'product', 'date', 'price_unit', 'price_with_tax', 'price_without_tax', 'currency_in_eur'].map(
      (name) => row[name],
    ),
  )

describe('the workbook of all weeks', () => {
  test('both sheets give a row; a version is a year; labels, units and notes are no weeks', async () => {
    const publication = await parse(zipOfFolder(join(FIXTURES, 'history.zip')))
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect([...publication.report.warnings]).toEqual([['a price of 0: left out', 1]])
    expect(shown(rowsOf(publication))).toEqual([
      ['history-2026', 'ES', 'EURO_SUPER_95', '2026-01-05', 'EUR/kL', 1451.5, 726.1, null],
      ['history-2026', 'ES', 'AUTOMOTIVE_GAS_OIL', '2026-01-05', 'EUR/kL', 1402.25, 780.05, null],
      ['history-2026', 'ES', 'FUEL_OIL_LOW_SULPHUR', '2026-01-05', 'EUR/t', 601.2, 584.2, null],
      ['history-2026', 'SE', 'EURO_SUPER_95', '2026-01-05', 'EUR/kL', 1500.1, 800, 0.0912],
      ['history-2026', 'GR', 'HEATING_GAS_OIL', '2026-01-05', 'EUR/kL', 1205, 700.5, null],
      ['history-2025', 'ES', 'EURO_SUPER_95', '2025-12-22', 'EUR/kL', 1460.123, 730, null],
      ['history-2025', 'ES', 'AUTOMOTIVE_GAS_OIL', '2025-12-22', 'EUR/kL', 1410, 785, null],
      ['history-2025', 'SE', 'EURO_SUPER_95', '2025-12-22', 'EUR/kL', 1510, 805, 0.0911],
      ['history-2025', 'GR', 'HEATING_GAS_OIL', '2025-12-22', 'EUR/kL', 1210, 705, null],
      ['history-2025', 'ES', 'EURO_SUPER_95', '2025-12-29', 'EUR/kL', 1455, null, null],
      ['history-2025', 'ES', 'AUTOMOTIVE_GAS_OIL', '2025-12-29', 'EUR/kL', 1405, null, null],
      ['history-2025', 'ES', 'FUEL_OIL_LOW_SULPHUR', '2025-12-29', 'EUR/t', 600, null, null],
    ])
    // The Monday begins in Madrid.
    expect(rowsOf(publication)[0]?.['period_start']).toBe(Date.parse('2026-01-04T23:00:00Z'))
  })

  test('of a whole Union since 2005 has each week once', async () => {
    const weeks = bulletinWeeks(3, { from: '2005-01-03', to: Date.UTC(2010, 0, 9) })
    const countries = [
      { code: 'ES', hasRate: false },
      { code: 'GR', hasRate: false },
      { code: 'SE', hasRate: true },
    ]
    const publication = await parse(bulletinHistory({ weeks, countries, at: Date.UTC(2010, 0, 9), hasUnknownCodes: false }))
    const spain = rowsOf(publication).filter((row) => row['country_code'] === 'ES' && row['product'] === 'EURO_SUPER_95')
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect([spain.length, spain[0]?.['date'], spain.at(-1)?.['date']]).toEqual([weeks.length, '2010-01-04', '2005-01-03'])
    expect(weeks.length).toBe(262 - 5)
    expect(new Set(spain.map((row) => row['edition']))).toEqual(
      new Set(['history-2005', 'history-2006', 'history-2007', 'history-2008', 'history-2009', 'history-2010']),
    )
  })

  test('without one of its sheets, or with none of them, is refused; a price that is no number is null', async () => {
    const head = ['x', 'CTR', 'ES_price_with_tax_euro95']
    await expect(parse(writeXlsx([{ name: 'Prices with taxes', rows: [head, [46027, 'ES', 1400]] }], 0))).rejects.toThrow(
      'no sheet but those of price_with_tax',
    )
    await expect(parse(writeXlsx([{ name: 'Other', rows: [['a'], [46027, 'ES', 1400]] }], 0))).rejects.toThrow('no sheet has a header')
    const { report } = await parse(
      writeXlsx(
        [
          { name: 'with', rows: [head, [46027, 'ES', 'soon'], [46020, 'ES', 1400]] },
          {
            name: 'wo',
            rows: [
              ['x', 'CTR', 'ES_price_wo_tax_euro95', 'ES_new'],
              [46020, 'ES', 700],
            ],
          },
        ],
        0,
      ),
    )
    expect(report.quarantined).toEqual({})
    expect([...report.warnings]).toContainEqual(['fuel_bulletin: price_with_tax is no number: stored as null', 1])
    expect(report.unknownCodes).toEqual({ bulletin_column: { ES_new: 1 } })
  })
})

describe('the table of a week', () => {
  test('has thousands commas, currencies, Greece by either code, and products that others lack', async () => {
    const publication = await parse(zipOfFolder(join(FIXTURES, 'raw.zip')))
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(shown(rowsOf(publication))).toEqual([
      ['raw-2026-01-05', 'ES', 'AUTOMOTIVE_GAS_OIL', '2026-01-05', 'EUR/kL', 1402.25, 780.05, 1],
      ['raw-2026-01-05', 'ES', 'FUEL_OIL_LOW_SULPHUR', '2026-01-05', 'EUR/t', 601.2, 584.2, 1],
      ['raw-2026-01-05', 'SE', 'EURO_SUPER_95', '2026-01-05', 'EUR/kL', 1500.1, 800, 0.0912],
      ['raw-2026-01-05', 'GR', 'LEAD_SUBSTITUTE_PETROL', '2026-01-05', 'EUR/kL', 2275, 1130.98, 1],
    ])
  })

  test('whose header lacks a column is refused', async () => {
    await expect(parse(writeXlsx([{ name: 'Weekly Prices', rows: [['Prices in force on', 'Country EU Code']] }], 0))).rejects.toThrow(
      'lacks Product Name, Currency Code',
    )
  })

  test.skipIf(!shared)('of 2022-08-22 has the prices of Spain', async () => {
    const publication = await parse(capture('latest_prices_raw_data_2022-08.xlsx'))
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    const spain = rowsOf(publication).filter((row) => row['country_code'] === 'ES')
    expect(spain.map((row) => [row['product'], row['price_unit'], row['price_with_tax'], row['price_without_tax']])).toEqual([
      ['AUTOMOTIVE_GAS_OIL', 'EUR/kL', 1816.15, 1121.95],
      ['EURO_SUPER_95', 'EUR/kL', 1786.97, 1004.14],
      ['FUEL_OIL_LOW_SULPHUR', 'EUR/t', 694.7, 677.7],
      ['HEATING_GAS_OIL', 'EUR/kL', 1331.46, 1003.67],
      ['LPG_MOTOR_FUEL', 'EUR/kL', 1045.46, 829.82],
    ])
    expect(new Set(rowsOf(publication).map((row) => row['country_code'])).size).toBe(27)
  })
})

describe('a series', () => {
  test('is in euros per litre, heavy fuel oil per tonne, and knows no price without taxes', async () => {
    const publication = await parse(readFileSync(join(FIXTURES, 'series.csv')))
    expect(shown(rowsOf(publication))).toEqual([
      ['series-2024', 'ES', 'EURO_SUPER_95', '2024-07-01', 'EUR/kL', 1621, null, null],
      ['series-2024', 'ES', 'AUTOMOTIVE_GAS_OIL', '2024-07-01', 'EUR/kL', 1497, null, null],
      ['series-2024', 'ES', 'HEATING_GAS_OIL', '2024-07-01', 'EUR/kL', 982, null, null],
      ['series-2024', 'ES', 'FUEL_OIL_LOW_SULPHUR', '2024-07-01', 'EUR/t', 604.5, null, null],
      ['series-2024', 'GR', 'EURO_SUPER_95', '2024-07-01', 'EUR/kL', 1905, null, null],
      ['series-2024', 'GR', 'AUTOMOTIVE_GAS_OIL', '2024-07-01', 'EUR/kL', 1600, null, null],
      ['series-2024', 'GR', 'HEATING_GAS_OIL', '2024-07-01', 'EUR/kL', 1200, null, null],
      ['series-2024', 'GR', 'LPG_MOTOR_FUEL', '2024-07-01', 'EUR/kL', 950, null, null],
    ])
  })

  test.skipIf(!shared)('has 968 weeks of Spain, five products in each, with 38 gaps', async () => {
    const publication = await parse(capture('weekly_prices_with_taxes_27countries_20050103-20240701.derived.csv.gz'))
    const spain = rowsOf(publication).filter((row) => row['country_code'] === 'ES')
    const dates = [...new Set(spain.map((row) => row['date'] as string))].sort()
    expect([spain.length, dates.length, dates[0], dates.at(-1)]).toEqual([5 * 968, 968, '2005-01-03', '2024-07-01'])
    const days = dates.slice(1).map((date, at) => (Date.parse(date) - Date.parse(dates[at] as string)) / 86_400_000)
    expect([days.filter((count) => count > 7).length, Math.max(...days)]).toEqual([38, 21])
    const of = (product: string): number[] =>
      spain.filter((row) => row['product'] === product).map((row) => row['price_with_tax'] as number)
    const range = (prices: readonly number[]): number[] => [Math.min(...prices), Math.max(...prices)]
    expect([range(of('EURO_SUPER_95')), range(of('AUTOMOTIVE_GAS_OIL'))]).toEqual([
      [825, 2142],
      [807, 2100],
    ])
    // As the official archive of 2005 and the table of 2022-08-22 have them, rounded.
    const on = (date: string): unknown[] => spain.filter((row) => row['date'] === date).map((row) => row['price_with_tax'])
    expect([on('2005-01-03')[0], on('2022-08-22').slice(0, 2)]).toEqual([841, [1787, 1816]])
    expect([publication.report.unknownCodes, publication.report.quarantined]).toEqual([{}, {}])
  })
})

test('the page leads to the workbook of all weeks, and to no other of its links', () => {
  const follow = fuelBulletinFeed.plans[0]?.requests[0]?.twoStep
  const page = (links: string): Buffer => Buffer.from(`<a href="/document/download/1_en?filename=Oil_Bulletin_Duties.xlsx">x</a>${links}`)
  const href = '/document/download/2_en?x=1&amp;filename=Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx'
  expect(follow?.to(page(`<a class="b" href="${href}">y</a>`))).toEqual({
    url: 'https://energy.ec.europa.eu/document/download/2_en?x=1&filename=Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx',
  })
  expect(follow?.to(page(''))).toMatchObject({ refused: expect.stringContaining('no link'), retryable: false })
})
