import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railStationRegister } from '../../../../lake/datasets/rail/station-register.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.parse('2026-08-22T08:00:00Z')
const FROM = Date.parse('2026-08-21T22:00:00Z')
const COMMUTER = { network: 'CERCANIAS', timetable_version: 'cercanias-2026-08-22', valid_from: FROM }
const OTHER = { network: 'AVLDMD', timetable_version: 'avldmd-2026-08-22', valid_from: FROM }

/**
 * Train 00300 has two parts that run together for a while and one at another time. 00301 has its part's stops and another number.
 */
const PARTS = [
  ['0030012026-08-22', '00300', '1', 'x', '17000@60000 98305@61000'],
  ['0030022026-08-22', '00300', '2', 'x', '17000@60000 98003@60300 98305@61200'],
  ['0030032026-08-22', '00300', '3', 'x', '17000@70000 98305@71000'],
  ['0030112026-08-22', '00301', '1', 'x', '17000@60000 98305@61000'],
  ['0030212026-08-23', '00302', '1', 'later', '17000@60000 98305@61000'],
  ['0030222026-08-23', '00302', '2', 'later', '17000@60000 98305@61000'],
] as const

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  const land = async (dataset: Dataset, rows: readonly AnyRow[]): Promise<void> => {
    for (const version of [COMMUTER, OTHER]) {
      const own = rows.filter((row) => (row['of'] ?? COMMUTER) === version)
      if (own.length === 0) continue
      const made = own.map(({ of: _of, ...row }) => exampleTableRow(dataset, { ...version, ...row }))
      await service.land(dataset, made, NOW)
    }
  }
  const place = (stop_id: string, name: string, lat: number, lon: number): AnyRow => ({ stop_id, name, position: { lat, lon } })
  await land(railStations, [
    { ...place('17000', 'Madrid-Chamartín-Clara Campoamor', 40.4711789, -3.6829524), has_wheelchair_boarding: false },
    place('98003', 'Fuente de la Mora', 40.4847, -3.6631),
    place('98305', 'Aeropuerto T4', 40.4917, -3.5934),
    { ...place('37010', 'Cotos', 40.8226, -3.9617), has_wheelchair_boarding: null },
    { ...place('17000', 'Madrid-Chamartín-Clara Campoamor', 40.4711789, -3.6829524), of: OTHER },
    { ...place('87722', 'Lyon Part-Dieu', 45.7606, 4.8597), of: OTHER },
  ])
  await land(railRoutes, [
    { route_id: '10T0001C1', short_name: 'C1' },
    { route_id: '10T0002C1', short_name: 'C1', route_type: 'BUS', color: 'FF0000' },
    { route_id: '10T0009C4a', short_name: 'C4a', origin_name: 'Parla', destination_name: 'Alcobendas' },
    { route_id: '1700087722AVE', short_name: 'AVE', nucleo_code: null, of: OTHER },
    { route_id: '1700098305MD', short_name: 'MD', nucleo_code: null, of: OTHER },
  ])
  // The second point is 3 m from the line between the others, the fourth a kilometre.
  const geometry = [
    [-3.6829524, 40.4711789],
    [-3.6730262, 40.477939],
    [-3.6631, 40.4847],
    [-3.62, 40.5],
    [-3.5934, 40.4917],
  ]
  await land(railShapes, [{ shape_id: '10_C1', geometry, points: 5 }])
  await land(railTrips, [
    { trip_id: '1032S00001C1', train_number: '00001' },
    { trip_id: '1032S00002C1', train_number: '00002' },
    { trip_id: '1032S00003C1', train_number: '00003', shape_id: '10_C1_INV' },
    { trip_id: '1032S00004C1', train_number: '00004', route_id: '10T0002C1', shape_id: null },
    { trip_id: '1033S00005C1', train_number: '00005', service_id: '1033S' },
    { trip_id: '0019012026-08-22', train_number: '00190', route_id: '1700087722AVE', nucleo_code: null, service_id: 'x', of: OTHER },
    ...PARTS.map(([trip_id, train_number, variant, service_id]) => ({
      ...{ trip_id, train_number, variant, service_id, route_id: '1700098305MD', nucleo_code: null, of: OTHER },
    })),
  ])
  const calls = (trip_id: string, stops: readonly (readonly [string, number])[], of: AnyRow = COMMUTER): AnyRow[] =>
    stops.map(([stop_id, at], stop_sequence) => ({ trip_id, stop_sequence, stop_id, arrival: at, departure: at, of }))
  await land(railStopTimes, [
    ...calls('1032S00001C1', [
      ['17000', 36_000],
      ['98003', 36_240],
      ['98305', 36_900],
    ]),
    ...calls('1032S00002C1', [
      ['17000', 86_100],
      ['98003', 86_340],
      ['98305', 87_000],
    ]),
    ...calls('1032S00003C1', [
      ['98305', 40_000],
      ['17000', 40_900],
    ]),
    ...calls('1032S00004C1', [
      ['17000', 30_000],
      ['98305', 33_000],
    ]),
    ...calls('1033S00005C1', [
      ['17000', 36_000],
      ['98003', 36_240],
      ['98305', 36_900],
    ]),
    ...calls(
      '0019012026-08-22',
      [
        ['17000', 50_000],
        ['87722', 80_000],
      ],
      OTHER,
    ),
    ...PARTS.flatMap(([trip_id, , , , stops]) =>
      calls(
        trip_id,
        stops.split(' ').map((stop) => [stop.slice(0, 5), Number(stop.slice(6))]),
        OTHER,
      ),
    ),
  ])
  await land(railCalendar, [
    { service_id: 'later', service_date: '2026-08-23', of: OTHER },
    { service_id: '1032S', service_date: '2026-08-22' },
    { service_id: '1033S', service_date: '2026-08-23' },
    { service_id: 'x', service_date: '2026-08-22', of: OTHER },
  ])
}, 60_000)
afterAll(() => service?.close())

