import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { marineFuel } from '../../../jobs/feeds/maritime/marine-fuel.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { marinePrices, marineStations } from '../../../lake/datasets/maritime/marine-fuel.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'
import { counts } from './dgt-documents.ts'

type Station = FeedRow<typeof marineStations>
type Price = FeedRow<typeof marinePrices>

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 1)

async function read(path: string): Promise<{ publication: Publication; stations: readonly Station[]; prices: readonly Price[] }> {
  const publication = await parsePublication(marineFuel, [{ name: 'posts', bytes: readFileSync(path) }], AT)
  const { rows } = publication
  return {
    publication,
    stations: rows.get('marine_stations') as unknown as readonly Station[],
    prices: rows.get('marine_prices') as unknown as readonly Price[],
  }
}

/** Posts, posts without position, prices by product, and posts by use, of each capture. */
const CAPTURES = [
  [
    'embarcacionesPrecios_es_20231112T1200.xls',
    '2023-11-12T11:00:00Z',
    [139, 8],
    { GASOLINE_95_E5: 84, GASOLINE_95_E10: 4, DIESEL_A: 93, DIESEL_B: 70, MARINE_GASOIL: 16 },
    { FISHING: 45, LEISURE: 59, MIXED: 35 },
  ],
  [
    'embarcacionesPrecios_es_20251102T1600.xls',
    '2025-11-02T15:00:00Z',
    [131, 5],
    { GASOLINE_95_E5: 83, DIESEL_A: 83, DIESEL_B: 70, MARINE_GASOIL: 8, DIESEL_RENEWABLE: 1 },
    { FISHING: 43, LEISURE: 52, MIXED: 36 },
  ],
  [
    'embarcacionesPrecios_es_20251111T1700.csv',
    '2025-11-11T16:00:00Z',
    [136, 6],
    { GASOLINE_95_E5: 86, DIESEL_A: 87, DIESEL_B: 71, MARINE_GASOIL: 9, DIESEL_RENEWABLE: 1 },
    { FISHING: 43, LEISURE: 54, MIXED: 39 },
  ],
] as const

test.skipIf(!shared).each(CAPTURES)(
  '%s: posts, positions, prices and uses as counted',
  async (file, time, [posts, unplaced], products, uses) => {
    const { publication, stations, prices } = await read(`${shared}/feeds/miteco-postes-maritimos/${file}`)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(publication.data_time).toBe(Date.parse(time))
    expect([stations.length, new Set(stations.map(({ station_id }) => station_id)).size]).toEqual([posts, posts])
    expect(stations.filter(({ position }) => position === null)).toHaveLength(unplaced)
    expect(stations.filter(({ province_code }) => province_code === null)).toEqual([])
    expect(counts(prices.map(({ product }) => product))).toEqual(products)
    expect(counts(stations.map(({ use }) => use))).toEqual(uses)
    expect(stations.filter(({ brand }) => /^(ninguno|no hay|no figura|por rellenar|sin r[oó]tulo)$/i.test(brand ?? ''))).toEqual([])
    // Diesel B and marine gasoil are by 1000 litres, all others by the litre.
    const isBulk = ({ product }: Price): boolean => ['DIESEL_B', 'MARINE_GASOIL'].includes(product)
    expect(prices.filter((one) => (one.price_unit === 'EUR/kL') !== isBulk(one))).toEqual([])
    expect(prices.filter(({ price_eur_l }) => price_eur_l === null || price_eur_l < 0.5 || price_eur_l > 2.1)).toEqual([])
  },
)

test.skipIf(!shared)('ids show the changes between the spreadsheets of November 2025: 127 posts are in both', async () => {
  const idsOf = async (file: string): Promise<readonly string[]> =>
    (await read(`${shared}/feeds/miteco-postes-maritimos/${file}`)).stations.map(({ station_id }) => station_id)
  const before = await idsOf(CAPTURES[1][0])
  expect((await idsOf(CAPTURES[2][0])).filter((id) => before.includes(id))).toHaveLength(127)
})

test('a post has the same id and the same prices in both layouts', async () => {
  const fixture = (file: string) => read(join(PROJECT, 'test/fixtures/marine_fuel', file))
  const [json, sheet] = [await fixture('posts.json'), await fixture('spreadsheet.csv')]
  const ids = ({ stations }: { stations: readonly Station[] }): string[] => stations.map(({ station_id }) => station_id)
  expect(ids(sheet)).toEqual(ids(json))
  const keyed = ({ prices }: { prices: readonly Price[] }): string[] =>
    prices.map(({ station_id, product, price, price_unit }) => [station_id, product, price, price_unit].join(' ')).sort()
  expect(keyed(sheet).filter((one) => !/RENEWABLE/.test(one))).toEqual(keyed(json))
})
