import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Pattern, type RouteWay, routeWay, TRACK_REACH_M, TRACK_TOLERANCE_M } from '../../../../api/endpoints/rail/network.ts'
import { isLineInBox } from '../../../../api/endpoints/rail/routes.ts'
import { renfeGtfsCercanias } from '../../../../jobs/feeds/rail/renfe-gtfs.ts'
import { checkedRows } from '../../../../jobs/ingest/parse.ts'
import { railShapes, railStations, railStopTimes, railTrips } from '../../../../lake/datasets/rail/timetable.ts'
import { metresAway, simplifiedLine } from '../../../../lake/places/lines.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../../helpers/shared.ts'
import { until } from '../../../helpers/until.ts'
import { zipOfFolder } from '../../../helpers/zip.ts'
import { type Reply, startService } from '../../service.ts'
import { lengthM, stopsInOrder } from '../aviation/tracks.ts'
import { landTimetable, TIMETABLE_FEEDS } from './rail-golden.ts'

const shared = sharedFolder()
/** Five decimals of a degree, and the distance of a simplified track from the published one, m. */
const SLACK_M = TRACK_TOLERANCE_M + 2

const placeOf = ({ lat, lon }: Point): Line[0] => [lon, lat]

/** A path must begin and end at its end stations and pass all stations in order. It may be hardly longer than their chain. */
function expectTrue(id: string, { geometry }: RouteWay, stations: Line, mostTimes: number): void {
  const drawn = geometry as Line
  const [first, last] = [stations[0] as Line[0], stations.at(-1) as Line[0]]
  const [begin, end] = [drawn[0] as Line[0], drawn.at(-1) as Line[0]]
  const within = TRACK_REACH_M + SLACK_M
  expect([id, metresAway(first, begin, begin) <= within, metresAway(last, end, end) <= within]).toEqual([id, true, true])
  expect([id, stopsInOrder(drawn, stations, within)]).toEqual([id, stations.length])
  expect([id, lengthM(drawn) / lengthM(stations)]).toEqual([
    id,
    expect.toSatisfy(
      (times: number) => times > 0.9 && times < mostTimes,
      `between 0.9 and ${mostTimes} times as long as the chain of stations`,
    ),
  ])
}

/** The geometry sources of ways, counted. */
function tally(sources: readonly (string | null)[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(sources, String)].map(([source, { length }]) => [source, length]).sort())
}

/** Identifies the paths of commuter rail's routes of 2026-08-22, from the publisher's text. */
async function captured(): Promise<{ patterns: Pattern[]; positions: Map<string, { position: Point }>; shapes: Map<string, Line> }> {
  const bytes = zipOfFolder(join(shared as string, 'feeds/renfe-gtfs/cercanias-2026-08-22'))
  async function* rowsOf(dataset: Dataset): AsyncGenerator<AnyRow> {
    const files = [{ name: 'timetable', bytes }]
    for await (const rows of checkedRows(renfeGtfsCercanias, dataset, files, { fetched_at: Date.parse('2026-08-22T02:10:00Z') }))
      yield* rows
  }
  const positions = new Map<string, { position: Point }>()
  for await (const { stop_id, position } of rowsOf(railStations)) positions.set(stop_id as string, { position: position as Point })
  const shapes = new Map<string, Line>()
  for await (const { shape_id, geometry } of rowsOf(railShapes)) shapes.set(`CERCANIAS ${shape_id}`, geometry as Line)
  const stops = new Map<string, string>()
  for await (const { trip_id, stop_id } of rowsOf(railStopTimes))
    stops.set(trip_id as string, `${stops.get(trip_id as string) ?? ''} ${stop_id}`)
  const patterns = new Map<string, Pattern>()
  for await (const { trip_id, route_id, shape_id } of rowsOf(railTrips)) {
    const own = stops.get(trip_id as string) ?? ''
    const key = `${route_id} ${shape_id}${own}`
    const trips = (patterns.get(key)?.trips ?? 0) + 1
    const stop_ids = own.split(' ').slice(1)
    patterns.set(key, {
      network: 'CERCANIAS',
      route_id: route_id as string,
      shape_id: shape_id as string | null,
      direction: null,
      trips,
      stop_ids,
    })
  }
  return { patterns: [...patterns.values()], positions, shapes }
}