const idsOf = (reply: Reply, name: string): string[] => reply[name].map((one: Reply) => one.id)

describe('stations', () => {
  test('the register, once it has landed, adds place and address, the newest state of each', async () => {
    expect(await service.json('/api/trenes/estaciones/17000')).toMatchObject({ address: null, municipality: 'Madrid', province: 'Madrid' })
    const registered = (values: AnyRow, updated_at: number): AnyRow =>
      exampleTableRow(railStationRegister, { stop_id: '17000', observed_at: updated_at, updated_at, ...values })
    await service.land(
      railStationRegister,
      [
        registered({ address: 'Calle Vieja', municipality_code: '28079', municipality: 'MADRID', is_metre_gauge: false }, NOW - 60_000),
        registered({ address: 'Agustín de Foxá, s/n', municipality_code: '28079', municipality: 'MADRID', is_metre_gauge: false }, NOW),
        registered(
          { stop_id: '87722', address: null, municipality_code: null, municipality: 'LYON', country: 'FR', province_code: null },
          NOW,
        ),
      ],
      NOW,
    )
    await until('shown', async () => (await service.json('/api/trenes/estaciones/87722')).municipality === 'LYON')
    expect(await service.json('/api/trenes/estaciones/17000')).toMatchObject({
      ...{ address: 'Agustín de Foxá, s/n', municipality: 'Madrid', municipality_code: '28079', country: 'ES', is_metre_gauge: false },
    })
    expect(await service.json('/api/trenes/estaciones?ids=87722,98003')).toMatchObject({
      stations: [
        { country: 'FR', province: null },
        { municipality: 'Madrid', municipality_code: '28079', country: 'ES', address: null },
      ],
    })
  })

  const ids = async (query: string): Promise<string[]> => idsOf(await service.json(`/api/trenes/estaciones?${query}`), 'stations')

  test('one that both networks have is one, with the lines and products of both', async () => {
    const reply = await service.json('/api/trenes/estaciones')
    expect(idsOf(reply, 'stations')).toEqual(['17000', '37010', '87722', '98003', '98305'])
    expect(reply.stations[0]).toMatchObject({
      name: 'Madrid-Chamartín-Clara Campoamor',
      province: 'Madrid',
      province_code: '28',
      networks: ['CERCANIAS', 'AVLDMD'],
      in_service: true,
      lines: [
        { line: 'C1', nucleo_code: '10', route_type: 'BUS' },
        { line: 'C1', nucleo_code: '10', route_type: 'RAIL' },
      ],
      products: ['AVE', 'MD'],
      has_wheelchair_boarding: true,
    })
    expect(reply.stations[1]).toMatchObject({ id: '37010', in_service: false, lines: [], products: [], has_wheelchair_boarding: null })
    expect(reply.stations[2]).toMatchObject({ id: '87722', province: null, networks: ['AVLDMD'], lines: [], products: ['AVE'] })
  })

  test('are chosen by place, network, line and words of the name', async () => {
    expect(await ids('province=madrid&network=AVLDMD')).toEqual(['17000'])
    expect(await ids('nucleo=10&line=C1')).toEqual(['17000', '98003', '98305'])
    expect(await ids('line=C4a')).toEqual([])
    expect(await ids('line=AVE')).toEqual(['17000', '87722'])
    expect(await ids('nucleo=20')).toEqual([])
    expect(await ids('q=CHAMARTIN%20clara')).toEqual(['17000'])
    expect(await ids('q=9830')).toEqual(['98305'])
    expect(await ids('q=lyon')).toEqual(['87722'])
    // By the municipality and the province, whose names its own lacks.
    expect(await ids('q=MADRID%20fuente')).toEqual(['98003'])
    expect(await ids('q=rascafria')).toEqual(['37010'])
    expect(await ids('q=---')).toEqual([])
    expect(await ids('bbox=-3.7,40.48,-3.5,40.5')).toEqual(['98003', '98305'])
    expect(await ids('operator=renfe&lat=45.76&lon=4.86&radius=1000')).toEqual(['87722'])
  })

  test('one of them lists its own alerts, and those of its lines separately', async () => {
    const alert = (source_id: string, values: AnyRow): AnyRow =>
      exampleRow(railAlerts, {
        ...{ source_id, alert_id: `ral_${source_id}`, kind: 'NOTICE', derived: false, lines: [], nucleo_codes: ['10'], hashtags: [] },
        ...{ route_ids: [], stop_ids: [], trip_ids: [] },
        ...values,
      })
    await service.publish(railAlerts, [
      alert('line', { lines: ['C1'], route_ids: ['10T0001C1'] }),
      alert('tag', { lines: ['C1'], hashtags: [{ tag: '#MadC1', word: 'Mad', nucleo_code: '10', line: 'C1' }] }),
      alert('station', { stop_ids: ['17000'] }),
      alert('elsewhere', { stop_ids: ['98305'], lines: ['C1'], route_ids: ['10T0001C1'] }),
      alert('other', {
        lines: ['C1', 'C2'],
        nucleo_codes: ['10', '30'],
        hashtags: [{ tag: '#SevC1', word: 'Sev', nucleo_code: '30', line: 'C1' }],
      }),
      // A train that no timetable has.
      alert('train', { derived: true, kind: 'DELAY', lines: ['C1'] }),
    ])
    const alertsOf = async (path: string): Promise<string[][]> =>
      ((await service.json(path)) as Reply).alerts.map(({ id, scope }: Reply) => [id, scope])
    expect(await alertsOf('/api/trenes/estaciones/17000')).toEqual([
      ['ral_station', 'STATION'],
      ['ral_line', 'LINE'],
      ['ral_tag', 'LINE'],
      ['ral_train', 'LINE'],
    ])
    expect(await alertsOf('/api/trenes/estaciones/37010')).toEqual([])
    expect(await alertsOf('/api/trenes/rutas/10T0001C1')).toEqual([
      ['ral_elsewhere', 'ROUTE'],
      ['ral_line', 'ROUTE'],
      ['ral_tag', 'LINE'],
      ['ral_train', 'LINE'],
    ])
    expect(await alertsOf('/api/trenes/rutas/10T0009C4a')).toEqual([])
  })
})

