import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mitmaZones } from '../../../../jobs/feeds/mobility/mitma-zones.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { mobilityZoneAreas, mobilityZoneMembers, mobilityZonePoints, mobilityZones } from '../../../../lake/datasets/mobility/zones.ts'
import type { MultiPolygon } from '../../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../../helpers/shared.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const shared = sharedFolder()
const DAY = 86_400_000
const FIRST = Date.UTC(2026, 9, 1)

let service: TestService

const member = (zone_level: string, zone_id: string, code: string | null, values: AnyRow = {}): AnyRow =>
  exampleRow(mobilityZoneMembers, {
    ...{ zone_level, zone_id, member_id: code ?? zone_id, municipality_code: code, province_code: code?.slice(0, 2) ?? null },
    ...{ sections: code === null ? 0 : 2, observed_at: FIRST, ...values },
  })
const publish = (rows: readonly AnyRow[]): Promise<void> => service.publish(mobilityZoneMembers, rows)
const ask = (query = ''): Promise<Reply> => service.json(`/api/movilidad/zonas?limit=20000${query}`)

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

describe('zones of the studies', () => {
  beforeAll(() =>
    publish([
      member('MUNICIPALITY', '01047_AM', '01049', { sections: 1 }),
      member('MUNICIPALITY', '01047_AM', '01047', { observed_at: FIRST + DAY }),
      member('MUNICIPALITY', '01047_AM', '01002', { status: 'MISSING', observed_at: FIRST + 2 * DAY }),
      member('MUNICIPALITY', '01001', '01001'),
      member('DISTRICT', '01001', '01001'),
      member('GAU', 'GAU Miranda', '09219'),
      member('GAU', 'GAU Miranda', '01001'),
      member('MUNICIPALITY', '34011153001', null),
      member('MUNICIPALITY', '28999', '28999', { status: 'MISSING' }),
    ]),
  )

  test('list their contents and since when; a member that has left a zone is no part of it, but changed it', async () => {
    const { zones } = await ask('&ids=01047_AM')
    expect(zones).toEqual([
      expect.objectContaining({
        ...{ id: '01047_AM', study: 'V2', level: 'MUNICIPALITY', province: 'Araba/Álava', province_code: '01', status: 'ACTIVE' },
        is_shared_land: false,
        municipalities: [
          { municipality_code: '01047', municipality: 'Ribera Baja/Erriberabeitia', sections: 2 },
          { municipality_code: '01049', municipality: 'Añana', sections: 1 },
        ],
        observed_at: new Date(FIRST + 2 * DAY).toISOString(),
      }),
    ])
  })

  test('are separate by level, and in each province that they have a part of; a zone without municipalities has no province', async () => {
    const ids = async (query: string): Promise<string[]> => (await ask(query)).zones.map(({ id, level }: Reply) => `${level} ${id}`)
    expect(await ids('&ids=01001')).toEqual(['DISTRICT 01001', 'MUNICIPALITY 01001'])
    expect(await ids('&level=GAU&province=01')).toEqual(['GAU GAU Miranda'])
    expect(await ids('&province=Burgos')).toEqual(['GAU GAU Miranda'])
    expect(await ids('&province=48')).toEqual([])
    expect(await ids('&study=V1')).toEqual([])
    const { zones } = await ask('&ids=34011153001,GAU%20Miranda,28999')
    const byId = new Map<string, Reply>(zones.map((one: Reply) => [one.id, one]))
    expect(byId.get('34011153001')).toMatchObject({ is_shared_land: true, municipalities: [], province: null, province_code: null })
    expect(byId.get('GAU Miranda')).toMatchObject({ is_shared_land: false, province: null, province_code: null })
    expect(byId.get('28999')).toMatchObject({ status: 'MISSING', municipalities: [{ municipality_code: '28999', municipality: null }] })
  })

  test('have the names and populations of the ministry, once these have landed', async () => {
    expect((await ask('&ids=01001,01047_AM')).zones).toEqual([
      expect.objectContaining({ name: null, population: null }),
      expect.objectContaining({ name: null, population: null }),
      expect.objectContaining({ name: null, population: null }),
    ])
    const row = (zone_level: string, zone_id: string, name: string, population: number | null, observed_at: number): AnyRow =>
      exampleRow(mobilityZones, { zone_level, zone_id, name, population, observed_at })
    await service.publish(mobilityZones, [
      row('MUNICIPALITY', '01001', 'Alegría-Dulantzi', 2925, FIRST + 3 * DAY),
      row('DISTRICT', '01001', 'Alegría', 2900, FIRST - DAY),
      row('MUNICIPALITY', '34011153001', 'Parzonería', null, FIRST),
      row('MUNICIPALITY', '99999', 'Nowhere', 1, FIRST),
    ])
    const figures = async (query: string): Promise<unknown[]> =>
      (await ask(query)).zones.map(({ id, level, name, population, observed_at }: Reply) => [level, id, name, population, observed_at])
    expect(await figures('&ids=01001,34011153001,99999')).toEqual([
      ['DISTRICT', '01001', 'Alegría', 2900, new Date(FIRST).toISOString()],
      ['MUNICIPALITY', '01001', 'Alegría-Dulantzi', 2925, new Date(FIRST + 3 * DAY).toISOString()],
      ['MUNICIPALITY', '34011153001', 'Parzonería', null, new Date(FIRST).toISOString()],
    ])
    expect((await figures('&sort=-population')).slice(0, 2)).toEqual([
      expect.arrayContaining(['Alegría-Dulantzi', 2925]),
      expect.arrayContaining(['Alegría', 2900]),
    ])
  })

  test("are at the ministry's centroids; a zone without one has no place", async () => {
    const row = (zone_level: string, zone_id: string, lat: number): AnyRow =>
      exampleRow(mobilityZonePoints, { zone_level, zone_id, position: { lat, lon: -2.51 }, observed_at: FIRST + 4 * DAY })
    await service.publish(mobilityZonePoints, [
      row('MUNICIPALITY', '01001', 42.83),
      row('GAU', '01001', 42.84),
      row('MUNICIPALITY', '01047_AM', 42.77),
      row('MUNICIPALITY', 'FR101', 48.9),
    ])
    const { zones } = await ask('&ids=01001,FR101')
    expect(zones.map(({ level, id, lat, lon, observed_at }: Reply) => [level, id, lat, lon, observed_at])).toEqual([
      ['DISTRICT', '01001', null, null, new Date(FIRST).toISOString()],
      ['MUNICIPALITY', '01001', 42.83, -2.51, new Date(FIRST + 4 * DAY).toISOString()],
    ])
  })

  test('have the polygons of the newest edition of their level, as GeoJSON too; without polygons all else is the same', async () => {
    expect((await ask('&ids=01001')).zones).toMatchObject([
      { geometry: null, geometry_at: null },
      { geometry: null, geometry_at: null },
    ])
    const square = (west: number): MultiPolygon => [
      [
        [
          [west, 42],
          [west + 0.1, 42],
          [west + 0.1, 42.1],
          [west, 42],
        ],
      ],
    ]
    const row = (zone_level: string, zone_id: string, edition: string, west: number): AnyRow =>
      exampleTableRow(mobilityZoneAreas, {
        ...{ zone_level, zone_id, edition, area: square(west + 1), outline: square(west), observed_at: Date.parse(edition) },
      })
    await service.land(
      mobilityZoneAreas,
      [
        row('MUNICIPALITY', '01001', '2026-10-01', -2),
        row('MUNICIPALITY', '01047_AM', '2026-10-01', -3),
        row('DISTRICT', '01001', '2026-10-01', -4),
        // Urban areas and districts are not in the newest publication.
        row('MUNICIPALITY', '01001', '2026-10-08', -5),
        row('MUNICIPALITY', 'FR101', '2026-10-08', 2),
        { ...row('MUNICIPALITY', '01001', '2026-10-15', -6), study: 'V1' },
      ],
      FIRST + 8 * DAY,
    )
    const outlined = async () =>
      (await ask('&ids=01001,01047_AM')).zones.map(({ level, id, geometry, geometry_at }: Reply) => [level, id, geometry, geometry_at])
    const shape = (west: number) => ({ type: 'MultiPolygon', coordinates: square(west) })
    await expect.poll(outlined, { timeout: 20_000 }).toEqual([
      ['DISTRICT', '01001', shape(-4), '2026-10-01T00:00:00.000Z'],
      ['MUNICIPALITY', '01001', shape(-5), '2026-10-08T00:00:00.000Z'],
      ['MUNICIPALITY', '01047_AM', null, null],
    ])
    // A change of a zone's polygons updates the zone, and so does their removal. Otherwise callers would keep the old ones.
    const newest = new Date(FIRST + 7 * DAY).toISOString()
    const since = await ask(`&ids=01001,01047_AM&updated_since=${newest}`)
    expect(since.zones.map(({ level, id, observed_at, updated_at }: Reply) => [level, id, observed_at, updated_at])).toEqual([
      ['MUNICIPALITY', '01001', newest, newest],
      ['MUNICIPALITY', '01047_AM', newest, newest],
    ])
    expect((await ask('&ids=01001&level=DISTRICT')).zones).toMatchObject([{ observed_at: new Date(FIRST).toISOString() }])
    const { features, bbox } = await service.json('/api/movilidad/zonas?ids=01001,01047_AM&level=MUNICIPALITY&format=geojson')
    // A zone without polygons is drawn as its centroid.
    expect(features.map(({ geometry }: Reply) => geometry?.type ?? null)).toEqual(['MultiPolygon', 'Point'])
    expect(features.slice(0, 1)).toEqual([
      {
        type: 'Feature',
        id: '01001/MUNICIPALITY/V2',
        geometry: shape(-5),
        properties: expect.objectContaining({ id: '01001', lat: 42.83, lon: -2.51 }),
      },
    ])
    expect(bbox).toEqual([-5, 42, -2.51, 42.77])
    const namesGeometry = async (fields: string): Promise<boolean> =>
      Buffer.from(await (await service.get(`/api/movilidad/zonas?format=parquet&fields=${fields}`)).arrayBuffer()).includes('geometry')
    expect([await namesGeometry('id,geometry'), await namesGeometry('id,lat,lon')]).toEqual([true, false])
    const { zones } = await ask('&ids=01001&fields=id,level')
    expect(zones).toEqual([
      { id: '01001', level: 'DISTRICT' },
      { id: '01001', level: 'MUNICIPALITY' },
    ])
  })

  test('refuse an unknown level, and are not for everybody', async () => {
    const refused = await service.get('/api/movilidad/zonas?level=PROVINCE')
    expect([refused.status, ((await refused.json()) as Reply).detail]).toEqual([400, expect.stringContaining('MUNICIPALITY')])
    expect((await service.open('/api/movilidad/zonas')).status).toBe(401)
  })
})

test.skipIf(!shared)('of the recorded relation are as many as the notes count, and hold every municipality', async () => {
  const bytes = gunzipSync(readFileSync(join(shared ?? '', 'feeds/mitma-movilidad/v2/zonificacion/relacion_ine_zonificacionMitma.csv.gz')))
  const { rows } = await parsePublication(mitmaZones, [{ name: 'relation', bytes }], FIRST)
  await publish((rows.get('mobility_zone_members') ?? []).map((row) => exampleRow(mobilityZoneMembers, { ...row, observed_at: FIRST })))
  const counts = await Promise.all(['DISTRICT', 'MUNICIPALITY', 'GAU'].map(async (level) => (await ask(`&level=${level}`)).total))
  expect(counts).toEqual([3792, 2618, 2086])
  const { zones } = await ask('&level=MUNICIPALITY')
  const codes: string[] = zones.flatMap(({ municipalities }: Reply) => municipalities.map((one: Reply) => one.municipality_code))
  expect(new Set(codes).size).toBe(8131)
  // A single one is in two zones.
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual(['03903'])
  expect(zones.filter((one: Reply) => one.is_shared_land)).toHaveLength(49)
})
