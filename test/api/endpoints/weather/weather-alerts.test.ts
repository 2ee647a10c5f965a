import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { touches } from '../../../../api/kernel/reads/geo.ts'
import { aemetWarnings } from '../../../../jobs/feeds/weather/aemet-warnings.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import type { LiveChange, LiveRow } from '../../../../lake/live/types.ts'
import { ringArea } from '../../../../lake/places/rings.ts'
import type { MultiPolygon } from '../../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { entityKey } from '../../../../lake/schema/rows.ts'
import { fixtureBytes } from '../../../helpers/fixture.ts'
import { PROJECT } from '../../../laws/sources.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 11, 30, 18)
/** The arrival of the first package of the service. */
const T0 = NOW - HOUR
/** Public ids by zone: the warning for Lanzarote was one of the summer. */
const IDS: Readonly<Record<string, string>> = { '722802': 'wal_wind', '622202': 'wal_fog', '611804C': 'wal_coast', '659101': 'wal_heat' }

let clock = NOW
let service: TestService
let rows: LiveRow[]
beforeAll(async () => {
  const bytes = fixtureBytes(join(PROJECT, 'test/fixtures/aemet_warnings/package.tar'))
  const { rows: parsed } = await parsePublication(aemetWarnings, [{ name: 'rss', bytes }], T0, { keeps: () => true })
  rows = (parsed.get('weather_alerts') ?? []).map((row) => live(row, T0))
  service = await startService({ clock: () => clock })
  await service.publish(weatherAlerts, rows, { at: T0 })
})
afterAll(() => service?.close())

function live(row: AnyRow, at: number): LiveRow {
  const alert_id = IDS[(row['zone_codes'] as string[])[0] as string]
  return { ...row, alert_id, first_seen_at: at, observed_at: at, updated_at: at, status: 'ACTIVE', is_stale: false }
}

const rowOf = (id: string): LiveRow => rows.find((row) => row['alert_id'] === id) as LiveRow
const list = async (query = ''): Promise<Reply> => await service.json(`/api/weather/alerts?${query}`)
const ids = async (query = ''): Promise<string[]> => (await list(query)).alerts.map((one: Reply) => one.id)

