import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railFleet, railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, longDistance, mapped, NOON, position, type Run, update } from './train-rows.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const LIST = '/api/trenes/posiciones'

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON + 10 * SECOND })
})
afterAll(() => service?.close())

/** Publishes the states of an instant: positions of both networks, trip updates, and the map's long-distance trains. */
async function publish(
  state: {
    positions?: AnyRow[]
    ld?: AnyRow[]
    ld_at?: number
    updates?: AnyRow[]
    updates_at?: number
    map?: AnyRow[]
    missing?: string[]
  },
  at = NOON,
) {
  for (const [feed, network] of [
    ['renfe_trip_updates', 'CERCANIAS'],
    ['renfe_trip_updates_ld', 'AVLDMD'],
  ] as const) {
    const own = (state.updates ?? []).filter((row) => row['network'] === network)
    await service.publish(railTripUpdates, own, { feed, at: state.updates_at ?? at })
  }
  await service.publish(railFleet, state.map ?? [], { feed: 'renfe_flota_ld', at })
  await service.publish(railPositions, state.ld ?? [], { feed: 'renfe_positions_ld', at: state.ld_at ?? at })
  await service.publish(railPositions, state.positions ?? [], { at, missing: state.missing ?? [] })
}

const trains = async (query = ''): Promise<Reply[]> => (await service.json(`${LIST}${query}`)).trains
const idsOf = async (query = ''): Promise<string[]> => (await trains(query)).map(({ id }) => id)

const MADRID_DAYS = { '1041M': ['2026-11-17'] }
const C3: Run[] = ['90001', '90002', '90003'].map((train_number) => ({
  trip_id: `1041M${train_number}C3`,
  train_number,
  service_id: '1041M',
  stops: [
    ['00001', 11.5, 11.5],
    ['00002', 12, 12],
    ['00003', 12.25, 12.3],
    ['00002', 13, 13],
    ['00004', 13.5, 13.5],
  ],
}))
/** A long-distance train from 4:00 to 7:00 and one from 11:00 to 14:00, each day, under the ids of a night's version. */
const nightly = (night: string): Run[] =>
  [
    ['09001', 4],
    ['09002', 11],
  ].map(([train, hour]) => ({
    trip_id: `${train}1${night}`,
    train_number: train as string,
    service_id: `S${train}`,
    stops: [
      ['00010', hour as number, hour as number],
      ['00011', (hour as number) + 1, (hour as number) + 1.1],
      ['00012', (hour as number) + 3, (hour as number) + 3],
    ],
  }))
const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
/** A train whose second part begins at its second stop, and one that does not run on any of these days. */
const parts = (night: string): Run[] =>
  [
    ['09003', '1', 'S09002', 10.5],
    ['09003', '2', 'S09002', 12.5],
    ['09004', '1', 'NEVER', 10.5],
  ].map(([train, part, service, hour]) => ({
    trip_id: `${train}${part}${night}`,
    train_number: train as string,
    service_id: service as string,
    stops: [...(part === '1' ? [['00020', hour as number, hour as number] as const] : []), ['00021', 12.5, 12.5], ['00022', 14, 14]],
  }))
const nightlyVersion = (night: string): Promise<void> =>
  landTimetable(
    service,
    { network: 'AVLDMD', from: night, route: { short_name: 'AVE', nucleo_code: null } },
    { S09001: DAYS.filter((day) => day >= night), S09002: DAYS.filter((day) => day >= night), NEVER: ['2026-12-24'] },
    [...nightly(night), ...parts(night)],
  )

test('before the first publication there is no list yet; before a timetable has landed trains have their positions, unmatched', async () => {
  expect((await service.get(LIST)).status).toBe(404)
  await publish({ positions: [position('90001', {})] })
  expect(await trains()).toMatchObject([{ id: 'CERCANIAS-90001-C3', match: 'UNMATCHED', service_date: null }])
  expect((await service.get(`${LIST}/CERCANIAS-90001-C3`)).status).toBe(200)
})

