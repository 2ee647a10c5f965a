import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Passed } from '../../../../api/endpoints/road/along/match.ts'
import { NO_DETAILS } from '../../../../api/endpoints/road/along/route-item.ts'
import { travelTimeOf } from '../../../../api/endpoints/road/along/travel-time.ts'
import { type IncidentRow, toIncident } from '../../../../api/endpoints/road/incident.ts'
import { withPlace } from '../../../../api/endpoints/road/incident-place.ts'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { roadAxes, roadPoints, roadSections } from '../../../../lake/datasets/road/road-network.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import { placeAt } from '../../../../lake/places/municipalities.ts'
import type { Post } from '../../../../lake/places/place-on-road.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleService } from '../../example-service.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const AT = Date.UTC(2026, 0, 2)
const DAY = 86_400_000
/** Degrees of latitude of a kilometre. */
const KM = 180 / (Math.PI * 6371.0088)
const post = (road: string, km: number, north_km = km): AnyRow => ({
  ...exampleTableRow(roadPoints),
  ...{ month: '2026-01', road, province_code: '28', km, position: { lat: 40 + north_km * KM, lon: -3 }, error_m: 100, records: 1 },
})
const incident = (id: string, km: number, direction: string, more: AnyRow = {}): AnyRow => ({
  ...exampleRow(incidents),
  ...{ source_id: id, incident_id: `inc_${id}`, road: 'A-99', km, km_to: null, direction, province_code: '28', to: null },
  ...{ position: { lat: 40 + km * KM, lon: -3 }, source: 'dgt', ...more },
})

/** A carriageway of the A-77 that bends between its posts: the point after each kilometre is 300 m east. */
const axis = (direction: string, east: number, [from, to]: readonly [number, number], chain = 1): AnyRow => {
  const kilometres = Array.from({ length: 2 * (to - from) + 1 }, (_, at) => from + at / 2)
  const geometry = kilometres.map((km) => [-4 + east + (Number.isInteger(km) ? 0 : 0.0035), 40 + km * KM])
  return {
    ...exampleTableRow(roadAxes),
    ...{ province: '28', road: 'A-77', direction, chain, km_from: from, km_to: to, length_m: 1170 * (to - from), geometry, kilometres },
    ...{ errors_m: kilometres.slice(1).map(() => 40), posts: kilometres.filter(Number.isInteger) },
  }
}

let service: TestService
beforeAll(async () => {
  service = await startService()
  const island = { ...post('MA-13', 10), province_code: '07', position: { lat: 39.65, lon: 2.8 } }
  await service.land(roadPoints, [...[1, 3, 5, 7, 20, 22].map((km) => post('A-99', km)), post('M-5', 1), island], AT)
  const axes = [axis('POSITIVE', 0, [10, 14]), axis('NEGATIVE', -0.0005, [10, 14]), axis('POSITIVE', 0, [17, 18], 2)]
  await service.land(roadAxes, axes, AT)
  const section = (section_id: string, road: string, is_state_road: boolean | null, part = 'new', published_at = AT): AnyRow => ({
    ...exampleTableRow(roadSections),
    ...{ section_id, road, is_state_road, part, published_at, province_code: '28', is_in_service: true },
  })
  const sections = [section('1', 'A-77', true), section('2', 'A-99', true), section('3', 'A99', false), section('4', 'M-5', null)]
  // An earlier edition does not count.
  await service.land(roadSections, [...sections, section('1', 'A-77', false, 'old', AT - 366 * DAY)], AT)
  const found = [
    ...[incident('north', 4, 'POSITIVE'), incident('south', 6, 'NEGATIVE'), incident('both', 2, 'BOTH'), incident('end', 21, 'POSITIVE')],
    incident('placeless', 5, 'BOTH', { source: 'trafikoa', position: null }),
    { ...incident('somewhere', 0, 'UNKNOWN'), km: null, position: null },
    incident('stretch', 11, 'POSITIVE', { road: 'A-77', km_to: 12, position: null }),
    incident('astray', 11, 'POSITIVE', { road: 'A-77', km_to: 12, position: { lat: 42, lon: -3 } }),
    incident('other', 4, 'POSITIVE', { road: 'M-5', position: { lat: 40, lon: -2 } }),
  ]
  await service.publish(incidents, found, { at: AT, feed: 'dgt_incidents' })
  await service.publish(v16Beacons, [{ ...exampleRow(v16Beacons), road: 'A99', km: 3.5, direction: 'POSITIVE', beacon_id: 'v16_a' }], {
    at: AT,
    feed: 'dgt_incidents',
  })
  await until('the posts are known', async () => (await service.json('/api/geo/pk?road=A-99&km=3')).total === 1)
  await until('the axes are known', async () => (await service.json('/api/geo/pk?road=A-77&km=12')).total === 1)
}, 30_000)
afterAll(() => service?.close())

