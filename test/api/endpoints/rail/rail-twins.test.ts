import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { landTimetable, longDistance, NOON, position, type Run, update } from './train-rows.ts'

const TODAY = '2026-11-17'
const MINUTE = 1 / 60
const COMMUTER_FEED = 'renfe_trip_updates'
const OTHER_FEED = 'renfe_trip_updates_ld'

/** Stops of a train from an hour on, every half hour. */
const way = (from: number, ...stop_ids: readonly string[]): Run['stops'] => stop_ids.map((id, at) => [id, from + at / 2, from + at / 2])
const commuter = (train_number: string, stops: Run['stops'], line = 'C3'): Run => ({
  ...{ trip_id: `1041M${train_number}${line}`, train_number, variant: null, service_id: 's', stops },
})
const other = (train_number: string, stops: Run['stops'], variant = '1'): Run => ({
  ...{ trip_id: `${train_number}${variant}${TODAY}`, train_number, variant, nucleo_code: null, service_id: 's', stops },
})

/**
 * Inside a longer train, with a platform that the other lacks; around a shorter one; exactly the same; one of the number at
 * another hour; one with a single station in common; and two that are parts of one.
 */
const COMMUTERS: readonly Run[] = [
  commuter('15001', way(13, '00002', '00003', '00004')),
  commuter('15002', way(13.1, '00001', '00002', '00003', '00004')),
  commuter('15003', way(13.2, '00002', '00003')),
  commuter('15004', way(13.3, '00002', '00003')),
  commuter('15005', way(13.4, '00002', '00003')),
  commuter('15006', way(20, '00007', '00008')),
  commuter('15006', way(20.5, '00008', '00009'), 'C4'),
]
const OTHERS: readonly Run[] = [
  other('15001', [...way(12.5, '00001', '00002', '00003'), ['00004', 14, 14 + 3 * MINUTE], ['00005', 15, 15]]),
  other('15002', way(13.6, '00002', '00003')),
  other('15003', way(13.2, '00002', '00003')),
  other('15004', way(14.3, '00002', '00003')),
  other('15005', [...way(13.4, '00002'), ['00006', 14, 14]]),
  other('15006', way(20, '00007', '00008', '00009')),
]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  await landTimetable(
    service,
    { network: 'CERCANIAS', from: '2026-11-10', route: { route_id: '10T0001C3', short_name: 'C3', nucleo_code: '10' } },
    { s: [TODAY] },
    COMMUTERS,
  )
  await landTimetable(
    service,
    { network: 'AVLDMD', from: '2026-11-10', route: { route_id: '0000100005VRR', short_name: 'REGIONAL', nucleo_code: null } },
    { s: [TODAY] },
    OTHERS,
  )
  await until('landed', async () => (await service.get('/api/trenes/estaciones/00002/salidas')).status === 200)
})
afterAll(() => service?.close())

const board = async (station: string, query = '', path = 'salidas', list = 'departures'): Promise<Reply[]> =>
  (await service.json(`/api/trenes/estaciones/${station}/${path}?limit=100${query}`))[list]
const named = (entries: readonly Reply[]): string[] => entries.map(({ network, train_number }) => `${train_number} ${network}`).sort()

const LD = (train: string, values: AnyRow = {}): AnyRow =>
  update(`${train}1${TODAY}`, { network: 'AVLDMD', train_number: train, line: null, nucleo_code: null, service_date: TODAY, ...values })
const CER = (train: string, values: AnyRow = {}): AnyRow =>
  update(`1041M${train}C3`, { network: 'CERCANIAS', train_number: train, line: 'C3', nucleo_code: '10', service_date: TODAY, ...values })
const OFF = { schedule_relationship: 'CANCELED', delay_s: null, delay_quality: null, skipped_stop_ids: [] }
const ON = { schedule_relationship: 'SCHEDULED', delay_s: 120, delay_quality: 'OK', skipped_stop_ids: [] }

async function say(commuters: readonly AnyRow[], others: readonly AnyRow[]): Promise<void> {
  await service.publish(railTripUpdates, commuters, { feed: COMMUTER_FEED, at: NOON })
  await service.publish(railTripUpdates, others, { feed: OTHER_FEED, at: NOON })
}

