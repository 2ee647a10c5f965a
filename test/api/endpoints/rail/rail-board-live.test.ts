import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, NOON, type Run, update } from './train-rows.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

const run = (train: string, stops: Run['stops']): Run => ({ trip_id: `1041M${train}C3`, train_number: train, service_id: 's', stops })

let clock = NOON
let service: TestService
/** The live data of trains; a publication a test, each a minute after the last. */
const say = (...rows: AnyRow[]) =>
  service.publish(
    railTripUpdates,
    rows.map((row) => ({ ...row, service_date: '2026-11-17', observed_at: clock, updated_at: clock })),
    { feed: 'renfe_trip_updates', at: clock },
  )
const board = async (stop_id: string, at = clock): Promise<AnyRow[]> =>
  ((await service.json(`/api/trenes/estaciones/${stop_id}/salidas?at=${new Date(at).toISOString()}`)) as Reply).departures
const shown = (rows: readonly AnyRow[]) => rows.map(({ trip_id, status, scheduled_at }) => [trip_id, status, scheduled_at])

beforeAll(async () => {
  service = await startService({ clock: () => clock })
  await landTimetable(
    service,
    { network: 'CERCANIAS', from: '2026-11-10', route: { route_id: '10T0001C3', short_name: 'C3', nucleo_code: '10' } },
    { s: ['2026-11-17'] },
    [
      run('90001', [
        ['00001', 12.5, 12.5],
        ['00002', 13, 13],
      ]),
      // It passes one station twice, as trains do that turn round.
      run('90002', [
        ['00005', 11.5, 11.5],
        ['00006', 12.25, 12.25],
        ['00007', 12.5, 12.5],
        ['00006', 12.75, 12.75],
        ['00008', 13, 13],
      ]),
    ],
  )
  await until('landed', async () => (await board('00001'))?.length === 1)
})
beforeEach(() => {
  clock += MINUTE
})
afterAll(() => service?.close())

test('a train of the timetable with a live arrival is listed once', async () => {
  await say(update('1041M90001C3', { next_stop_id: '00001', expected_arrival_at: NOON + HOUR / 2 + 3 * MINUTE, delay_s: 180 }))
  const [entry, ...others] = await board('00001')
  expect(others).toEqual([])
  expect(entry).toMatchObject({ trip_id: '1041M90001C3', status: 'SCHEDULED', delay_s: 180, expected_at: '2026-11-17T11:33:00.000Z' })
})

test('one outside every timetable is listed as far ahead as delays are published', async () => {
  const special = (name: string, after_ms: number): AnyRow =>
    update(`SPECIAL_${name}`, { source_id: name, train_number: name, next_stop_id: '00001', expected_arrival_at: clock + after_ms })
  await say(special('90101', 4 * HOUR - MINUTE), special('90102', 4 * HOUR + MINUTE), special('90103', -MINUTE))
  expect(shown(await board('00001')).map(([id, status]) => [id, status])).toEqual([
    ['1041M90001C3', 'SCHEDULED'],
    ['SPECIAL_90101', 'ADDED'],
  ])
})

test('of two calls at a station the one of its next arrival is ahead', async () => {
  const next = (hour: number) => NOON + (hour - 12) * HOUR
  await say(update('1041M90002C3', { next_stop_id: '00006', expected_arrival_at: next(12.75), delay_s: 0 }))
  expect(shown(await board('00006'))).toEqual([
    ['1041M90002C3', 'DEPARTED', '2026-11-17T11:15:00.000Z'],
    ['1041M90002C3', 'SCHEDULED', '2026-11-17T11:45:00.000Z'],
  ])
  clock += MINUTE
  await say(update('1041M90002C3', { next_stop_id: '00006', expected_arrival_at: next(12.25), delay_s: 0 }))
  expect(shown(await board('00006')).map(([, status]) => status)).toEqual(['SCHEDULED', 'SCHEDULED'])
})

test('a board of a later time leaves out a train that has not come until now', async () => {
  // It says no delay, but that it has yet to call at a station where it was due half an hour ago.
  await say(update('1041M90002C3', { next_stop_id: '00005', delay_s: null }))
  expect(shown(await board('00005')).map(([id]) => id)).toEqual(['1041M90002C3'])
  expect(await board('00005', clock + 10 * MINUTE)).toEqual([])
})
