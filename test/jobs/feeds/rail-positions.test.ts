import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { renfePositions, renfePositionsLd } from '../../../jobs/feeds/rail/renfe-positions.ts'
import { tryFeed } from '../../../jobs/ingest/try.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { asProtobuf, capture, NOON, parseBytes, realtimeJson, rowsOf, tallyOf } from './rail-messages.ts'

const shared = sharedFolder()
const fixture = (feed: string): Buffer => readFileSync(new URL(`../../fixtures/${feed}/positions.json`, import.meta.url))
const FOLDER = 'renfe-gtfsrt'
const CAPTURES = [
  ['20260502T112416Z', 134],
  ['20260526T093603Z', 152],
  ['20260526T093644Z', 177],
  ['20260613T080842Z', 211],
] as const

test('reads a train, its platform, and the contents of its trip id', async () => {
  const publication = await parseBytes(renfePositions, fixture('renfe_positions'))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const rows = rowsOf(publication, 'rail_positions')
  expect(rows[0]).toEqual({
    ...{ direction: null, origin_stop_id: null, destination_stop_id: null, next_stop_ids: null, is_on_time: null },
    ...{ unit_type: null, occupied_coaches: null, occupancies_pct: null, source_stop_id: null },
    source: 'renfe',
    network: 'CERCANIAS',
    source_id: 'VP_C3-90001',
    observed_at: 1_794_909_596_000,
    vehicle_id: '90001',
    trip_id: '1041M90001C3',
    train_number: '90001',
    line: 'C3',
    nucleo_code: '10',
    position: { lat: 40.51234, lon: -3.69123 },
    position_source: 'GPS',
    vehicle_status: 'IN_TRANSIT_TO',
    stop_id: '99001',
    platform: '4',
    label: 'C3-90001-PLATF.(4)',
  })
  expect(rows.slice(1)).toMatchObject([
    { platform: '7AM', position_source: 'STATION', nucleo_code: '20' },
    { platform: null, stop_id: null, train_number: '90002', vehicle_id: '95002', position_source: 'STATION' },
    { position: null, position_source: null, stop_id: '99061' },
  ])
})

test('is tried on files of either plan, packed or not, and names what each plan expects where a file is of none', async () => {
  const json = fixture('renfe_positions')
  const tried = async (bytes: Buffer): Promise<unknown[]> => {
    const { trial } = await tryFeed(renfePositions, { files: [{ name: 'x', bytes }], at: NOON })
    return [trial.accepted, trial.datasets['rail_positions']?.rows ?? trial.reason]
  }
  const protobuf = asProtobuf(json)
  for (const bytes of [json, protobuf, gzipSync(json), gzipSync(protobuf)]) expect(await tried(bytes)).toEqual([true, 4])
  const [accepted, reason] = await tried(Buffer.from('<html>'))
  expect([accepted, reason]).toEqual([false, expect.stringMatching(/request json expects json.*; request protobuf expects protobuf/s)])
})

test('long-distance trains are as old as their publication, and have neither núcleo nor line', async () => {
  const rows = rowsOf(await parseBytes(renfePositionsLd, fixture('renfe_positions_ld')), 'rail_positions')
  expect(rows).toMatchObject([
    { network: 'AVLDMD', train_number: '09001', line: null, nucleo_code: null, observed_at: 1_794_909_600_000, position_source: 'GPS' },
    { train_number: '09005', position_source: 'STATION', vehicle_status: 'STOPPED_AT' },
  ])
})

test('a train that is seen later than it is published is as old as its publication', async () => {
  const vehicle = (timestamp: number): object => ({
    trip: { tripId: '1041M90001C3' },
    vehicle: { id: '90001' },
    position: { latitude: 40, longitude: -3 },
    timestamp: String(timestamp),
  })
  const entities = [
    { id: 'VP_C3-90001', vehicle: vehicle(NOON / 1000 + 86_400 * 365) },
    { id: 'VP_C3-90002', vehicle: vehicle(NOON / 1000 - 5) },
  ]
  const publication = await parseBytes(renfePositions, realtimeJson(entities, NOON))
  expect(rowsOf(publication, 'rail_positions')).toMatchObject([{ observed_at: NOON }, { observed_at: NOON - 5000 }])
  expect(publication.report.warnings.get('a position is later than its publication')).toBe(1)
})

test('latitude 0, longitude 0 is no position', async () => {
  const vehicle = (latitude: number, longitude: number): object => ({
    trip: { tripId: '1041M90001C3' },
    vehicle: { id: '90001' },
    currentStatus: 'IN_TRANSIT_TO',
    position: { latitude, longitude },
  })
  const places = [
    [0, 0],
    [40, 0],
    [0, -3],
  ] as const
  const entities = places.map(([lat, lon], at) => ({ id: `VP_C3-9000${at}`, vehicle: vehicle(lat, lon) }))
  const publication = await parseBytes(renfePositions, realtimeJson(entities))
  expect(rowsOf(publication, 'rail_positions')).toMatchObject([
    { position: null, position_source: null },
    { position: { lat: 40, lon: 0 }, position_source: 'GPS' },
    { position: { lat: 0, lon: -3 }, position_source: 'GPS' },
  ])
  expect([...publication.report.warnings]).toEqual([['implausible position of a train', 1]])
})

