import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fgcTrains } from '../../../jobs/feeds/rail/fgc-trains.ts'
import { nextPage } from '../../../jobs/formats/opendatasoft.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { tryFeed } from '../../../jobs/ingest/try.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { NOON, rowsOf } from './rail-messages.ts'

const RECORDS = readFileSync(new URL('../../fixtures/fgc_trains/records.json', import.meta.url))
const page = (records: readonly object[], total = records.length): Buffer =>
  Buffer.from(JSON.stringify({ total_count: total, results: records }))
const train = (circulation: string, values: object = {}): object => ({
  ...{ id: `ff|${circulation}`, lin: 'S1', dir: 'A', origen: 'PC', desti: 'NA', properes_parades: '{"parada": "NA"}' },
  ...{ estacionat_a: null, en_hora: 'True', tipus_unitat: '113', ut: 'u1', geo_point_2d: { lat: 41.5, lon: 2.05 }, ...values },
})
const rowsIn = async (...pages: readonly Buffer[]): Promise<readonly AnyRow[]> => {
  const bodies = pages.map((bytes, at) => ({ name: at === 0 ? 'trains' : `trains.${at + 1}`, bytes }))
  return rowsOf(await parsePublication(fgcTrains, bodies, NOON), 'rail_positions')
}

test('a train under way approaches its next stop; flat columns state the occupancy of its coaches', async () => {
  const [first] = await rowsIn(RECORDS)
  expect(first).toEqual({
    ...{ source: 'fgc', network: 'FGC', source_id: 'aa00000001', observed_at: NOON, vehicle_id: 'bb0000000001', trip_id: null },
    ...{ train_number: 'aa00000001', line: 'S2', nucleo_code: null, position: { lat: 41.55005, lon: 2.10101 }, position_source: null },
    ...{ vehicle_status: 'IN_TRANSIT_TO', stop_id: 'FGC:NO', source_stop_id: 'NO', platform: null, label: null, direction: 'D' },
    ...{
      origin_stop_id: 'FGC:PN',
      destination_stop_id: 'FGC:PC',
      next_stop_ids: ['FGC:NO', 'FGC:CO', 'FGC:PC'],
      is_on_time: true,
      unit_type: '115',
    },
    ...{ occupied_coaches: ['M1', 'MI', 'RI'], occupancies_pct: [0, 12, 21] },
  })
})

test('NO is Sabadell Nord, not a negation: the train stands there', async () => {
  const [, second] = await rowsIn(RECORDS)
  expect(second).toMatchObject({ vehicle_status: 'STOPPED_AT', stop_id: 'FGC:NO', is_on_time: false, next_stop_ids: ['FGC:PN'] })
})

test('a crowded coach, an unknown punctuality, a train without a position and one at 0, 0', async () => {
  const rows = await rowsIn(RECORDS)
  expect(rows.slice(2)).toMatchObject([
    { is_on_time: null, occupied_coaches: ['M1', 'MI'], occupancies_pct: [104, 8], next_stop_ids: ['FGC:SV', 'FGC:PE'], vehicle_id: null },
    { position: null, stop_id: 'FGC:TB', next_stop_ids: null, occupied_coaches: null, occupancies_pct: null },
    { position: null, is_on_time: false, vehicle_status: 'IN_TRANSIT_TO', stop_id: 'FGC:MC' },
  ])
})

test('the records of all pages are one publication; a train that moved to the next page counts once', async () => {
  const rows = await rowsIn(page([train('1'), train('2')], 4), page([train('2', { estacionat_a: 'NA' }), train('3')], 4))
  expect(rows.map(({ source_id, stop_id }) => [source_id, stop_id])).toEqual([
    ['1', 'FGC:NA'],
    ['2', 'FGC:NA'],
    ['3', 'FGC:NA'],
  ])
  expect(rows[1]).toMatchObject({ vehicle_status: 'STOPPED_AT' })
})

test('pages follow by offset while more records are counted', () => {
  const url = 'https://example.org/records?limit=2'
  const next = (bytes: Buffer, from = url) => nextPage({ name: 'trains', bytes }, from)
  expect(next(page([train('1'), train('2')], 5))).toEqual({ url: `${url}&offset=2` })
  expect(next(page([train('3'), train('4')], 5), `${url}&offset=2`)).toEqual({ url: `${url}&offset=4` })
  expect(next(page([train('5')], 5), `${url}&offset=4`)).toBeNull()
  expect(next(page([]))).toBeNull()
  expect(() => next(page([], 5), `${url}&offset=4`)).toThrow('a page without results, after 4 of 5')
})

test('without trains at night the publication is empty and good; trains of which none has a position are not', async () => {
  expect(await rowsIn(page([]))).toEqual([])
  await expect(rowsIn(page([train('1', { geo_point_2d: null }), train('2', { geo_point_2d: null })]))).rejects.toThrow('geo_point_2d')
})

test.runIf(sharedFolder())('reads the recorded export', async () => {
  const bytes = readFileSync(`${sharedFolder()}/feeds/fgc/geotren_20260304.excerpt2.geojson`)
  const { trial } = await tryFeed(fgcTrains, { files: [{ name: 'x', bytes }], at: NOON })
  expect(trial).toMatchObject({ accepted: true, datasets: { rail_positions: { rows: 2, quarantined: {} } }, warnings: [] })
})
