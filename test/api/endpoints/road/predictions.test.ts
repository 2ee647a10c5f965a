import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuelForecasts } from '../../../../lake/datasets/fuel/forecasts.ts'
import { modelCards, modelScores } from '../../../../lake/datasets/service/models.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** A Monday, the day of the newest price. */
const AT = Date.UTC(2024, 6, 1, 12)
let now = AT
const DAYS = [1, 7, 14, 28]
const PRODUCTS = ['DIESEL_A', 'GASOLINE_95_E5', 'LPG']

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
})
afterAll(() => service?.close())

function rowOf(product: string, days: number, values: AnyRow = {}): AnyRow {
  const date = new Date(Date.UTC(2024, 6, 1 + days)).toISOString().slice(0, 10)
  return exampleTableRow(fuelForecasts, {
    product,
    horizon: `P${days}D`,
    date,
    period_start: dayBounds(date).start,
    price: (100 + days) / 100,
    ...values,
  })
}

test('forecasts are the rows of the lake: of Spain, or of the requested province', async () => {
  const none = {
    price: null,
    interval_low: null,
    interval_high: null,
    forecast_kind: null,
    recent_error: null,
    absence: 'FEW_PRICES',
    reason: 'not enough data',
  }
  await service.land(
    fuelForecasts,
    [
      ...PRODUCTS.flatMap((product) => DAYS.map((days) => rowOf(product, days))),
      ...DAYS.map((days) => rowOf('HEATING_GAS_OIL', days, none)),
      rowOf('FUEL_OIL_LOW_SULPHUR', 7, { price: 612.5, price_unit: 'EUR/t' }),
      rowOf('DIESEL_A', 1, { model: 'fuel_daily', series: 'STATION_MEAN', area_kind: 'PROVINCE', area: '28' }),
    ],
    AT,
    ['fuel_bulletin'],
  )
  const all = await service.json('/api/prediccion/combustible')
  const expected = await golden(
    service.lake,
    [fuelForecasts],
    `SELECT product, horizon, CAST(price AS DOUBLE) AS price, CAST(interval_low AS DOUBLE) AS low, reason FROM fuel_forecasts WHERE area = 'ES' ORDER BY product, date`,
  )
  const returned = all.forecasts
    .map(({ fuel, horizon, price, interval, reason }: Reply) => ({
      product: fuel,
      horizon,
      price,
      low: interval?.low ?? null,
      reason,
    }))
    .sort((one: Reply, other: Reply) =>
      one.product < other.product ? -1 : one.product > other.product ? 1 : Number(one.price) - Number(other.price),
    )
  expect(new Set(returned.map((one: Reply) => JSON.stringify(one)))).toEqual(new Set(expected.map((one) => JSON.stringify(one))))
  expect(returned).toHaveLength(17)
  const one = await service.json('/api/prediccion/combustible?fuel=LPG&horizon=P7D')
  expect(one.forecasts).toMatchObject([
    {
      ...{ fuel: 'LPG', series: 'BULLETIN', area: 'ES', province: null, horizon: 'P7D', date: '2024-07-08', price_eur_l: 1.07 },
      ...{ interval: { level: 0.8, low: 1.6034, high: 1.6434 }, baseline: 1.6199, recent_error: 0.0112, forecast_kind: 'MODEL' },
      ...{ model: 'fuel', model_version: 'r1-20240701-4be1c0d2', made_at: '2024-07-01T22:00:00.000Z' },
    },
  ])
  const oil = await service.json('/api/prediccion/combustible?fuel=FUEL_OIL_LOW_SULPHUR')
  expect(oil.forecasts).toMatchObject([{ price: 612.5, price_unit: 'EUR/t', price_eur_l: null }])
  expect(one.forecasts).toMatchObject([{ price: 1.07, price_unit: 'EUR/L' }])
  const heating = await service.json('/api/prediccion/combustible?fuel=HEATING_GAS_OIL&horizon=P28D')
  expect(heating.forecasts).toMatchObject([{ price_eur_l: null, interval: null, absence: 'FEW_PRICES', reason: 'not enough data' }])
  const madrid = await service.json('/api/prediccion/combustible?province=Madrid')
  expect(madrid.forecasts).toMatchObject([{ area: '28', province: 'Madrid', series: 'STATION_MEAN' }])
  const late = await service.get('/api/prediccion/combustible?series=STATION_MEAN')
  expect([late.status, late.headers.get('retry-after'), await late.json()]).toMatchObject([
    ...[404, '3600'],
    { code: 'no-data-yet', missing: ['fuel_forecasts'], detail: expect.stringContaining('120 days') },
  ])
  expect((await service.get('/api/prediccion/combustible?horizon=P3W')).status).toBe(400)
  expect(all.meta).toMatchObject({ grain: expect.stringContaining('fuel'), method: expect.stringContaining('ridge') })
})