describe('a train that both timetables have', () => {
  test('is one on boards, as the trip that goes on or has come further; others of its number are others', async () => {
    const departures = await board('00002')
    expect(named(departures)).toEqual([
      ...['15001 AVLDMD', '15002 CERCANIAS', '15003 CERCANIAS', '15004 AVLDMD', '15004 CERCANIAS', '15005 AVLDMD', '15005 CERCANIAS'],
    ])
    expect(named(await board('00003', '', 'llegadas', 'arrivals'))).toEqual([
      ...['15001 AVLDMD', '15002 CERCANIAS', '15003 CERCANIAS', '15004 AVLDMD', '15004 CERCANIAS', '15005 CERCANIAS'],
    ])
    expect(departures.find(({ train_number }) => train_number === '15001')).toMatchObject({
      ...{ trip_id: `150011${TODAY}`, train_id: 'AVLDMD-15001', other_trip_id: '1041M15001C3', other_train_id: 'CERCANIAS-15001-C3' },
      ...{ origin_id: '00001', destination_id: '00005', line: 'C3', nucleo_code: '10', product: 'REGIONAL', route_id: '0000100005VRR' },
    })
    expect(departures.find(({ train_number, network }) => train_number === '15004' && network === 'CERCANIAS')).toMatchObject({
      ...{ other_trip_id: null, other_train_id: null, line: 'C3', product: null },
    })
  })

  test('is of the line only where that goes, and is named everywhere', async () => {
    const [there] = (await board('00004')).filter(({ train_number }) => train_number === '15001')
    expect(there).toMatchObject({ line: null, nucleo_code: null, product: 'REGIONAL', other_trip_id: '1041M15001C3' })
    expect(named(await board('00004', '', 'llegadas', 'arrivals'))).toEqual(['15001 AVLDMD', '15002 CERCANIAS'])
  })

  test('is found by line and product, and by either network', async () => {
    const ofNumber = async (query: string): Promise<string[]> => named(await board('00002', query)).filter((name) => /1500[123]/.test(name))
    const all = ['15001 AVLDMD', '15002 CERCANIAS', '15003 CERCANIAS']
    for (const query of ['&line=C3', '&line=REGIONAL', '&network=CERCANIAS', '&network=AVLDMD'])
      expect([query, await ofNumber(query)]).toEqual([query, all])
  })

  test.each([
    ['one feed cancels it, the other says nothing', [], [LD('15001', OFF)], { status: 'CANCELLED', is_live: true }],
    ['the other way round', [CER('15001', OFF)], [], { status: 'CANCELLED', is_live: true }],
    ['one cancels it, by the other it runs', [CER('15001', ON)], [LD('15001', OFF)], { status: 'SCHEDULED', delay_s: 120 }],
    ['the other way round', [CER('15001', OFF)], [LD('15001', ON)], { status: 'SCHEDULED', delay_s: 120 }],
    ['both give a delay', [CER('15001', ON)], [LD('15001', { ...ON, delay_s: 240 })], { status: 'SCHEDULED', delay_s: 240 }],
    ['the trip that is shown has none', [CER('15001', ON)], [LD('15001', { ...ON, delay_s: null })], { delay_s: 120 }],
    ['the other feed alone', [CER('15001', ON)], [], { delay_s: 120, delay_source: 'TRIP_UPDATE', is_live: true }],
    ['it has gone by the one', [CER('15001', { ...ON, next_stop_id: '00003' })], [LD('15001', ON)], { status: 'DEPARTED' }],
    ['it does not stop here', [CER('15001', { ...ON, skipped_stop_ids: ['00002'] })], [LD('15001', ON)], { status: 'SKIPPED' }],
  ])('runs by the statements of both feeds: %s', async (_what, commuters, others, expected) => {
    await say(commuters, others)
    const entries = (await board('00002')).filter(({ train_number }) => train_number === '15001')
    expect(entries).toMatchObject([expected])
  })

  test('is cancelled as far as the trip goes that is', async () => {
    const at = async (station: string): Promise<string> =>
      (await board(station)).find(({ train_number }) => train_number === '15001')?.status
    await say([CER('15001', OFF)], [])
    expect([await at('00001'), await at('00002'), await at('00004')]).toEqual(['SCHEDULED', 'CANCELLED', 'SCHEDULED'])
    await say([CER('15001', ON)], [LD('15001', OFF)])
    expect([await at('00001'), await at('00002'), await at('00004')]).toEqual(['CANCELLED', 'SCHEDULED', 'CANCELLED'])
  })

  test('shows the platform that either feed gives', async () => {
    await say([CER('15001', ON)], [LD('15001', ON)])
    const standing = { vehicle_status: 'STOPPED_AT', stop_id: '00002', platform: '4' }
    await service.publish(railPositions, [position('15001', standing)], { feed: 'renfe_positions', at: NOON })
    expect((await board('00002')).find(({ train_number }) => train_number === '15001')).toMatchObject({ platform: '4' })
  })
})

