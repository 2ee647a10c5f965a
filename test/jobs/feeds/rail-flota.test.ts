import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { renfeFlota, renfeFlotaLd } from '../../../jobs/feeds/rail/renfe-flota.ts'
import { renfeGtfsAvldmd } from '../../../jobs/feeds/rail/renfe-gtfs.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { railRoutes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { zipOfFolder } from '../../helpers/zip.ts'
import { capture, parseBytes, rowsOf, tallyOf } from './rail-messages.ts'

const shared = sharedFolder()
const fixture = (feed: string): Buffer => readFileSync(new URL(`../../fixtures/${feed}/map.json`, import.meta.url))
const mapOf = (trains: readonly unknown[], at: unknown = '2026-11-17T11:59:40'): Buffer =>
  Buffer.from(JSON.stringify({ fechaActualizacion: at, trenes: trains }))

test('reads a long-distance train with its vehicles and product', async () => {
  const publication = await parseBytes(renfeFlotaLd, fixture('renfe_flota_ld'))
  expect(publication.data_time).toBe(Date.parse('2026-11-17T10:59:40Z'))
  const [ave, other] = rowsOf(publication, 'rail_fleet')
  expect(ave).toEqual({
    source: 'renfe_visor',
    network: 'AVLDMD',
    source_id: '09001',
    observed_at: Date.parse('2026-11-17T10:59:40Z'),
    train_number: '09001',
    trip_id: null,
    line: null,
    nucleo_code: null,
    position: { lat: 40.1, lon: -2.5 },
    fixed_at: 1_794_913_175_000,
    delay_s: 720,
    delay_quality: 'OK',
    product: 'AVE',
    corridor: 'Madrid - Nunca Jamás',
    previous_stop_id: '99101',
    next_stop_id: '99102',
    expected_arrival_at: Date.parse('2026-11-17T11:10:30Z'),
    origin_stop_id: '99100',
    destination_stop_id: '99109',
    is_accessible: true,
    vehicle_numbers: ['103001', '103002'],
    series: ['103'],
    movement: null,
    progress_pct: null,
    platform: null,
    next_platform: null,
  })
  // Without seconds; a unit that is no number of a vehicle has no series; six hours early is kept and flagged.
  expect(other).toMatchObject({
    expected_arrival_at: Date.parse('2026-11-17T11:03:00Z'),
    vehicle_numbers: ['334009', '6B2'],
    series: ['334'],
    delay_s: -23_220,
    delay_quality: 'DOUBTFUL',
  })
})

test('reads a commuter train: Rodalies as the timetable numbers it, no delay where it says so', async () => {
  const rows = rowsOf(await parseBytes(renfeFlota, fixture('renfe_flota')), 'rail_fleet')
  expect(rows).toMatchObject([
    {
      network: 'CERCANIAS',
      trip_id: '1041M90001C3',
      nucleo_code: '10',
      delay_s: 180,
      movement: 'STANDING',
      platform: '9AM',
      next_platform: null,
    },
    { nucleo_code: '51', delay_s: null, delay_quality: null, movement: 'RUNNING', progress_pct: 62.5, platform: null, next_platform: '2' },
  ])
})

test('latitude 0, longitude 0 is no position', async () => {
  const publication = await parseBytes(
    renfeFlotaLd,
    mapOf([
      { codComercial: '1', latitud: 0, longitud: 0 },
      { codComercial: '2', latitud: 40, longitud: 0 },
    ]),
  )
  expect(rowsOf(publication, 'rail_fleet')).toMatchObject([{ position: null }, { position: { lat: 40, lon: 0 } }])
  expect(publication.report.warnings.get('implausible position of a train')).toBe(1)
})

test('an unknown product or movement is kept and counted; a train without a number is a bad row; a document that is no list is refused', async () => {
  const publication = await parseBytes(
    renfeFlotaLd,
    mapOf([
      { codComercial: '1', codProduct: 21 },
      { codProduct: 2 },
      { codComercial: '3', latitud: 'x', longitud: 1 },
      { codComercial: '4', mat: '' },
    ]),
  )
  expect(publication.report.unknownCodes).toEqual({ rail_product: { 21: 1 } })
  expect(publication.report.quarantined).toEqual({ rail_fleet: { 'no codComercial': 1 } })
  expect(publication.report.warnings.get('implausible position of a train')).toBe(1)
  expect(rowsOf(publication, 'rail_fleet')).toMatchObject([
    { product: '21', position: null, delay_s: null, fixed_at: null },
    { train_number: '3', position: null },
    { vehicle_numbers: [], series: [], product: null },
  ])
  const odd = await parseBytes(renfeFlota, mapOf([{ tripId: 'x', codTren: '1', porAvanc: 'Z' }]))
  expect(odd.report.unknownCodes).toEqual({ rail_movement: { Z: 1 } })
  for (const bytes of [
    mapOf([], 'now'),
    mapOf([], null),
    Buffer.from('{"fechaActualizacion": "2026-11-17T11:59:40"}'),
    Buffer.from('{"trenes": '),
  ])
    await expect(parseBytes(renfeFlotaLd, bytes)).rejects.toThrow(FormatError)
})

