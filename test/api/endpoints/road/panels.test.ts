import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWithinHours } from '../../../../api/endpoints/road/zones.ts'
import { cameras, speedCameras } from '../../../../lake/datasets/road/cameras.ts'
import { chargingSites } from '../../../../lake/datasets/road/charging-sites.ts'
import { lowEmissionZones } from '../../../../lake/datasets/road/low-emission-zones.ts'
import { municipalityRegister } from '../../../../lake/datasets/road/municipality-register.ts'
import { vmsDevices, vmsMessages } from '../../../../lake/datasets/road/vms.ts'
import type { LiveChange, LiveRow } from '../../../../lake/live/types.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { entityKey } from '../../../../lake/schema/rows.ts'
import { NOT_YET, SPECIFIED } from '../../main/specified-paths.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const MINUTE = 60_000
const T0 = Date.UTC(2026, 9, 1, 6)
const at = (minutes: number): number => T0 + minutes * MINUTE
const iso = (minutes: number): string => new Date(at(minutes)).toISOString()

const device = (panel_id: string, values: AnyRow = {}): AnyRow => exampleRow(vmsDevices, { panel_id, observed_at: T0, ...values })
const message = (panel_id: string, values: AnyRow = {}): AnyRow => exampleRow(vmsMessages, { panel_id, observed_at: T0, ...values })
const EMPTY = { display: 'EMPTY', text: null, pages: [], speed_limit_kmh: null, shown_since: null }
const BLANK = {
  ...EMPTY,
  display: 'BLANK',
  pages: [{ set_at: null, lines: [], is_flashing: false, speed_limit_kmh: null, pictograms: [] }],
}

const devices = [
  device('1'),
  device('2', { road: 'A-1', km: 17, municipality_code: '28134' }),
  device('3', { road: 'A-2', km: 20 }),
  device('4', { road: 'A-54', km: 1, province_code: '27', municipality_code: '27028', position: { lat: 42.96, lon: -7.5 } }),
  device('5', { road: 'A-3', km: 9 }),
]
const seenAt = { observed_at: T0 }
const camera = (camera_id: string, values: AnyRow = {}): AnyRow => exampleRow(cameras, { camera_id, ...seenAt, ...values })
const STREET = { road: null, km: null, direction: 'UNKNOWN', destination: null }
const filmed = [
  camera('1'),
  camera('nc87', {
    ...{ source: 'sct', road: 'C-58', km: 0.5, province_code: '08', municipality_code: '08019', position: { lat: 41.46, lon: 2.18 } },
  }),
  camera('00001', {
    ...{ ...STREET, source: 'madrid', name: 'PLAZA DE PRUEBA', province_code: '28', municipality_code: '28079', image_url: null },
  }),
]
const speedCamera = (speed_camera_id: string, values: AnyRow = {}): AnyRow =>
  exampleRow(speedCameras, { speed_camera_id, ...seenAt, ...values })
const POINT = { type: 'FIXED', km_to: null, to: null, source: 'sct' }
const controlled = [
  speedCamera('1'),
  speedCamera('A-2_441.5', {
    ...{ ...POINT, road: 'A-2', km: 441.5, province_code: '25', municipality_code: '25120', speed_limit_kmh: 120 },
  }),
  speedCamera('trailer_N-II_686.5', {
    ...{ ...POINT, type: 'MOBILE_SITE', road: 'N-II', km: 686.5, position: null, province_code: null },
  }),
]
const messages = [message('1'), message('2', EMPTY), message('3', BLANK), message('5', { is_stale: true }), message('9')]

/** A square around a point of Madrid, as a zone. */
const zone = (zone_id: string, half: number, values: AnyRow = {}): AnyRow => {
  const [west, south, east, north] = [-3.7 - half, 40.4 - half, -3.7 + half, 40.4 + half]
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return exampleRow(lowEmissionZones, { zone_id, area: [[ring]], area_km2: half, observed_at: T0, ...values })
}
const zones = [
  zone('city', 0.1),
  zone('old-town', 0.01),
  zone('far', 0.01, {
    area: [
      [
        [
          [2, 41],
          [2.1, 41],
          [2, 41.1],
          [2, 41],
        ],
      ],
    ],
  }),
]