test('horizons count from today, and past days are listed only on request', async () => {
  // Tuesday in Madrid: the forecast of the first day is of today.
  const of = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/prediccion/combustible?fuel=LPG${query}`)).forecasts.map((one: Reply) => [
      one.horizon,
      one.model_horizon,
      one.is_over,
    ])
  const during = async (at: string, check: () => Promise<void>): Promise<void> => {
    now = Date.parse(at)
    await check().finally(() => {
      now = AT
    })
  }
  await during('2024-07-02T21:59:00Z', async () => {
    expect((await of(''))[0]).toEqual(['P0D', 'P1D', false])
    expect(await of('&horizon=P6D')).toEqual([['P6D', 'P7D', false]])
  })
  // A minute later it is Wednesday.
  await during('2024-07-02T22:00:00Z', async () => {
    expect(await of('')).toEqual([
      ['P5D', 'P7D', false],
      ['P12D', 'P14D', false],
      ['P26D', 'P28D', false],
    ])
    expect((await of('&include_past=true'))[0]).toEqual([null, 'P1D', true])
  })
  await during('2024-09-01T12:00:00Z', async () => {
    const reply = await service.json('/api/prediccion/combustible?fuel=LPG')
    expect([reply.total, reply.meta.stale]).toEqual([0, true])
  })
})

test('a product that can have no forecast is refused, not answered with an empty list', async () => {
  for (const [query, parameter, expected] of [
    ['fuel=HYDROGEN', 'fuel', 'DIESEL_A, FUEL_OIL_LOW_SULPHUR, GASOLINE_95_E5, HEATING_GAS_OIL, LPG'],
    ['province=28&series=BULLETIN', 'series', 'STATION_MEAN'],
    ['series=STATION_MEAN&horizon=P28D', 'horizon', 'P1D, P2D, P3D, P4D, P5D, P6D, P7D'],
    ['province=28&horizon=P7D,P8D', 'horizon', 'P1D, P2D, P3D, P4D, P5D, P6D, P7D'],
    ['province=28&fuel=LPG', 'fuel', 'expected one of DIESEL_A'],
  ] as const) {
    const reply = await service.get(`/api/prediccion/combustible?${query}`)
    const { errors } = (await reply.json()) as Reply
    expect([query, reply.status]).toEqual([query, 400])
    expect(errors).toMatchObject([{ parameter, detail: expect.stringContaining(expected) }])
  }
})

test("cards have a model's declaration and the results of its runs", async () => {
  const served = [
    { series: 'LPG', horizon: 'P7D', points: 104, serves: 'BASELINE', error: 0.003, baseline: 0.0024 },
    { series: 'LPG', horizon: 'P28D', points: 104, serves: 'BASELINE', error: null, baseline: 0.01 },
  ]
  const score = (values: AnyRow): AnyRow => exampleTableRow(modelScores, values)
  await service.land(
    modelScores,
    [
      score({}),
      score({ subset: 'SUMMER', value: 0.02 }),
      score({ metric: 'COVERAGE_80', metric_unit: '1', value: 0.81, baseline: null, baseline_kind: null }),
      score({ model: 'other' }),
    ],
    AT,
    ['fuel_bulletin'],
  )
  await service.land(modelCards, [exampleTableRow(modelCards, { served })], AT, ['fuel_bulletin'])
  const { models } = await service.json('/api/prediccion/modelos?model=fuel')
  expect(models).toHaveLength(1)
  expect(models[0]).toMatchObject({
    ...{ id: 'fuel', model_version: 'r1-20240701-4be1c0d2', data_from: '2005-01-03', data_to: '2024-07-01', fit_state: 'PROMOTED' },
    purpose: expect.stringContaining('national average'),
    not_for: expect.stringContaining('one station'),
    served: [
      { series: 'LPG', horizon: 'P7D', serves: 'BASELINE', error_to_baseline: 1.25, points: 104 },
      { horizon: 'P28D', error_to_baseline: null },
    ],
    errors: [
      { metric: 'COVERAGE_80', subset: 'ALL', value: 0.81, baseline: null },
      { metric: 'MAE', subset: 'ALL', value: 0.0112, baseline: 0.0184, baseline_kind: 'LAST_VALUE', metric_unit: 'EUR/L' },
      { metric: 'MAE', subset: 'SUMMER', value: 0.02 },
    ],
    versions: [{ state: 'PROMOTED', logged_at: '2024-07-04T11:20:00.000Z', revision: 1 }],
    charts: [{ name: 'observed', svg: expect.stringMatching(/^<svg/) }],
  })
  expect((await service.get('/api/prediccion/modelos?model=rain')).status).toBe(400)
})

test('forecasts are stale once their input data stops', async () => {
  for (const [days, isStale] of [
    [60, true],
    [0, false],
  ] as const) {
    const at = now - days * 86_400_000
    await service.tell({ feed: 'fuel_stations', last_attempt_at: at, last_success_at: at, fresh_at: at, data_time: at })
    await expect.poll(async () => (await service.json('/api/prediccion/combustible')).meta.stale, { timeout: 20_000 }).toBe(isStale)
  }
})
