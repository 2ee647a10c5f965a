import { beforeAll, expect, test } from 'vitest'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../../api/engine/request/example-request.ts'
import { allParams } from '../../../../api/engine/request/request.ts'
import type { Endpoint } from '../../../../api/kernel/endpoint.ts'
import { type Fields, isNested } from '../../../../api/kernel/fields.ts'
import { datasets } from '../../../../lake/catalog.ts'
import { exampleService } from '../../example-service.ts'
import type { Reply, TestService } from '../../service.ts'

/** The fields of every forecast that describe it, in the lake and in replies. */
const SAID = ['made_at', 'model', 'model_version', 'horizon', 'baseline', 'recent_error'] as const
const STORED = [...SAID, 'interval_level', 'interval_low', 'interval_high'] as const
const INTERVAL = ['level', 'low', 'high'] as const
/** Paths of forecasts, except for the cards of the models that make them. */
const FORECASTS = /^\/api\/(prediccion|trafico\/prediccion)(\/|$)/
const CARDS = '/api/prediccion/modelos'

/** Lists of the field names of each record that has an interval with bounds, including those around it. */
function forecastsIn(fields: Fields, around: readonly string[] = []): (readonly string[])[] {
  const names = [...around, ...Object.keys(fields)]
  const { interval } = fields
  const own =
    interval && isNested(interval) && 'low' in interval.fields
      ? [[...names, ...Object.keys(interval.fields).map((name) => `interval.${name}`)]]
      : []
  const within = Object.entries(fields).flatMap(([name, field]) =>
    name !== 'interval' && isNested(field) ? forecastsIn(field.fields, names) : [],
  )
  return [...own, ...within]
}

/** The same in a reply: the fields of each object with an interval, or of an object around it. */
function toldIn(value: unknown, around: Reply = {}): Reply[] {
  if (Array.isArray(value)) return value.flatMap((one) => toldIn(one, around))
  if (typeof value !== 'object' || value === null) return []
  const all = { ...around, ...value }
  const own = 'interval' in value && 'baseline' in value ? [all] : []
  return [...own, ...Object.values(value).flatMap((one) => toldIn(one, all))]
}

const forecasting = endpoints.filter(({ returns }) => forecastsIn(returns.record.fields).length > 0)

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

test('a dataset of forecasts has all fields that describe a forecast', () => {
  const forecasts = datasets.filter(({ columns }) => 'interval_low' in columns)
  expect(forecasts.map(({ id }) => id)).toEqual(expect.arrayContaining(['fuel_forecasts', 'risk_estimates']))
  for (const { id, columns } of forecasts) expect([id, STORED.filter((name) => !(name in columns))]).toEqual([id, []])
  for (const { id } of datasets.filter(({ id }) => /_(forecasts|estimates)$/.test(id))) expect(forecasts.map((one) => one.id)).toContain(id)
})

test('endpoints under predictions return forecasts with all fields that describe them', () => {
  const asked = endpoints.filter(({ path }) => FORECASTS.test(path) && path !== CARDS)
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.filter((one) => !forecasting.includes(one)).map(({ path }) => path)).toEqual([])
  for (const { path, returns } of forecasting)
    for (const names of forecastsIn(returns.record.fields))
      expect([path, [...SAID, ...INTERVAL.map((name) => `interval.${name}`)].filter((name) => !names.includes(name))]).toEqual([path, []])
})

test.each(forecasting.map((endpoint) => [endpoint.path, endpoint] as const))(
  'replies of %s describe each forecast',
  async (_path, endpoint: Endpoint) => {
    const reply = await service.json(requestOf(endpoint, allParams(endpoint).has('view') ? { view: 'forecast' } : {}))
    const found = toldIn(reply)
    expect(found.length).toBeGreaterThan(0)
    for (const one of found) {
      expect(SAID.filter((name) => !(name in one))).toEqual([])
      expect(one.interval === null || INTERVAL.every((name) => typeof one.interval[name] === 'number')).toBe(true)
      // An estimate that is no forecast, such as an hour of a usual week, may name no version. A number without one has no basis.
      if (one.interval === null) continue
      for (const name of ['made_at', 'model', 'model_version']) expect([name, typeof one[name]]).toEqual([name, 'string'])
      // A day that is over is no time ahead; hours keep the horizon that they were forecast for.
      if (one.horizon !== null || !one.is_over) expect(typeof one.horizon).toBe('string')
    }
  },
)