test.skipIf(!shared)('of commuter rail of 2026-08-22, each route runs past its stations', { timeout: 240_000 }, async () => {
  const { patterns, positions, shapes } = await captured()
  const simple = new Map([...shapes].map(([id, line]) => [id, simplifiedLine(line, TRACK_TOLERANCE_M)] as const))
  const routes = [...Map.groupBy(patterns, ({ route_id }) => route_id)].map(([route_id, own]) => {
    const way = routeWay(own, positions, simple)
    const stations = way.stop_ids.map((stop_id) => placeOf((positions.get(stop_id) as { position: Point }).position))
    const shape = shapes.get(`CERCANIAS ${own.find(({ shape_id }) => shape_id !== null)?.shape_id}`)
    return { route_id, way, stations, shape, trips: own.reduce((sum, { trips }) => sum + trips, 0) }
  })
  const shaped = routes.filter(({ shape, stations }) => shape && stations.length > 0)
  expect([routes.length, shaped.length]).toEqual([274, 263])
  expect(tally(shaped.map(({ way }) => way.geometry_source))).toEqual({ SHAPE: 238, SHAPE_AND_STATIONS: 12, STATIONS: 9, null: 4 })
  // Without stop times the places of a run are unknown, and so are those of trains that stop only once.
  const none = routes.filter(({ way }) => way.geometry === null)
  expect(tally(none.map(({ stations }) => String(stations.length)))).toEqual({ 0: 9, 1: 4 })
  for (const { route_id, way, stations } of routes) if (way.geometry) expectTrue(route_id, way, stations, 1.6)

  // The begin and end on the track, for those that follow it from end to end.
  const followed = shaped.filter(({ way }) => way.geometry_source === 'SHAPE')
  const against = followed.filter(({ way, shape }) => along(shape as Line, way.geometry?.[0]) > along(shape as Line, way.geometry?.at(-1)))
  expect([against.length, against.reduce((sum, { trips }) => sum + trips, 0)]).toEqual([128, 63_359])
  const short = shaped.filter(({ way, shape }) => way.geometry && lengthM(way.geometry) < 0.6 * lengthM(shape as Line))
  expect(short.length).toBe(112)
  for (const { way, shape } of followed)
    for (const point of way.geometry as Line)
      expect(Math.min(...(shape as Line).slice(1).map((to, nth) => metresAway(point, (shape as Line)[nth] as Line[0], to)))).toBeLessThan(
        SLACK_M,
      )

  const wayOf = (id: string): RouteWay => routes.find(({ route_id }) => route_id === id)?.way as RouteWay
  // Five kilometres of the 64 of its line.
  expect(lengthM(wayOf('10T0038C2').geometry as Line)).toBeLessThan(6_000)
  // Vinaròs, 69 km beyond the end of the published track.
  expect(wayOf('40T0015C6').geometry_source).toBe('STATIONS')
  const vinaros = { kind: 'box', west: 0.4, south: 40.4, east: 0.55, north: 40.55 } as const
  const there = routes.filter(({ way }) => way.geometry && isLineInBox(way.geometry, vinaros))
  expect(there.map(({ route_id }) => route_id).sort()).toEqual(['40T0015C6', '40T0016C6'])
})