describe('routes', () => {
  const ids = async (query: string): Promise<string[]> => idsOf(await service.json(`/api/trenes/rutas?${query}`), 'routes')

  test('those with trips follow their track, or their stations', async () => {
    const reply = await service.json('/api/trenes/rutas')
    expect(idsOf(reply, 'routes')).toEqual(['10T0001C1', '10T0002C1', '1700087722AVE', '1700098305MD'])
    const [track, bus, train] = reply.routes
    expect(track).toMatchObject({
      ...{ line: 'C1', product: null, route_type: 'RAIL', origin_id: '17000', destination: 'Aeropuerto T4', trips: 4, patterns: 2 },
      ...{ stop_ids: ['17000', '98003', '98305'], geometry_source: 'SHAPE', in_service: true },
    })
    expect(track.geometry).toEqual({
      type: 'LineString',
      coordinates: [
        [-3.68295, 40.47118],
        [-3.6631, 40.4847],
        [-3.62, 40.5],
        [-3.5934, 40.4917],
      ],
    })
    expect(bus).toMatchObject({ route_type: 'BUS', color: 'FF0000', geometry_source: 'STATIONS' })
    expect(bus.geometry.coordinates).toEqual([
      [-3.68295, 40.47118],
      [-3.5934, 40.4917],
    ])
    expect(train).toMatchObject({
      line: null,
      product: 'AVE',
      network: 'AVLDMD',
      geometry_source: 'STATIONS',
      destination: 'Lyon Part-Dieu',
    })
  })

  test('those without have what their names state', async () => {
    const reply = await service.json('/api/trenes/rutas?in_service=false')
    expect(reply.routes).toMatchObject([
      {
        id: '10T0009C4a',
        in_service: false,
        trips: 0,
        stop_ids: [],
        geometry: null,
        geometry_source: null,
        origin: 'Parla',
        origin_id: null,
      },
    ])
  })

  test('are chosen by network, line, words and box', async () => {
    expect(await ids('network=AVLDMD')).toEqual(['1700087722AVE', '1700098305MD'])
    expect(await ids('nucleo=10&line=C1&q=aeropuerto')).toEqual(['10T0001C1', '10T0002C1'])
    // No point of the train's line is in the box, but the line goes through it.
    expect(await ids('bbox=0,43,1,43.6')).toEqual(['1700087722AVE'])
    expect(await ids('bbox=0,38,1,39')).toEqual([])
  })

  test('one of them has its stations; as GeoJSON it is a LineString', async () => {
    const one = await service.json('/api/trenes/rutas/10T0001C1')
    expect(one.stops).toMatchObject([{ order: 1, stop_id: '17000', lat: 40.471179 }, { order: 2 }, { order: 3, name: 'Aeropuerto T4' }])
    const feature = await service.json('/api/trenes/rutas/10T0001C1?format=geojson')
    expect(feature).toMatchObject({ type: 'Feature', id: '10T0001C1', geometry: { type: 'LineString' }, properties: { line: 'C1' } })
    expect((await service.json('/api/trenes/rutas?format=geojson')).bbox).toEqual([-3.68295, 40.47118, 4.8597, 45.7606])
  })

  test('its trips of a day, by direction', async () => {
    const path = '/api/trenes/rutas/10T0001C1/horarios'
    const today = await service.json(path)
    expect(idsOf(today, 'trips')).toEqual(['1032S00001C1', '1032S00003C1', '1032S00002C1'])
    expect(today.trips[2].stops[2]).toMatchObject({ stop_id: '98305', arrival: '24:10:00', arrival_at: '2026-08-22T22:10:00.000Z' })
    expect(today.trips.map((one: Reply) => one.direction)).toEqual([0, 1, 0])
    expect(idsOf(await service.json(`${path}?direction=1`), 'trips')).toEqual(['1032S00003C1'])
    expect(idsOf(await service.json(`${path}?date=2026-08-23`), 'trips')).toEqual(['1033S00005C1'])
    expect((await service.json('/api/trenes/rutas/10T0009C4a/horarios')).trips).toEqual([])
    expect(today.trips.map((one: Reply) => one.part_ids)).toEqual([[], [], []])
    for (const date of ['2026-08-21', '2026-08-24', '2026-02-30']) {
      const refused = await service.json(`${path}?date=${date}`)
      expect([refused.status, refused.errors[0].parameter]).toEqual([400, 'date'])
    }
    expect((await service.json(`${path}?date=2026-08-24`)).detail).toContain('from 2026-08-22 to 2026-08-23')
  })

  test('a direction that the route has on no day is refused with those that it has; one that it has on another is empty', async () => {
    expect((await service.json('/api/trenes/rutas/10T0001C1/horarios?date=2026-08-23&direction=1')).trips).toEqual([])
    for (const [route, detail] of [
      ['1700087722AVE', 'direction: expected a direction of the trips of this route: 0, got "1"'],
      ['10T0002C1', 'direction: the trips of this route have no direction: leave it out, got "1"'],
    ]) {
      const { status, errors } = await service.json(`/api/trenes/rutas/${route}/horarios?direction=1`)
      expect([status, errors[0].parameter, errors[0].detail]).toEqual([400, 'direction', detail])
    }
  })

  test('parts of a train that run together are one trip of a day, and one train of the route', async () => {
    const path = '/api/trenes/rutas/1700098305MD/horarios'
    const trips = async (date: string): Promise<unknown[]> =>
      (await service.json(`${path}?date=${date}`)).trips.map(({ id, variant, part_ids }: Reply) => [id, variant, part_ids])
    expect(await trips('2026-08-22')).toEqual([
      ['0030022026-08-22', '2', ['0030012026-08-22']],
      ['0030112026-08-22', '1', []],
      ['0030032026-08-22', '3', []],
    ])
    expect(await trips('2026-08-23')).toEqual([['0030212026-08-23', '1', ['0030222026-08-23']]])
    expect(await service.json('/api/trenes/rutas/1700098305MD')).toMatchObject({ trips: 3, patterns: 2 })
  })
})

