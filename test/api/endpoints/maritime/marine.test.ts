import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { marinePrices, marineStations } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import { ports } from '../../../../lake/datasets/maritime/ports.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const T0 = Date.UTC(2026, 5, 20, 8)

const station = (station_id: string, values: AnyRow = {}): AnyRow => exampleRow(marineStations, { station_id, observed_at: T0, ...values })
const price = (station_id: string, product: string, values: AnyRow = {}): AnyRow =>
  exampleRow(marinePrices, { station_id, product, observed_at: T0, ...values })

const DENIA = { port: 'PUERTO DE DÉNIA', locality: 'DENIA', municipality: 'DÉNIA', municipality_code: '03063', province_code: '03' }
const FISHING = { use: 'FISHING', province_code: '03' }

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.publish(
    marineStations,
    [
      station('a'),
      station('b', { ...DENIA, use: 'FISHING', position: null, brand: null }),
      station('c', { ...DENIA, port: null, use: 'MIXED' }),
    ],
    { at: T0 },
  )
  // Arrecife's harbour is 2 km from the station, and another one 30 km.
  const [near, far] = [
    ['ESACE', 28.9667, -13.5333],
    ['ESFUE', 28.7, -13.85],
  ].map(([port_id, lat, lon]) => exampleRow(ports, { port_id, position: { lat, lon } }))
  await service.publish(ports, [far as AnyRow, near as AnyRow], { at: T0 })
  await service.publish(
    marinePrices,
    [
      price('a', 'DIESEL_A'),
      price('a', 'GASOLINE_95_E5', { price: 1.599, price_eur_l: 1.599 }),
      price('b', 'DIESEL_B', { ...FISHING, price: 802.2, price_unit: 'EUR/kL', price_eur_l: 0.8022 }),
      price('c', 'DIESEL_A', { use: 'MIXED', province_code: '03', price: 1.399, price_eur_l: 1.399 }),
      price('c', 'GASOLINE_95_E5', { status: 'ENDED', use: 'MIXED', province_code: '03' }),
    ],
    { at: T0 },
  )
})
afterAll(() => service?.close())

const ids = async (query: string): Promise<string[]> => (await service.json(`/api/maritimo?${query}`)).prices.map((one: Reply) => one.id)

test('a price has its fuel, unit, use, port and place', async () => {
  const { total, prices } = await service.json('/api/maritimo')
  expect(total).toBe(4)
  const [diesel, petrol, fishing, mixed] = prices
  expect(diesel).toMatchObject({
    ...{ id: 'a/DIESEL_A', fuel: 'DIESEL_A', price: 1.459, price_unit: 'EUR/L', price_eur_l: 1.459, use: 'LEISURE' },
    ...{
      station_id: 'a',
      port: 'MARINA LANZAROTE',
      port_id: 'ESACE',
      operator: 'REPSOL',
      province: 'Las Palmas',
      lat: 28.966944,
      lon: -13.534722,
    },
    ...{ source: 'miteco', source_id: '275', status: 'ACTIVE' },
  })
  expect(petrol.id).toBe('a/GASOLINE_95_E5')
  expect(fishing).toMatchObject({ id: 'b/DIESEL_B', price: 802.2, price_unit: 'EUR/kL', price_eur_l: 0.8022, lat: null, operator: null })
  expect(mixed).toMatchObject({ id: 'c/DIESEL_A', use: 'MIXED', port: null, municipality: 'DÉNIA' })
  expect(fishing.port_id).toBeNull()
})

test('a fuel that no source sells is a note, not a record', async () => {
  const [all, fuelOil, diesel] = await Promise.all(
    ['', 'fuel=MARINE_FUEL_OIL', 'fuel=DIESEL_A'].map((query) => service.json(`/api/maritimo?${query}`)),
  )
  const note = 'No source publishes prices of marine fuel oil (MARINE_FUEL_OIL).'
  expect([all?.meta.note, fuelOil?.meta.note, fuelOil?.prices, diesel?.meta.note]).toEqual([note, note, [], undefined])
})

test.each([
  ['fuel=DIESEL_A', ['a/DIESEL_A', 'c/DIESEL_A']],
  ['fuel=MARINE_FUEL_OIL', []],
  ['use=LEISURE', ['a/DIESEL_A', 'a/GASOLINE_95_E5', 'c/DIESEL_A']],
  ['use=FISHING', ['b/DIESEL_B', 'c/DIESEL_A']],
  ['use=MIXED', ['c/DIESEL_A']],
  ['port=denia', ['b/DIESEL_B', 'c/DIESEL_A']],
  ['port=marina+lanza', ['a/DIESEL_A', 'a/GASOLINE_95_E5']],
  ['province=Alicante', ['b/DIESEL_B', 'c/DIESEL_A']],
  ['lat=28.97&lon=-13.53&radius=5000', ['a/DIESEL_A', 'a/GASOLINE_95_E5', 'c/DIESEL_A']],
  ['sort=price_eur_l&use=LEISURE', ['c/DIESEL_A', 'a/DIESEL_A', 'a/GASOLINE_95_E5']],
])('%s selects %j', async (query, wanted) => {
  expect(await ids(query)).toEqual(wanted)
})

