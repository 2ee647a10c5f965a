import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkRoute, RailNetwork } from '../../../../api/endpoints/rail/network.ts'
import { routeOf } from '../../../../api/endpoints/rail/routes.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, NOON, type Run } from './train-rows.ts'

const RUNS: readonly Run[] = ['90001', '90002'].map((train_number) => ({
  trip_id: `1041M${train_number}C3`,
  train_number,
  service_id: 'S',
  stops: [
    ['00001', 11.5, 11.5],
    ['00002', 12, 12],
  ],
}))
const ROUTE = { short_name: 'C3' }
const BOARD = '/api/trenes/estaciones/00001/salidas'

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  const commuter = (from: string, days: readonly string[]) =>
    landTimetable(service, { network: 'CERCANIAS', from, route: ROUTE }, { S: days }, RUNS)
  // The second takes the first one's place before that ends; then nothing was kept for a week.
  await commuter('2026-11-02', ['2026-11-02', '2026-11-03', '2026-11-04'])
  await commuter('2026-11-04', ['2026-11-04', '2026-11-05', '2026-11-06'])
  await commuter('2026-11-16', ['2026-11-16', '2026-11-17', '2026-11-18'])
  await until('landed', async () => (await service.get(`${BOARD}?network=CERCANIAS`)).status === 200)
})
afterAll(() => service?.close())

test('a moment between two timetables is refused, naming the time that each of them is about', async () => {
  const at = async (instant: string): Promise<Reply> => service.json(`${BOARD}?network=CERCANIAS&at=${instant}`)
  const early = { total: 2, timetable_from: '2026-11-01T23:00:00.000Z', timetable_until: '2026-11-06T23:00:00.000Z' }
  expect(await at('2026-11-04T09:00:00Z')).toMatchObject(early)
  expect(await at('2026-11-06T09:00:00Z')).toMatchObject(early)
  expect(await at('2026-11-17T09:00:00Z')).toMatchObject({
    total: 2,
    timetable_from: '2026-11-15T23:00:00.000Z',
    timetable_until: '2026-11-18T23:00:00.000Z',
  })
  const spans =
    'an instant from 2026-11-01T23:00:00.000Z until before 2026-11-06T23:00:00.000Z or from 2026-11-15T23:00:00.000Z until before 2026-11-18T23:00:00.000Z'
  for (const instant of ['2026-11-06T23:00:00Z', '2026-11-10T09:00:00Z', '2026-11-15T22:59:59Z']) {
    const reply = await at(instant)
    expect([reply.status, reply.errors?.[0]?.parameter]).toEqual([400, 'at'])
    expect(reply.errors[0].detail).toContain(spans)
  }
})

test('so is a day', async () => {
  const on = async (date: string): Promise<Reply> => service.json(`/api/trenes/nucleos?date=${date}`)
  expect((await on('2026-11-06')).nucleos).toMatchObject([{ id: '10', trips: 2 }])
  expect((await on('2026-11-16')).total).toBe(1)
  const refused = await on('2026-11-07')
  expect(refused.errors[0].detail).toContain('a date from 2026-11-02 to 2026-11-06 or from 2026-11-16 to 2026-11-18')
})

test('a route with a single published stop goes from nowhere to nowhere that is known', () => {
  const route = { network: 'CERCANIAS', stop_ids: ['1'], trips: 1, named: { origin: null, destination: 'Two' } } as unknown as NetworkRoute
  const stations = new Map([['1', { name: 'One' }]]) as unknown as RailNetwork['stations']
  const made = { origin_id: null, origin: null, destination_id: null, destination: 'Two', stop_ids: ['1'] }
  expect(routeOf(route, { stations })).toMatchObject(made)
})
