import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { incident as incidentShape } from '../../../../api/endpoints/road/incident.ts'
import { closedFilter } from '../../../../api/endpoints/road/incident-filters.ts'
import { predicateOf } from '../../../../api/kernel/reads/filter.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import type { LiveChange, LiveRow } from '../../../../lake/live/types.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { entityKey } from '../../../../lake/schema/rows.ts'
import { pointsOfDuckdb, rowsOfArrow, rowsOfDuckdb } from '../../engine/table-readers.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** The eleven fields of the specification, in its order. */
const SPECIFIED = ['id', 'type', 'road', 'km', 'province', 'severity', 'description', 'delay_minutes', 'lat', 'lon', 'created_at']
const T0 = Date.UTC(2026, 0, 2, 12)
const MINUTE = 60_000

function incident(n: number, values: AnyRow = {}): AnyRow {
  return exampleRow(incidents, { source_id: `s${n}`, incident_id: `inc_${n}`, updated_at: T0 + n * MINUTE, ...values })
}

/** Records of an incident, each of a kind. */
function measures(...kinds: readonly string[]): Reply[] {
  const [example] = incidents.columns.measures.example as Reply[]
  return kinds.map((kind, at) => ({ ...example, record_id: String(at), kind }))
}

const rows = [
  incident(1, {
    type: 'ACCIDENT',
    severity: 'HIGH',
    road: 'A-1',
    km: 10,
    km_to: 20,
    province_code: '28',
    position: { lat: 40.5, lon: -3.6 },
  }),
  incident(2, {
    type: 'ROADWORKS',
    severity: 'LOW',
    road: 'A1',
    km: 30,
    km_to: null,
    province_code: '15',
    position: { lat: 43.3, lon: -8.4 },
  }),
  incident(3, {
    type: 'CLOSURE',
    severity: 'CRITICAL',
    road: 'M-30',
    km: 12.5,
    km_to: 11,
    province_code: '28',
    position: { lat: 40.4, lon: -3.7 },
    measures: measures('ROAD_CLOSED', 'DIVERSION'),
  }),
  incident(4, {
    type: 'OTHER',
    severity: 'UNKNOWN',
    road: null,
    km: null,
    km_to: null,
    province_code: null,
    position: null,
    delay_minutes: 12,
    measures: [],
  }),
]

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.publish(incidents, rows, { at: T0 + 10 * MINUTE })
})
afterAll(() => service?.close())

const ids = async (query: string): Promise<string[]> =>
  (await service.json(`/api/incidents?${query}`)).incidents.map((one: Reply) => one.id)

test("is exactly the specification's object, additions after it", async () => {
  const reply = await service.json('/api/incidents')
  expect(Object.keys(reply)).toEqual(['total', 'updated_at', 'incidents', 'meta'])
  expect(reply).toMatchObject({ total: 4, updated_at: '2026-01-02T12:10:00.000Z' })
  for (const one of reply.incidents) expect(Object.keys(one).slice(0, 11)).toEqual(SPECIFIED)
  const [first, , , last] = reply.incidents
  expect(first).toMatchObject({
    id: 'inc_1',
    type: 'ACCIDENT',
    road: 'A-1',
    km: 10,
    province: 'Madrid',
    severity: 'HIGH',
    lat: 40.5,
    lon: -3.6,
  })
  expect(first.created_at).toBe('2021-12-10T13:15:55.000Z')
  expect(last).toMatchObject({ road: null, km: null, province: null, delay_minutes: 12, lat: null, lon: null })
})

