import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { mitmaImd } from '../../../../jobs/feeds/mobility/mitma-imd.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { imdDetectorMonths, imdSections } from '../../../../lake/datasets/mobility/imd.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { WHOLE } from '../../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../../scripts/stand-in/world/world.ts'
import { golden } from '../../../helpers/golden.ts'
import { until } from '../../../helpers/until.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const AT = Date.UTC(2026, 10, 2)
const YEARS = [2016, 2018, 2019]

let service: TestService
let landed: readonly AnyRow[]

/** The sections that the stand-in publishes for a year. */
async function published(year: number): Promise<AnyRow[]> {
  const standIn = STAND_INS.find(({ feed }) => feed === 'mitma_imd')
  const world = makeWorld(1, 'small')
  const bytes = Buffer.from(standIn?.write(world, { resource: `${year}/0`, publishedAt: AT, stampedAt: AT, variant: WHOLE }) as string)
  const { rows } = await parsePublication(mitmaImd, [{ name: String(year), bytes }], AT, { keeps: () => true })
  return (rows.get('imd_sections') ?? []).map((row) => ({ fetch_id: 'mitma_imd.1', ...row }))
}

beforeAll(async () => {
  service = await startService()
  const rows = (await Promise.all(YEARS.map(published))).flat()
  // One that is turned, one whose road has points, and one that states nothing.
  const own = (values: AnyRow): AnyRow => exampleTableRow(imdSections, { ...values, edition: '2018' })
  landed = [
    ...rows,
    own({ object_id: 90_001, road: 'N-999', province_code: '28', km_from: 12, km_to: 10.5, section_id: 'turned' }),
    own({ object_id: 90_002, road: 'N-999', province_code: '28', km_from: 12, km_to: 16, section_id: 'drawn' }),
    own({ object_id: 90_003, road: 'N-999', province_code: '28', km_from: 16, km_to: 30, section_id: 'gap', imd: 0, imd_heavy: 0 }),
    own({ object_id: 90_004, road: 'N-999', province_code: null, km_from: 30, km_to: 31, section_id: 'null', imd: null, imd_heavy: null }),
  ]
  await service.land(imdSections, landed, AT)
  const point = (km: number, lon: number): AnyRow =>
    exampleTableRow(roadPoints, {
      month: '2026-10',
      road: 'N-999',
      province_code: '28',
      km,
      position: { lat: 40.4, lon },
      error_m: 100 + km,
    })
  // A kilometre is 0.0118 degrees of longitude here.
  await service.land(
    roadPoints,
    [10, 11, 13, 16, 22].map((km) => point(km, -3.7 + 0.0118 * (km - 10))),
    AT,
  )
})
afterAll(() => service?.close())

const ask = (query: string): Promise<Reply> => service.json(`/api/movilidad/imd?limit=20000${query}`)

