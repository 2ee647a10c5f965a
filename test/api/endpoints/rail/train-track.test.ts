import { afterAll, beforeAll, expect, test } from 'vitest'
import { railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { NOON, position } from './train-rows.ts'

const LIST = '/api/trenes/posiciones'
const at = (time: string): number => Date.parse(`2026-11-${time}:00Z`)
const TRACK = `${LIST}/CERCANIAS-70001-C3/recorrido`
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  const seen = (observed_at: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(railPositions, position('70001', { observed_at, stop_id: '00001', ...values }))
  await service.land(
    railPositions,
    [
      seen(at('18T02:59'), { stop_id: '00009' }),
      seen(at('18T22:30'), { vehicle_status: 'IN_TRANSIT_TO' }),
      seen(at('18T22:31'), { train_number: '70002', source_id: 'VP_C3-70002' }),
      seen(at('18T23:40'), { position: null }),
      seen(at('19T00:10')),
      seen(at('19T03:00'), { stop_id: '00009' }),
    ],
    at('19T03:05'),
  )
  const state = (observed_at: number, values: AnyRow): AnyRow =>
    exampleTableRow(railTripUpdates, { trip_id: '1041M70001C3', observed_at, updated_at: observed_at, ...values })
  await service.land(
    railTripUpdates,
    [
      state(at('18T22:00'), { delay_s: 60 }),
      state(at('18T23:00'), { delay_s: 120 }),
      state(at('19T00:05'), { delay_s: 120, status: 'ENDED' }),
    ],
    at('19T03:05'),
  )
})

afterAll(() => service?.close())

test('is of one service day, four in the morning to four, with the delays that were stated then', async () => {
  const { track, meta } = await service.json(`${TRACK}?date=2026-11-18`)
  expect(track.map((one: Reply) => [one.observed_at.slice(8, 16), one.lat, one.vehicle_status, one.delay_s])).toEqual([
    ['18T22:30', 37.377792, 'IN_TRANSIT_TO', 60],
    ['18T23:40', null, 'STOPPED_AT', 120],
    ['19T00:10', 37.377792, 'STOPPED_AT', null],
  ])
  expect(meta.sources.map(({ id }: Reply) => id)).toEqual(['renfe', 'fgc'])
  const geo = await service.json(`${TRACK}?date=2026-11-18&format=geojson`)
  expect(geo.features.map(({ geometry }: Reply) => geometry?.coordinates ?? null)).toEqual([
    [-5.979549, 37.377792],
    null,
    [-5.979549, 37.377792],
  ])
})

test('is of the last service day with data unless a date is given; a train without any is unknown, unless it runs', async () => {
  expect((await service.json(TRACK)).track.map(({ stop_id }: Reply) => stop_id)).toEqual(['00009'])
  expect((await service.json(`${TRACK}?date=2026-11-17`)).track).toMatchObject([{ stop_id: '00009' }])
  expect((await service.get(`${LIST}/CERCANIAS-70009-C3/recorrido?date=2026-11-18`)).status).toBe(404)
  await service.publish(railPositions, [position('70009')], { at: NOON })
  expect((await service.json(`${LIST}/CERCANIAS-70009-C3/recorrido?date=2026-11-18`)).track).toEqual([])
  // Without a position on a day that others have some of.
  expect(await service.json(`${LIST}/CERCANIAS-70009-C3/recorrido?date=2026-11-18`)).toMatchObject({
    track: [],
    meta: { covered_from: '2026-11-18T02:59:00.000Z', covered_until: '2026-11-19T03:05:00.000Z' },
  })
  const refused = await service.json(`${TRACK}?date=2026-02-30`)
  expect(refused).toMatchObject({ code: 'invalid-parameter', errors: [{ parameter: 'date' }] })
})

test.each(['2026-11-16', '2026-11-20', '2025-11-18'])('a day that is not kept, %s, is refused with those that are', async (date) => {
  const refused = await service.json(`${TRACK}?date=${date}`)
  expect(refused).toMatchObject({ status: 400, code: 'invalid-parameter', errors: [{ parameter: 'date', value: date }] })
  expect(refused.errors[0].detail).toContain('expected a service day with stored positions, from 2026-11-17 to 2026-11-19')
})