test('stations are those in the order in which most trips stop, however the publisher splits them', () => {
  const of = (stop_ids: string, trips: number, shape_id: string | null = 'one'): Pattern => ({
    ...{ network: 'CERCANIAS', route_id: 'route', direction: null, trips, shape_id },
    stop_ids: stop_ids === '' ? [] : stop_ids.split(' '),
  })
  const at = (lon: number): { position: Point } => ({ position: { lat: 40, lon } })
  const places = new Map<string, { position: Point | null }>([
    ['a', at(0)],
    ['b', at(0.1)],
    ['c', at(0.2)],
    ['lost', { position: null }],
  ])
  const line = (...lons: number[]): Line => lons.map((lon) => [lon, 40] as const)
  const shapes = new Map([
    ['CERCANIAS one', line(0.3, -0.1)],
    ['CERCANIAS other', line(0, 0.1)],
  ])
  const whole = { patterns: 2, stop_ids: ['a', 'b', 'c'] }
  // The same stops twice, numbered otherwise; stations without a position are not drawn.
  expect(routeWay([of('a c', 5), of('a b c', 3), of('a b c', 3)], places, shapes)).toEqual({
    ...whole,
    geometry: line(0, 0.2),
    geometry_source: 'SHAPE',
  })
  expect(routeWay([of('a lost c', 1)], places, shapes)).toMatchObject({ geometry: line(0, 0.2), geometry_source: 'SHAPE' })
  // The track that most trips name.
  expect(routeWay([of('a b c', 4, 'other'), of('a c', 3)], places, shapes)).toEqual({
    ...{ ...whole, geometry: line(0, 0.1, 0.2), geometry_source: 'SHAPE_AND_STATIONS' },
  })
  expect(routeWay([of('a b c', 4, null)], places, shapes)).toMatchObject({ geometry: line(0, 0.1, 0.2), geometry_source: 'STATIONS' })
  expect(routeWay([of('b', 4), of('', 9)], places, shapes)).toEqual({ patterns: 1, stop_ids: ['b'], geometry: null, geometry_source: null })
  expect(routeWay([], places, shapes)).toEqual({ patterns: 0, stop_ids: [], geometry: null, geometry_source: null })
})

/** Metres of a line up to the point of it that is nearest to a place. */
function along(line: Line, place: Line[0] | undefined): number {
  const away = line.map((point) => metresAway(place as Line[0], point, point))
  return lengthM(line.slice(0, away.indexOf(Math.min(...away)) + 1))
}

test('routes run past their stations, also those that run against their track or beyond its end', { timeout: 60_000 }, async () => {
  const service = await startService({ clock: () => Date.parse('2026-05-05T08:00:00Z') })
  onTestFinished(() => service.close())
  for (const feed of TIMETABLE_FEEDS) await landTimetable(service, { feed, day: '2026-05-04' })
  await until('landed', async () => (await service.get('/api/trenes/rutas')).status === 200)
  const { routes } = await service.json('/api/trenes/rutas?limit=20000')
  const places = new Map<string, Line[0]>()
  for (const { id, lat, lon } of (await service.json('/api/trenes/estaciones?limit=20000')).stations) places.set(id, [lon, lat])
  const stationsOf = (route: Reply): Line => route.stop_ids.map((id: string) => places.get(id))
  for (const route of routes) expectTrue(route.id, { ...route, geometry: route.geometry.coordinates }, stationsOf(route), 1.2)
  const commuter = routes.filter(({ network }: Reply) => network === 'CERCANIAS')
  const beyond = commuter.filter(({ geometry_source }: Reply) => geometry_source === 'SHAPE_AND_STATIONS')
  expect(new Set(beyond.map(({ nucleo_code, line }: Reply) => `${nucleo_code} ${line}`))).toEqual(new Set(['60 C3']))
  // Not all lines of the small world have trips both ways, whole and cut short.
  expect(tally(commuter.map((route: Reply) => route.geometry_source))).toEqual({ SHAPE: 49, SHAPE_AND_STATIONS: 3 })
  const [one] = beyond
  const [lon, lat] = places.get(one.destination_id) as Line[0]
  const box = [lon - 0.001, lat - 0.001, lon + 0.001, lat + 0.001].map((degrees) => degrees.toFixed(6)).join()
  expect((await service.json(`/api/trenes/rutas?bbox=${box}&limit=20000`)).routes.map(({ id }: Reply) => id)).toContain(one.id)
  const detail = await service.json(`/api/trenes/rutas/${one.id}`)
  expect([detail.geometry_source, detail.geometry]).toEqual([one.geometry_source, one.geometry])
  // On every other line trains that are cut short run to the same terminus on the track of the other direction.
  const directions = new Map<string, Set<number>>()
  for (const { id, destination_id } of commuter.filter(({ nucleo_code, line }: Reply) => nucleo_code === '10' && line === 'C2'))
    for (const { direction } of (await service.json(`/api/trenes/rutas/${id}/horarios`)).trips)
      directions.set(destination_id, (directions.get(destination_id) ?? new Set()).add(direction))
  expect(Math.max(...[...directions.values()].map(({ size }) => size))).toBe(2)
})