test('núcleos with their lines and the trips of a day', async () => {
  const reply = await service.json('/api/trenes/nucleos')
  expect(reply.nucleos).toMatchObject([
    {
      ...{ id: '10', name: 'Madrid', service_date: '2026-08-22', stations: 3, routes: 3, trips: 4 },
      lines: [
        { line: 'C1', route_type: 'BUS', color: 'FF0000', routes: 1, stations: 2, trips: 1 },
        {
          line: 'C1',
          route_type: 'RAIL',
          origin: 'Madrid-Chamartín-Clara Campoamor',
          destination: 'Aeropuerto T4',
          routes: 1,
          stations: 3,
          trips: 3,
        },
        { line: 'C4a', origin: null, destination: null, routes: 1, stations: 0, trips: 0 },
      ],
    },
  ])
  expect((await service.json('/api/trenes/nucleos?date=2026-08-23')).nucleos[0].trips).toBe(1)
})

describe('a line, product or station that nothing has', () => {
  test.each([
    ['/api/trenes/estaciones', 'line', 'c1', 'did you mean C1? expected a line or product of a timetable: AVE, C1, C4a, MD, got "c1"'],
    ['/api/trenes/rutas', 'line', 'AVEE', 'did you mean AVE?'],
    ['/api/trenes/estaciones/17000/salidas', 'line', 'C1a', 'did you mean C1?'],
    ['/api/trenes/estaciones/17000/llegadas', 'line', 'Talgo', 'expected a line or product'],
    ['/api/trenes/alertas', 'line', 'AVE,C9', 'expected a line or product of a timetable: AVE, C1, C4a, MD, got "C9"'],
    ['/api/trenes/alertas', 'station', '1700', 'did you mean 17000?'],
    ['/api/trenes/alertas/historico', 'station', 'Chamartín', '/api/trenes/estaciones lists them, got "Chamartín"'],
    ['/api/trenes/puntualidad', 'station', '17001', 'did you mean 17000?'],
    ['/api/trenes/puntualidad', 'line', 'C1A', 'did you mean C1?'],
  ])('is refused: %s?%s=%s', async (path, parameter, value, detail) => {
    const response = await service.get(`${path}?${parameter}=${encodeURIComponent(value)}`)
    const problem = (await response.json()) as Reply
    expect([response.status, problem.code]).toEqual([400, 'invalid-parameter'])
    expect(problem.errors).toHaveLength(1)
    expect(problem.errors[0]).toMatchObject({ parameter, value: value.split(',').at(-1) })
    expect(problem.errors[0].detail).toContain(detail)
  })

  test('each is listed', async () => {
    const { errors } = await service.json('/api/trenes/alertas?line=C9,C1,C8&station=1,17000')
    expect(errors.map(({ parameter, value }: Reply) => `${parameter}=${value}`)).toEqual(['line=C9', 'line=C8', 'station=1'])
  })
})