describe('daily traffic by section', () => {
  test('is that of the newest year by default; an unknown year is refused', async () => {
    const newest = await ask('')
    expect(new Set(newest.sections.map(({ year }: Reply) => year))).toEqual(new Set([2019]))
    const both = await ask('&year=2016,2018')
    expect(both.total).toBe(landed.filter(({ year }) => year !== 2019).length)
    const refused = await service.get('/api/movilidad/imd?year=2017')
    expect([refused.status, ((await refused.json()) as Reply).detail]).toEqual([400, expect.stringContaining('2016, 2018, 2019')])
    expect(newest.meta.sources[0]).toMatchObject({ id: 'mitma_traffic_map', commercial_use: 'unknown' })
    expect(newest.meta).toMatchObject({ grain: expect.stringContaining('section'), method: expect.stringContaining('veh_km_check') })
    expect(newest.updated_at).toBe(new Date(AT).toISOString())
  })

  test('each figure is that of plain SQL over the files, by road, stretch, province and year, leap years too', async () => {
    const [{ road, province_code }] = (await golden(
      service.lake,
      [imdSections],
      `SELECT road, mode(province_code) AS province_code FROM imd_sections WHERE road LIKE 'A-%' GROUP BY road ORDER BY count(DISTINCT province_code) DESC, road LIMIT 1`,
    )) as [{ road: string; province_code: string }]
    for (const [query, where] of [
      [`&year=2016,2019&road=${road.replace('-', '').toLowerCase()}`, `road = '${road}' AND year IN (2016, 2019)`],
      [
        `&year=2016&road=${road}&km_from=100&km_to=180`,
        `road = '${road}' AND year = 2016 AND greatest(km_from, km_to) > 100 AND least(km_from, km_to) <= 180`,
      ],
      [`&year=2018&province=${province_code}`, `year = 2018 AND province_code = '${province_code}'`],
      ['&year=2018&road=N-999&km_to=11', `year = 2018 AND object_id = 90001`],
      // A kilometre belongs to one section: the one that begins with it, whichever way its kilometres run.
      ['&year=2018&road=N-999&km_from=12&km_to=12', `year = 2018 AND object_id = 90002`],
      ['&year=2018&road=N-999&km_from=16&km_to=16', `year = 2018 AND object_id = 90003`],
    ] as const) {
      const expected = await golden(
        service.lake,
        [imdSections],
        `SELECT year, object_id AS source_id, section_id, km_from, km_to, length_km, imd AS imd_veh_day, imd_light AS light_veh_day, imd_heavy AS heavy_veh_day,
           round(100 * CAST(imd_heavy AS DOUBLE) / nullif(CAST(imd AS DOUBLE), 0), 2) AS heavy_share_pct, veh_km AS veh_km_year, year_days, veh_km_check
         FROM imd_sections WHERE ${where} ORDER BY year, object_id`,
      )
      expect(expected.length).toBeGreaterThan(0)
      const { sections } = await ask(query)
      const served = sections
        .map((one: Reply) => Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, one[name]])))
        .sort((one: Reply, other: Reply) => one.year - other.year || one.source_id - other.source_id)
      expect(served).toEqual(expected)
    }
    expect(new Set((await ask('&year=2016')).sections.map(({ year_days }: Reply) => year_days))).toEqual(new Set([366]))
    expect((await ask('&year=2018&road=A-9999')).sections).toEqual([])
  })

  test('the share of heavy vehicles is null without vehicles, or where it is not published', async () => {
    const { sections } = await ask('&year=2018&road=N-999')
    const shares = new Map(sections.map((one: Reply) => [one.section_id, one.heavy_share_pct]))
    expect([shares.get('gap'), shares.get('null'), shares.get('drawn')]).toEqual([null, null, 9.7])
  })

  test('lines lead through known points, from begin to end; where points are missing they are null and say so', async () => {
    const { sections } = await ask('&year=2018&road=N-999&sort=km_from')
    const byId = new Map<string, Reply>(sections.map((one: Reply) => [one.section_id, one]))
    const lon = (km: number): number => Math.round((-3.7 + 0.0118 * (km - 10)) * 1e6) / 1e6
    expect(byId.get('drawn')?.geometry).toEqual({
      type: 'LineString',
      coordinates: [12, 13, 16].map((km) => [expect.closeTo(lon(km), 5), 40.4]),
    })
    expect(byId.get('turned')?.geometry.coordinates).toEqual([12, 11, 10.5].map((km) => [expect.closeTo(lon(km), 5), 40.4]))
    expect(byId.get('turned')?.geometry_error_m).toBeGreaterThanOrEqual(113)
    expect([byId.get('gap'), byId.get('null')]).toMatchObject([
      { geometry: null, geometry_error_m: null, geometry_absent: 'NO_POINTS' },
      { geometry: null, geometry_absent: 'NO_POINTS' },
    ])
    const shapes = (await (await service.get('/api/movilidad/imd?year=2018&road=N-999&format=geojson')).json()) as Reply
    expect(shapes.features.filter(({ geometry }: Reply) => geometry === null)).toHaveLength(2)
  })

  test('is not for everybody', async () => {
    expect((await service.open('/api/movilidad/imd')).status).toBe(401)
  })
})

test('a line goes on over a border, and does not where posts contradict each other', () => {
  const post = (km: number, lat: number, province_code: string) =>
    ({ road: 'N-1', province_code, km, position: { lat, lon: -3 }, source: 'dgt', records: 1, error_m: 100 }) as const
  const posts = new Posts([post(1, 40, '28'), post(3, 40.018, '28'), post(5, 40.036, '19'), post(7, 41, '19')])
  expect(posts.line('N1', { km_from: 1, km_to: 5, province_code: '28' })?.line.map(([, lat]) => lat)).toEqual([40, 40.018, 40.036])
  expect(posts.line('N1', { km_from: 5, km_to: 7, province_code: '19' })).toBeNull()
  expect(posts.line('N1', { km_from: 3, km_to: 3, province_code: '28' })).toBeNull()
  expect(posts.line('N2', { km_from: 1, km_to: 3, province_code: null })).toBeNull()
})