test('an arrival in the repeated hour of October is after the publication', async () => {
  const arrivals = async (at: string, fetched: string, arrival: string): Promise<unknown> => {
    const bytes = mapOf([{ codComercial: '1', horaLlegadaSigEst: arrival }], at)
    const publication = await parseBytes(renfeFlotaLd, bytes, Date.parse(fetched))
    return [publication.data_time, rowsOf(publication, 'rail_fleet')[0]?.['expected_arrival_at']].map((instant) =>
      new Date(instant as number).toISOString(),
    )
  }
  const [first, second] = ['2026-10-25T00:30:05Z', '2026-10-25T01:30:05Z']
  expect(await arrivals('2026-10-25T02:30:00', first, '2026-10-25T02:40')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T00:40:00.000Z'])
  expect(await arrivals('2026-10-25T02:30:00', second, '2026-10-25T02:40')).toEqual([
    '2026-10-25T01:30:00.000Z',
    '2026-10-25T01:40:00.000Z',
  ])
})

/** Products by train number, of the timetable that was recorded nearest to the maps. */
async function timetableProducts(): Promise<ReadonlyMap<string, string>> {
  const bytes = zipOfFolder(join(shared as string, 'feeds/renfe-gtfs/avldmd-2026-03-28'))
  const { rows } = await parsePublication(renfeGtfsAvldmd, [{ name: 'timetable', bytes }], Date.parse('2026-03-27T23:10:00Z'), {
    keeps: (dataset) => dataset === railTrips || dataset === railRoutes,
  })
  const names = new Map(rows.get('rail_routes')?.map(({ route_id, short_name }) => [route_id, short_name as string]))
  return new Map(rows.get('rail_trips')?.map(({ train_number, route_id }) => [train_number as string, names.get(route_id) as string]))
}

test.skipIf(!shared)('the nine captured maps of long distance: trains, delays, series as counted', async () => {
  const files = readdirSync(join(shared as string, 'feeds/renfe-flota'))
    .filter((file) => file.endsWith('.json'))
    .sort()
  const counts: number[] = []
  const all: AnyRow[] = []
  for (const file of files) {
    const [, date, hour, minute, second] = /_([\d-]+)T(\d\d)-(\d\d)-(\d\d)Z/.exec(file) ?? []
    const fetched = Date.parse(`${date}T${hour}:${minute}:${second}Z`)
    const publication = await parseBytes(renfeFlotaLd, capture(`renfe-flota/${file}`), fetched)
    const rows = rowsOf(publication, 'rail_fleet')
    expect([file, publication.report.quarantined, publication.report.unknownCodes]).toEqual([file, {}, {}])
    // Behind the capture by less than 100 s, except the stale one of the night.
    expect(fetched - publication.data_time).toBeLessThan(file.includes('T00-55-27') ? 54 * 60_000 : 100_000)
    counts.push(rows.length)
    all.push(...rows)
  }
  expect(counts).toEqual([161, 160, 188, 92, 2, 1, 19, 161, 129])
  const delays = all.map((row) => row['delay_s'] as number)
  expect([Math.min(...delays), Math.max(...delays)]).toEqual([-387 * 60, 118 * 60])
  expect(all.every((row) => row['position'] !== null && row['fixed_at'] !== null && row['expected_arrival_at'] !== null)).toBe(true)
  expect(Object.keys(tallyOf(all, 'product')).sort()).toEqual([
    'ALVIA',
    'AVANT',
    'AVE',
    'AVLO',
    'EUROMED',
    'INTERCITY',
    'MD',
    'REGIONAL',
    'REGIONAL_EXPRESS',
  ])
  // The timetable has the same list, finer by four: all but 21 of 913 agree.
  const COARSER: Readonly<Record<string, string>> = { AVE_INT: 'AVE', AVANT_EXP: 'AVANT', TRENCELTA: 'INTERCITY', PROXIMIDAD: 'REGIONAL' }
  const products = await timetableProducts()
  const pairs = all.flatMap(({ product, train_number }) => {
    const planned = products.get(train_number as string)
    return planned === undefined ? [] : [{ isSame: (COARSER[planned] ?? planned) === product }]
  })
  expect(tallyOf(pairs, 'isSame')).toEqual({ true: 892, false: 21 })
  const series = new Set(all.flatMap((row) => row['series'] as string[]))
  for (const known of ['449', '599', '130', '470', '447', '103', '106', '120', '112', '121', '100']) expect([...series]).toContain(known)
})

test.skipIf(!shared)('48 captured maps of commuter trains, made into documents: every row read', async () => {
  const [head = '', ...lines] = capture('renfe-flota/flota_cercanias_2026-03-29.derived.csv').toString('utf8').trim().split('\n')
  const names = head.split(',')
  const maps = Map.groupBy(
    lines.map((line) => Object.fromEntries(line.split(',').map((text, at) => [names[at] as string, text]))),
    (train) => train['timestamp_utc'] as string,
  )
  const all: AnyRow[] = []
  for (const [at, trains] of maps) {
    const fetched = Date.parse(at)
    const local = new Date(fetched + 2 * 3_600_000).toISOString().slice(0, 19)
    const document = trains.map((train) => ({
      ...train,
      latitud: Number(train['latitud']),
      longitud: Number(train['longitud']),
      accesible: train['accesible'] === 'True',
    }))
    const publication = await parseBytes(renfeFlota, mapOf(document, local), fetched)
    expect([publication.data_time, publication.report.quarantined, publication.report.unknownCodes]).toEqual([fetched, {}, {}])
    all.push(...rowsOf(publication, 'rail_fleet'))
  }
  expect([maps.size, all.length]).toEqual([48, 2268])
  expect(tallyOf(all, 'nucleo_code')).toMatchObject({ '10': 1414, '20': 344, '51': 191, '41': 90, '32': 67, '62': 49 })
  expect(tallyOf(all, 'movement')).toMatchObject({ STANDING: 632, RUNNING_S: 110 })
  expect(tallyOf(all, 'is_accessible')).toEqual({ false: 1819, true: 449 })
  expect(tallyOf(all, 'next_platform')['null']).toBe(40)
})