const ids = async (query: string): Promise<string[]> =>
  (await service.json(`/api/carreteras/A-99/estado?${query}`)).items.map(({ id }: Reply) => id)

describe('/api/carreteras/{road}/estado', () => {
  test('has what is on the road in the order of its kilometres, or of travel', async () => {
    expect(await ids('')).toEqual(['inc_both', 'v16_a', 'inc_north', 'inc_placeless', 'inc_south', 'inc_end'])
    expect(await ids('direction=NEGATIVE')).toEqual(['inc_south', 'inc_placeless', 'inc_both'])
    expect(await ids('direction=POSITIVE&km_from=3&km_to=5')).toEqual(['v16_a', 'inc_north', 'inc_placeless'])
    expect(await ids('include=BEACON')).toEqual(['v16_a'])
  })

  test('of a road that nobody knows there is nothing, and a near one is suggested', async () => {
    const response = await service.get('/api/carreteras/A-98/estado')
    expect([response.status, ((await response.json()) as Reply).detail]).toEqual([
      404,
      expect.stringContaining('/api/carreteras/A99/estado'),
    ])
  })
})

test('what has only a road and a kilometre is on the path at that kilometre', async () => {
  const { items } = await service.json('/api/trafico/ruta?road=A-99&km_from=1&km_to=7&include=INCIDENT,WORKS')
  const placeless = items.find(({ id }: Reply) => id === 'inc_placeless')
  expect(Math.abs(placeless.distance_from_start_m - 4000)).toBeLessThan(5)
  // The way back meets the opposite direction.
  const back: Reply = await service.json('/api/trafico/ruta?road=A-99&km_from=7&km_to=1&include=INCIDENT,WORKS')
  expect(items.map(({ id }: Reply) => id)).toEqual(['inc_both', 'inc_north', 'inc_placeless'])
  expect(back.items.map(({ id }: Reply) => id)).toEqual(['inc_south', 'inc_placeless', 'inc_both'])
})

describe('/api/carreteras/{road}/geometria', () => {
  test('is a line for each continuous part: a gap is a gap', async () => {
    const { features } = await service.json('/api/carreteras/a99/geometria?format=geojson')
    expect(features.map(({ properties: { km_from, km_to, length_m } }: Reply) => [km_from, km_to, length_m])).toEqual([
      [1, 7, 6000],
      [20, 22, 2000],
    ])
    expect(features[0].geometry.coordinates).toHaveLength(4)
    expect(features[0].properties.kilometres.map(({ km }: Reply) => km)).toEqual([1, 3, 5, 7])
  })

  test('is cut to kilometres and simplified on request', async () => {
    const { parts } = await service.json('/api/carreteras/A-99/geometria?format=json&km_from=3&km_to=21&simplify=10')
    expect(parts.map(({ km_from, km_to, kilometres }: Reply) => [km_from, km_to, kilometres.length])).toEqual([
      [3, 7, 2],
      [20, 20, 1],
    ])
    expect(parts[1].geometry).toBeNull()
    expect((await service.get('/api/carreteras/A-99/geometria?km_from=9&km_to=3')).status).toBe(400)
  })
})