test('the records of an incident are the published ones in JSON, and native lists of rows in Parquet and Arrow', async () => {
  const example = incidents.columns.measures.example as Reply[]
  const json = await service.json('/api/incidents?ids=inc_1')
  expect(json.incidents[0].measures).toEqual(example)
  const bytes = async (format: string): Promise<Buffer> =>
    Buffer.from(await (await service.get(`/api/incidents?ids=inc_1&format=${format}`)).arrayBuffer())
  const [{ from, to, ...flat }] = example as [Reply]
  const row = { ...flat, from_lat: from.lat, from_lon: from.lon, to_lat: to.lat, to_lon: to.lon }
  const [arrow] = rowsOfArrow(incidentShape.fields, await bytes('arrow')).rows
  const [parquet] = (await rowsOfDuckdb(incidentShape.fields, await bytes('parquet'))).rows
  expect(arrow?.['measures']).toEqual([row])
  expect(parquet?.['measures']).toEqual([row])
  // Without a line its position is its place, as in GeoJSON.
  expect([json.incidents[0].geometry, await pointsOfDuckdb(await bytes('parquet'))]).toEqual([null, [[-3.6, 40.5]]])
})

describe('filters', () => {
  test.each([
    ['province=Madrid', ['inc_1', 'inc_3']],
    ['province=28', ['inc_1', 'inc_3']],
    ['province=a%20coru%C3%B1a', ['inc_2']],
    ['province=LA+CORUNA', ['inc_2']],
    ['province=Sevilla', []],
    ['severity=HIGH', ['inc_1']],
    ['severity=high', ['inc_1']],
    ['severity=HIGH,LOW', ['inc_1', 'inc_2']],
    ['severity=HIGH&severity=LOW', ['inc_1', 'inc_2']],
    ['severity_min=MEDIUM', ['inc_1', 'inc_3']],
    ['severity_min=LOW', ['inc_1', 'inc_2', 'inc_3']],
    ['province=Madrid&severity=CRITICAL', ['inc_3']],
    ['type=ROADWORKS,OTHER', ['inc_2', 'inc_4']],
    ['measure=ROAD_CLOSED,CARRIAGEWAY_CLOSED', ['inc_3']],
    ['measure=diversion', ['inc_3']],
    ['measure=LANES_CLOSED&measure=ROAD_CLOSED', ['inc_1', 'inc_2', 'inc_3']],
    ['measure=ROAD_CLOSED&province=15', []],
    ['closed=true', ['inc_3']],
    ['closed=true&road=A-1', []],
    ['closed=false', ['inc_1', 'inc_2', 'inc_4']],
    ['road=A-1', ['inc_1', 'inc_2']],
    ['road=a1', ['inc_1', 'inc_2']],
    ['road=m+30', ['inc_3']],
    ['road=A-1&km_from=15&km_to=25', ['inc_1']],
    ['road=A-1&km_from=20.001', ['inc_2']],
    ['road=M30&km_to=11.5', ['inc_3']],
    ['bbox=-4,40,-3,41', ['inc_1', 'inc_3']],
    ['lat=40.4&lon=-3.7&radius=1000', ['inc_3']],
    ['lat=40.4&lon=-3.7&radius=20000', ['inc_3', 'inc_1']],
    ['ids=inc_4,inc_2', ['inc_2', 'inc_4']],
    ['updated_since=2026-01-02T12:03:00Z', ['inc_3', 'inc_4']],
    ['updated_since=2026-01-02T13:03:00%2B01:00', ['inc_3', 'inc_4']],
    ['updated_since=2026-01-03', []],
    ['sort=-km', ['inc_2', 'inc_3', 'inc_1', 'inc_4']],
    ['sort=km', ['inc_1', 'inc_3', 'inc_2', 'inc_4']],
    ['limit=2', ['inc_1', 'inc_2']],
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test('a carriageway is closed if all of its lanes are, to all vehicles, whatever the type of the incident', async () => {
    const [one] = measures('CARRIAGEWAY_CLOSED')
    const weight = [{ kind: 'WEIGHT', value: 3.5, unit: 't' }]
    const cases: readonly (readonly [isClosed: boolean, values: object])[] = [
      [true, { lanes: ['ALL'] }],
      [true, { kind: 'ROAD_CLOSED', lanes: [] }],
      [true, { kind: 'NO_PASSAGE', lanes: ['ALL'] }],
      [true, { lanes: ['ALL'], carriageways: ['MAIN', 'EXIT_SLIP_ROAD'] }],
      [true, { lanes: ['ALL'], limits: [{ kind: 'SPEED', value: 80, unit: 'km/h' }] }],
      [false, { lanes: ['ALL'], carriageways: ['EXIT_SLIP_ROAD'] }],
      [false, { kind: 'NO_PASSAGE', lanes: ['ALL'], vehicles: ['HEAVY'] }],
      [false, { kind: 'ROAD_CLOSED', lanes: ['ALL'], limits: weight }],
      [false, { kind: 'LANES_CLOSED', lanes: ['RIGHT'] }],
      [false, { kind: 'DIVERSION', lanes: ['ALL'] }],
    ]
    const closedOnes = predicateOf([closedFilter], { closed: true }, 0) as (one: unknown) => boolean
    for (const [isClosed, values] of cases) expect([values, closedOnes({ measures: [{ ...one, ...values }] })]).toEqual([values, isClosed])
  })

  test('total counts the filtered records, on every page', async () => {
    expect(await service.json('/api/incidents?province=Madrid')).toMatchObject({ total: 2 })
    expect(await service.json('/api/incidents?province=Sevilla')).toMatchObject({ total: 0, incidents: [] })
    expect(await service.json('/api/incidents?limit=1')).toMatchObject({ total: 4 })
  })

  test.each([
    ['severity=BANANA', 'severity', 'LOW, MEDIUM, HIGH, CRITICAL, UNKNOWN'],
    ['province=Madriz', 'province', 'did you mean Madrid?'],
    ['province=Lisboa', 'province', 'Zaragoza'],
    ['type=ACIDENT', 'type', 'did you mean ACCIDENT?'],
    ['measure=CLOSED', 'measure', 'ROAD_CLOSED'],
    ['municipality=Nowhere', 'municipality', 'municipality'],
    ['municipality=Gandia&province=Madrid', 'municipality', 'Madrid'],
    ['bbox=-4,40,-3,41&lat=40', 'bbox', 'either bbox'],
    ['lat=40', 'lon', 'required'],
    ['radius=40', 'lat', 'required'],
    ['km_from=10&km_to=5', 'km_from', 'km_to'],
    ['severity=', 'severity', 'LOW'],
    ['road=%20', 'road', 'A-1'],
    ['limit=0', 'limit', 'from 1 to 20000 in JSON and GeoJSON, 1 to 100000 in csv, ndjson, parquet and arrow'],
    ['limit=20001', 'limit', 'from 1 to 20000 in JSON and GeoJSON, 1 to 100000 in csv, ndjson, parquet and arrow'],
    ['limit=20001', 'limit', '1 to 20000'],
    ['severty=HIGH', 'severty', 'did you mean severity?'],
  ])('%s is refused', async (query, parameter, detail) => {
    const response = await service.get(`/api/incidents?${query}`)
    const problem = (await response.json()) as Reply
    expect(response.status).toBe(400)
    expect(problem.errors[0].parameter).toBe(parameter)
    expect(problem.errors[0].detail).toContain(detail)
  })

  test('reports every mistake at once', async () => {
    const problem = await service.json('/api/incidents?severity=X&type=Y&limit=0')
    expect(problem.errors.map((one: Reply) => one.parameter).sort()).toEqual(['limit', 'severity', 'type'])
    expect(problem.errors.find((one: Reply) => one.parameter === 'severity')).toMatchObject({ value: 'X' })
  })
})

test('spellings of one request share one reply and one tag', async () => {
  const replies = await Promise.all(
    ['province=Madrid', 'province=28', 'province=MADRID', 'province=madrid&'].map((query) => service.get(`/api/incidents?${query}`)),
  )
  expect(new Set(replies.map((one) => one.headers.get('etag'))).size).toBe(1)
  const texts = await Promise.all(replies.map((one) => one.text()))
  expect(new Set(texts).size).toBe(1)
})

test('speaks English where asked to', async () => {
  const response = await service.get('/api/incidents?lang=en&limit=1')
  const [one] = ((await response.json()) as Reply).incidents
  expect(one.description).toBe(incidents.columns.description_en.example)
  expect(one.descriptions.es).toBe(incidents.columns.description.example)
  expect(response.headers.get('content-language')).toBe('en')
})

test('uses Spanish whatever Accept-Language prefers, unless the URL names another language; each has its own tag', async () => {
  const texts = async (header: string, query = ''): Promise<unknown[]> => {
    const response = await service.get(`/api/incidents?limit=1${query}`, { 'Accept-Language': header })
    const [one] = ((await response.json()) as Reply).incidents
    const { description, description_en } = incidents.columns
    const spoken = one.description === description.example ? 'es' : one.description === description_en.example ? 'en' : null
    return [spoken, response.headers.get('content-language'), response.headers.get('etag')]
  }
  const [spanish, english] = [await texts('es'), await texts('es', '&lang=en')]
  expect([spanish, english].map((one) => one.slice(0, 2))).toEqual([
    ['es', 'es'],
    ['en', 'en'],
  ])
  expect(spanish[2]).not.toBe(english[2])
  // The same once more, as then it comes from memory.
  for (let times = 0; times < 2; times++) {
    for (const header of ['en', 'en-GB,en;q=0.9', 'ca, es;q=0.5, en;q=0.6', 'es;q=0, *', '*']) expect(await texts(header)).toEqual(spanish)
    expect(await texts('en', '&lang=es')).toEqual(spanish)
    expect(await texts('es', '&lang=en')).toEqual(english)
  }
})

test('the GeoJSON has the rows without a position too', async () => {
  const reply = await service.json('/api/incidents?format=geojson')
  expect(reply).toMatchObject({ type: 'FeatureCollection', total: 4, bbox: [-8.4, 40.4, -3.6, 43.3] })
  expect(reply.features.map((one: Reply) => one.geometry?.coordinates ?? null)).toEqual([[-3.6, 40.5], [-8.4, 43.3], [-3.7, 40.4], null])
  expect(reply.features[0]).toMatchObject({ type: 'Feature', id: 'inc_1', properties: { id: 'inc_1', road: 'A-1' } })
  // The place may be a line: the begin stays a property.
  expect(reply.features[0].properties).toMatchObject({ lat: 40.5, lon: -3.6 })
})

describe('after the end', () => {
  const end = T0 + 20 * MINUTE
  const gone = rows[0] as LiveRow
  const ended: LiveRow = { ...gone, observed_at: end, updated_at: end, status: 'ENDED', is_stale: true, last_seen_at: end - 3 * MINUTE }
  const key = entityKey(incidents, gone)

  test('an incident is found in the log, then in the lake', async () => {
    const before = await service.get('/api/incidents/inc_1')
    expect(await before.json()).toMatchObject({ id: 'inc_1', status: 'ACTIVE', ended_at: null })
    const change: LiveChange = { kind: 'ENDED', key, row: ended, changed: [] }
    await service.publish(incidents, rows.slice(1), { at: end, changes: [change] })
    const after = await service.get('/api/incidents/inc_1')
    expect(await after.json()).toMatchObject({
      id: 'inc_1',
      status: 'ENDED',
      last_seen_at: '2026-01-02T12:17:00.000Z',
      ended_at: '2026-01-02T12:20:00.000Z',
      end_reason: 'DISAPPEARED',
    })
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(await ids('')).toEqual(['inc_2', 'inc_3', 'inc_4'])
  })

  test('the lake answers for one that is no longer in the log', async () => {
    const life = { source_id: 'old', incident_id: 'inc_old' }
    await service.land(
      incidents,
      [
        exampleTableRow(incidents, { ...life, observed_at: T0, updated_at: T0, severity: 'LOW' }),
        exampleTableRow(incidents, { ...life, observed_at: T0 + MINUTE, updated_at: T0 + MINUTE, severity: 'HIGH', km: 19 }),
        exampleTableRow(incidents, {
          ...life,
          observed_at: T0 + 2 * MINUTE,
          updated_at: T0 + MINUTE,
          severity: 'HIGH',
          km: 19,
          is_baseline: true,
        }),
        exampleTableRow(incidents, {
          ...life,
          observed_at: T0 + 3 * MINUTE,
          updated_at: T0 + 3 * MINUTE,
          severity: 'HIGH',
          km: 19,
          status: 'ENDED',
          last_seen_at: T0 + MINUTE,
        }),
        exampleTableRow(incidents, { source_id: 'cut', incident_id: 'inc_cut', observed_at: T0, updated_at: T0 }),
      ],
      T0 + 5 * MINUTE,
    )
    const reply = await service.json('/api/incidents/inc_old')
    expect(reply).toMatchObject({
      id: 'inc_old',
      severity: 'HIGH',
      status: 'ENDED',
      is_stale: true,
      last_seen_at: '2026-01-02T12:01:00.000Z',
      ended_at: '2026-01-02T12:03:00.000Z',
      province: 'Granada',
    })
    expect(reply.meta).toMatchObject({ covered_until: '2026-01-02T12:05:00.000Z' })
    expect(await service.json('/api/incidents/inc_cut')).toMatchObject({ status: 'ENDED', last_seen_at: null, ended_at: null })
    expect((await service.get('/api/incidents/inc_never')).status).toBe(404)
  })

  test('the history has each version and its changes', async () => {
    const reply = await service.json('/api/incidents/inc_old/history?total=exact')
    expect(reply.total).toBe(3)
    expect(reply.versions.map((one: Reply) => [one.version, one.observed_at, one.changed, one.status])).toEqual([
      [1, '2026-01-02T12:00:00.000Z', [], 'ACTIVE'],
      [2, '2026-01-02T12:01:00.000Z', ['km', 'severity', 'observed_at', 'updated_at'], 'ACTIVE'],
      [
        3,
        '2026-01-02T12:03:00.000Z',
        ['observed_at', 'updated_at', 'status', 'is_stale', 'last_seen_at', 'ended_at', 'end_reason'],
        'ENDED',
      ],
    ])
    const since = await service.json('/api/incidents/inc_old/history?total=exact&updated_since=2026-01-02T12:01:00Z&limit=1')
    expect(since).toMatchObject({ total: 2, versions: [{ version: 2, changed: ['km', 'severity', 'observed_at', 'updated_at'] }] })
    const next = await service.json(
      `/api/incidents/inc_old/history?updated_since=2026-01-02T12:01:00Z&cursor=${encodeURIComponent(since.next_cursor)}`,
    )
    expect(next.versions.map((one: Reply) => one.version)).toEqual([3])
    const later = '2026-01-02T12:04:00Z'
    expect(await service.json(`/api/incidents/inc_old/history?updated_since=${later}`)).toMatchObject({ versions: [] })
    expect((await service.get(`/api/incidents/inc_never/history?updated_since=${later}`)).status).toBe(404)
    expect(await service.json('/api/incidents/inc_2/history')).toMatchObject({ total: null, versions: [] })
    expect((await service.get('/api/incidents/inc_never/history')).status).toBe(404)
  })
})

test('a beacon never shows the id of its source', async () => {
  await service.publish(v16Beacons, [exampleRow(v16Beacons, { source_id: 'SECRET-77' })], {
    changes: [{ kind: 'CREATED', key: 'k', row: exampleRow(v16Beacons, { source_id: 'SECRET-77' }) as LiveRow, changed: [] }],
  })
  for (const path of ['/api/v16', '/api/v16?format=geojson', '/api/v16?limit=1']) {
    const text = await (await service.get(path)).text()
    expect(text).toContain('v16_4H7K2QX9M1TZ')
    expect(text).not.toContain('SECRET-77')
    expect(text).not.toContain('source_id')
  }
})
