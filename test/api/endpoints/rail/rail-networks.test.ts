import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { feedById } from '../../../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { NETWORKS } from '../../../../lake/datasets/rail/networks.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { fixtureBytes } from '../../../helpers/fixture.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const TABLES: readonly Dataset[] = [railStations, railRoutes, railShapes, railTrips, railStopTimes, railCalendar]
/** A Thursday of the metro's timetable, 06:00 in Madrid. */
const SEPTEMBER = Date.parse('2026-09-10T04:00:00Z')
/** A Tuesday of the other timetables, 07:00 in Madrid; the metro's has expired. */
const JANUARY = Date.parse('2027-01-05T06:00:00Z')
const FILES: readonly (readonly [feed: string, file: string])[] = [
  ['metro_madrid_gtfs', '2026.zip'],
  ...['fgc_gtfs', 'metro_ligero_gtfs', 'metro_malaga_gtfs', 'metrovalencia_gtfs', 'tram_alicante_gtfs', 'mallorca_gtfs'].map(
    (feed) => [feed, '2027.zip'] as const,
  ),
]

let service: TestService
let now = SEPTEMBER

beforeAll(async () => {
  service = await startService({ clock: () => now })
  const landed = new Map<Dataset, AnyRow[]>(TABLES.map((dataset) => [dataset, [exampleTableRow(dataset, {})]]))
  for (const [id, file] of FILES) {
    const bytes = fixtureBytes(join(FIXTURES, id, file))
    const { rows } = await parsePublication(feedById(id), [{ name: 'timetable', bytes }], SEPTEMBER, { keeps: () => true })
    for (const dataset of TABLES) landed.get(dataset)?.push(...(rows.get(dataset.id) ?? []).map((row) => ({ ...row, fetch_id: `${id}.1` })))
  }
  for (const [dataset, rows] of landed) await service.land(dataset, rows, JANUARY)
}, 60_000)
beforeEach(() => {
  now = SEPTEMBER
})
afterAll(() => service?.close())

const get = (path: string): Promise<Reply> => service.json(`/api/trenes/${path}`)

test('stations of each network have its operator, their own ids and their lines', async () => {
  const { stations } = await get('estaciones?limit=500')
  const found = (stations as Reply[]).map(({ id, networks, operator, lines }) =>
    [id, networks.join(), operator, (lines as Reply[]).map(({ line, route_type }) => `${line} ${route_type}`).join()].join(' | '),
  )
  expect(found).toMatchInlineSnapshot(`
    [
      "17000 | CERCANIAS | RENFE | C1 RAIL",
      "FGC:AA | FGC | FGC | FV FUNICULAR,L6 METRO,S1 RAIL",
      "FGC:BB | FGC | FGC | FV FUNICULAR,L6 METRO,S1 RAIL",
      "METROVALENCIA:29 | METROVALENCIA | FGV | 1 METRO,4 TRAM",
      "METROVALENCIA:36 | METROVALENCIA | FGV | 1 METRO,4 TRAM",
      "METROVALENCIA:40 | METROVALENCIA | FGV | 1 METRO",
      "METRO_LIGERO:est_10_1 | METRO_LIGERO | METRO_LIGERO_MADRID | ML1 TRAM",
      "METRO_LIGERO:par_10_2 | METRO_LIGERO | METRO_LIGERO_MADRID | ML1 TRAM",
      "METRO_MADRID:est_4_7 | METRO_MADRID | METRO_MADRID | 1 METRO,R METRO",
      "METRO_MADRID:est_90_1 | METRO_MADRID | METRO_MADRID | 1 METRO,R METRO",
      "METRO_MADRID:par_4_8 | METRO_MADRID | METRO_MADRID | 1 METRO",
      "METRO_MALAGA:AAA | METRO_MALAGA | METRO_MALAGA | L1 METRO",
      "METRO_MALAGA:BBB | METRO_MALAGA | METRO_MALAGA | L1 METRO",
      "SFM:1024 | SFM | SFM | M1 METRO,T1 RAIL",
      "SFM:40036_STATION | SFM | SFM | M1 METRO,T1 RAIL",
      "TRAM_ALICANTE:29 | TRAM_ALICANTE | FGV | 1 METRO,4 TRAM",
      "TRAM_ALICANTE:36 | TRAM_ALICANTE | FGV | 1 METRO,4 TRAM",
      "TRAM_ALICANTE:40 | TRAM_ALICANTE | FGV | 1 METRO",
    ]
  `)
})

