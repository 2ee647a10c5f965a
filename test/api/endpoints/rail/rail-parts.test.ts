import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, type Run } from './train-rows.ts'

/** 16:00 in Madrid. */
const NOW = Date.parse('2026-11-17T15:00:00Z')
/** Stations with the hour of a part's stop. */
type Way = readonly (readonly [stop_id: string, hour: number])[]
const START: Way = [
  ['00040', 18],
  ['00041', 20],
]
/** Parts of one train: two diverge from its second stop, one ends there, and one makes more stops and ends earlier. */
const WAYS: readonly Way[] = [
  [...START, ['00042', 22]],
  [...START, ['00043', 23]],
  START,
  [START[0] as Way[number], ['00044', 18.5], ['00045', 19], START[1] as Way[number]],
]
const RUNS: readonly Run[] = WAYS.map((way, at) => ({
  trip_id: `01463${at + 1}2026-11-16`,
  train_number: '01463',
  variant: String(at + 1),
  service_id: 'S',
  stops: way.map(([stop_id, hour]) => [stop_id, hour, hour]),
}))

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  const route = { short_name: 'ALVIA', nucleo_code: null }
  await landTimetable(service, { network: 'AVLDMD', from: '2026-11-16', route }, { S: ['2026-11-17'] }, RUNS)
  await until('landed', async () => (await service.get('/api/trenes/estaciones/00040/salidas')).status === 200)
})
afterAll(() => service?.close())

const ends = async (path: string, list: string, end: string): Promise<unknown[]> =>
  (await service.json(`/api/trenes/estaciones/${path}`))[list].map((one: Reply) => one[end]).sort()

test('parts of a train that go their own ways are two trains on a board, others are one with that which goes furthest', async () => {
  expect(await ends('00040/salidas', 'departures', 'destination_id')).toEqual(['00042', '00043'])
  expect(await ends('00041/salidas', 'departures', 'destination_id')).toEqual(['00042', '00043'])
  expect(await ends('00041/llegadas', 'arrivals', 'origin_id')).toEqual(['00040'])
})