describe('with a timetable', () => {
  beforeAll(async () => {
    await landTimetable(service, { network: 'CERCANIAS', from: '2026-11-17', route: { short_name: 'C3' } }, MADRID_DAYS, C3)
    await nightlyVersion('2026-11-16')
    await until('landed', async () => (await trains())[0]?.match === 'BY_TRIP')
  })

  test('a train by its trip: delay of the trip update, origin, destination and names of the timetable', async () => {
    await publish({
      positions: [position('90001', { vehicle_status: 'IN_TRANSIT_TO', position_source: 'GPS' })],
      updates: [update('1041M90001C3', { delay_s: 420, service_date: '2026-11-17' })],
    })
    const reply = await service.json(LIST)
    expect(reply).toMatchObject({ total: 1, updated_at: '2026-11-17T11:00:00.000Z', left_out: 0 })
    expect(reply.meta.sources.map(({ id }: Reply) => id)).toEqual(['renfe', 'fgc', 'renfe_visor'])
    expect(reply.trains[0]).toMatchObject({
      id: 'CERCANIAS-90001-C3',
      nucleo_code: '10',
      line: 'C3',
      product: null,
      position_source: 'GPS',
      vehicle_status: 'IN_TRANSIT_TO',
      stop_id: '00002',
      stop_name: 'Station 00002',
      delay_s: 420,
      delay_source: 'TRIP_UPDATE',
      trip_id: '1041M90001C3',
      matched_trip_id: '1041M90001C3',
      match: 'BY_TRIP',
      service_date: '2026-11-17',
      origin: 'Station 00001',
      destination_id: '00004',
      map: null,
      status: 'ACTIVE',
      age_s: 0,
    })
  })

  test('boards and alerts name the train by its id here', async () => {
    await publish({ positions: [position('90001')], ld: [longDistance('09002', { trip_id: '0900212026-11-16' })] })
    const alertOf = (values: AnyRow): AnyRow => exampleRow(railAlerts, { derived: true, kind: 'CANCELLED', ...values })
    await service.publish(railAlerts, [
      alertOf({ alert_id: 'ral_c', source_id: 'c', network: 'CERCANIAS', train_number: '90001', lines: ['C3'] }),
      alertOf({ alert_id: 'ral_l', source_id: 'l', network: 'AVLDMD', train_number: '09002', lines: [] }),
      alertOf({
        alert_id: 'ral_n',
        source_id: 'n',
        network: 'CERCANIAS',
        train_number: null,
        lines: ['C3'],
        derived: false,
        kind: 'NOTICE',
      }),
    ])
    const board = (station: string): Promise<Reply> => service.json(`/api/trenes/estaciones/${station}/salidas?at=2026-11-17T09:00:00Z`)
    const departures = [...(await board('00001')).departures, ...(await board('00010')).departures]
    const { alerts } = await service.json('/api/trenes/alertas?sort=id')
    expect(alerts.map(({ train_id }: Reply) => train_id)).toEqual(['CERCANIAS-90001-C3', 'AVLDMD-09002', null])
    for (const [train_number, train_id] of [
      ['90001', 'CERCANIAS-90001-C3'],
      ['09002', 'AVLDMD-09002'],
    ]) {
      expect(departures.find((one) => one.train_number === train_number)).toMatchObject({ train_id })
      expect(await service.json(`${LIST}/${train_id}`)).toMatchObject({ id: train_id, train_number })
    }
  })

  test('trip updates count for a quarter of an hour, and those of a train that they lack are the last that is known', async () => {
    const positions = [position('90001', {})]
    const late = (values: AnyRow): AnyRow[] => [update('1041M90001C3', { delay_s: 420, service_date: '2026-11-17', ...values })]
    const delays = async (): Promise<Reply> => (await trains()).map(({ delay_s, delay_source }) => [delay_s, delay_source])
    await publish({ positions, updates: late({}), updates_at: NOON - 14 * MINUTE })
    expect(await delays()).toEqual([[420, 'TRIP_UPDATE']])
    await publish({ positions, updates: late({ is_stale: true, updated_at: NOON - 14 * MINUTE }) })
    expect(await delays()).toEqual([[420, 'LAST_KNOWN']])
    await publish({ positions, updates: late({ is_stale: true, updated_at: NOON - 16 * MINUTE }) })
    expect(await delays()).toEqual([[null, null]])
    await publish({ positions, updates: late({}), updates_at: NOON - 16 * MINUTE })
    expect(await delays()).toEqual([[null, null]])
  })

  test('an added train is in no timetable, and one without a trip has its number', async () => {
    await publish({
      positions: [
        position('91944', { trip_id: 'SPECIAL_10_91944C4A', line: 'C4A' }),
        position('95001', { trip_id: null, line: null, nucleo_code: null }),
      ],
      updates: [update('SPECIAL_10_91944C4A', { delay_s: 60, next_stop_id: '00003', expected_arrival_at: NOON + 3 * MINUTE })],
    })
    expect(await trains()).toMatchObject([
      { id: 'CERCANIAS-91944-C4A', match: 'UNMATCHED', matched_trip_id: null, delay_s: 60, origin: null, stop_name: 'Station 00002' },
      { id: 'CERCANIAS-95001', match: 'UNMATCHED', trip_id: null, service_date: null, delay_source: null },
    ])
    const { next_stops } = await service.json(`${LIST}/CERCANIAS-91944-C4A`)
    expect(next_stops).toMatchObject([
      { stop_id: '00003', stop_sequence: null, arrival_at: null, expected_arrival_at: '2026-11-17T11:03:00.000Z' },
    ])
    expect((await service.json(`${LIST}/CERCANIAS-95001`)).next_stops).toEqual([])
  })

  test('for trains of the map alone the source is named; it fills a delay in and is separate', async () => {
    await publish({
      positions: [position('90001'), position('90002')],
      updates: [update('1041M90001C3', { delay_s: 60 })],
      ld: [longDistance('09002', { trip_id: '0900212026-11-16' })],
      map: [
        mapped('09002', { delay_s: 900, vehicle_numbers: ['112001'], series: ['112'], product: 'AVE' }),
        mapped('1041M90001C3', {
          network: 'CERCANIAS',
          trip_id: '1041M90001C3',
          delay_s: 300,
          nucleo_code: '10',
          line: 'C3',
          fixed_at: null,
        }),
        mapped('1041M90003C3', { network: 'CERCANIAS', trip_id: '1041M90003C3', nucleo_code: '10', line: 'C3', fixed_at: null }),
      ],
    })
    const all = await trains()
    expect(all.map(({ id, delay_s, delay_source, map }) => [id, delay_s, delay_source, map?.delay_s ?? null])).toEqual([
      ['AVLDMD-09002', 900, 'MAP', 900],
      ['CERCANIAS-90001-C3', 60, 'TRIP_UPDATE', 300],
      ['CERCANIAS-90002-C3', null, null, null],
    ])
    expect(all[0]).toMatchObject({ source: 'renfe', product: 'AVE', map: { vehicle_numbers: ['112001'], series: ['112'], product: 'AVE' } })
  })

  test('trains that only the map has, long-distance ones, are in the list once and by their satellite fix', async () => {
    await publish({
      ld: [longDistance('09002', { trip_id: '0900212026-11-16', observed_at: NOON - 11 * MINUTE })],
      ld_at: NOON - 11 * MINUTE,
      map: [mapped('09002', { next_stop_id: '00011' }), mapped('09009'), mapped('09001', { fixed_at: NOON - 20 * MINUTE })],
    })
    const reply = await service.json(LIST)
    // The open feed is silent: its train is on the map. For 09001 the map has an old fix alone.
    expect(reply).toMatchObject({ total: 2, left_out: 1 })
    expect(reply.trains).toMatchObject([
      {
        id: 'AVLDMD-09002',
        source: 'renfe_visor',
        match: 'BY_TRAIN_NUMBER',
        matched_trip_id: '0900212026-11-16',
        trip_id: null,
        position_source: 'GPS',
        vehicle_status: null,
        observed_at: '2026-11-17T10:59:55.000Z',
        age_s: 5,
        product: 'AVE',
      },
      { id: 'AVLDMD-09009', match: 'UNMATCHED', product: null, map: { product: 'MD' } },
    ])
  })

  test('a train is the part of it that calls where it is; one that should not run on the day is found all the same', async () => {
    await publish({
      ld: [
        longDistance('09003', { trip_id: '0900322026-11-16', stop_id: '00020' }),
        longDistance('09004', { trip_id: '0900412026-11-16', stop_id: '00021' }),
      ],
      updates: [
        update('0900322026-11-16', { network: 'AVLDMD', train_number: '09003', schedule_relationship: 'CANCELED', delay_s: null }),
        update('0900352026-11-16', { network: 'AVLDMD', train_number: '09003', delay_s: 240 }),
      ],
    })
    expect(await trains()).toMatchObject([
      { match: 'BY_TRAIN_NUMBER', matched_trip_id: '0900312026-11-16', origin: 'Station 00020', delay_s: 240 },
      { match: 'BY_TRIP', matched_trip_id: '0900412026-11-16', service_date: '2026-11-17', product: 'AVE', stop_name: 'Station 00021' },
    ])
    await publish({ ld: [longDistance('09003', { trip_id: '0900322026-11-16', stop_id: '00021' })] })
    expect(await trains()).toMatchObject([{ match: 'BY_TRIP', matched_trip_id: '0900322026-11-16', origin: 'Station 00021' }])
    expect((await service.json(`${LIST}/AVLDMD-09003`)).next_stops.map(({ stop_id }: Reply) => stop_id)).toEqual(['00021', '00022'])
  })

  test('too old ones are left out and counted; those of a núcleo that dropped out stay, marked stale', async () => {
    const stale = (age: number): AnyRow => ({ is_stale: true, observed_at: NOON - age, updated_at: NOON - age })
    const asturias = { nucleo_code: '20', line: 'C1' }
    await publish({
      positions: [
        position('90001'),
        position('90002', stale(40 * SECOND)),
        position('90003', stale(2 * MINUTE)),
        position('80001', { ...asturias, trip_id: '2041M80001C1', ...stale(9 * MINUTE), is_held: true }),
        position('80002', { ...asturias, trip_id: '2041M80002C1', ...stale(11 * MINUTE), is_held: true }),
        // This one had ended before the núcleo dropped out.
        position('80003', { ...asturias, trip_id: '2041M80003C1', ...stale(9 * MINUTE) }),
      ],
      missing: ['20'],
    })
    const reply = await service.json(LIST)
    expect(reply.trains.map(({ id, is_stale, age_s }: Reply) => [id, is_stale, age_s])).toEqual([
      ['CERCANIAS-80001-C1', true, 540],
      ['CERCANIAS-90001-C3', false, 0],
      ['CERCANIAS-90002-C3', true, 40],
    ])
    expect(reply.left_out).toBe(3)
    const geo = await service.json(`${LIST}?format=geojson`)
    expect([geo.features.length, geo.left_out, geo.features[0].geometry.type]).toEqual([3, 3, 'Point'])
    expect((await service.get(`${LIST}/CERCANIAS-90003-C3`)).status).toBe(404)
    expect((await service.get(`${LIST}/CERCANIAS-80003-C1`)).status).toBe(404)
  })

  test('chooses by network, núcleo, line, area and delay in minutes', async () => {
    await publish({
      positions: [
        position('90001', { position: { lat: 41, lon: -4 } }),
        position('90002', { position: null }),
        position('80001', { nucleo_code: '20', line: 'C1', trip_id: '2041M80001C1' }),
      ],
      ld: [longDistance('09002', { trip_id: '0900212026-11-16' })],
      updates: [
        update('1041M90001C3', { delay_s: 300 }),
        update('1041M90002C3', { delay_s: 240 }),
        update('0900212026-11-16', { network: 'AVLDMD', delay_s: 39_060, delay_quality: 'DOUBTFUL' }),
      ],
    })
    expect(await idsOf('?network=AVLDMD')).toEqual(['AVLDMD-09002'])
    expect(await idsOf('?nucleo=20,31')).toEqual(['CERCANIAS-80001-C1'])
    expect(await idsOf('?line=C3')).toEqual(['CERCANIAS-90001-C3', 'CERCANIAS-90002-C3'])
    expect(await idsOf('?line=AVE')).toEqual(['AVLDMD-09002'])
    expect(await idsOf('?bbox=-5,40,-3,42')).toEqual(['CERCANIAS-90001-C3'])
    expect(await idsOf('?min_delay=5')).toEqual(['CERCANIAS-90001-C3'])
    expect(await idsOf('?min_delay=4&sort=-delay_s')).toEqual(['CERCANIAS-90001-C3', 'CERCANIAS-90002-C3'])
    expect(await idsOf('?ids=AVLDMD-09002')).toEqual(['AVLDMD-09002'])
  })

  test('next stops: planned and expected times, skipped ones, from the place that is nearest in time', async () => {
    await publish({
      positions: [
        position('90001', { observed_at: NOON + 6 * MINUTE, vehicle_status: 'IN_TRANSIT_TO' }),
        position('90003', { stop_id: null, observed_at: NOON }),
      ],
      updates: [
        update('1041M90001C3', {
          delay_s: 300,
          next_stop_id: '00002',
          expected_arrival_at: NOON + 7 * MINUTE,
          skipped_stop_ids: ['00003'],
        }),
        update('1041M90003C3', { delay_s: -120 }),
      ],
    })
    const stopsOf = async (train: string): Promise<Reply[]> =>
      (await service.json(`${LIST}/CERCANIAS-${train}-C3`)).next_stops.map((stop: Reply) => [
        stop.stop_id,
        ...['arrival_at', 'expected_arrival_at', 'expected_departure_at'].map((name) => stop[name]?.slice(11, 16) ?? null),
        stop.is_skipped,
      ])
    expect(await stopsOf('90001')).toEqual([
      ['00002', '11:00', '11:07', '11:07', false],
      ['00003', '11:15', null, null, true],
      ['00002', '12:00', '12:05', '12:05', false],
      ['00004', '12:30', '12:35', '12:35', false],
    ])
    const nextOf = async (query = ''): Promise<Reply[]> => (await trains(query)).map(({ next_stop }) => next_stop)
    const place = { lat: 40.471179, lon: -3.682952 }
    expect(await nextOf('?line=C3&sort=id')).toEqual([
      { stop_id: '00002', name: 'Station 00002', expected_arrival_at: '2026-11-17T11:07:00.000Z', ...place },
      { stop_id: '00003', name: 'Station 00003', expected_arrival_at: '2026-11-17T11:13:00.000Z', ...place },
    ])
    // Two minutes early and without a stop: where the timetable has it then; it leaves no stop before its time.
    expect((await stopsOf('90003'))[0]).toEqual(['00003', '11:15', '11:13', '11:18', false])
    await publish({ positions: [position('90001', { vehicle_status: 'STOPPED_AT' })], updates: [update('1041M90001C3', { delay_s: 60 })] })
    expect(await nextOf()).toMatchObject([{ stop_id: '00003', expected_arrival_at: '2026-11-17T11:16:00.000Z' }])
    // An hour late, it is at its first call at the station; by the clock alone it would be at its second.
    const later = NOON + 60 * MINUTE
    await publish({ positions: [position('90002', { observed_at: later })], updates: [update('1041M90002C3', { delay_s: 3600 })] }, later)
    expect((await stopsOf('90002')).map(([stop, planned]) => [stop, planned])).toEqual([
      ['00002', '11:00'],
      ['00003', '11:15'],
      ['00002', '12:00'],
      ['00004', '12:30'],
    ])
  })

  test('long distance across the nightly change of ids: by trip, then by train number, on the day it runs', async () => {
    const early = Date.parse('2026-11-17T03:30:00Z')
    const train = longDistance('09001', { trip_id: '0900112026-11-16', observed_at: early, stop_id: '00011' })
    await publish({ ld: [train] }, early)
    const found = { service_date: '2026-11-17', origin: 'Station 00010' }
    expect(await trains()).toMatchObject([{ match: 'BY_TRIP', matched_trip_id: '0900112026-11-16', ...found }])
    await nightlyVersion('2026-11-17')
    await until('landed', async () => (await trains())[0].match !== 'BY_TRIP')
    expect(await trains()).toMatchObject([{ match: 'BY_TRAIN_NUMBER', matched_trip_id: '0900112026-11-17', ...found }])
    await publish({ ld: [{ ...train, trip_id: '0900112026-11-17' }] }, early)
    expect(await trains()).toMatchObject([{ match: 'BY_TRIP', matched_trip_id: '0900112026-11-17', ...found }])
  })
})
