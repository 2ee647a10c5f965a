import { afterAll, beforeAll, expect, test } from 'vitest'
import { railPositions } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { NOON, position } from './train-rows.ts'

const MINUTE = 60_000
const LIST = '/api/trenes/posiciones'

/** A train of FGC's line S2, under way to Sabadell Nord (NO). */
const stated = {
  ...{ source: 'fgc', network: 'FGC', trip_id: null, vehicle_id: 'bb01', line: 'S2', nucleo_code: null, position_source: null },
  ...{ vehicle_status: 'IN_TRANSIT_TO', stop_id: 'FGC:NO', source_stop_id: 'NO', platform: null, label: null, direction: 'A' },
  ...{ origin_stop_id: 'FGC:PC', destination_stop_id: 'FGC:PN', next_stop_ids: ['FGC:NO', 'FGC:PN'], is_on_time: false },
  ...{ unit_type: '115', occupied_coaches: ['M1', 'M2'], occupancies_pct: [12, 104], position: { lat: 41.56, lon: 2.09 } },
}
const fgcTrain = (circulation: string, values: AnyRow = {}): AnyRow =>
  position(circulation, { ...stated, source_id: circulation, train_number: circulation, ...values })

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON + 10_000 })
  await publish([fgcTrain('aa01')])
})
afterAll(() => service?.close())

async function publish(rows: AnyRow[], { at = NOON, renfe = [position('90001')] }: { at?: number; renfe?: AnyRow[] } = {}): Promise<void> {
  await service.publish(railPositions, renfe, { at: NOON })
  await service.publish(railPositions, rows, { feed: 'fgc_trains', at })
}
const trains = async (query = ''): Promise<Reply[]> => (await service.json(`${LIST}${query}`)).trains

test('a train of FGC has its line, direction, ends, stop, punctuality and occupancy, and no delay', async () => {
  await publish([fgcTrain('aa01')])
  const reply = await service.json(`${LIST}?network=FGC`)
  expect(reply.meta.sources.find(({ id }: Reply) => id === 'fgc')).toMatchObject({ licence: 'CC BY 4.0', commercial_use: 'yes' })
  expect(reply.trains).toMatchObject([
    {
      ...{ id: 'FGC-aa01-S2', network: 'FGC', operator: 'FGC', line: 'S2', direction: 'A', source: 'fgc', source_id: 'aa01' },
      ...{ origin_id: 'FGC:PC', destination_id: 'FGC:PN', stop_id: 'FGC:NO', source_stop_id: 'NO', vehicle_status: 'IN_TRANSIT_TO' },
      ...{ is_on_time: false, delay_s: null, delay_quality: null, delay_source: null, match: 'UNMATCHED', map: null },
      ...{ unit_id: 'bb01', unit_type: '115', age_s: 0, is_stale: false, lat: 41.56, lon: 2.09 },
      occupancy: [
        { coach: 'M1', occupancy_pct: 12 },
        { coach: 'M2', occupancy_pct: 104 },
      ],
    },
  ])
  expect(await trains('?network=CERCANIAS')).toMatchObject([
    { operator: 'RENFE', is_on_time: null, direction: null, unit_id: null, occupancy: [], source_stop_id: null },
  ])
})

test('its stops ahead begin with the one where it stands', async () => {
  const next = async (id: string): Promise<unknown[]> => (await service.json(`${LIST}/${id}`)).next_stops
  await publish([
    fgcTrain('aa01'),
    fgcTrain('aa02', { vehicle_status: 'STOPPED_AT', stop_id: 'FGC:CO', next_stop_ids: ['FGC:NO'] }),
    fgcTrain('aa03', { vehicle_status: 'STOPPED_AT', stop_id: 'FGC:PN', next_stop_ids: [], line: 'S1' }),
  ])
  const stops = (...ids: string[]) =>
    ids.map((stop_id) => expect.objectContaining({ stop_id, arrival_at: null, expected_arrival_at: null, is_skipped: false }))
  expect(await next('FGC-aa01-S2')).toEqual(stops('FGC:NO', 'FGC:PN'))
  expect(await next('FGC-aa02-S2')).toEqual(stops('FGC:CO', 'FGC:NO'))
  expect(await next('FGC-aa03-S1')).toEqual(stops('FGC:PN'))
})

test('is chosen by line before FGC has a timetable, by area, and never by delay', async () => {
  await publish([fgcTrain('aa01'), fgcTrain('aa02', { line: 'R5' })])
  const ids = async (query: string): Promise<string[]> => (await trains(query)).map(({ id }) => id)
  expect(await ids('?line=S2')).toEqual(['FGC-aa01-S2'])
  expect(await ids('?bbox=2,41.5,2.2,41.6')).toEqual(['FGC-aa01-S2', 'FGC-aa02-R5'])
  expect(await ids('?network=FGC&min_delay=0')).toEqual([])
  const nothing = await service.json(`${LIST}?network=FGC&line=S99`)
  expect([nothing.trains, nothing.meta.no_match]).toMatchObject([[], [{ parameter: 'line' }]])
})

test('the pause of one operator does not age the trains of the other', async () => {
  const at = NOON + 20 * MINUTE
  await publish([fgcTrain('aa01', { observed_at: at, updated_at: at })], { at })
  expect(await trains()).toMatchObject([
    { id: 'CERCANIAS-90001-C3', age_s: 0 },
    { id: 'FGC-aa01-S2', age_s: 0 },
  ])
  await publish([fgcTrain('aa01')], { at: NOON + 20 * MINUTE + 1000 })
  // FGC's own newest publication still decides: this train was last seen twenty minutes before it.
  expect((await service.json(LIST)).left_out).toBe(1)
})

test('its track is in the lake', async () => {
  const seen = [0, 1, 2].map((minute) =>
    exampleTableRow(railPositions, {
      ...fgcTrain('aa09'),
      observed_at: NOON - minute * MINUTE,
      position: { lat: 41.5, lon: 2.1 + minute / 100 },
    }),
  )
  await service.land(railPositions, seen, NOON)
  const path = `${LIST}/FGC-aa09-S2/recorrido?date=2026-11-17`
  await until('landed', async () => (await service.get(path)).status === 200 && (await service.json(path)).track.length === 3)
  expect((await service.json(path)).track[0]).toMatchObject({ observed_at: '2026-11-17T10:58:00.000Z', source: 'fgc', delay_s: null })
})