describe("daily traffic by DGT's detectors", () => {
  const month = (name: string, direction: string, values: AnyRow = {}): AnyRow =>
    exampleTableRow(imdDetectorMonths, {
      ...{ month: name, period_start: Date.UTC(2026, Number(name.slice(5)) - 1, 0, 22), road: 'A-6', province_code: '28', direction },
      ...{ points: 2, lanes: 4, km_from: 3.5, km_to: 9.05, days: 10, first_date: `${name}-01`, last_date: `${name}-28`, lane_days: 40 },
      ...{ point_days: 20, vehicles: 20 * 30_000, long_vehicles_readings: 100, long_vehicles_sum_pct: 900, ...values },
    })

  test('waits for the first whole day', async () => {
    expect(await ask('&source=DETECTORS')).toMatchObject({ code: 'no-data-yet', missing: ['imd_detector_months'] })
  })

  test("needs no map of the ministry, whose years wait for that map's feed", async () => {
    const other = await startService()
    try {
      const path = '/api/movilidad/imd?source=DETECTORS'
      expect(await other.json(path)).toMatchObject({ code: 'no-data-yet', missing: ['imd_detector_months'] })
      await other.land(imdDetectorMonths, [month('2026-10', 'POSITIVE'), month('2026-10', 'NEGATIVE')], AT)
      await until('the months are read', async () => (await other.json(path)).total === 1)
      expect((await other.json(path)).meta.missing_years).toEqual([])
      expect(await other.json('/api/movilidad/imd')).toMatchObject({ code: 'no-data-yet', missing: ['imd_sections'] })
    } finally {
      await other.close()
    }
  })

  test('is the mean of whole days of both directions, with its coverage and the years without counts', async () => {
    await service.land(
      imdDetectorMonths,
      [
        month('2026-09', 'POSITIVE', { vehicles: 20 * 33_000 }),
        month('2026-10', 'POSITIVE', { point_days: 60, vehicles: 60 * 31_000 }),
        month('2026-10', 'NEGATIVE', { lanes: 2, lane_days: 25, days: 4, long_vehicles_readings: 0, long_vehicles_sum_pct: 0 }),
        month('2026-10', 'POSITIVE', { road: 'N-2', province_code: '50' }),
      ],
      AT + 3_600_000,
    )
    await until('the months are read', async () => (await ask('&source=DETECTORS')).total === 2)
    const { sections, meta, updated_at } = await ask('&source=DETECTORS')
    expect([updated_at, (await ask('')).updated_at]).toEqual([AT + 3_600_000, AT].map((at) => new Date(at).toISOString()))
    expect(sections).toMatchObject([
      {
        ...{ road: 'A-6', province: 'Madrid', year: 2026, section_id: 'A-6 28', imd_veh_day: 61_500, km_from: 3.5, km_to: 9.05 },
        ...{ points: 2, lanes: 6, days: 4, first_date: '2026-09-01', last_date: '2026-10-28', coverage: 0.047945 },
        ...{
          long_vehicles_share_pct: 9,
          heavy_share_pct: null,
          post_from: null,
          length_km: null,
          year_days: 365,
          source: 'dgt',
          source_id: null,
        },
      },
      // One direction alone is no mean of a road.
      { road: 'N-2', province_code: '50', imd_veh_day: null, days: 10 },
    ])
    expect(meta.missing_years).toEqual([2020, 2021, 2022, 2023, 2024, 2025])
    expect(meta.sources.map(({ id }: Reply) => id)).toContain('dgt')
    expect((await ask('&source=DETECTORS&road=A-6&km_from=5')).total).toBe(1)
    expect((await ask('&source=DETECTORS&province=Zaragoza')).total).toBe(1)
  })

  test('a year of the other source is refused with the available years, once all years have arrived', async () => {
    const early = await service.get('/api/movilidad/imd?year=2026')
    expect([early.status, ((await early.json()) as Reply).waits_for]).toEqual([404, ['mitma_imd']])
    await service.tell({ feed: 'mitma_imd', last_success_at: Date.now() })
    await until('it has arrived', async () => (await service.get('/api/movilidad/imd?year=2026')).status === 400)
    for (const [query, years] of [
      ['source=DETECTORS&year=2018', 'expected a year of source=DETECTORS: 2026'],
      ['year=2026', 'source=MINISTRY: 2016, 2018, 2019'],
    ]) {
      const reply = await service.get(`/api/movilidad/imd?${query}`)
      expect([reply.status, ((await reply.json()) as Reply).detail]).toEqual([400, expect.stringContaining(years as string)])
    }
    const { sections, meta } = await ask('')
    expect(new Set(sections.map(({ year, source, days }: Reply) => `${year} ${source} ${days}`))).toEqual(
      new Set(['2019 mitma_traffic_map null']),
    )
    expect(meta).not.toHaveProperty('missing_years')
  })
})