test('an added train, one without a trip and one of an odd id are kept; an unknown status is counted', async () => {
  const vehicle = (tripId?: string, more: object = {}): object => ({
    ...(tripId === undefined ? {} : { trip: { tripId } }),
    vehicle: { id: '91944' },
    position: { latitude: 40, longitude: -3 },
    ...more,
  })
  const publication = await parseBytes(
    renfePositions,
    realtimeJson([
      { id: 'A', vehicle: vehicle('SPECIAL_10_91944C4A') },
      { id: 'B', vehicle: vehicle() },
      { id: 'C', vehicle: vehicle('X-1', { currentStatus: 'HOVERING' }) },
      { id: 'D', alert: {} },
    ]),
  )
  expect(rowsOf(publication, 'rail_positions')).toMatchObject([
    { train_number: '91944', line: 'C4A', nucleo_code: '10', vehicle_status: null, position_source: null, observed_at: NOON },
    { train_number: '91944', trip_id: null, line: null, nucleo_code: null },
    { train_number: '91944', trip_id: 'X-1', vehicle_status: 'HOVERING', position_source: null },
  ])
  expect(publication.report.unknownCodes).toEqual({ gtfs_vehicle_status: { HOVERING: 1 } })
  expect(publication.report.quarantined).toEqual({ rail_positions: { 'an entity that is no vehicle': 1 } })
  expect([...publication.report.warnings]).toEqual([
    ['a train without a trip', 1],
    ['a trip id of unknown form', 1],
  ])
})

test.skipIf(!shared)('the captures: entities, statuses, platforms and positions as counted, JSON and protobuf alike', async () => {
  const all = []
  for (const [stamp, count] of CAPTURES) {
    const bytes = capture(`${FOLDER}/vehicle_positions_${stamp}.json`)
    const publication = await parseBytes(renfePositions, bytes)
    const rows = rowsOf(publication, 'rail_positions')
    const stated = new Date(publication.data_time).toISOString().replaceAll(/[-:]|\.000/g, '')
    expect([stated, rows.length, publication.report.quarantined, publication.report.warnings.size]).toEqual([stamp, count, {}, 0])
    expect(rowsOf(await parseBytes(renfePositions, asProtobuf(bytes)), 'rail_positions')).toEqual(rows)
    expect(rows.every((row) => publication.data_time - (row['observed_at'] as number) <= 8000)).toBe(true)
    all.push(...rows)
  }
  expect(all).toHaveLength(674)
  expect(tallyOf(all, 'vehicle_status')).toEqual({ STOPPED_AT: 324, INCOMING_AT: 227, IN_TRANSIT_TO: 123 })
  expect(tallyOf(all, 'position_source')).toEqual({ STATION: 550, GPS: 123, null: 1 })
  const platforms = tallyOf(all, 'platform')
  expect([platforms['null'], platforms['7AM'], platforms['1AM'], platforms['8AM'], platforms['0'], platforms['22']]).toEqual([
    72, 2, 2, 2, 2, 2,
  ])
  // The vehicle has another number than its trip.
  const other = all.filter((row) => row['vehicle_id'] !== row['train_number'])
  expect([other.length, other.filter((row) => row['platform'] !== null).length]).toEqual([19, 11])
  expect(all.filter((row) => row['line'] === null || row['nucleo_code'] === null || row['stop_id'] === null)).toEqual([])
})

test.skipIf(!shared)('all 211 trains of 2026-06-13 run trips of that day', async () => {
  const rows = rowsOf(await parseBytes(renfePositions, capture(`${FOLDER}/vehicle_positions_20260613T080842Z.json`)), 'rail_positions')
  const folder = 'renfe-gtfs/cercanias-2026-06-13'
  const file = readdirSync(join(shared as string, 'feeds', folder)).find((name) => name.startsWith('trips.txt')) as string
  const lines = capture(`${folder}/${file}`).toString('utf8').split('\n')
  const at = (lines[0] as string).split(',').findIndex((name) => name.trim() === 'trip_id')
  const trips = new Set(lines.slice(1).map((line) => line.split(',')[at]?.trim()))
  expect(rows.filter((row) => trips.has(row['trip_id'] as string))).toHaveLength(211)
  // A Saturday, by the letter of the service.
  expect(new Set(rows.map((row) => (row['trip_id'] as string)[4]))).toEqual(new Set(['S']))
})