describe('/api/trafico/resumen', () => {
  test.each(['', '?province=28', '?province=18', '?province=08', '?province=Cataluña'])('%s counts what the lists have', async (query) => {
    const examples = await exampleService()
    const { counts } = await examples.json(`/api/trafico/resumen${query}`)
    let total = 0
    for (const { topic, count, url } of counts) {
      const list = await examples.json(url)
      const sections = list.cities?.filter(({ kind }: Reply) => kind === 'SECTIONS')
      const counted = sections ? sections.reduce((sum: number, one: Reply) => sum + one.sensors_reporting, 0) : list.total
      expect([topic, count ?? counted]).toEqual([topic, counted])
      total += count
    }
    expect([counts.length, total > 0]).toEqual([15, true])
  })

  test('of a list that has not arrived there is no number', async () => {
    const { counts, meta } = await service.json('/api/trafico/resumen?lang=en')
    const of = (topic: string): Reply => counts.find((one: Reply) => one.topic === topic)
    expect(of('BEACONS')).toMatchObject({ count: 1, title: 'Active V16 beacons', updated_at: new Date(AT).toISOString() })
    expect(of('FUEL_STATIONS')).toMatchObject({ count: null, updated_at: null })
    expect(meta.missing.map(({ dataset }: Reply) => dataset)).toContain('fuel_stations')
  })
})

describe('a community or an island as province', () => {
  test('selects its provinces, or its municipalities', async () => {
    const total = async (path: string): Promise<number> => (await service.json(path)).total
    expect(await total('/api/geo/municipios?province=Mallorca&limit=1')).toBe(53)
    expect(await total('/api/geo/municipios?province=Balears&limit=1')).toBe(67)
    expect(await total('/api/geo/municipios?province=ES-PV&limit=1')).toBe(251 + 1)
    const counts = (await service.json('/api/trafico/resumen?province=Euskadi')).counts
    expect(counts[0]).toMatchObject({ province: 'País Vasco', province_code: null, url: '/api/incidents?province=ES-PV' })
  })

  test('is rejected with what is allowed, and an island where only whole provinces are known', async () => {
    const wrong = await service.get('/api/geo/municipios?province=Catalonia2')
    expect([wrong.status, ((await wrong.json()) as Reply).errors[0].allowed]).toEqual([
      400,
      expect.arrayContaining(['Soria', 'Cataluña', 'La Gomera']),
    ])
    const island = await service.get('/api/v16/history?province=Tenerife')
    expect(await island.json()).toMatchObject({ status: 400, errors: [{ parameter: 'province', allowed: ['Santa Cruz de Tenerife'] }] })
    const outside = await service.get('/api/incidents?province=Galicia&municipality=Getafe')
    expect(((await outside.json()) as Reply).errors[0].detail).toContain('of Galicia')
  })
})

test('the nearest services of a municipality are at most 100 km away, a rail station among them, and have a page', async () => {
  const examples = await exampleService()
  const { stations } = await examples.json('/api/trenes/estaciones')
  const { municipality_code } = placeAt(stations.find((one: Reply) => one.in_service && one.lat !== null) as never)
  const { nearest } = await examples.json(`/api/geo/municipios/${municipality_code}`)
  expect(nearest.map(({ kind }: Reply) => kind)).toContain('rail-station')
  for (const { url, distance_m } of nearest) expect([(await examples.get(url)).status, distance_m <= 100_000]).toEqual([200, true])
  const island = await examples.json('/api/geo/municipios/38001')
  expect(island.nearest.map(({ kind }: Reply) => kind)).not.toContain('rail-station')
})

