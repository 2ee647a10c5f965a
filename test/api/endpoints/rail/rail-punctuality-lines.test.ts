import { afterAll, beforeAll, expect, test } from 'vitest'
import { railStations } from '../../../../lake/datasets/rail/timetable.ts'
import { railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import { instantOf } from '../../../../lake/schema/time.ts'
import { until } from '../../../helpers/until.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { timetable, told, trip } from './punctuality-rows.ts'

const PATH = '/api/trenes/puntualidad'
const END = instantOf('2026-10-26', '22:00')
const DAY = '2026-10-24'
const ON_DAY = 'from=2026-10-24&to=2026-10-25'
const H = 3600

/** Two trains of C1; three replacement buses, one with live data; a train of C3 in two núcleos; and two of long distance. */
const timetables = [
  timetable(DAY, { '1002S': [DAY], '2002S': [DAY] }, [
    ...[trip('1002S10001C1', 8 * H), trip('1002S10002C1', 9 * H)],
    ...[10, 11, 12].map((hour) => trip(`1002S100${hour}C1`, hour * H, ['18000', '18003'], true)),
    ...[trip('1002S10004C3', 10 * H), trip('2002S50001C3', 12 * H, ['15000'])],
  ]),
  timetable(DAY, { '0900112026-10-24': [DAY], '0900312026-10-24': [DAY] }, [
    trip('0900112026-10-24', 7 * H, ['60000']),
    trip('0900312026-10-24', 8 * H, ['60000']),
  ]),
]
const updates = [
  ...told('1002S10001C1', DAY, [{ at: `${DAY} 08:00`, stop: '18000', delay: 60 }]),
  ...told('1002S10010C1', DAY, [{ at: `${DAY} 10:00`, stop: '18000', delay: 1200 }]),
  ...told('1002S10004C3', DAY, [{ at: `${DAY} 10:00`, stop: '18001', delay: 120 }]),
  ...told('0900112026-10-24', DAY, [{ at: `${DAY} 08:00`, delay: 300 }]),
  ...told('0900312026-10-24', DAY, [{ at: `${DAY} 08:00`, delay: 600 }]),
]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => END })
  await service.land(railTripUpdates, updates, END)
  for (const one of timetables) for (const [dataset, rows] of one) await service.land(dataset, rows, END)
  const stations = [
    ...['18000', '18001', '18002', '18003', '15000'].map((stop_id) => ({ stop_id, network: 'CERCANIAS' })),
    { stop_id: '60000', network: 'AVLDMD', timetable_version: 'avldmd-2026-10-24' },
  ]
  await service.land(
    railStations,
    stations.map((values) => exampleTableRow(railStations, values)),
    END,
  )
  await until('landed', async () => (await service.get('/api/trenes/puntualidad?station=00000')).status === 400)
})
afterAll(() => service?.close())

const figures = async (query: string): Promise<Reply[]> => (await service.json(`${PATH}?${query}`)).punctuality
/** Observed, scheduled and matched trips, coverage and median delay. */
const shown = (one: Reply): unknown[] => [one.observed_trips, one.scheduled_trips, one.matched_trips, one.coverage, one.delay_median_s]

test('buses in place of trains are in none of the figures: neither planned ones nor those that live data has', async () => {
  expect((await figures(`${ON_DAY}&line=C1&network=CERCANIAS`)).map(shown)).toEqual([[1, 2, 1, 0.5, 60]])
  expect((await figures(`${ON_DAY}&line=C1&group_by=hour&sort=hour`)).map((one) => [one.hour, ...shown(one)])).toEqual([
    [8, 1, 1, 1, 1, 60],
    [9, 0, 1, 0, 0, null],
  ])
  const stations = await figures(`${ON_DAY}&line=C1&group_by=station`)
  expect(stations.map(({ stop_id }) => stop_id).sort()).toEqual(['18000', '18001', '18002'])
  expect(stations.find(({ stop_id }) => stop_id === '18000')).toMatchObject({ observed_trips: 1, scheduled_trips: 2, delay_median_s: 60 })
})

test('a line of commuter rail has no train of long distance, whatever the network, and a product has no other train', async () => {
  const lines = async (query: string): Promise<unknown[]> =>
    (await figures(`${ON_DAY}&group_by=line&${query}`)).map(({ network, nucleo_code, line, observed_trips }) => [
      ...[network, nucleo_code, line, observed_trips],
    ])
  expect((await lines('line=C3')).sort()).toEqual([
    ['CERCANIAS', '10', 'C3', 1],
    ['CERCANIAS', '20', 'C3', 0],
  ])
  expect(await lines('line=AVE')).toEqual([['AVLDMD', null, 'AVE', 1]])
  expect((await lines('line=C3,ALVIA')).sort()).toEqual([
    ['AVLDMD', null, 'ALVIA', 1],
    ['CERCANIAS', '10', 'C3', 1],
    ['CERCANIAS', '20', 'C3', 0],
  ])
})

const COMMUTER_ONLY = 'expected commuter lines with station or group_by=station: trip updates of long distance name no stations'
const OF_TRAINS = 'expected a line or product with observed or scheduled trains for this period and the other filters:'
test.each([
  // No train of it is in the period.
  [`${ON_DAY}&line=C2`, 'line', 'C2', `${OF_TRAINS} ALVIA, AVE, C1, C3`],
  [`${ON_DAY}&line=AVE&network=CERCANIAS`, 'line', 'AVE', `${OF_TRAINS} C1, C3`],
  [`${ON_DAY}&line=C1&nucleo=20`, 'line', 'C1', `${OF_TRAINS} C3`],
  [`${ON_DAY}&line=C1&station=15000`, 'line', 'C1', `${OF_TRAINS} C3`],
  [`${ON_DAY}&group_by=station&line=AVE`, 'line', 'AVE', COMMUTER_ONLY],
  [`${ON_DAY}&station=18000&line=C1,ALVIA`, 'line', 'ALVIA', COMMUTER_ONLY],
  // A station of long distance alone.
  [`${ON_DAY}&station=60000`, 'station', '60000', 'a timetable of commuter trains has'],
])('%s, which can have no figures, is refused and not answered with an empty list', async (query, parameter, value, expected) => {
  const response = await service.get(`${PATH}?${query}`)
  const problem = (await response.json()) as Reply
  expect([response.status, problem.code, problem.errors[0].parameter, problem.errors[0].value]).toEqual([
    ...[400, 'invalid-parameter', parameter, value],
  ])
  expect(problem.errors[0].detail).toContain(expected)
})

test('for a period without any data the reply gives the available one', async () => {
  const reply = await service.json(`${PATH}?from=2026-09-01&to=2026-09-08&line=C1`)
  expect(reply).toMatchObject({
    punctuality: [],
    meta: { covered_from: '2026-10-24T06:00:00.000Z', covered_until: new Date(END).toISOString() },
  })
})