describe('history', () => {
  const DAY = Date.UTC(2026, 5, 19, 22)
  const row = (station_id: string, at: number, price_eur_l: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(marinePrices, {
      station_id,
      observed_at: at,
      updated_at: at,
      price: price_eur_l,
      price_eur_l,
      product: 'DIESEL_A',
      ...values,
    })
  const points = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/maritimo/historico?from=2026-06-20&to=2026-06-22&${query}`)).prices.map((one: Reply) => [
      ...[one.period_start.slice(0, 10), one.fuel, one.price_eur_l, one.price_min_eur_l, one.price_max_eur_l, one.stations, one.coverage],
    ])

  beforeAll(async () => {
    await service.land(
      marinePrices,
      [
        row('a', DAY, 1.4, { is_baseline: true }),
        // From noon on station c sells too; a is dearer for the last six hours, and ends on the next day at six.
        row('c', DAY + 12 * HOUR, 1.6, { use: 'MIXED', province_code: '03' }),
        row('a', DAY + 18 * HOUR, 1.5),
        row('a', DAY + 30 * HOUR, 1.5, { status: 'ENDED' }),
        row('b', DAY + 12 * HOUR, 0.8, { product: 'DIESEL_B', price: 800, price_unit: 'EUR/kL', ...FISHING }),
      ],
      DAY + 48 * HOUR,
    )
    const stations = [['a', {}] as const, ['b', DENIA] as const, ['c', { ...DENIA, port: null }] as const]
    await service.land(
      marineStations,
      stations.map(([station_id, values]) => exampleTableRow(marineStations, { station_id, ...values })),
      DAY + 48 * HOUR,
    )
  })

  test('a day is the mean over its time, each station counting once at every moment', async () => {
    // 12 h at 1.4, 6 h at (1.4 + 1.6) / 2, 6 h at (1.5 + 1.6) / 2; then 6 h of both and 18 h of c alone.
    expect(await points('fuel=DIESEL_A')).toEqual([
      ['2026-06-19', 'DIESEL_A', 1.4625, 1.4, 1.6, 2, 1],
      ['2026-06-20', 'DIESEL_A', 1.5875, 1.5, 1.6, 2, 1],
    ])
  })

  test.each([
    [
      'station=a',
      [
        ['2026-06-19', 'DIESEL_A', 1.425, 1.4, 1.5, 1, 1],
        ['2026-06-20', 'DIESEL_A', 1.5, 1.5, 1.5, 1, 0.25],
      ],
    ],
    [
      'fuel=DIESEL_A&port=Dénia',
      [
        ['2026-06-19', 'DIESEL_A', 1.6, 1.6, 1.6, 1, 0.5],
        ['2026-06-20', 'DIESEL_A', 1.6, 1.6, 1.6, 1, 1],
      ],
    ],
    [
      'use=FISHING&fuel=DIESEL_B',
      [
        ['2026-06-19', 'DIESEL_B', 0.8, 0.8, 0.8, 1, 0.5],
        ['2026-06-20', 'DIESEL_B', 0.8, 0.8, 0.8, 1, 1],
      ],
    ],
    [
      'province=Alicante&use=LEISURE',
      [
        ['2026-06-19', 'DIESEL_A', 1.6, 1.6, 1.6, 1, 0.5],
        ['2026-06-20', 'DIESEL_A', 1.6, 1.6, 1.6, 1, 1],
      ],
    ],
    ['port=nowhere', []],
    ['port=...', []],
  ])('%s', async (query, wanted) => {
    expect(await points(query)).toEqual(wanted)
  })

  test('a price is valid from one month to the next, and not through an outage', async () => {
    const month = Date.UTC(2026, 6, 31, 22)
    const late = month + 3 * 24 * HOUR
    await service.land(marinePrices, [row('d', month - 24 * HOUR, 2), row('d', late, 2.4, { is_baseline: true })], late + 12 * HOUR)
    const { prices } = await service.json('/api/maritimo/historico?station=d&interval=1w&from=2026-07-27&to=2026-08-10')
    expect(prices).toMatchObject([
      { period_start: '2026-07-26T22:00:00.000Z', price_eur_l: 2, coverage: 0.428571 },
      { period_start: '2026-08-02T22:00:00.000Z', price_min_eur_l: 2, price_max_eur_l: 2.4 },
    ])
    // Nothing was published from the 30th hour on until the end of July.
    const [june] = (await service.json('/api/maritimo/historico?station=c&interval=1mo&from=2026-06-01&to=2026-08-01')).prices
    expect(june).toMatchObject({ period_start: '2026-05-31T22:00:00.000Z', price_eur_l: 1.6, coverage: 0.025 })
  })
})