test('roads are not known before there are located points, then those with points in the zones are', async () => {
  const before = await list('province=Madrid')
  expect(before.alerts[0].roads).toBeNull()
  const point = (road: string, km: number, lat: number, lon: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(roadPoints, { month: '2026-12', road, province_code: '28', km, position: { lat, lon }, ...values })
  await service.land(
    roadPoints,
    [
      ...[point('M-30', 4, 40.4, -3.7), point('M-30', 11.5, 40.42, -3.68), point('A-1', 15, 40.55, -3.6)],
      // North of the zone, at sea, and of an older month.
      ...[
        point('A-1', 50, 40.9, -3.6),
        point('N-340', 1, 36.55, -3.4, { province_code: '18' }),
        point('A-2', 5, 40.4, -3.6, { month: '2026-11' }),
      ],
    ],
    NOW,
  )
  let found = before
  while (found.alerts[0].roads === null) found = await list('province=Madrid')
  expect(found.alerts[0].roads).toEqual([
    { road: 'M-30', province_code: '28', km_from: 4, km_to: 11.5, points: 2 },
    { road: 'A-1', province_code: '28', km_from: 15, km_to: 15, points: 1 },
  ])
  expect((await list('phenomenon=FOG')).alerts[0].roads).toEqual([])
  expect((await service.json('/api/weather/alerts/wal_coast')).roads.map((one: Reply) => one.road)).toEqual(['N-340'])
})

test('the list has the unexpired ones, in force or to come, with the contents of their message', async () => {
  const reply = await list()
  expect(reply).toMatchObject({ total: 3, updated_at: new Date(T0).toISOString() })
  expect(reply.alerts.map((one: Reply) => one.id)).toEqual(['wal_coast', 'wal_fog', 'wal_wind'])
  // Its roads are of other sources.
  expect(reply.meta.sources.map((one: Reply) => one.id)).toEqual(['aemet', 'dgt', 'sct', 'miteco'])
  expect(reply.meta.sources[0]).toMatchObject({ commercial_use: 'yes', attribution: expect.stringContaining('© AEMET') })
  expect(reply.alerts[2]).toMatchObject({
    ...{ phenomenon: 'WIND', level: 'ORANGE', event: 'Aviso de vientos de nivel naranja', description: expect.stringMatching(/^Rachas/) },
    ...{ onset_at: '2026-12-30T23:00:00.000Z', onset_utc_offset: '+01:00', expires_at: '2026-12-31T22:59:59.000Z' },
    ...{ parameter: 'GUST', parameter_value: 95, parameter_unit: 'km/h', probability_min_pct: 40, probability_max_pct: 70 },
    ...{ severity: 'SEVERE', urgency: 'FUTURE', certainty: 'LIKELY', response_type: 'MONITOR', message_type: 'UPDATE' },
    ...{ provinces: ['Madrid'], province_codes: ['28'], source: 'aemet', source_id: '722802VIRM3123', status: 'ACTIVE' },
    zones: [{ code: '722802', name: 'Metropolitana y Henares', province_code: '28', is_coastal: false }],
  })
})

test('one expires on the clock, without a new package', async () => {
  clock = Date.UTC(2026, 11, 31, 10)
  expect(await ids()).toEqual(['wal_coast', 'wal_wind'])
  const fog = await service.json('/api/weather/alerts/wal_fog')
  expect(fog).toMatchObject({ status: 'ENDED', ended_at: '2026-12-31T09:59:59.000Z', end_reason: 'EXPIRED' })
  clock = NOW
  expect(await service.json('/api/weather/alerts/wal_fog')).toMatchObject({ status: 'ACTIVE', ended_at: null, end_reason: null })
})

describe('filters', () => {
  test.each([
    ['province=Madrid', ['wal_wind']],
    ['province=Zaragoza', ['wal_fog']],
    ['province=22', ['wal_fog']],
    ['province=Sevilla', []],
    ['level=ORANGE,RED', ['wal_fog', 'wal_wind']],
    ['level=yellow', ['wal_coast']],
    ['phenomenon=WIND', ['wal_wind']],
    ['phenomenon=WIND,COASTAL&level=YELLOW', ['wal_coast']],
    [`updated_since=${new Date(T0).toISOString()}`, ['wal_coast', 'wal_fog', 'wal_wind']],
    [`updated_since=${new Date(T0 + 1000).toISOString()}`, []],
    ['ids=wal_wind', ['wal_wind']],
    ['sort=expires_at', ['wal_fog', 'wal_coast', 'wal_wind']],
    ['at=2026-12-30T22:00:00Z', []],
    ['at=2026-12-31T09:00:00Z', ['wal_coast', 'wal_fog', 'wal_wind']],
    ['at=2026-12-31T12:00:00Z', ['wal_coast', 'wal_wind']],
    ['at=2026-07-14T12:00:00Z', ['wal_heat']],
    // Around the zone, inside it, over one of its sides, and beside it.
    ['bbox=-4,40,-3,41', ['wal_wind']],
    ['bbox=-3.71,40.39,-3.7,40.4', ['wal_wind']],
    ['bbox=-3.6,40.5,-3.3,40.55', ['wal_wind']],
    ['bbox=-3.4,40.2,-3.3,40.6', []],
    ['lat=40.4&lon=-3.7&radius=10', ['wal_wind']],
    ['lat=40.4&lon=-3.49&radius=1000', ['wal_wind']],
    ['lat=40.4&lon=-3.48&radius=1000', []],
    ['lat=42.05&lon=-0.5&radius=5000', ['wal_fog']],
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test.each([
    ['level=GREEN', 'level'],
    ['phenomenon=VI', 'phenomenon'],
    ['road=A-1', 'road'],
    ['at=tomorrow', 'at'],
  ])('%s is refused', async (query, parameter) => {
    const response = await service.get(`/api/weather/alerts?${query}`)
    expect([response.status, ((await response.json()) as Reply).errors[0].parameter]).toEqual([400, parameter])
  })
})

describe('an area touches polygons', () => {
  const ring = (west: number, south: number, side: number) =>
    [
      [west, south],
      [west + side, south],
      [west + side, south + side],
      [west, south + side],
      [west, south],
    ] as const
  /** A square with a hole, and another one beside it. */
  const shape: MultiPolygon = [[ring(0, 40, 3), ring(1, 41, 1).toReversed()], [ring(5, 40, 1)]]
  const box = (west: number, south: number, east: number, north: number) => ({ kind: 'box', west, south, east, north }) as const

  test.each([
    ['around all', box(-1, 39, 7, 44), true],
    ['inside', box(0.2, 40.2, 0.4, 40.4), true],
    ['in the hole', box(1.2, 41.2, 1.8, 41.8), false],
    ['across the hole', box(0.9, 41.2, 1.8, 41.8), true],
    ['between both', box(3.1, 40, 4.9, 44), false],
    ['over both sides of one, without a corner in it', box(4, 40.4, 7, 40.6), true],
    ['at a corner', box(-1, 39, 0, 40), true],
    ['over a corner alone', box(2.9, 42.9, 3.5, 43.5), true],
    ['beside the diagonal of its box', box(3.001, 43.001, 4, 44), false],
  ])('a box %s', (_name, area, expected) => {
    expect(touches(area, shape)).toBe(expected)
  })

  test.each([
    ['in it', 40.5, 0.5, 1, true],
    ['in the hole, far from its edge', 41.5, 1.5, 30_000, false],
    ['in the hole, up to its edge', 41.5, 1.5, 45_000, true],
    ['beside it, too small', 40.5, -0.1, 8000, false],
    ['beside it, large enough', 40.5, -0.1, 9000, true],
  ])('a circle %s', (_name, lat, lon, radius_m, expected) => {
    expect(touches({ kind: 'circle', lat, lon, radius_m }, shape)).toBe(expected)
  })
})

test('GeoJSON has the zones as polygons, counter-clockwise', async () => {
  const { features, bbox } = await list('format=geojson')
  expect(features.map((one: Reply) => [one.id, one.geometry.type, one.geometry.coordinates.length])).toEqual([
    ['wal_coast', 'MultiPolygon', 1],
    ['wal_fog', 'MultiPolygon', 2],
    ['wal_wind', 'MultiPolygon', 1],
  ])
  for (const { geometry } of features) for (const [ring] of geometry.coordinates) expect(ringArea(ring)).toBeGreaterThan(0)
  expect(bbox).toEqual([-3.9, 36.5, -0.2, 42.1])
})

test('texts are in both languages; the requested one is in front, Spanish where there is no other', async () => {
  const [coast, , wind] = (await list('lang=en')).alerts
  expect(wind).toMatchObject({
    ...{ event: 'Severe wind warning', headline: 'Severe wind warning. Metropolitana y Henares', instruction: 'Be prepared.' },
    texts: { es: { event: 'Aviso de vientos de nivel naranja' }, en: { event: 'Severe wind warning' } },
  })
  expect(coast).toMatchObject({ event: 'Aviso de costeros de nivel amarillo', texts: { en: { event: null, description: null } } })
  const response = await service.get('/api/weather/alerts/wal_wind?lang=en')
  expect([response.headers.get('content-language'), ((await response.json()) as Reply).event]).toEqual(['en', 'Severe wind warning'])
})

test('everybody may read warnings; the FREE plan says that they are in it', async () => {
  expect((await service.open('/api/weather/alerts')).status).toBe(200)
  const { plans } = await service.json('/api/plans')
  const free = plans.find((one: Reply) => one.id === 'FREE')
  expect(free.features.map((one: Reply) => one.code)).toContain('WEATHER_ALERTS')
})

describe('the feed of changes', () => {
  const later = NOW + 2 * HOUR
  const changes = (): LiveChange[] => {
    const [wind, fog, coast] = ['wal_wind', 'wal_fog', 'wal_coast'].map(rowOf) as [LiveRow, LiveRow, LiveRow]
    const red = {
      ...wind,
      level: 'RED',
      event: 'Aviso de vientos de nivel rojo',
      parameter_value: 130,
      updated_at: later,
      observed_at: later,
    }
    const over = { status: 'ENDED', is_stale: true, updated_at: later, observed_at: later, last_seen_at: T0 } as const
    const changed = ['level', 'event', 'parameter_value']
    const key = (row: AnyRow): string => entityKey(weatherAlerts, row)
    return [
      { kind: 'CREATED', key: key(coast), row: coast, changed: [] },
      { kind: 'UPDATED', key: key(wind), row: red, changed },
      { kind: 'ENDED', key: key(fog), row: { ...fog, ...over }, changed: [] },
    ]
  }

  test('has the issued, changed and withdrawn ones, with the filters of the list', async () => {
    const [, red] = changes() as [LiveChange, LiveChange]
    await service.publish(weatherAlerts, [red.row, rowOf('wal_coast'), rowOf('wal_heat')], { at: later, changes: changes() })
    const reply = await service.json('/api/weather/alerts/changes')
    expect(reply).toMatchObject({ reset: false, more: false, next_cursor: expect.any(String) })
    expect(reply.changes.map((one: Reply) => [one.id, one.kind, one.changed])).toEqual([
      ['wal_coast', 'CREATED', []],
      ['wal_wind', 'UPDATED', ['level', 'event', 'texts', 'parameter_value', 'observed_at', 'updated_at']],
      ['wal_fog', 'ENDED', ['status', 'is_stale', 'last_seen_at', 'ended_at', 'end_reason', 'observed_at', 'updated_at']].map((one) =>
        Array.isArray(one) ? expect.arrayContaining(one) : one,
      ),
    ])
    const [, wind, fog] = reply.changes
    expect(wind.alert).toMatchObject({ level: 'RED', parameter_value: 130, status: 'ACTIVE', ended_at: null })
    expect(fog.alert).toMatchObject({
      ...{ status: 'ENDED', ended_at: new Date(later).toISOString(), end_reason: 'WITHDRAWN', last_seen_at: new Date(T0).toISOString() },
      geometry: { type: 'MultiPolygon' },
    })
    const found = async (query: string): Promise<string[]> =>
      (await service.json(`/api/weather/alerts/changes?${query}`)).changes.map((one: Reply) => one.id)
    expect(await found('province=Madrid')).toEqual(['wal_wind'])
    expect(await found('level=RED')).toEqual(['wal_wind', 'wal_fog'])
    expect(await found('phenomenon=COASTAL')).toEqual(['wal_coast'])
    expect((await service.json('/api/weather/alerts/changes?lang=en')).changes[0].alert.event).toBe('Aviso de costeros de nivel amarillo')
  })

  test('has a warning that is over for its own path, and the lake those before', async () => {
    expect(await service.json('/api/weather/alerts/wal_fog')).toMatchObject({ status: 'ENDED', end_reason: 'WITHDRAWN', roads: null })
    const old = (values: AnyRow): AnyRow => exampleTableRow(weatherAlerts, { first_seen_at: T0, ...values })
    const expires_at = NOW + HOUR
    const states = (id: string, ended: number | null): AnyRow[] => {
      const life = { source_id: id, alert_id: `wal_${id}`, expires_at }
      const end = { ...life, observed_at: ended, updated_at: ended, status: 'ENDED', last_seen_at: NOW }
      return [old({ ...life, observed_at: T0, updated_at: T0 }), ...(ended === null ? [] : [old(end)])]
    }
    await service.land(
      weatherAlerts,
      [...states('expired', NOW + 3 * HOUR), ...states('withdrawn', NOW + 1000), ...states('open', null)],
      later,
    )
    const one = async (id: string): Promise<Reply> => {
      let response = await service.get(`/api/weather/alerts/${id}`)
      while (response.status === 404) response = await service.get(`/api/weather/alerts/${id}`)
      return response.json()
    }
    expect(await one('wal_expired')).toMatchObject({ status: 'ENDED', end_reason: 'EXPIRED', ended_at: new Date(expires_at).toISOString() })
    expect(await one('wal_withdrawn')).toMatchObject({
      status: 'ENDED',
      end_reason: 'WITHDRAWN',
      ended_at: new Date(NOW + 1000).toISOString(),
    })
    expect(await one('wal_open')).toMatchObject({ status: 'ENDED', end_reason: null, ended_at: null, last_seen_at: null })
    expect((await service.get('/api/weather/alerts/wal_none')).status).toBe(404)
  })
})