describe('/api/carreteras', () => {
  test('lists roads with located kilometres, by text, class and province', async () => {
    const list = async (query: string): Promise<string[]> =>
      (await service.json(`/api/carreteras?${query}`)).roads.map(({ id }: Reply) => id)
    expect(await list('')).toEqual(['A-77', 'A-99', 'M-5', 'MA-13'])
    expect(await list('q=a99')).toEqual(['A-99'])
    expect(await list('class=OTHER&province=Madrid')).toEqual(['M-5'])
    expect(await list('province=Sevilla')).toEqual([])
    expect(await list('province=Mallorca')).toEqual(['MA-13'])
    expect(await list('province=Menorca')).toEqual([])
    const { roads } = await service.json('/api/carreteras')
    expect(roads.map(({ holder }: Reply) => holder)).toEqual(['STATE', 'SEVERAL', null, null])
  })

  test('one road has its provinces, kilometres, and what is on it now', async () => {
    expect(await service.json('/api/carreteras/a 99')).toMatchObject({
      ...{ id: 'A-99', class: 'MOTORWAY', provinces: ['Madrid'], km_from: 1, km_to: 22, located_km: 8 },
      now: [
        { kind: 'WORKS', count: 5, without_km: 1 },
        { kind: 'BEACON', count: 1, without_km: 0 },
      ],
      state_url: '/api/carreteras/A-99/estado',
    })
    expect((await service.json('/api/carreteras/A-99/estado?include=WORKS')).total).toBe(5)
    // A road with a measured axis only.
    expect(await service.json('/api/carreteras/A-77')).toMatchObject({ km_from: 10, km_to: 18, located_km: 5.8, provinces: ['Madrid'] })
    expect((await service.get('/api/carreteras/A-98')).status).toBe(404)
  })

  test('the accidents and the traffic of a road are those of their own lists', async () => {
    const examples = await exampleService()
    const { roads } = await examples.json('/api/carreteras?limit=1000')
    expect(roads.length).toBeGreaterThan(0)
    for (const { id } of roads) {
      const { accidents, state_url, geometry_url } = await examples.json(`/api/carreteras/${encodeURIComponent(id)}`)
      expect([(await examples.get(state_url)).status, (await examples.get(geometry_url)).status]).toEqual([200, 200])
      const own = await examples.json(`/api/accidentes/stats?road=${encodeURIComponent(id)}`)
      for (const one of accidents)
        expect(own.counts.find(({ source, year }: Reply) => source === one.source && year === one.year)?.accidents ?? one.accidents).toBe(
          one.accidents,
        )
    }
  })
})

describe('travel times of a path', () => {
  const met = (along_m: number, speed_kmh: number, more: { id?: string; km?: number } = {}): Passed => ({
    along_m,
    thing: {
      ...{
        kind: 'SENSOR',
        id: more.id ?? `${along_m}`,
        titles: { es: '', en: '' },
        road: 'A-99',
        km: more.km ?? along_m / 1000,
        km_to: null,
      },
      ...{ direction: 'POSITIVE', position: null, to: null, line: null, area: null, prices: null, url: '', source: 'dgt', updated_at: 0 },
      details: { ...NO_DETAILS, sensor: { intensity_veh_h: 100, occupancy_pct: 1, speed_kmh, level_of_service: null } },
    },
  })
  const usual = new Map([
    ['2000', { typical_kmh: 90, free_kmh: 120 }],
    ['4000', { typical_kmh: 90, free_kmh: 120 }],
  ])

  test('each detector stands for the road half way to the next, at most 2.5 km', () => {
    // 3 km at 60 and 3.5 km at 30 km/h.
    expect(travelTimeOf([met(2000, 60), met(4000, 30)], 20_000, usual)).toEqual({
      ...{ measured_m: 6500, current_time_s: 180 + 420, typical_time_s: 260, free_flow_time_s: 195 },
    })
  })

  test('lanes of a place are one each time that it is passed, and standing detectors are none', () => {
    const lanes = [met(2000, 80, { id: 'a' }), met(2000, 40, { id: 'b' })]
    const others = [met(2200, 0)]
    expect(travelTimeOf([...lanes, ...others], 4500, null)).toEqual({
      ...{ measured_m: 4500, current_time_s: 270, typical_time_s: null, free_flow_time_s: null },
    })
    const again = [met(9000, 80, { id: 'a', km: 2 }), met(9000, 40, { id: 'b', km: 2 })]
    expect(travelTimeOf([...again, ...lanes], 11_500, null)).toMatchObject({ measured_m: 9500, current_time_s: 570 })
    expect(travelTimeOf(others, 4500, usual)).toEqual({ measured_m: 0, current_time_s: null, typical_time_s: null, free_flow_time_s: null })
  })

  test('usual speeds are those of the hour in the last weeks, and of the nights', async () => {
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000
    const row = (at: number, speed: number): AnyRow => ({
      ...exampleTableRow(trafficHours),
      ...{ month: new Date(at).toISOString().slice(0, 7), source: 'dgt', sensor_id: 'S1', period_s: 60, period_start: at },
      ...{ speed_readings: 10, speed_sum_kmh: 10 * speed },
    })
    const night = Math.floor(hour / DAY) * DAY - DAY + 2 * 3_600_000
    await service.land(trafficHours, [row(hour - 7 * DAY, 100), row(hour - 14 * DAY, 80), row(night, 120)], hour)
    const sensor = { source: 'dgt', sensor_id: 'S1', road: 'A-99', km: 3, direction: 'POSITIVE', position: { lat: 40 + 3 * KM, lon: -3 } }
    await service.publish(trafficSensors, [{ ...exampleRow(trafficSensors), ...sensor }], { feed: 'dgt_detector_sites' })
    const { road: _road, km: _km, direction: _direction, position: _position, ...ids } = sensor
    await service.publish(trafficReadings, [{ ...exampleRow(trafficReadings), ...ids, speed_kmh: 60 }], { feed: 'dgt_detectors' })
    const times = async (): Promise<Reply> => await service.json('/api/trafico/ruta?road=A-99&km_from=1&km_to=7')
    await until('the usual speeds are known', async () => (await times()).typical_time_s !== null)
    // From the first kilometre to 2.5 km behind the detector.
    expect(await times()).toMatchObject({ measured_m: 4500, current_time_s: 270, typical_time_s: 180, free_flow_time_s: 135 })
  })
})