test.each([
  ['network=METRO_MADRID', ['METRO_MADRID:est_4_7', 'METRO_MADRID:est_90_1', 'METRO_MADRID:par_4_8']],
  ['operator=FGV&q=segona', ['METROVALENCIA:36', 'TRAM_ALICANTE:36']],
  ['line=T1', ['SFM:1024', 'SFM:40036_STATION']],
])('stations with %s', async (query, ids) => {
  expect(((await get(`estaciones?${query}`)).stations as Reply[]).map(({ id }) => id).sort()).toEqual(ids)
})

test('routes of a network', async () => {
  const { routes } = await get('rutas?network=METRO_MADRID')
  expect(routes).toMatchObject([
    {
      id: 'METRO_MADRID:4__1___',
      operator: 'METRO_MADRID',
      ...{ line: '1', product: null, route_type: 'METRO', in_service: true, trips: 5, timetable_until: '2026-09-30' },
      ...{ origin: 'Intercambiador de Plaza Uno', destination: 'BARRIO TRES', geometry_source: 'SHAPE' },
    },
    { id: 'METRO_MADRID:4__R___', line: 'R', trips: 2 },
  ])
  const sources = async (path: string): Promise<string[]> => ((await get(path)).meta.sources as Reply[]).map(({ id }) => id)
  expect(await sources('rutas?network=METRO_MADRID')).toEqual(['crtm'])
  expect(await sources('rutas/FGC:FV/horarios?date=2027-01-05')).toEqual(['fgc'])
  expect(((await get('rutas?operator=METRO_LIGERO_MADRID')).routes as Reply[]).map(({ line }) => line)).toEqual(['ML1'])
})

test('a route and a station by id, and the ids that are suggested', async () => {
  expect(await get('rutas/FGC:FV')).toMatchObject({ operator: 'FGC', line: 'FV', route_type: 'FUNICULAR' })
  expect(await get('estaciones/METRO_MALAGA:BBB')).toMatchObject({ name: 'Estación B', operator: 'METRO_MALAGA', alerts: [] })
})

test("a route's timetable has each departure by frequency, with its interval", async () => {
  const { trips } = await get('rutas/METRO_MADRID:4__1___/horarios?date=2026-09-10')
  expect((trips as Reply[]).map(({ id, headway_s, starts_at, direction }) => [id, headway_s, starts_at, direction])).toEqual([
    ['4_I14-001_1@060500', 300, '2026-09-10T04:05:00.000Z', 0],
    ['4_I14-001_1@061000', 300, '2026-09-10T04:10:00.000Z', 0],
    ['4_I14-001_1@253000', 600, '2026-09-10T23:30:00.000Z', 0],
  ])
  const holiday = await get('rutas/METRO_MADRID:4__1___/horarios?date=2026-09-09')
  expect((holiday['trips'] as Reply[]).map(({ id }) => id)).toEqual(['4_I13-001_1@070000', '4_I13-001_1@071000'])
})

test('boards have the trains of the network, after midnight too', async () => {
  const departures = async (at: string): Promise<unknown[]> =>
    ((await get(`estaciones/METRO_MADRID:est_4_7/salidas?at=${at}&limit=4`)).departures as Reply[]).map(
      ({ scheduled_at, line, destination, headway_s, is_live }) => [scheduled_at, line, destination, headway_s, is_live],
    )
  expect(await departures('2026-09-10T04:06:00Z')).toEqual([
    ['2026-09-10T04:07:30.000Z', '1', 'BARRIO TRES', 300, false],
    ['2026-09-10T04:10:00.000Z', 'R', 'Intercambiador de Plaza Uno', 420, false],
    ['2026-09-10T04:12:30.000Z', '1', 'BARRIO TRES', 300, false],
    ['2026-09-10T04:17:00.000Z', 'R', 'Intercambiador de Plaza Uno', 420, false],
  ])
  expect((await departures('2026-09-10T23:00:00Z'))[0]).toEqual(['2026-09-10T23:32:30.000Z', '1', 'BARRIO TRES', 600, false])
  const arrivals = await get('estaciones/METRO_MADRID:par_4_8/llegadas')
  expect((arrivals['arrivals'] as Reply[])[0]).toMatchObject({ scheduled_at: '2026-09-10T04:09:00.000Z', network: 'METRO_MADRID' })
})