/** A site with one point that has a plug of each of these types and powers. */
const site = (site_id: string, plugs: readonly (readonly [string, number | null])[], values: AnyRow = {}): AnyRow => {
  const connectors = plugs.map(([type, power_kw]) => ({ type, mode: null, has_cable: true, power_kw, voltage_v: null, current_a: null }))
  return exampleRow(chargingSites, { site_id, points: [{ id: null, connectors }], observed_at: T0, ...values })
}
const sites = [
  site(
    'fast',
    [
      ['CCS2', 150],
      ['TYPE_2', 22],
    ],
    { road: 'A-2', km: 586.5 },
  ),
  site('slow', [['TYPE_2', 22]], { position: { lat: 40.4168, lon: -3.7038 }, road: null, km: null }),
  site('unknown', [['CCS2', null]], { road: null, km: null }),
]

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.publish(vmsDevices, devices, { at: T0 })
  await service.publish(vmsMessages, messages, { at: at(2) })
  await service.publish(chargingSites, sites, { at: T0 })
  await service.publish(lowEmissionZones, [...zones, zone('no-outline', 0.01, { area: null, area_km2: null })], { at: T0 })
  await service.publish(cameras, filmed, { at: T0 })
  await service.publish(speedCameras, controlled, { at: T0 })
})
afterAll(() => service?.close())

const ids = async (query: string): Promise<string[]> => (await service.json(`/api/panels?${query}`)).panels.map((one: Reply) => one.id)

test('a panel has its display, its place, and the start time', async () => {
  const reply = await service.json('/api/panels?ids=1')
  expect(reply).toMatchObject({ total: 1, updated_at: iso(2) })
  expect(reply.panels[0]).toMatchObject({
    ...{ id: '1', road: 'M-607', km: 18.532, direction: 'NEGATIVE', destination: 'MADRID', province: 'Madrid', municipality: 'Madrid' },
    ...{ lat: 40.56056, lon: -3.713396, is_in_catalogue: true, has_message: true },
    ...{ display: 'MESSAGE', text: 'VELOCIDAD CONTROLADA POR RADAR', speed_limit_kmh: 100, shown_since: '2026-09-02T22:48:10.000Z' },
    ...{ source: 'dgt', source_id: '1', status: 'ACTIVE', is_stale: false },
  })
  expect(reply.panels[0].pages).toEqual(vmsMessages.columns.pages.example)
})

test('no message, a blank one, and an unknown state are distinguished', async () => {
  const { panels } = await service.json('/api/panels')
  const shown = panels.map(({ id, display, has_message, text, pages }: Reply) => [id, display, has_message, text, pages?.length ?? null])
  const text = 'VELOCIDAD CONTROLADA POR RADAR'
  expect(shown).toEqual([
    ['1', 'MESSAGE', true, text, 1],
    ['2', 'EMPTY', false, null, 0],
    ['3', 'BLANK', false, null, 1],
    // Never published, no longer published, and not in the catalogue.
    ['4', 'UNKNOWN', false, null, null],
    ['5', 'UNKNOWN', false, null, null],
    ['9', 'MESSAGE', true, text, 1],
  ])
  expect(panels.at(-1)).toMatchObject({ is_in_catalogue: false, road: null, lat: null, province: null, direction: 'UNKNOWN' })
})

test.each([
  ['has_message=true', ['1', '9']],
  ['has_message=false&road=A1', ['2']],
  ['province=Madrid', ['1', '2', '3', '5']],
  ['province=Madrid&municipality=San Sebastián de los Reyes', ['2']],
  ['road=M-607&km_from=18&km_to=19', ['1']],
  ['road=M-607&km_to=18', []],
  ['bbox=-8,42,-7,43', ['4']],
  ['lat=40.56&lon=-3.71&radius=1000', ['1', '2', '3', '5']],
])('%s selects panels %j', async (query, wanted) => {
  expect(await ids(query)).toEqual(wanted)
})

test('one panel, by its id', async () => {
  expect(await service.json('/api/panels/2')).toMatchObject({ id: '2', display: 'EMPTY', pages: [], road: 'A-1' })
  expect(await service.json('/api/panels/9')).toMatchObject({ id: '9', is_in_catalogue: false })
  expect((await service.get('/api/panels/404')).status).toBe(404)
})

test('cameras have ids of their own, a place and a link', async () => {
  const reply = await service.json('/api/camaras')
  expect(reply.cameras.map(({ id }: Reply) => id)).toEqual(['dgt-1', 'madrid-00001', 'sct-nc87'])
  const one = await service.json('/api/camaras/dgt-1')
  expect(one).toMatchObject({
    id: 'dgt-1',
    source_id: '1',
    road: 'A-62',
    km: 25.3,
    direction: 'NEGATIVE',
    province: 'Burgos',
    lat: 42.2624,
  })
  expect(one.image_url).toBe(cameras.columns.image_url.example)
  expect(await service.json('/api/camaras/madrid-00001')).toMatchObject({ name: 'PLAZA DE PRUEBA', road: null, image_url: null })
  expect((await service.get('/api/camaras/1')).status).toBe(404)
  const { meta } = await service.json('/api/camaras?province=Bizkaia')
  expect(meta.coverage.note).toContain('the Basque Country')
})

