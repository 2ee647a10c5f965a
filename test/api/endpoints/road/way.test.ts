import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DrivenLine, RoadGraph } from '../../../../api/endpoints/road/along/road-graph.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { roadAxes, roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import { lengthM } from '../../../../lake/places/lines.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

/** A line between two corners with a point each hundredth of a degree. */
const line = (
  road: string,
  [fromX, fromY]: readonly [number, number],
  [toX, toY]: readonly [number, number],
  direction = 'BOTH',
): DrivenLine => {
  const steps = Math.max(1, Math.round(100 * Math.hypot(toX - fromX, toY - fromY)))
  const at = (from: number, to: number, step: number): number => from + ((to - from) * step) / steps
  return {
    ...{ road, direction, isMeasured: true },
    line: Array.from({ length: steps + 1 }, (_, step) => [at(fromX, toX, step), at(fromY, toY, step)] as const),
  }
}
const found = async (lines: readonly DrivenLine[], from: readonly [number, number], to: readonly [number, number]) =>
  (await RoadGraph.of(lines)).way({ lon: from[0], lat: from[1] }, { lon: to[0], lat: to[1] })
const roads = async (...of: Parameters<typeof found>): Promise<string[] | undefined> => (await found(...of))?.map(({ road }) => road)

describe('the graph of roads', () => {
  // The M-1 goes north, the N-2 east, and the N-3 leads from its end.
  const NET = [line('M-1', [-3, 40], [-3, 40.4]), line('N-2', [-3.1, 40.2], [-2.6, 40.2]), line('N-3', [-2.6, 40.201], [-2.6, 40.5])]

  test('leads over crossings and ends, and each leg begins where the last ended', async () => {
    const legs = (await found(NET, [-3, 40.05], [-2.6, 40.45])) as NonNullable<Awaited<ReturnType<typeof found>>>
    expect(legs.map(({ road }) => road)).toEqual(['M-1', 'N-2', 'N-3'])
    expect(legs[1]?.line[0]).toEqual(legs[0]?.line.at(-1))
    for (const { line: of, length_m } of legs) expect(Math.abs(lengthM(of) - length_m)).toBeLessThan(2)
    const whole = legs.flatMap((leg) => leg.line)
    expect([whole[0], whole.at(-1)]).toEqual([
      [expect.closeTo(-3, 6), expect.closeTo(40.05, 6)],
      [expect.closeTo(-2.6, 6), expect.closeTo(40.45, 6)],
    ])
    // 75 km/h, as all are single carriageways.
    const [length_m, duration_s] = [legs.reduce((sum, leg) => sum + leg.length_m, 0), legs.reduce((sum, leg) => sum + leg.duration_s, 0)]
    expect(length_m / duration_s).toBeCloseTo(75 / 3.6, 1)
  })

  test('goes the other way along the same road', async () => {
    const [leg] = (await found(NET, [-3, 40.35], [-3, 40.05])) ?? []
    expect(leg?.line[0]?.[1]).toBeGreaterThan(leg?.line.at(-1)?.[1] as number)
  })

  test('keeps to the direction of a carriageway, and turns only where another road crosses', async () => {
    const dual = [line('A-9', [-3, 40], [-3, 40.4], 'POSITIVE'), line('A-9', [-3.0005, 40], [-3.0005, 40.4], 'NEGATIVE')]
    const north = await found(dual, [-3, 40.1], [-3, 40.3])
    const south = await found(dual, [-3, 40.3], [-3, 40.1])
    expect(north?.flatMap((leg) => leg.line).every(([lon]) => lon === -3)).toBe(true)
    expect(south?.flatMap((leg) => leg.line).every(([lon]) => lon === -3.0005)).toBe(true)
    // From the far carriageway alone one has to turn at the crossing road.
    const onlyNorth = [dual[0] as DrivenLine]
    expect(await found(onlyNorth, [-3, 40.3], [-3, 40.1])).toBeNull()
  })

  test('goes on behind a gap of its own road, such as at a border of provinces, but not of another', async () => {
    const border = [line('A-2', [-3, 40], [-3, 40.2], 'POSITIVE'), line('A-2', [-3, 40.215], [-3, 40.4], 'POSITIVE')]
    const [leg, ...others] = (await found(border, [-3, 40.05], [-3, 40.35])) ?? []
    expect(others).toEqual([])
    expect(leg?.length_m).toBeCloseTo(lengthM(leg?.line ?? []), -1)
    // 105 km/h, also where the line is not known.
    expect((leg?.length_m ?? 0) / (leg?.duration_s ?? 1)).toBeCloseTo(105 / 3.6, 1)
    expect(await found(border, [-3, 40.35], [-3, 40.05])).toBeNull()
    expect(await found([line('A-2', [-3, 40], [-3, 40.2]), line('N-9', [-3, 40.215], [-3, 40.4])], [-3, 40.05], [-3, 40.35])).toBeNull()
    expect(await found([line('A-2', [-3, 40], [-3, 40.2]), line('A-2', [-3, 40.235], [-3, 40.4])], [-3, 40.05], [-3, 40.35])).toBeNull()
  })

  test('takes the faster road, not the shorter', async () => {
    const both = [
      ...[line('N-1', [-3, 40], [-2, 40]), line('A-1', [-3, 40.02], [-2, 40.02], 'POSITIVE')],
      ...[line('N-7', [-2.95, 39.9], [-2.95, 40.1]), line('N-8', [-2.05, 39.9], [-2.05, 40.1])],
    ]
    expect(await roads(both, [-2.95, 39.95], [-2.05, 39.95])).toEqual(['N-7', 'A-1', 'N-8'])
    // Against its direction the carriageway is none.
    expect(await roads(both, [-2.05, 39.95], [-2.95, 39.95])).toEqual(['N-8', 'N-1', 'N-7'])
  })

  test('finds nothing between islands, or far from all roads', async () => {
    const islands = [line('M-1', [-3, 40], [-3, 40.4]), line('TF-1', [-16, 28], [-16.4, 28.2])]
    expect(await found(islands, [-3, 40.1], [-16.1, 28.05])).toBeNull()
    const graph = await RoadGraph.of(islands)
    expect([graph.isNear({ lon: -3.04, lat: 40.1 }), graph.isNear({ lon: -3.1, lat: 40.1 })]).toEqual([true, false])
  })

  test('begins at a road farther away if those around a place lead nowhere', async () => {
    // A ring in the city that meets no other road, and a motorway that begins outside.
    const city = [line('M-30', [-3.7, 40.4], [-3.66, 40.4]), line('A-2', [-3.6, 40.4], [-2.9, 40.4], 'POSITIVE')]
    expect(await roads(city, [-3.69, 40.401], [-3, 40.4])).toEqual(['A-2'])
    expect(await roads(city, [-3.69, 40.401], [-3.67, 40.401])).toEqual(['M-30'])
  })

  test('is the shortest of all ways in a grid of random lengths', async () => {
    let seed = 7
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    const columns = Array.from({ length: 6 }, (_, at) => -3 + at * 0.1 + random() * 0.05)
    const rows = Array.from({ length: 6 }, (_, at) => 40 + at * 0.1 + random() * 0.05)
    const grid = [
      ...columns.map((lon, at) => line(`V-${at}`, [lon, 39.9], [lon, 40.7])),
      ...rows.map((lat, at) => line(`H-${at}`, [-3.1, lat], [-2.4, lat])),
    ]
    const [from, to] = [[columns[0] as number, rows[0] as number] as const, [columns[5] as number, rows[4] as number] as const]
    const legs = await found(grid, from, to)
    // In a grid every way without detours is as long as the two sides, and that with one turn the fastest.
    expect(legs).toHaveLength(2)
    const length_m = lengthM([from, [to[0], from[1]]]) + lengthM([[to[0], from[1]], to])
    expect(Math.abs((legs ?? []).reduce((sum, leg) => sum + leg.length_m, 0) / length_m - 1)).toBeLessThan(0.005)
  })
})

