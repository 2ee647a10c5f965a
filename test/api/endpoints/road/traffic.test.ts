import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 7, 12)
const MINUTE = 60_000
let service: TestService

const reading = (id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(trafficReadings, { sensor_id: id, observed_at: T0, updated_at: T0, ...values })
const sensor = (id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(trafficSensors, { sensor_id: id, observed_at: T0, updated_at: T0, ...values })

beforeAll(async () => {
  service = await startService()
  await service.publish(trafficReadings, [
    reading('1', { intensity_veh_h: 500 }),
    reading('2', { sensor_type: 'M30', level_of_service: 'CONGESTION', is_stale: true, observed_at: T0 - 60 * MINUTE }),
    reading('3', { level_of_service: null, intensity_veh_h: null }),
  ])
  await service.publish(
    trafficSensors,
    [sensor('1', { name: 'Catalogue name', capacity_veh_h: null }), sensor('2', { district: 7, sensor_type: 'M30' })],
    {
      feed: 'madrid_sensors',
    },
  )
  await service.publish(
    trafficSensors,
    [
      sensor('1', { listing: 'LIVE', name: 'Live name', capacity_veh_h: 900, position: { lat: 1, lon: 1 } }),
      sensor('3', { listing: 'LIVE', name: 'Only live', district: null, position: { lat: 40.5, lon: -3.6 } }),
    ],
    { feed: 'madrid_traffic' },
  )
})
afterAll(() => service?.close())

const ids = async (path: string, name: string): Promise<string[]> => (await service.json(path))[name].map((one: Reply) => one.id)

test('the catalogue goes first, the live listing fills in', async () => {
  const { sensors } = await service.json('/api/trafico/sensores')
  expect(sensors.map((one: Reply) => [one.id, one.name, one.capacity_veh_h, one.lat, one.listings])).toEqual([
    ['1', 'Catalogue name', 900, 40.430502, ['CATALOGUE', 'LIVE']],
    ['2', trafficSensors.columns.name.example, 3000, 40.430502, ['CATALOGUE']],
    ['3', 'Only live', 3000, 40.5, ['LIVE']],
  ])
  expect(await ids('/api/trafico/sensores?type=M30', 'sensors')).toEqual(['2'])
  expect(await ids('/api/trafico/sensores?district=7', 'sensors')).toEqual(['2'])
})

test('a sensor of Madrid has no road, and the description says why', async () => {
  const { sensors } = await service.json('/api/trafico/sensores')
  expect(sensors.map((one: Reply) => one.road)).toEqual([null, null, null])
  expect((await service.json('/api/trafico/sensores/2')).road).toBeNull()
  const { components } = await service.json('/openapi.json')
  for (const name of ['TrafficSensor', 'TrafficSensorDetail'])
    expect(components.schemas[name].properties.road).toMatchObject({
      type: ['string', 'null'],
      description: expect.stringMatching(/Madrid.*streets.*M30/),
    })
  expect((await service.json('/api/trafico/sensores?road=M-30')).total).toBe(0)
})

test('readings carry the place of their sensor', async () => {
  const { readings, total } = await service.json('/api/trafico/intensidad')
  expect(total).toBe(3)
  expect(readings[0]).toMatchObject({ id: '1', name: 'Catalogue name', district: 4, lat: 40.430502, intensity_veh_h: 500, is_stale: false })
  expect(readings[1]).toMatchObject({ id: '2', is_stale: true, observed_at: '2026-01-07T11:00:00.000Z' })
  expect(await ids('/api/trafico/intensidad?level_of_service=CONGESTED', 'readings')).toEqual(['2'])
  expect(await ids('/api/trafico/intensidad?district=4', 'readings')).toEqual(['1'])
  expect(await ids('/api/trafico/intensidad?bbox=-3.65,40.45,-3.55,40.55', 'readings')).toEqual(['3'])
  expect(await ids('/api/trafico/intensidad?sort=-intensity_veh_h', 'readings')).toEqual(['1', '2', '3'])
})

test('a sensor shows its last reading', async () => {
  const one = await service.json('/api/trafico/sensores/2')
  expect(one).toMatchObject({
    id: '2',
    deviation: null,
    last_reading: { level_of_service: 'CONGESTED', level: 'CONGESTED', is_stale: true, period_s: 300 },
  })
  expect(one.last_reading).not.toHaveProperty('sensor_id')
  expect((await service.get('/api/trafico/sensores/9')).status).toBe(404)
})

describe('history', () => {
  /** A reading of the period that begins at a minute; it is published at the period's end. */
  const row = (minute: number, values: AnyRow = {}): AnyRow => {
    const end = T0 + minute * MINUTE + 1000 * ((values['period_s'] as number | undefined) ?? 300)
    return exampleTableRow(trafficReadings, { sensor_id: '1', observed_at: end, ...values })
  }
  beforeAll(() =>
    service.land(
      trafficReadings,
      [
        ...Array.from({ length: 24 }, (_, n) => row(5 * n, { intensity_veh_h: 100 + n, speed_kmh: n % 2 ? 50 : null })),
        row(120, { intensity_veh_h: 9000, quality: 'ERROR' }),
        row(125, { intensity_veh_h: null }),
        // Another period, and another source with the same id: never mixed, and of two sources one is answered.
        row(0, { period_s: 900, intensity_veh_h: 700 }),
        row(0, { source: 'elsewhere', intensity_veh_h: 1 }),
        row(0, { sensor_id: '2', intensity_veh_h: 1 }),
        row(0, { sensor_id: '3', quality: 'ERROR' }),
        row(5, { sensor_id: '3', quality: 'ERROR' }),
      ],
      T0 + 130 * MINUTE,
    ),
  )
  const points = async (query: string): Promise<Reply[]> => (await service.json(`/api/trafico/sensores/1/historico?${query}`)).history
  const ours = (list: readonly Reply[]): Reply[] => list.filter((one) => one.source === 'madrid' && one.period_s === 300)

  test('raw: as it was published', async () => {
    const list = ours(await points('interval=raw&from=2026-01-07&to=2026-01-08'))
    expect(list).toHaveLength(26)
    expect(list[24]).toMatchObject({ quality: 'ERROR', intensity_veh_h: 9000, coverage: null, interval: 'raw' })
    expect(list[0]).toMatchObject({ period_start: '2026-01-07T12:05:00.000Z', intensity_veh_h: 100, level_of_service: 'FREE' })
  })

  test('per hour: means and the share of readings that are there, of one source, its periods apart', async () => {
    const list = await points('interval=1h&from=2026-01-07&to=2026-01-08')
    expect(list.map((one) => [one.period_start, one.source, one.period_s, one.readings, one.coverage, one.intensity_veh_h])).toEqual([
      ['2026-01-07T12:00:00.000Z', 'madrid', 300, 12, 1, 105.5],
      ['2026-01-07T12:00:00.000Z', 'madrid', 900, 1, 0.25, 700],
      ['2026-01-07T13:00:00.000Z', 'madrid', 300, 12, 1, 117.5],
      ['2026-01-07T14:00:00.000Z', 'madrid', 300, 1, 0.083333, null],
    ])
    expect(list[0]).toMatchObject({ intensity_max_veh_h: 111, speed_kmh: 50, level_of_service: null, quality: null })
  })

  test('per quarter of an hour, day, week, month and year', async () => {
    expect(ours(await points('interval=15m&from=2026-01-07T12:00:00Z&to=2026-01-07T13:00:00Z')).map((one) => one.readings)).toEqual([
      3, 3, 3, 3,
    ])
    const [day] = ours(await points('interval=1d'))
    expect(day).toMatchObject({ period_start: '2026-01-06T23:00:00.000Z', readings: 25, coverage: 0.086806 })
    expect(ours(await points('interval=1w'))[0]).toMatchObject({ period_start: '2026-01-04T23:00:00.000Z', coverage: 0.012401 })
    expect(ours(await points('interval=1mo'))[0]).toMatchObject({ period_start: '2025-12-31T23:00:00.000Z' })
    expect(ours(await points('interval=1y'))[0]).toMatchObject({ period_start: '2025-12-31T23:00:00.000Z', coverage: 0.000238 })
  })

  test('a step that the period cuts is given whole, and few readings in a long one are not none', async () => {
    const whole = ours(await points('interval=1y'))
    expect(ours(await points('interval=1y&from=2026-01-07T12:00:00Z&to=2026-01-07T12:05:00Z'))).toEqual(whole)
    const quarters = (await points('interval=1y')).find((one) => one.period_s === 900)
    expect(quarters).toMatchObject({ readings: 1, coverage: 0.000029 })
  })

  test('a step of wrong readings alone is there, without measures', async () => {
    const { history } = await service.json('/api/trafico/sensores/3/historico?from=2026-01-07&to=2026-01-08')
    expect(history).toEqual([expect.objectContaining({ readings: 0, coverage: 0, intensity_veh_h: null, intensity_max_veh_h: null })])
  })

  test('without a period: the end of the data, never the clock', async () => {
    const reply = await service.json('/api/trafico/sensores/1/historico?interval=raw&limit=1000')
    expect(reply.meta.covered_until).toBe('2026-01-07T14:10:00.000Z')
    expect(ours(reply.history)).toHaveLength(26)
  })

  test('metrics leaves the others out', async () => {
    const [first] = await points('interval=1h&metrics=occupancy_pct&from=2026-01-07&to=2026-01-08')
    expect(Object.keys(first)).toEqual([
      'period_start',
      'interval',
      'date',
      'source',
      'period_s',
      'readings',
      'coverage',
      'occupancy_pct',
      'level_of_service',
      'quality',
    ])
  })

  test.each([
    ['interval=raw&from=2025-01-01&to=2026-01-01', 'range-too-large', '31 days'],
    ['interval=15m&from=2025-01-01&to=2026-01-01', 'range-too-large', '92 days'],
    ['interval=1h&from=2020-01-01&to=2026-01-01', 'range-too-large', '731 days'],
    ['interval=raw&from=2020-01-01', 'range-too-large', '31 days'],
    ['from=2026-01-02&to=2026-01-01', 'invalid-parameter', 'before'],
    ['interval=5m', 'invalid-parameter', 'raw, 15m, 1h, 1d, 1w, 1mo, 1y'],
    ['from=2026-01-07T12:00:00', 'invalid-parameter', 'zone'],
  ])('%s is refused', async (query, code, detail) => {
    const problem = await service.json(`/api/trafico/sensores/1/historico?${query}`)
    expect(problem).toMatchObject({ status: 400, code })
    expect(problem.detail).toContain(detail)
  })

  test('days follow the change of the clock', async () => {
    const night = Date.UTC(2026, 2, 28, 23)
    await service.land(
      trafficReadings,
      Array.from({ length: 23 * 12 }, (_, n) => row(0, { sensor_id: 'dst', observed_at: night + (n + 1) * 5 * MINUTE })),
      night + 26 * 60 * MINUTE,
    )
    const { history } = await service.json('/api/trafico/sensores/dst/historico?interval=1d&from=2026-03-28&to=2026-03-31')
    expect(history.map((one: Reply) => [one.period_start, one.readings, one.coverage])).toEqual([['2026-03-28T23:00:00.000Z', 276, 1]])
  })
})
