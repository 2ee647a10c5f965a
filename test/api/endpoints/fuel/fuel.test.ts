import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** A Wednesday, 23:30 in Madrid and 22:30 in the Canaries. */
const T0 = Date.UTC(2026, 0, 7, 22, 30)
const DAY = 86_400_000
let now = T0
let service: TestService

const station = (id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(fuelStations, { station_id: id, observed_at: T0, updated_at: T0 - DAY, ...values })
const price = (id: string, product: string, euros: number, values: AnyRow = {}): AnyRow =>
  exampleRow(fuelPrices, { station_id: id, product, price: euros, observed_at: T0, updated_at: T0, ...values })

const AWAY = {
  brand: null,
  road: null,
  km: null,
  position: null,
  opening_hours: null,
  province_code: '42',
  municipality_code: '42173',
  municipality: 'Soria',
}

const VILLAGE = {
  brand: null,
  road: null,
  km: null,
  opening_hours: null,
  province_code: '01',
  municipality_code: '01028',
  municipality: 'Labastida/Bastida',
  locality: 'SALINILLAS DE BURADON',
}
const ELSEWHERE = { lat: 42.9, lon: -8.1 }

const stations = [
  station('1', { brand: 'REPSOL', road: 'N-2', km: 586.5, opening_hours: 'L-D: 24H', position: { lat: 41.5, lon: 1.9 } }),
  station('2', {
    brand: 'Cepsa',
    road: 'N-2',
    km: null,
    opening_hours: 'L-V: 06:00-23:00; S-D: 07:00-22:00',
    position: { lat: 41.51, lon: 1.9 },
  }),
  // As a worker of an earlier release left it in Redis.
  station('3', { brand: 'REPSOL', opening_hours: null, position: null, road: undefined, km: undefined }),
  station('4', { road: null, km: null, status: 'MISSING', is_stale: true, position: { lat: 41.5, lon: 1.9 } }),
  station('5', {
    road: null,
    km: null,
    province_code: '35',
    municipality_code: '35016',
    municipality: 'Palmas de Gran Canaria, Las',
    opening_hours: 'L-D: 06:00-23:00',
  }),
  station('6', AWAY),
  station('7', { ...AWAY, sale_type: null }),
  station('8', { ...AWAY, sale_type: 'RESTRICTED' }),
  // Where the register says they are, which is not in the province or municipality that it names; the last but one was put right.
  station('e1', { ...VILLAGE, position: ELSEWHERE, position_issue: 'OTHER_PROVINCE' }),
  station('e2', { ...VILLAGE, locality: 'Buradón, El', position: ELSEWHERE, position_issue: 'OTHER_MUNICIPALITY' }),
  station('e3', { ...VILLAGE, locality: null, position: ELSEWHERE, position_issue: 'SWAPPED' }),
  station('e4', { ...VILLAGE, locality: 'LABASTIDA', position: ELSEWHERE }),
]
const prices = [
  price('1', 'DIESEL_A', 1.419),
  price('1', 'CNG', 1.299, { price_unit: 'EUR/kg' }),
  price('1', 'GASOLINE_95_E5', 1.5, { status: 'ENDED' }),
  price('2', 'DIESEL_A', 1.399),
  price('3', 'DIESEL_A', 1.419),
  price('4', 'DIESEL_A', 0.999),
  price('5', 'GASOLINE_95_E5', 1.1, { province_code: '35' }),
  price('6', 'LPG', 0.9),
  price('7', 'LPG', 0.8),
  price('8', 'LPG', 0.7),
  ...['e1', 'e2', 'e3', 'e4'].map((id, at) => price(id, 'LNG', 1 + at / 10)),
]

beforeAll(async () => {
  service = await startService({ clock: () => now })
  await service.publish(fuelStations, stations, { at: T0 })
  await service.publish(fuelPrices, prices, { at: T0 })
})
afterAll(() => service?.close())

const ids = async (path: string): Promise<string[]> => (await service.json(path)).stations.map((one: Reply) => one.id)

describe('/api/gas-stations', () => {
  test('gives prices by product, with their unit; a product no longer sold is gone', async () => {
    const { stations: list } = await service.json('/api/gas-stations')
    expect(list[0]).toMatchObject({ id: '1', operator: 'REPSOL', schedule: 'L-D: 24H', province: 'Barcelona' })
    expect(list[0].prices).toEqual({
      DIESEL_A: { price: 1.419, price_unit: 'EUR/L', price_issue: null, updated_at: '2026-01-07T22:30:00.000Z' },
      CNG: { price: 1.299, price_unit: 'EUR/kg', price_issue: null, updated_at: '2026-01-07T22:30:00.000Z' },
    })
    expect(list[0].updated_at).toBe('2026-01-07T22:30:00.000Z')
    expect(list.find((one: Reply) => one.id === '4')).toMatchObject({ status: 'MISSING', is_stale: true })
  })

  test.each([
    ['fuel=DIESEL_A', ['1', '2', '3', '4']],
    ['fuel=CNG,GASOLINE_95_E5', ['1', '5']],
    ['operator=repsol', ['1', '3', '4', '5']],
    ['operator=CEPSA', ['2']],
    ['province=Las%20Palmas', ['5']],
    ['municipality=Las%20Palmas%20de%20Gran%20Canaria', ['5']],
    ['municipality=08001&ids=1,5', ['1']],
    ['lat=41.51&lon=1.9&radius=100', ['2']],
    ['open_now=true', ['1', '4', '5']],
    ['open_now=false&fuel=DIESEL_A,LPG', ['2', '3', '6', '7', '8']],
    ['locality=Salinillas%20de%20Burad%C3%B3n', ['e1']],
    ['locality=el%20buradon&province=01', ['e2']],
    ['locality=labastida&municipality=Labastida', ['e4']],
    // Flagged positions are shown, and find nothing.
    ['fuel=LNG', ['e1', 'e2', 'e3', 'e4']],
    ['lat=42.9&lon=-8.1&radius=100', ['e3', 'e4']],
    ['bbox=-8.2,42.8,-8.0,43.0', ['e3', 'e4']],
    ['road=n2', ['1', '2']],
    ['road=N-II', ['1', '2']],
    ['road=N-II&km_from=586.5&km_to=590', ['1']],
    ['road=A-2', []],
  ])('%s', async (query, expected) => {
    expect(await ids(`/api/gas-stations?${query}`)).toEqual(expected)
  })

  test('a state from before a column was added has none of it', async () => {
    const { stations: list } = await service.json('/api/gas-stations?fields=id,road,km')
    expect(list.slice(0, 3)).toEqual([
      { id: '1', road: 'N-2', km: 586.5 },
      { id: '2', road: 'N-2', km: null },
      { id: '3', road: null, km: null },
    ])
  })

  test('keeps a flagged position, as JSON and as GeoJSON', async () => {
    const { stations: list } = await service.json('/api/gas-stations?ids=e1')
    expect(list).toMatchObject([{ ...ELSEWHERE, position_issue: 'OTHER_PROVINCE' }])
    const { features } = await service.json('/api/gas-stations?ids=e1&format=geojson')
    expect(features[0].geometry).toEqual({ type: 'Point', coordinates: [ELSEWHERE.lon, ELSEWHERE.lat] })
  })

  test('a village that is no municipality leads to its locality; one that is neither is refused', async () => {
    const refused = async (query: string): Promise<string> => {
      const { status, errors } = await service.json(`/api/gas-stations?${query}`)
      expect([query, status]).toEqual([query, 400])
      return errors[0].detail
    }
    expect(await refused('municipality=Salinillas de Buradón')).toBe(
      'municipality: expected a municipality; this is a locality of Labastida/Bastida (Araba/Álava): locality=SALINILLAS DE BURADON, got "Salinillas de Buradón"',
    )
    expect(await refused('municipality=Salinillas de Buradón&province=Madrid')).toContain('of a municipality of Madrid')
    expect(await refused('municipality=Getafee')).toContain('did you mean Getafe?')
    expect(await refused('locality=Salinilas de Buradon')).toContain('locality: did you mean SALINILLAS DE BURADON?')
    expect(await refused('locality=Labastida&province=Madrid')).toContain('no station there is in a locality with this name')
    expect((await service.json('/api/gas-stations/cheapest?fuel=LNG&municipality=Salinillas de Buradón')).errors[0].detail).toContain(
      'locality=SALINILLAS DE BURADON',
    )
  })

  test('open_now follows the minute, and so does its tag', async () => {
    const before = await service.get('/api/gas-stations?open_now=true')
    const etag = before.headers.get('etag') as string
    expect(before.headers.get('cache-control')).toContain('max-age=60')
    now = T0 + 59_000
    expect((await service.get('/api/gas-stations?open_now=true', { 'If-None-Match': etag })).status).toBe(304)
    now = T0 + 30 * 60_000
    expect((await service.get('/api/gas-stations?open_now=true', { 'If-None-Match': etag })).status).toBe(200)
    expect(await ids('/api/gas-stations?open_now=true')).toEqual(['1', '4'])
    // 06:30 on Thursday in Madrid, 05:30 in the Canaries.
    now = T0 + 7 * 3_600_000
    expect(await ids('/api/gas-stations?open_now=true')).toEqual(['1', '2', '4'])
    now = T0
  })

  test('shows the price of the requested fuel, the lowest of several, and sorts by it', async () => {
    const pricesOf = async (query: string): Promise<unknown[]> =>
      (await service.json(`/api/gas-stations?${query}`)).stations.map(({ id, price, price_unit }: Reply) => [id, price, price_unit])
    expect(await pricesOf('fuel=DIESEL_A&sort=price')).toEqual([
      ['4', 0.999, 'EUR/L'],
      ['2', 1.399, 'EUR/L'],
      ['1', 1.419, 'EUR/L'],
      ['3', 1.419, 'EUR/L'],
    ])
    expect(await ids('/api/gas-stations?fuel=DIESEL_A&sort=-price')).toEqual(['3', '1', '2', '4'])
    expect((await pricesOf('fuel=DIESEL_A,CNG&ids=1'))[0]).toEqual(['1', 1.299, 'EUR/kg'])
    expect(await pricesOf('fuel=DIESEL_A&lat=41.5&lon=1.9&radius=2000')).toEqual([
      ['1', 1.419, 'EUR/L'],
      ['4', 0.999, 'EUR/L'],
      ['2', 1.399, 'EUR/L'],
    ])
    const [plain] = (await service.json('/api/gas-stations?ids=1')).stations
    expect(Object.keys(plain)).toEqual(expect.not.arrayContaining(['price', 'price_unit', 'distance_m']))
    const refused = await service.json('/api/gas-stations?sort=price')
    expect(refused.errors.map((one: Reply) => one.parameter)).toEqual(['sort', 'fuel'])
    expect((await service.json('/api/gas-stations?fields=price')).errors.map((one: Reply) => one.parameter)).toEqual(['fuel', 'fields'])
  })
})

describe('/api/gas-stations/cheapest', () => {
  test('orders by price, then id, and leaves out stations without a price', async () => {
    expect(await ids('/api/gas-stations/cheapest?fuel=DIESEL_A')).toEqual(['2', '1', '3'])
    expect(await ids('/api/gas-stations/cheapest?fuel=diesel_a&limit=1')).toEqual(['2'])
    expect(await ids('/api/gas-stations/cheapest?fuel=DIESEL_A&open_now=true')).toEqual(['1'])
  })

  test('along a road, a stretch of it, or a part that a place or a point says', async () => {
    const along = '/api/gas-stations/cheapest?fuel=DIESEL_A&road=N-2'
    expect(await ids(along)).toEqual(['2', '1'])
    expect(await ids(`${along}&km_from=580`)).toEqual(['1'])
    expect(await ids(`${along}&province=Barcelona`)).toEqual(['2', '1'])
    expect(await ids(`${along}&lat=41.5&lon=1.9&radius=500`)).toEqual(['1'])
    expect((await service.json(along)).stations[1]).toMatchObject({ id: '1', road: 'N-2', km: 586.5, address: 'AUTOVIA A-2 KM. 586,5' })
  })

  test('gives the distance from the requested point', async () => {
    const { stations: list } = await service.json('/api/gas-stations/cheapest?fuel=DIESEL_A&lat=41.5&lon=1.9&radius=2000&sort=distance_m')
    expect(list.map((one: Reply) => [one.id, one.distance_m])).toEqual([
      ['1', 0],
      ['2', 1112],
    ])
    expect(list[0]).toMatchObject({ fuel: 'DIESEL_A', price: 1.419, price_unit: 'EUR/L' })
  })

  test('does not rank by a flagged position', async () => {
    const cheapest = '/api/gas-stations/cheapest?fuel=LNG'
    expect(await ids(cheapest)).toEqual(['e1', 'e2', 'e3', 'e4'])
    expect(await ids(`${cheapest}&lat=42.9&lon=-8.1&radius=50000`)).toEqual(['e3', 'e4'])
    expect(await ids(`${cheapest}&bbox=-9,42,-8,43`)).toEqual(['e3', 'e4'])
    expect(await ids(`${cheapest}&locality=labastida`)).toEqual(['e4'])
  })

  test('leaves out stations that sell to members only, except on request', async () => {
    expect(await ids('/api/gas-stations/cheapest?fuel=LPG')).toEqual(['7', '6'])
    expect(await ids('/api/gas-stations/cheapest?fuel=LPG&include_restricted=false')).toEqual(['7', '6'])
    expect(await ids('/api/gas-stations/cheapest?fuel=LPG&include_restricted=true')).toEqual(['8', '7', '6'])
  })

  test('needs a fuel, and knows its name', async () => {
    const missing = await service.json('/api/gas-stations/cheapest')
    expect(missing).toMatchObject({ status: 400, code: 'invalid-parameter' })
    expect(missing.errors[0]).toMatchObject({ parameter: 'fuel', allowed: expect.arrayContaining(['DIESEL_A']) })
    expect((await service.json('/api/gas-stations/cheapest?fuel=DIESELA')).errors[0].detail).toContain('did you mean DIESEL_A?')
  })
})

test('one station shows how its prices compare in its municipality', async () => {
  const one = await service.json('/api/gas-stations/1')
  expect(one.ranks).toEqual({ DIESEL_A: { rank: 2, stations: 3, cheapest: 1.399 }, CNG: { rank: 1, stations: 1, cheapest: 1.299 } })
  expect((await service.json('/api/gas-stations/4')).ranks).toEqual({})
  expect((await service.get('/api/gas-stations/99')).status).toBe(404)
})

describe('/api/gas-stations/{id}/history', () => {
  const at = (text: string): number => Date.parse(text)
  const row = (observed_at: string, euros: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(fuelPrices, {
      station_id: '1',
      product: 'DIESEL_A',
      price: euros,
      observed_at: at(observed_at),
      updated_at: at(observed_at),
      ...values,
    })

  beforeAll(() =>
    service.land(
      fuelPrices,
      [
        row('2026-03-10T00:00:00Z', 1.3),
        row('2026-03-27T23:00:00Z', 1.4),
        // Saturday 28 March, noon in Madrid; the next day has 23 hours.
        row('2026-03-28T11:00:00Z', 1.5),
        row('2026-03-29T21:59:00Z', 1.6),
        row('2026-03-31T22:00:00Z', 1.6, { is_baseline: true }),
        row('2026-04-02T22:00:00Z', 1.6, { status: 'ENDED' }),
        row('2026-03-28T11:00:00Z', 9.9, { station_id: '2' }),
        // Some price or other changes every day.
        ...Array.from({ length: 25 }, (_, n) =>
          row(new Date(at('2026-03-10T00:00:00Z') + n * DAY).toISOString(), (100 + n) / 100, { station_id: '9' }),
        ),
        // In the newest publication: known for no time yet.
        row('2026-04-03T22:00:00Z', 1.7, { station_id: '5' }),
      ],
      at('2026-04-03T22:00:00Z'),
    ),
  )
  const points = async (query: string): Promise<Reply[]> => (await service.json(`/api/gas-stations/1/history?${query}`)).history

  test('raw: each change', async () => {
    const list = await points('interval=raw&from=2026-03-15&to=2026-04-10')
    expect(list.map((one) => [one.period_start, one.price])).toEqual([
      ['2026-03-27T23:00:00.000Z', 1.4],
      ['2026-03-28T11:00:00.000Z', 1.5],
      ['2026-03-29T21:59:00.000Z', 1.6],
      ['2026-04-02T22:00:00.000Z', null],
    ])
  })

  test('per day: mean by the time each price held, in days of Madrid', async () => {
    const list = await points('from=2026-03-27&to=2026-04-10')
    expect(list.map((one) => [one.period_start, one.price, one.price_min, one.price_max, one.price_last, one.coverage])).toEqual([
      ['2026-03-26T23:00:00.000Z', 1.3, 1.3, 1.3, 1.3, 1],
      ['2026-03-27T23:00:00.000Z', 1.45, 1.4, 1.5, 1.5, 1],
      ['2026-03-28T23:00:00.000Z', 1.5, 1.5, 1.6, 1.6, 1],
      ['2026-03-29T22:00:00.000Z', 1.6, 1.6, 1.6, 1.6, 1],
      ['2026-03-30T22:00:00.000Z', 1.6, 1.6, 1.6, 1.6, 1],
      ['2026-03-31T22:00:00.000Z', 1.6, 1.6, 1.6, 1.6, 1],
      ['2026-04-01T22:00:00.000Z', 1.6, 1.6, 1.6, 1.6, 1],
    ])
    expect(list[0]).toMatchObject({ interval: '1d', fuel: 'DIESEL_A', price_unit: 'EUR/L' })
  })

  test('per month, with the share of it that is known', async () => {
    const [march, april] = await points('interval=1mo')
    expect(march).toMatchObject({ period_start: '2026-02-28T23:00:00.000Z', price_min: 1.3, price_max: 1.6 })
    expect(march.coverage).toBeCloseTo((22 * 24 - 2) / (31 * 24 - 1), 6)
    expect(april).toMatchObject({ period_start: '2026-03-31T22:00:00.000Z', price: 1.6 })
    expect(april.coverage).toBeCloseTo(2 / 30, 6)
  })

  test.each([
    ['1d', '2026-04-03T22:00:00.000Z'],
    ['1w', '2026-03-29T22:00:00.000Z'],
    ['1mo', '2026-03-31T22:00:00.000Z'],
    ['1y', '2025-12-31T23:00:00.000Z'],
  ])('per %s, a price of the newest publication is there at once', async (interval, period_start) => {
    const { history } = await service.json(`/api/gas-stations/5/history?interval=${interval}`)
    expect(history).toEqual([expect.objectContaining({ period_start, price: 1.7, price_min: 1.7, price_last: 1.7, coverage: 0 })])
  })

  test('a step that the period cuts is given whole', async () => {
    const whole = await points('from=2026-03-28&to=2026-03-29')
    expect(whole).toMatchObject([{ period_start: '2026-03-27T23:00:00.000Z', price: 1.45, price_min: 1.4, coverage: 1 }])
    expect(await points('from=2026-03-28T17:00:00Z&to=2026-03-29')).toEqual(whole)
    expect(await points('from=2026-03-28&to=2026-03-28T01:00:00Z')).toEqual(whole)
  })

  test('a station without prices has an empty series, an unknown one none', async () => {
    expect(await service.json('/api/gas-stations/3/history')).toMatchObject({ history: [] })
    expect((await service.get('/api/gas-stations/99/history')).status).toBe(404)
    expect((await service.json('/api/gas-stations/1/history?interval=raw&from=2026-01-01&to=2026-04-01')).code).toBe('range-too-large')
    expect((await service.json('/api/gas-stations/1/history?from=2026-04-01&to=2026-04-01')).errors[0].parameter).toBe('from')
  })
})
