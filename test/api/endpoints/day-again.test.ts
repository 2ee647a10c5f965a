import { afterAll, beforeAll, expect, test } from 'vitest'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../service.ts'
import { NOON, position } from './rail/train-rows.ts'

const at = (time: string): number => Date.parse(`2026-11-17T${time}Z`)
const PERIOD = 'from=2026-11-17T09:00:00Z&to=2026-11-17T10:00:00Z'
const TRACKS = `/api/trenes/recorridos?${PERIOD}`
const LEVELS = `/api/trafico/intensidad/historico?${PERIOD}`
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  const seen = (number: string, time: string, lon: number | null): AnyRow =>
    exampleTableRow(railPositions, position(number, { observed_at: at(time), position: lon === null ? null : { lon, lat: 40 } }))
  await service.land(
    railPositions,
    [
      ...[seen('70001', '08:59:59', 0), seen('70001', '09:00:10', 1), seen('70001', '09:04:50', 2), seen('70001', '09:05:00', 3)],
      ...[seen('70001', '09:30:00', null), seen('70002', '09:20:00', 5), seen('70001', '10:00:00', 6)],
    ],
    at('10:05:00'),
  )
  const read = (sensor_id: string, time: string, level_of_service: string | null): AnyRow =>
    exampleTableRow(trafficReadings, { sensor_id, observed_at: at(time), level_of_service })
  await service.land(
    trafficReadings,
    [
      ...[read('1', '09:00:00', 'FLUID'), read('1', '09:10:00', 'SLOW'), read('1', '09:30:00', 'CONGESTION')],
      ...[read('1', '09:45:00', null), read('2', '09:20:00', null), read('3', '10:00:00', 'FLUID')],
    ],
    at('10:05:00'),
  )
})
afterAll(() => service?.close())

test('trains have the last position of each step of the period', async () => {
  const { tracks } = await service.json(TRACKS)
  const shown = tracks.map((one: Reply) => [one.id, one.positions, one.times.map((time: string) => time.slice(11, 19)), one.geometry])
  expect(shown).toEqual([
    [
      ...['CERCANIAS-70001-C3', 2, ['09:04:50', '09:05:00']],
      {
        type: 'LineString',
        coordinates: [
          [2, 40],
          [3, 40],
        ],
      },
    ],
    ['CERCANIAS-70002-C3', 1, ['09:20:00'], null],
  ])
  expect((await service.json(`${TRACKS}&step=1`)).tracks[0].positions).toBe(3)
})

test('sensors have the last level of each step, and null where none was read', async () => {
  const { sensors } = await service.json(LEVELS)
  expect(sensors).toMatchObject([
    { id: '1', starts_at: '2026-11-17T09:00:00.000Z', step_minutes: 15, levels: ['DENSE', null, 'CONGESTED', null] },
  ])
  expect((await service.json(`${LEVELS}&step=30`)).sensors[0].levels).toEqual(['DENSE', 'CONGESTED'])
})

test.each([TRACKS, LEVELS])('%s is of one day at most', async (path) => {
  const response = await service.get(path.replace('to=2026-11-17T10', 'to=2026-11-18T10'))
  expect(response.status).toBe(400)
})