test('sections have both ends, and no line while their road is not located', async () => {
  const { speed_cameras } = await service.json('/api/radares?type=SECTION')
  expect(speed_cameras).toMatchObject([
    { id: 'dgt-1', km: 26.6, km_to: 29.7, lat: 41.6088, to_lat: 41.6192, geometry: null, speed_limit_kmh: null, province: 'Zaragoza' },
  ])
  const { features } = await service.json('/api/radares?format=geojson')
  expect(features.map(({ geometry }: Reply) => geometry?.type ?? null)).toEqual(['Point', 'Point', null])
})

test.each([
  ['/api/camaras?road=C58&km_to=1', ['sct-nc87']],
  ['/api/camaras?province=Madrid', ['madrid-00001']],
  ['/api/camaras?source=sct', ['sct-nc87']],
  ['/api/camaras?lat=41.46&lon=2.18&radius=500', ['sct-nc87']],
  ['/api/radares?type=MOBILE_SITE,FIXED', ['sct-A-2_441.5', 'sct-trailer_N-II_686.5']],
  ['/api/radares?road=N-2', ['sct-trailer_N-II_686.5']],
  // A section is on every kilometre between its ends.
  ['/api/radares?road=Z-40&km_from=27&km_to=28', ['dgt-1']],
  ['/api/radares?municipality=Lleida', ['sct-A-2_441.5']],
  ['/api/radares?bbox=-1,41,0,42&source=dgt', ['dgt-1']],
])('%s finds %j', async (query, wanted) => {
  const reply = await service.json(query)
  expect((reply.cameras ?? reply.speed_cameras).map(({ id }: Reply) => id)).toEqual(wanted)
})

test('a road now has its cameras and speed cameras', async () => {
  const on = async (road: string): Promise<Reply[]> => (await service.json(`/api/carreteras/${road}/estado`)).items
  expect(await on('Z-40')).toMatchObject([
    { kind: 'SPEED_CAMERA', id: 'dgt-1', title: 'Radar Z-40 km 26.6', km: 26.6, km_to: 29.7, url: '/api/radares?ids=dgt-1' },
  ])
  const [camera] = await on('C-58')
  expect(camera).toMatchObject({ kind: 'CAMERA', id: 'sct-nc87', url: '/api/camaras/sct-nc87', speed_camera: null })
  expect(camera.camera.image_url).toMatch(/^https:/)
})

test('the feed of changes has the panel as it is after each change', async () => {
  const change = (kind: LiveChange['kind'], row: AnyRow, changed: readonly string[] = []): LiveChange => ({
    ...{ kind, key: entityKey(vmsMessages, row), row: row as LiveRow, changed },
  })
  const begun = await service.json('/api/panels/changes')
  const limited = message('2', { speed_limit_kmh: 80, text: null })
  const gone = message('3', { ...BLANK, status: 'MISSING', is_stale: true })
  await service.publish(vmsMessages, [message('1'), limited, gone, message('9')], {
    at: at(8),
    changes: [change('UPDATED', limited, ['display', 'pages', 'speed_limit_kmh', 'shown_since']), change('UPDATED', gone, ['status'])],
  })
  const { changes } = await service.json(`/api/panels/changes?cursor=${begun.next_cursor}`)
  expect(changes).toMatchObject([
    { id: '2', kind: 'UPDATED', at: iso(8), panel: { road: 'A-1', display: 'MESSAGE', speed_limit_kmh: 80, has_message: true } },
    { id: '3', kind: 'UPDATED', at: iso(8), panel: { road: 'A-2', display: 'UNKNOWN', pages: null, status: 'MISSING', is_stale: true } },
  ])
  expect(changes[0].changed).toEqual(['has_message', 'display', 'speed_limit_kmh', 'pages', 'shown_since', 'observed_at', 'updated_at'])
  expect(changes[1].changed).toContain('display')
  expect((await service.json(`/api/panels/changes?has_message=true&since=${iso(8)}`)).changes).toHaveLength(1)
  expect((await service.json(`/api/panels/changes?road=A-2&since=${iso(8)}`)).changes).toHaveLength(1)
})