describe('its alerts', () => {
  const none = { nucleo_codes: [], lines: [], hashtags: [], route_ids: [], stop_ids: [], trip_ids: [] }
  const alert = (id: string, values: AnyRow): AnyRow =>
    exampleRow(railAlerts, {
      ...none,
      ...{ source_id: id, alert_id: `ral_${id}`, derived: true, kind: 'CANCELLED', service_date: TODAY, delay_s: null, updated_at: NOON },
      ...{ train_number: '15001', first_seen_at: NOON - 600_000 },
      ...values,
    })
  const ofLong = (values: AnyRow = {}): AnyRow => alert('long', { network: 'AVLDMD', trip_ids: [`150011${TODAY}`], ...values })
  const ofCommuter = (values: AnyRow = {}): AnyRow =>
    alert('commuter', { network: 'CERCANIAS', nucleo_codes: ['10'], lines: ['C3'], trip_ids: ['1041M15001C3'], ...values })
  const publish = async (...rows: readonly AnyRow[]): Promise<void> => {
    for (const [feed, network] of [
      [COMMUTER_FEED, 'CERCANIAS'],
      [OTHER_FEED, 'AVLDMD'],
    ] as const)
      await service.publish(
        railAlerts,
        rows.filter((row) => row['network'] === network),
        { feed, at: NOON },
      )
  }
  const found = async (query = ''): Promise<string[]> =>
    (await service.json(`/api/trenes/alertas?${query}`)).alerts.map(({ id }: Reply) => id)

  test('have the line and núcleo of the commuter trip and the product of the other, whichever feed reports them', async () => {
    await say([], [LD('15001', OFF)])
    await publish(ofLong())
    const queries = ['line=C3', 'line=REGIONAL', 'nucleo=10&kind=CANCELLED', 'network=CERCANIAS', 'network=AVLDMD', 'station=00003', '']
    for (const query of queries) expect([query, await found(query)]).toEqual([query, ['ral_long']])
    expect(await service.json('/api/trenes/alertas/ral_long')).toMatchObject({
      ...{ network: 'AVLDMD', lines: ['C3'], nucleo_codes: ['10'], products: ['REGIONAL'], route_ids: ['0000100005VRR', '10T0001C3'] },
      ...{ train_id: 'AVLDMD-15001', other_train_id: 'CERCANIAS-15001-C3', destination_id: '00005' },
    })
    const { alerts } = await service.json('/api/trenes/rutas/10T0001C3')
    expect(alerts).toMatchObject([{ id: 'ral_long', scope: 'ROUTE' }])
    await say([CER('15001', OFF)], [])
    await publish(ofCommuter())
    for (const query of ['line=C3', 'line=REGIONAL', 'network=AVLDMD'])
      expect([query, await found(query)]).toEqual([query, ['ral_commuter']])
    // The cancelled part does not affect the rest.
    expect(await found('station=00005')).toEqual([])
  })

  test('are one where both feeds report the same: the earliest one, with the stations of both', async () => {
    await say([CER('15001', OFF)], [LD('15001', OFF)])
    await publish(ofLong(), ofCommuter())
    expect(await found()).toEqual(['ral_commuter'])
    expect(await found('station=00005')).toEqual(['ral_commuter'])
    await publish(ofLong({ first_seen_at: NOON - 900_000 }), ofCommuter())
    expect(await found()).toEqual(['ral_long'])
    // Under its id each stays.
    expect(await service.json('/api/trenes/alertas/ral_commuter')).toMatchObject({ id: 'ral_commuter', kind: 'CANCELLED' })
    const late = { kind: 'DELAY', delay_s: 600 }
    await publish(ofLong({ ...late, first_seen_at: NOON - 900_000 }), ofCommuter(late))
    expect(await found('kind=DELAY')).toEqual(['ral_long'])
    // One that is kept although its publication lacks it may be out of date.
    await publish(ofLong(late), ofCommuter({ ...late, is_stale: true }))
    expect(await found('kind=DELAY')).toEqual(['ral_long'])
  })

  test('report no cancellation of a train that runs by the other feed, except where that feed is down', async () => {
    await say([CER('15001', OFF)], [LD('15001', ON)])
    await publish(ofCommuter())
    expect(await found()).toEqual([])
    await say([CER('15001', ON)], [LD('15001', OFF)])
    await publish(ofLong(), ofCommuter({ kind: 'DELAY', delay_s: 600 }))
    expect(await found('station=00003')).toEqual(['ral_commuter'])
    expect(await found('station=00005&kind=CANCELLED')).toEqual(['ral_long'])
    expect(await found('line=C3&kind=CANCELLED')).toEqual([])
  })

  test('of another train with that number are others', async () => {
    const trip_ids = ['1041M15004C3']
    await publish(ofLong({ train_number: '15004', trip_ids: [`150041${TODAY}`] }), ofCommuter({ train_number: '15004', trip_ids }))
    expect(await found()).toEqual(['ral_commuter', 'ral_long'])
  })
})