describe('the measured axis of a road', () => {
  const placeOf = async (query: string): Promise<Reply> => (await service.json(`/api/geo/pk?${query}`)).places[0]

  test('places a kilometre on the carriageway of the direction, on the bend between the posts', async () => {
    const place = await placeOf('road=A-77&km=12.5')
    expect(place).toMatchObject({ direction: 'POSITIVE', province_code: '28', error_m: 40, lon: -3.9965, distance_m: null })
    expect(place.posts).toEqual([12, 13].map((km) => ({ km, source: 'ign', records: 1, error_m: 30 })))
    expect(await placeOf('road=A-77&km=12.5&direction=NEGATIVE')).toMatchObject({ direction: 'NEGATIVE', lon: -3.997 })
    expect((await placeOf('road=A-77&km=12')).posts).toHaveLength(1)
    for (const km of [9, 15.5, 19]) expect(await placeOf(`road=A-77&km=${km}`)).toBeUndefined()
  })

  test('gives the kilometre and the carriageway of a position', async () => {
    const { lat, lon } = await placeOf('road=A-77&km=12.3&direction=NEGATIVE')
    expect(await placeOf(`lat=${lat}&lon=${lon}`)).toMatchObject({ road: 'A-77', km: 12.3, direction: 'NEGATIVE', distance_m: 0 })
    expect(await placeOf(`lat=${lat}&lon=${lon + 0.0005}`)).toMatchObject({ km: 12.3, direction: 'POSITIVE' })
  })

  test('is the geometry of the road, by carriageway, with its posts as marks', async () => {
    const { features } = await service.json('/api/carreteras/A-77/geometria?format=geojson')
    const spans = features.map(({ properties: { direction, km_from, km_to } }: Reply) => [direction, km_from, km_to])
    expect(spans.sort()).toEqual([
      ['NEGATIVE', 10, 14],
      ['POSITIVE', 10, 14],
      ['POSITIVE', 17, 18],
    ])
    const { parts } = await service.json('/api/carreteras/A-77/geometria?format=json&km_from=11.5&km_to=13&direction=NEGATIVE')
    expect(parts.map(({ id, error_m }: Reply) => [id, error_m])).toEqual([['A-77/28/NEGATIVE/11.5', 40]])
    expect(parts[0].kilometres.map(({ km }: Reply) => km)).toEqual([12, 13])
    expect(parts[0].geometry.coordinates).toHaveLength(4)
    const { parts: rough } = await service.json('/api/carreteras/A-77/geometria?format=json&direction=NEGATIVE&simplify=1000')
    expect(rough[0].geometry.coordinates).toHaveLength(2)
    expect(rough[0].kilometres).toHaveLength(5)
  })
})