test('each path of the specification answers with data, and what is beyond them is tagged as extra', async () => {
  const { paths } = await service.json('/openapi.json')
  const tags = new Map<string, string[]>(
    Object.entries(paths).flatMap(([path, { get }]: [string, Reply]) => (get ? [[path, get.tags]] : [])),
  )
  const withData = [...tags].filter(([, of]) => of.includes('data'))
  expect(SPECIFIED).toHaveLength(121)
  expect(SPECIFIED.filter((path) => !tags.get(path)?.includes('data'))).toEqual(NOT_YET)
  expect(SPECIFIED.filter((path) => tags.get(path)?.includes('extra'))).toEqual([])
  const beyond = withData.filter(([path]) => !SPECIFIED.includes(path))
  expect(beyond.length).toBeGreaterThan(0)
  expect(beyond.filter(([, of]) => !of.includes('extra'))).toEqual([])
})

describe('history', () => {
  const row = (observed: number, values: AnyRow): AnyRow =>
    exampleTableRow(vmsMessages, { panel_id: '1', observed_at: observed, updated_at: observed, ...values })
  const JULY = Date.UTC(2026, 6, 31, 12)
  const shown = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/panels/1/history?${query}`)).messages.map((one: Reply) => [
      one.shown_from,
      one.shown_to,
      one.display,
      one.text,
    ])

  beforeAll(async () => {
    const august = Date.UTC(2026, 7, 1)
    const missing = { ...EMPTY, display: 'MESSAGE', text: 'B', status: 'MISSING', last_seen_at: august + 40 * MINUTE }
    await service.land(
      vmsMessages,
      [
        row(JULY - 60 * MINUTE, EMPTY),
        row(JULY, { text: 'A' }),
        // The first publication of a month repeats the present display.
        row(august + 2 * MINUTE, { text: 'A', is_baseline: true, updated_at: JULY }),
        row(august + 30 * MINUTE, { text: 'B' }),
        row(august + 46 * MINUTE, missing),
        row(august + 90 * MINUTE, BLANK),
        row(august + 30 * MINUTE, { panel_id: '2', text: 'of another panel' }),
      ],
      august + 120 * MINUTE,
    )
  })

  const A = ['2026-07-31T12:00:00.000Z', '2026-08-01T00:30:00.000Z', 'MESSAGE', 'A']
  const B = ['2026-08-01T00:30:00.000Z', '2026-08-01T00:40:00.000Z', 'MESSAGE', 'B']
  const GAP = ['2026-08-01T00:40:00.000Z', '2026-08-01T01:30:00.000Z', 'UNKNOWN', null]
  const LAST = ['2026-08-01T01:30:00.000Z', null, 'BLANK', null]

  test.each([
    ['everything, with the time in which it was missing', '', [['2026-07-31T11:00:00.000Z', A[0], 'EMPTY', null], A, B, GAP, LAST]],
    ['from the middle of a month, where its first publication gives the display', 'from=2026-08-01T00:10:00Z', [A, B, GAP, LAST]],
    ['a period within one message', 'from=2026-07-31T20:00:00Z&to=2026-07-31T21:00:00Z', [A]],
    ['half-open at both ends', 'from=2026-08-01T00:30:00Z&to=2026-08-01T00:40:00Z', [B]],
    ['what goes on', 'from=2026-08-01T01:45:00Z', [LAST]],
    ['the newest first', 'from=2026-08-01T00:35:00Z&sort=-shown_from', [LAST, GAP, B]],
  ])('%s', async (_, query, wanted) => {
    expect(await shown(query)).toEqual(wanted)
  })

  test('is empty for a panel without a message, and missing for an unknown one', async () => {
    expect((await service.json('/api/panels/4/history')).messages).toEqual([])
    expect((await service.get('/api/panels/404/history')).status).toBe(404)
  })
})

test('around a point, the zones that contain it come first, the smallest before the others', async () => {
  const found = async (query: string): Promise<unknown> =>
    (await service.json(`/api/zbe?${query}`)).zones.map(({ id, distance_m }: Reply) => (distance_m === undefined ? id : [id, distance_m]))
  const around = [
    ['old-town', 0],
    ['city', 0],
  ]
  expect(await found('lat=40.4&lon=-3.7')).toEqual(around)
  const { features } = await service.json('/api/zbe?lat=40.4&lon=-3.7&format=geojson')
  expect(features.map(({ id }: Reply) => id)).toEqual(['old-town', 'city'])
  expect(await found('bbox=1.9,40.9,2.2,41.2')).toEqual(['far'])
  expect(await found('')).toEqual(['city', 'far', 'no-outline', 'old-town'])
})

test('a zone has the raw conditions, and for a label and a time only what is published', async () => {
  const one = await service.json('/api/zbe/city')
  expect(one).toMatchObject({
    label_conditions: [{ is_negated: true, labels: ['NONE'] }],
    conditions_with_label: null,
    is_within_hours: null,
  })
  const asked = await service.json('/api/zbe/city?label=C&at=2026-11-27T09:00:00Z')
  expect(asked).toMatchObject({ conditions_with_label: [], is_within_hours: true })
  expect(await service.json('/api/zbe/city?label=NONE&at=2026-11-27T19:30:00Z')).toMatchObject({
    ...{ conditions_with_label: one.label_conditions, is_within_hours: false },
  })
})

test.each([
  ['07:00:00', '20:00:00', [], '2026-11-27T06:00:00Z', true],
  ['07:00:00', '20:00:00', [], '2026-11-27T05:59:59Z', false],
  ['07:00:00', '20:00:00', ['SATURDAY'], '2026-11-27T09:00:00Z', false],
  ['00:00:00', '00:00:00', ['FRIDAY'], '2026-11-27T22:00:00Z', true],
  ['22:00:00', '06:00:00', ['FRIDAY'], '2026-11-28T03:00:00Z', true],
  ['22:00:00', '06:00:00', ['FRIDAY'], '2026-11-27T03:00:00Z', false],
])('hours %s to %s on %j: %s is %s', (from, until, days, time, wanted) => {
  const zone = { hours: [{ from, until, days }], valid_from: '2025-01-01', valid_until: null, province_code: '28' }
  expect(isWithinHours(zone, Date.parse(time))).toBe(wanted)
  expect(isWithinHours({ ...zone, valid_until: '2026-01-01' }, Date.parse(time))).toBe(false)
  expect(isWithinHours({ ...zone, hours: [] }, Date.parse(time))).toBeNull()
})

test.each([
  ['connector=CCS2', ['fast', 'unknown']],
  ['connector=TYPE_2&min_power_kw=50', []],
  ['min_power_kw=50', ['fast']],
  ['connector=TYPE_2,CCS2&min_power_kw=22', ['fast', 'slow']],
  ['road=A2&km_from=580', ['fast']],
  ['lat=40.4168&lon=-3.7038&radius=500', ['slow']],
])('%s selects charging sites %j: power and type are those of one plug', async (query, wanted) => {
  expect((await service.json(`/api/electrolineras?${query}`)).sites.map(({ id }: Reply) => id)).toEqual(wanted)
})

test('a charging site has its points and plugs', async () => {
  const one = await service.json('/api/electrolineras/fast')
  expect(one).toMatchObject({
    id: 'fast',
    simultaneous_cars: 1,
    points: [{ connectors: [{ type: 'CCS2', power_kw: 150 }, { type: 'TYPE_2' }] }],
  })
  expect((await service.get('/api/electrolineras/none')).status).toBe(404)
})

test('a province and a municipality have names, a boundary, what is there now, and the nearest charging site', async () => {
  const people = (edition: string, municipality_code: string, population: number | null): AnyRow =>
    exampleTableRow(municipalityRegister, { edition, municipality_code, province_code: municipality_code.slice(0, 2), population })
  await service.land(municipalityRegister, [people('2024', '28079', 1), people('2024', '28065', 2)], Date.UTC(2025, 0, 1))
  await service.land(municipalityRegister, [people('2025', '28079', 300), people('2025', '28065', 40), people('2025', '28001', null)], T0)
  const { provinces, meta } = await service.json('/api/geo/provincias?q=vizcaya&zoom=6')
  expect(meta.sources).toMatchObject([{ id: 'ign_boundaries', attribution: expect.stringContaining('BDLJE CC-BY 4.0 ign.es') }])
  expect(provinces).toMatchObject([
    { id: '48', name: 'Bizkaia', community_names: ['País Vasco', 'Euskadi'], geometry: { type: 'MultiPolygon' } },
  ])
  const madrid = await service.json('/api/geo/provincias/28')
  expect(madrid.community_names).toEqual(['Comunidad de Madrid'])
  expect(madrid).toMatchObject({ population: 340, population_year: 2025, counts: { panels: 4, low_emission_zones: zones.length + 1 } })
  expect(await service.json('/api/geo/municipios/28001')).toMatchObject({ population: null, population_year: null })
  expect((await service.json('/api/geo/municipios?q=getafe')).municipalities).toMatchObject([{ id: '28065', province: 'Madrid' }])
  const town = await service.json('/api/geo/municipios/28079')
  expect(town).toMatchObject({
    is_capital: true,
    population: 300,
    nearest: [{ kind: 'charging-site', id: 'slow', url: '/api/electrolineras/slow' }],
  })
  expect((await service.get('/api/geo/municipios/99999')).status).toBe(404)
})
