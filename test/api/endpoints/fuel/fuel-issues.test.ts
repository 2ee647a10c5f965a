import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { marinePrices, marineStations } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 7, 12)
let service: TestService

/** Diesel at four stations of a municipality; two prices are slips of the pen. Station 4 also sells a plausible fuel. */
const PRICES = [
  ['1', 'DIESEL_A', 0.166, 'TOO_LOW'],
  ['2', 'DIESEL_A', 1.4, null],
  ['3', 'DIESEL_A', 1.5, null],
  ['4', 'DIESEL_A', 18.99, 'TOO_HIGH'],
  ['4', 'DIESEL_PREMIUM', 1.6, null],
] as const

beforeAll(async () => {
  service = await startService({ clock: () => T0 })
  const times = { observed_at: T0, updated_at: T0 }
  const stations = ['1', '2', '3', '4'].map((station_id) => exampleRow(fuelStations, { station_id, ...times }))
  const prices = PRICES.map(([station_id, product, price, price_issue]) =>
    exampleRow(fuelPrices, { station_id, product, price, price_issue, ...times }),
  )
  await service.publish(fuelStations, stations, { at: T0 })
  await service.publish(fuelPrices, prices, { at: T0 })
  const marine = [
    { station_id: 'mar_1', price: 0.015, price_eur_l: null, price_issue: 'TOO_LOW' },
    { station_id: 'mar_2', price: 1.2, price_eur_l: 1.2, price_issue: null },
  ]
  await service.publish(
    marineStations,
    marine.map(({ station_id }) => exampleRow(marineStations, { station_id, ...times })),
    { at: T0 },
  )
  await service.publish(
    marinePrices,
    marine.map((one) => exampleRow(marinePrices, { ...one, ...times })),
    { at: T0 },
  )
})
afterAll(() => service?.close())

const list = async (path: string): Promise<Reply[]> => (await service.json(path)).stations

test('implausible prices do not lead cheapest', async () => {
  const shown = await list('/api/gas-stations/cheapest?fuel=DIESEL_A')
  expect(shown.map(({ id, price }) => [id, price])).toEqual([
    ['2', 1.4],
    ['3', 1.5],
  ])
})

test('nor a list by price, which shows them as published with the reason', async () => {
  const shown = await list('/api/gas-stations?fuel=DIESEL_A&sort=price')
  expect(shown.map(({ id, price, price_issue }) => [id, price, price_issue])).toEqual([
    ['2', 1.4, null],
    ['3', 1.5, null],
    ['1', null, 'TOO_LOW'],
    ['4', null, 'TOO_HIGH'],
  ])
  expect(shown[2]?.prices.DIESEL_A).toMatchObject({ price: 0.166, price_issue: 'TOO_LOW' })
  const [four] = (await list('/api/gas-stations?fuel=DIESEL_A,DIESEL_PREMIUM&sort=-price')) as [Reply]
  expect(four).toMatchObject({ id: '4', price: 1.6, price_issue: null })
})

test('nor do they count in means, statistics and ranks', async () => {
  const { averages } = await service.json('/api/combustible/precios?fuel=DIESEL_A')
  expect(averages).toMatchObject([{ price_mean: 1.45, stations: 2 }])
  const { stats } = await service.json('/api/gas-stations/stats?fuel=DIESEL_A')
  expect(stats).toMatchObject([{ price_min: 1.4, price_max: 1.5, stations: 2 }])
  expect((await service.json('/api/gas-stations/3')).ranks).toEqual({ DIESEL_A: { rank: 2, stations: 2, cheapest: 1.4 } })
  expect((await service.json('/api/gas-stations/1')).ranks).toEqual({})
})

test('marine fuel the same: the price as published, none per litre', async () => {
  const { prices } = await service.json('/api/maritimo?sort=price_eur_l&fuel=DIESEL_A')
  expect(prices.map(({ station_id, price, price_eur_l, price_issue }: Reply) => [station_id, price, price_eur_l, price_issue])).toEqual([
    ['mar_2', 1.2, 1.2, null],
    ['mar_1', 0.015, null, 'TOO_LOW'],
  ])
})