describe('incidents with only a road and kilometres', () => {
  const road = (name: string, bend_m: number, province_code = '28'): Post[] =>
    [0, 4].map((km) => ({
      ...{ road: name, province_code, km, position: { lat: 40 + (km - bend_m / 1000) * KM, lon: -3 }, source: 'dgt', records: 1 },
      error_m: 100,
    }))
  const placed = (more: AnyRow, posts: Posts | null): Reply =>
    withPlace(toIncident(incident('x', 0, 'POSITIVE', { road: 'Z-1', position: null, km_to: 4, ...more }) as IncidentRow), posts)

  test('state why they have no line', () => {
    const start = { position: { lat: 40, lon: -3 } }
    const [straight, bent] = [new Posts(road('Z-1', 0)), new Posts([road('Z-1', 0)[0] as Post, road('Z-1', 1000)[1] as Post])]
    const reasons = [
      placed({ km: 0 }, straight),
      placed({ km: 0, ...start }, null),
      placed({ km: 0, km_to: 9, ...start }, straight),
      placed({ km: 0 }, bent),
      placed({ km: 0, position: { lat: 40.1, lon: -3 } }, straight),
      placed({ km: 0, km_to: 0 }, null),
      toIncident(incident('x', 0, 'POSITIVE', { km_to: 4 }) as IncidentRow),
    ].map(({ geometry, geometry_absent }) => geometry_absent ?? (geometry ? 'drawn' : null))
    expect(reasons).toEqual(['drawn', 'NOT_NOW', 'NOT_LOCATED', 'INACCURATE', 'ELSEWHERE', null, 'AS_PUBLISHED'])
  })

  test('are not located where two roads have the name', () => {
    const two = new Posts([...road('Z-1', 0), ...road('Z-1', 90_000, '45')])
    const unknown = { km: 0, km_to: null, province_code: null }
    expect([placed({ km: 0, km_to: null }, two), placed(unknown, two)].map(({ location_method }) => location_method)).toEqual([
      'ROAD_KM',
      null,
    ])
  })

  const byId = async (path: string): Promise<Map<string, Reply>> => {
    const { incidents: list = [], works = [] } = await service.json(path)
    return new Map([...list, ...works].map((one: Reply) => [one.id, one]))
  }

  test.each(['/api/incidents', '/api/trafico/obras'])(
    '%s gives them a position with its error, and a line between two kilometres',
    async (path) => {
      const all = await byId(path)
      expect(all.get('inc_placeless')).toMatchObject({ lon: -3, location_method: 'ROAD_KM', location_error_m: 100, geometry: null })
      expect(all.get('inc_placeless')?.lat).toBeCloseTo(40 + 5 * KM, 5)
      const stretch = all.get('inc_stretch')
      expect(stretch).toMatchObject({ lon: -4, location_method: 'ROAD_KM', location_error_m: 30 })
      expect(stretch?.geometry.coordinates.map(([lon]: [number]) => lon)).toEqual([-4, -3.9965, -4])
      const none = { location_method: null, location_error_m: null, geometry: null, geometry_absent: null }
      expect(all.get('inc_north')).toMatchObject(none)
      expect(stretch?.geometry_absent).toBeNull()
      expect(all.get('inc_somewhere')).toMatchObject({ lat: null, position_absent: 'NO_KILOMETRE' })
      // Its published position is elsewhere: the line would be of another place.
      expect(all.get('inc_astray')).toMatchObject({ lat: 42, location_method: null, geometry: null, geometry_absent: 'ELSEWHERE' })
    },
  )

  test('are found around their position, and drawn in GeoJSON; one incident has its place, too', async () => {
    const near = (await service.json(`/api/incidents?lat=${40 + 11 * KM}&lon=-4&radius=1`)).incidents
    expect(near.map(({ id }: Reply) => id)).toEqual(['inc_stretch'])
    const { features } = await service.json('/api/incidents?road=A-77&format=geojson')
    expect(features.map(({ geometry }: Reply) => geometry.type).sort()).toEqual(['LineString', 'Point'])
    expect(await service.json('/api/incidents/inc_stretch')).toMatchObject({ location_method: 'ROAD_KM', geometry: { type: 'LineString' } })
  })
})