describe('on the map', () => {
  const at = { stop_id: '00002', observed_at: NOON }
  const put = async (commuters: readonly AnyRow[], others: readonly AnyRow[]): Promise<void> => {
    await service.publish(railPositions, commuters, { feed: 'renfe_positions', at: NOON })
    await service.publish(railPositions, others, { feed: 'renfe_positions_ld', at: NOON })
  }
  const shown = async (query = ''): Promise<string[]> =>
    (await service.json(`/api/trenes/posiciones?${query}`)).trains.map(({ id }: Reply) => id)
  const inCommuter = (values: AnyRow = {}): AnyRow => position('15001', { ...at, position_source: 'GPS', ...values })
  const inOther = (values: AnyRow = {}): AnyRow =>
    longDistance('15001', { ...at, trip_id: `150011${TODAY}`, position_source: 'GPS', ...values })
  const [LONG, SHORT] = ['AVLDMD-15001', 'CERCANIAS-15001-C3']

  test('it is one, under both ids, by the better position', async () => {
    await say([CER('15001', ON)], [])
    const cases = [
      [{}, {}, SHORT],
      [{ position_source: 'STATION' }, {}, LONG],
      [{ observed_at: NOON - 120_000 }, {}, LONG],
      [{ observed_at: NOON - 30_000 }, {}, SHORT],
      [{}, { position_source: 'STATION', observed_at: NOON + 1 }, SHORT],
    ] as const
    for (const [commuters, others, expected] of cases) {
      await put([inCommuter(commuters)], [inOther(others)])
      expect(await shown()).toEqual([expected])
      for (const id of [LONG, SHORT])
        expect(await service.json(`/api/trenes/posiciones/${id}`)).toMatchObject({
          ...{
            id: expected,
            other_train_id: expected === LONG ? SHORT : LONG,
            line: 'C3',
            nucleo_code: '10',
            product: 'REGIONAL',
            delay_s: 120,
          },
        })
    }
  })

  test('one that a single feed has is found under both ids, and by either network, line and product', async () => {
    await say([CER('15001', { ...ON, skipped_stop_ids: ['00004'] })], [LD('15001', OFF)])
    await put([], [inOther()])
    for (const query of ['', 'network=CERCANIAS', 'network=AVLDMD', 'line=C3', 'line=REGIONAL', 'nucleo=10'])
      expect([query, await shown(query)]).toEqual([query, [LONG]])
    const merged = await service.json(`/api/trenes/posiciones/${SHORT}`)
    expect(merged).toMatchObject({ id: LONG, other_trip_id: '1041M15001C3', delay_s: 120, schedule_relationship: 'SCHEDULED' })
    expect(merged.next_stops.map(({ stop_id, is_skipped }: Reply) => [stop_id, is_skipped])).toEqual([
      ...[
        ['00002', false],
        ['00003', false],
        ['00004', true],
        ['00005', false],
      ],
    ])
  })

  test('it is one where two commuter trips are parts of it, whichever of them says best where it is', async () => {
    await say([], [])
    const part = (line: string, values: AnyRow): AnyRow =>
      position('15006', { ...at, line, source_id: line, trip_id: `1041M15006${line}`, stop_id: '00008', ...values })
    const whole = (values: AnyRow): AnyRow => longDistance('15006', { ...at, trip_id: `150061${TODAY}`, stop_id: '00008', ...values })
    const ids = { C3: 'CERCANIAS-15006-C3', C4: 'CERCANIAS-15006-C4', whole: 'AVLDMD-15006' }
    for (const best of ['C3', 'C4', 'whole'] as const) {
      const by = (name: string): AnyRow => ({ position_source: name === best ? 'GPS' : 'STATION' })
      await put([part('C3', by('C3')), part('C4', by('C4'))], [whole(by('whole'))])
      expect([best, await shown()]).toEqual([best, [ids[best]]])
      for (const id of Object.values(ids)) expect((await service.json(`/api/trenes/posiciones/${id}`)).id).toBe(ids[best])
    }
  })

  test('another train of its number is another', async () => {
    await say([], [])
    await put([position('15004', { ...at, trip_id: '1041M15004C3' })], [longDistance('15004', { ...at, trip_id: `150041${TODAY}` })])
    expect(await shown()).toEqual(['AVLDMD-15004', 'CERCANIAS-15004-C3'])
  })
})