const AT = Date.UTC(2026, 0, 2)
const axis = (road: string, geometry: readonly (readonly [number, number])[], direction = 'BOTH'): AnyRow => {
  const kilometres = geometry.map((_, at) => at * 10)
  return {
    ...exampleTableRow(roadAxes),
    ...{ province: '28', road, direction, chain: 1, km_from: 0, km_to: kilometres.at(-1), length_m: 20_000, geometry, kilometres },
    ...{ errors_m: kilometres.slice(1).map(() => 40), posts: kilometres },
  }
}
const ORIGIN = '40.05,-3'
const DESTINATION = '40.2,-2.7'

describe('a way in the API', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    await service.land(roadPoints, [{ ...exampleTableRow(roadPoints), month: '2026-01', road: 'CV-1', position: { lat: 38, lon: 0 } }], AT)
    const north = axis('M-1', [
      [-3, 40],
      [-3, 40.1],
      [-3, 40.3],
    ])
    const east = axis('N-2', [
      [-3.1, 40.2],
      [-2.9, 40.2],
      [-2.6, 40.2],
    ])
    await service.land(roadAxes, [north, east], AT)
    const position = { lat: 40.2, lon: -3 + 0.05 }
    const incident = {
      ...exampleRow(incidents),
      incident_id: 'inc_way',
      road: null,
      km: null,
      km_to: null,
      direction: 'BOTH',
      to: null,
      position,
    }
    await service.publish(incidents, [incident], { at: AT, feed: 'dgt_incidents' })
    await until('the axes are known', async () => (await service.json('/api/geo/pk?road=M-1&km=5')).total === 1)
  })
  afterAll(() => service?.close())

  test('has a part for each road, as GeoJSON', async () => {
    const { features } = await service.json(`/api/geo/ruta?origin=${ORIGIN}&destination=${DESTINATION}&format=geojson`)
    expect(features.map(({ properties }: Reply) => properties.road)).toEqual(['M-1', 'N-2'])
    expect(features[0].geometry.coordinates).toEqual([
      [-3, 40.05],
      [-3, 40.2],
    ])
    const { legs, length_m, duration_s } = await service.json(`/api/geo/ruta?origin=${ORIGIN}&destination=${DESTINATION}`)
    expect(legs.map((leg: Reply) => leg.distance_from_start_m)).toEqual([0, legs[0].length_m])
    expect(Math.abs(length_m - legs[0].length_m - legs[1].length_m)).toBeLessThanOrEqual(1)
    expect(duration_s).toBeGreaterThan(0)
  })

  test('is the path of what is on it', async () => {
    const { length_m } = await service.json(`/api/geo/ruta?origin=${ORIGIN}&destination=${DESTINATION}`)
    const along = await service.json(`/api/trafico/ruta?origin=${ORIGIN}&destination=${DESTINATION}&include=INCIDENT,WORKS`)
    expect(along.items).toMatchObject([{ id: 'inc_way', distance_from_start_m: expect.closeTo(length_m / 2, -3) }])
    expect(Math.abs(along.length_m - length_m)).toBeLessThan(5)
  })

  test.each([
    [`/api/geo/ruta?origin=${ORIGIN}&destination=45,-3`, 'destination', 'within 5 km'],
    [`/api/geo/ruta?origin=${ORIGIN}&destination=38,0`, 'destination', 'known road'],
    [`/api/geo/ruta?origin=40.05&destination=${DESTINATION}`, 'origin', 'lat,lon'],
    [`/api/geo/ruta?origin=91,0&destination=${DESTINATION}`, 'origin', 'lat,lon'],
    [`/api/trafico/ruta?origin=${ORIGIN}`, 'destination', 'together with origin'],
    [`/api/trafico/ruta?destination=${ORIGIN}`, 'origin', 'together with destination'],
    [`/api/trafico/ruta?origin=${ORIGIN}&destination=${DESTINATION}&road=A-2`, 'road', 'origin and destination'],
    [`/api/trafico/ruta?origin=${ORIGIN}&destination=${DESTINATION}&path=_p~iF~ps|U_ulLnnqC`, 'origin', 'with path'],
  ])('%s names what is wrong', async (path, parameter, words) => {
    const response = await service.get(path)
    const { errors } = (await response.json()) as Reply
    expect([response.status, errors]).toMatchObject([400, [{ parameter, detail: expect.stringContaining(words) }]])
  })
})
