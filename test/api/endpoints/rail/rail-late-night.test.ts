import { afterAll, beforeAll, expect, test } from 'vitest'
import { renfeTripUpdatesLd } from '../../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import { deepTest } from '../../../helpers/tier.ts'
import { until } from '../../../helpers/until.ts'
import { parseBytes, realtimeJson, rowsOf, tripUpdate } from '../../../jobs/feeds/rail-messages.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, longDistance, type Run } from './train-rows.ts'

/** Five in the morning in Madrid: trains still have the ids of the night before. */
const FIVE = Date.parse('2026-11-18T04:00:00Z')
const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
/** A train of every evening, due at its end at half past midnight, one of every morning, and one of every night. */
const RUNS: readonly Run[] = [['09006', 20, 22.5, 24.5] as const, ['09007', 4.5, 5.5, 8] as const, ['09008', 21, 28, 31.5] as const].map(
  ([train, leaves, calls, ends]) => ({
    trip_id: `${train}12026-11-16`,
    train_number: train,
    service_id: 'S',
    stops: [
      ['00030', leaves, leaves],
      ['00031', calls, calls],
      ['00032', ends, ends],
    ],
  }),
)

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => FIVE + 10_000 })
  const route = { short_name: 'AVE', nucleo_code: null }
  await landTimetable(service, { network: 'AVLDMD', from: '2026-11-16', route }, { S: DAYS }, RUNS)
  const trips = [tripUpdate('0900612026-11-16', 16_200), tripUpdate('0900712026-11-16', 120), tripUpdate('0900812026-11-16', 480)]
  const said = await parseBytes(renfeTripUpdatesLd, realtimeJson(trips, FIVE), FIVE)
  for (const dataset of [railTripUpdates, railAlerts]) {
    const rows = rowsOf(said, dataset.id).map((row) => exampleRow(dataset, { ...row, observed_at: FIVE, updated_at: FIVE }))
    await service.publish(dataset, rows, { feed: 'renfe_trip_updates_ld', at: FIVE })
  }
  const positions = [
    longDistance('09006', { trip_id: '0900612026-11-16', stop_id: '00032', observed_at: FIVE, updated_at: FIVE }),
    longDistance('09007', { trip_id: '0900712026-11-16', stop_id: '00031', observed_at: FIVE, updated_at: FIVE }),
    longDistance('09008', { trip_id: '0900812026-11-16', stop_id: '00032', observed_at: FIVE, updated_at: FIVE }),
  ]
  await service.publish(railPositions, positions, { feed: 'renfe_positions_ld', at: FIVE })
  await until('landed', async () => (await service.get('/api/trenes/posiciones')).status === 200)
})
afterAll(() => service?.close())

deepTest('the list says that it is stale where a feed is that it only joins', async () => {
  const fed = async (feed: string, age_s: number): Promise<void> => {
    const at = FIVE - 1000 * age_s
    await service.tell({ feed, last_success_at: at, fresh_at: at, data_time: at })
  }
  const stale = async (): Promise<boolean> => (await service.json('/api/trenes/posiciones')).meta.stale
  for (const { id } of FEEDS) await fed(id, 0)
  await until('fresh', async () => !(await stale()))
  await fed('renfe_trip_updates_ld', 600)
  await until('stale', stale)
})

test('a train of the evening that is hours late is one run in positions, on boards and in alerts', async () => {
  const { trains } = await service.json('/api/trenes/posiciones')
  expect(
    trains.map(({ train_number, service_date, delay_s, match }: Reply) => [train_number, service_date, delay_s, match]).sort(),
  ).toEqual([
    ['09006', '2026-11-17', 16_200, 'BY_TRIP'],
    ['09007', '2026-11-18', 120, 'BY_TRIP'],
    // By the clock a train that is due at 04:52 is of the new day.
    ['09008', '2026-11-17', 480, 'BY_TRIP'],
  ])
  const onBoard = async (station: string): Promise<Reply[]> => {
    const { arrivals } = await service.json(`/api/trenes/estaciones/${station}/llegadas`)
    return arrivals.map(({ train_number, service_date, delay_s, is_live, expected_at }: Reply) => ({
      train_number,
      service_date,
      delay_s,
      is_live,
      expected_at,
    }))
  }
  expect(await onBoard('00032')).toEqual([
    { train_number: '09006', service_date: '2026-11-17', delay_s: 16_200, is_live: true, expected_at: '2026-11-18T04:00:00.000Z' },
    { train_number: '09008', service_date: '2026-11-17', delay_s: 480, is_live: true, expected_at: '2026-11-18T06:38:00.000Z' },
    { train_number: '09007', service_date: '2026-11-18', delay_s: 120, is_live: true, expected_at: '2026-11-18T07:02:00.000Z' },
    { train_number: '09006', service_date: '2026-11-18', delay_s: null, is_live: false, expected_at: null },
  ])
  expect((await onBoard('00031')).map(({ train_number, service_date, delay_s }) => [train_number, service_date, delay_s])).toEqual([
    ['09007', '2026-11-18', 120],
    ['09006', '2026-11-18', null],
    ['09008', '2026-11-18', null],
  ])
  const { next_stops } = await service.json('/api/trenes/posiciones/AVLDMD-09006')
  expect(next_stops).toMatchObject([{ stop_id: '00032', expected_arrival_at: '2026-11-18T04:00:00.000Z' }])
  const { alerts } = await service.json('/api/trenes/alertas')
  // Each at the station that it has still to come to.
  expect(alerts.toSorted((one: Reply, other: Reply) => (one.train_number < other.train_number ? -1 : 1))).toMatchObject([
    { train_number: '09006', service_date: '2026-11-17', delay_s: 16_200, stop_ids: ['00032'], origin_id: '00030' },
    { train_number: '09008', service_date: '2026-11-17', delay_s: 480, stop_ids: ['00032'], origin_id: '00030' },
  ])
})