test('departures by a later stop: its code, its name or its town', async () => {
  const board = 'estaciones/METRO_MADRID:est_4_7/salidas?at=2026-09-10T04:06:00Z&limit=4'
  const lines = async (to: string): Promise<unknown[]> =>
    ((await get(`${board}&to=${encodeURIComponent(to)}`)).departures as Reply[]).map(({ scheduled_at, line }) => `${scheduled_at} ${line}`)
  const ones = ['2026-09-10T04:07:30.000Z 1', '2026-09-10T04:12:30.000Z 1']
  expect((await lines('METRO_MADRID:par_4_8')).slice(0, 2)).toEqual(ones)
  expect((await lines('metro_madrid:PAR_4_8')).slice(0, 2)).toEqual(ones)
  expect((await lines('barrio tres')).slice(0, 2)).toEqual(ones)
  // The stop itself is no later stop, and trains do not go back.
  expect((await lines('METRO_MADRID:est_90_1')).every((one) => String(one).endsWith(' R'))).toBe(true)
  expect(await lines('FGC:AA')).toEqual([])
  const refused = await service.get(`/api/trenes/${board}&to=BARIO+TRES`)
  expect([refused.status, ((await refused.json()) as Reply).errors[0]]).toEqual([
    400,
    expect.objectContaining({ parameter: 'to', detail: expect.stringContaining('did you mean BARRIO TRES?') }),
  ])
})

test('days come from exceptions where weekdays are all zero, and from lists where there is no calendar', async () => {
  now = JANUARY
  const first = async (station: string): Promise<Reply> =>
    ((await get(`estaciones/${station}/salidas?at=2027-01-05T04:00:00Z`)).departures as Reply[])[0] as Reply
  expect(await first('METROVALENCIA:29')).toMatchObject({ line: '1', service_date: '2027-01-05' })
  expect(await first('FGC:AA')).toMatchObject({ line: 'S1', scheduled_at: '2027-01-05T07:00:00.000Z', trip_id: '100|6c4b' })
  const { trips } = await get('rutas/METROVALENCIA:V1-29-40/horarios?date=2027-01-06')
  expect(trips).toEqual([])
  // 27:50 of the day before is after 03:00.
  const tram = (await get('estaciones/TRAM_ALICANTE:29/salidas?at=2027-01-07T01:00:00Z')).departures as Reply[]
  expect(tram[0]).toMatchObject({ service_date: '2027-01-06', scheduled_at: '2027-01-07T02:50:00.000Z' })
})

test('an expired timetable is reported as such, and no trains are made up', async () => {
  now = JANUARY
  const refused = async (path: string): Promise<Reply> => {
    const response = await service.get(`/api/trenes/${path}`)
    return { status: response.status, ...((await response.json()) as Reply) }
  }
  for (const path of ['estaciones/METRO_MADRID:est_4_7/salidas', 'rutas/METRO_MADRID:4__1___/horarios'])
    expect(await refused(path)).toMatchObject({
      status: 503,
      detail:
        'The timetables of METRO_MADRID that have arrived cover 2026-09-01 to 2026-09-30. They have expired, and no newer ones are published.',
    })
  expect(await get('estaciones/METRO_MADRID:est_4_7')).toMatchObject({ timetable_until: '2026-09-30' })
})

test('every network has a timetable feed of its own', () => {
  const feeds = Object.values(NETWORKS).map(({ feed }) => feedById(feed).id)
  expect(new Set(feeds).size).toBe(Object.keys(NETWORKS).length)
})
