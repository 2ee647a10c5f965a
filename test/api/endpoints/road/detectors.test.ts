import { afterAll, beforeAll, expect, test } from 'vitest'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficDays } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 9, 1, 6)
const MINUTE = 60_000
const DGT = { source: 'dgt', sensor_type: 'INTERURBAN', quality: 'UNKNOWN', load_pct: null, level_of_service: null }
let service: TestService

const state = { observed_at: T0, updated_at: T0 }
const lane = (sensor_id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(trafficSensors, {
    ...{ ...state, source: 'dgt', listing: 'CATALOGUE', sensor_id, city: null, name: null, sensor_type: 'INTERURBAN', district: null },
    ...{ centre_code: sensor_id.slice(5), road: 'A-6', km: 9.05, direction: 'POSITIVE', destination: 'CORUÑA', province_code: '28' },
    ...{ site_kind: 'MOTORWAY', source_site_kind: 'AUTOPISTA / AUTOVÍA', source_direction: 'positive', ...values },
  })
const measured = { intensity_veh_h: 1020, speed_kmh: 102, occupancy_pct: 2, headway_m: 128, long_vehicles_pct: 8 }

beforeAll(async () => {
  service = await startService()
  await service.publish(trafficSensors, [exampleRow(trafficSensors, { ...state, sensor_id: '3840', province_code: null })], {
    feed: 'madrid_sensors',
  })
  await service.publish(
    trafficSensors,
    [
      lane('GUID_DET_1'),
      lane('GUID_DET_2', { direction: 'NEGATIVE', km: 12 }),
      lane('GUID_DET_3', { road: 'N-1', km: 238.1, province_code: '09', municipality_code: null, position: null }),
    ],
    { feed: 'dgt_detector_sites' },
  )
  await service.publish(trafficReadings, [exampleRow(trafficReadings, { ...state, sensor_id: '3840' })], { feed: 'madrid_traffic' })
  await service.publish(
    trafficReadings,
    [
      exampleRow(trafficReadings, { ...state, ...DGT, sensor_id: 'GUID_DET_1', ...measured }),
      exampleRow(trafficReadings, {
        ...state,
        ...DGT,
        sensor_id: 'GUID_DET_2',
        ...measured,
        is_stale: true,
        observed_at: T0 - 40 * MINUTE,
      }),
      exampleRow(trafficReadings, { ...state, ...DGT, sensor_id: 'GUID_DET_9', ...measured }),
    ],
    { feed: 'dgt_detectors' },
  )
  const row = (minute: number, values: AnyRow): AnyRow =>
    exampleTableRow(trafficReadings, { ...DGT, sensor_id: 'GUID_DET_1', ...measured, observed_at: T0 + minute * MINUTE, ...values })
  await service.land(
    trafficReadings,
    [
      ...Array.from({ length: 12 }, (_, n) => row(5 * n, { intensity_veh_h: 600 + 60 * (n % 2), headway_m: 100 + 20 * (n % 2) })),
      row(60, { intensity_veh_h: 0, speed_kmh: null, headway_m: null, long_vehicles_pct: null, occupancy_pct: 0 }),
    ],
    T0 + 65 * MINUTE,
  )
  const day = { source: 'dgt', sensor_id: 'GUID_DET_1', period_s: 300, sensor_type: 'INTERURBAN', month: '2026-09', date: '2026-09-29' }
  const sums = { readings: 288, intensity_readings: 288, intensity_sum_veh_h: 288 * 500, headway_readings: 100, headway_sum_m: 9000 }
  await service.land(trafficDays, [exampleTableRow(trafficDays, { ...day, ...sums, period_start: Date.UTC(2026, 8, 28, 22) })], T0)
})
afterAll(() => service?.close())

const ids = async (path: string, name: string): Promise<string[]> => (await service.json(path))[name].map((one: Reply) => one.id)

test('the catalogue has detectors by source, province and stretch of a road, and no city for them', async () => {
  expect(await ids('/api/trafico/sensores', 'sensors')).toEqual(['3840', 'GUID_DET_1', 'GUID_DET_2', 'GUID_DET_3'])
  expect(await ids('/api/trafico/sensores?source=dgt', 'sensors')).toEqual(['GUID_DET_1', 'GUID_DET_2', 'GUID_DET_3'])
  expect(await ids('/api/trafico/sensores?city=madrid', 'sensors')).toEqual(['3840'])
  // A sensor of the city is of its province, though its row does not say so.
  expect(await ids('/api/trafico/sensores?province=Madrid', 'sensors')).toEqual(['3840', 'GUID_DET_1', 'GUID_DET_2'])
  expect(await ids('/api/trafico/sensores?road=a6&km_from=10', 'sensors')).toEqual(['GUID_DET_2'])
  expect((await service.json('/api/trafico/sensores?source=dgt&province=Burgos')).sensors).toEqual([
    expect.objectContaining({
      ...{ id: 'GUID_DET_3', city: null, road: 'N-1', km: 238.1, direction: 'POSITIVE', destination: 'CORUÑA', province: 'Burgos' },
      ...{
        site_kind: 'MOTORWAY',
        source_site_kind: 'AUTOPISTA / AUTOVÍA',
        source_direction: 'positive',
        municipality_code: null,
        lat: null,
      },
    }),
  ])
  expect((await service.json('/api/trafico/sensores?source=barcelona')).detail).toContain('madrid, dgt')
})

test('live readings are those of Madrid by default; `source` gives the detectors', async () => {
  expect(await ids('/api/trafico/intensidad', 'readings')).toEqual(['3840'])
  const { readings, meta } = await service.json('/api/trafico/intensidad?source=dgt')
  expect(readings.map(({ id, city, road, is_stale }: Reply) => [id, city, road, is_stale])).toEqual([
    ['GUID_DET_1', null, 'A-6', false],
    ['GUID_DET_2', null, 'A-6', true],
    ['GUID_DET_9', null, null, false],
  ])
  expect(readings[0]).toMatchObject({ ...measured, source: 'dgt', period_s: 300, province: 'Madrid', site_kind: 'MOTORWAY' })
  expect(meta.sources.map(({ id }: Reply) => id)).toContain('dgt')
  expect(await ids('/api/trafico/intensidad?source=dgt&road=A-6&km_to=10', 'readings')).toEqual(['GUID_DET_1'])
  expect(await ids('/api/trafico/intensidad?source=madrid,dgt', 'readings').catch(() => 'refused')).toBe('refused')
})

test('one detector has its last reading; its typical value waits for weeks', async () => {
  const one = await service.json('/api/trafico/sensores/GUID_DET_1')
  expect(one).toMatchObject({ id: 'GUID_DET_1', last_reading: measured, typical: { absence: 'FEW_WEEKS' }, deviation: null })
})

test('series of a detector: raw, by hour and by day, with headway and share of long vehicles', async () => {
  const path = '/api/trafico/sensores/GUID_DET_1/historico?from=2026-09-28&to=2026-10-02'
  const raw = (await service.json(`${path}&interval=raw`)).history
  expect(raw).toHaveLength(13)
  expect(raw[12]).toMatchObject({ source: 'dgt', intensity_veh_h: 0, speed_kmh: null, headway_m: null, long_vehicles_pct: null })
  const [hour] = (await service.json(`${path}&interval=1h`)).history
  expect(hour).toMatchObject({
    ...{ period_start: '2026-10-01T06:00:00.000Z', source: 'dgt', period_s: 300, readings: 12, coverage: 1 },
    ...{ intensity_veh_h: 630, speed_kmh: 102, headway_m: 110, long_vehicles_pct: 8 },
  })
  const days = (await service.json(`${path}&interval=1d`)).history
  expect(days.map((one: Reply) => [one.period_start, one.readings, one.coverage, one.intensity_veh_h, one.headway_m])).toEqual([
    ['2026-09-28T22:00:00.000Z', 288, 1, 500, 90],
    ['2026-09-30T22:00:00.000Z', 13, 0.045139, 581.5, 110],
  ])
  expect((await service.json(`${path}&interval=1d&source=dgt`)).history).toEqual(days)
  expect((await service.json(`${path}&interval=1d&source=madrid`)).history).toEqual([])
  const [only] = (await service.json(`${path}&interval=1h&metrics=headway_m`)).history
  expect(only).not.toHaveProperty('speed_kmh')
})

test('search finds a detector by its road and where it leads, and by its code', async () => {
  for (const q of ['A-6 CORUÑA', 'DET_1']) {
    const { hits } = await service.json(`/api/search?q=${encodeURIComponent(q)}&collections=sensors`)
    const found = { id: 'GUID_DET_1', title: 'A-6 km 9.05 CORUÑA', url: '/api/trafico/sensores/GUID_DET_1' }
    expect(hits).toContainEqual(expect.objectContaining(found))
  }
})
