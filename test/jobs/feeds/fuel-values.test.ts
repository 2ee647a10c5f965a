import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 1)
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/fuel_stations/stations.json'), 'utf8')

const parse = (bytes: Buffer): Promise<Publication> => parsePublication(fuelStationsFeed, [{ name: 'national', bytes }], AT)

/** The first station of the fixture with other fields, and the second as it is. */
function parseStation(fields: object): Promise<Publication> {
  const answer = JSON.parse(FIXTURE)
  Object.assign(answer.ListaEESSPrecio[0], fields)
  return parse(Buffer.from(JSON.stringify(answer)))
}

function priceOf({ rows }: Publication, station_id: string, product: string): AnyRow | undefined {
  return rows.get('fuel_prices')?.find((row) => row['station_id'] === station_id && row['product'] === product)
}

test('a price or a text may be a JSON number, and one that is neither text nor number costs only itself', async () => {
  const publication = await parseStation({ 'Precio Adblue': 0.729, 'C.P.': 28001, 'Precio Gasoleo A': { euros: 1 }, Rótulo: true })
  expect(publication.rows.get('fuel_stations')?.[0]).toMatchObject({ postal_code: '28001', brand: null })
  expect(priceOf(publication, '900001', 'ADBLUE')).toMatchObject({ price: 0.729 })
  expect(priceOf(publication, '900001', 'DIESEL_A')).toBeUndefined()
  expect(priceOf(publication, '900001', 'GASOLINE_95_E5')).toMatchObject({ price: 1.509 })
  expect(Object.fromEntries(publication.report.warnings)).toMatchObject({
    'Precio Gasoleo A is neither text nor number: left out': 1,
    'Rótulo is neither text nor number: left out': 1,
  })
})

test('a price beyond every real one of its product is marked: a digit too many or too few, never a real price', async () => {
  for (const [field, product, low, plausible, high] of [
    ['Precio Gasoleo A', 'DIESEL_A', '0,166', ['0,599', '0,965', '2,500'], '18,990'],
    ['Precio Gasolina 98 E5', 'GASOLINE_98_E5', '0,179', ['0,650', '2,799'], '17,990'],
    ['Precio Gasoleo B', 'DIESEL_B', '0,119', ['0,350', '1,690'], '11,990'],
    ['Precio Gases licuados del petróleo', 'LPG', '0,099', ['0,550', '1,125'], '9,990'],
    ['Precio Gas Natural Comprimido', 'CNG', '0,120', ['0,799', '3,000'], '12,350'],
    ['Precio Adblue', 'ADBLUE', '0,073', ['0,310', '2,460'], '7,290'],
    ['Precio Hidrogeno', 'HYDROGEN', '0,990', ['9,900', '25,000'], '99,000'],
    ['Precio Metanol', 'METHANOL', null, ['0,010', '50,000'], null],
  ] as const)
    for (const [text, issue] of [[low, 'TOO_LOW'], [high, 'TOO_HIGH'], ...plausible.map((one) => [one, null] as const)] as const)
      if (text !== null)
        expect([text, priceOf(await parseStation({ [field]: text }), '900001', product)?.['price_issue']]).toEqual([text, issue])
})

test.skipIf(!shared)('no price of a recorded day is marked', async () => {
  const file = 'feeds/miteco-eess/EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json'
  const { rows } = await parse(readFileSync(join(shared as string, file)))
  expect(rows.get('fuel_prices')?.filter((row) => row['price_issue'] !== null)).toEqual([])
})

test.skipIf(!shared)('110 stations with odd values: all are kept, with the price that is a JSON number', async () => {
  const publication = await parse(readFileSync(join(shared as string, 'cases/fuel-odd-values.json')))
  expect(Object.fromEntries(publication.counts)).toEqual({ fuel_stations: 110, fuel_prices: 397 })
  expect(publication.report.quarantined).toEqual({})
  expect(priceOf(publication, '1064', 'DIESEL_A')).toMatchObject({ price: 1.799, price_issue: null })
  const marked = publication.rows.get('fuel_prices')?.filter((row) => row['price_issue'] !== null) ?? []
  expect(marked.map(({ station_id, product, price, price_issue }) => [station_id, product, price, price_issue])).toEqual([
    ['1080', 'DIESEL_A', 18.99, 'TOO_HIGH'],
    ['10896', 'DIESEL_A', 0.166, 'TOO_LOW'],
  ])
})
