import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams, requestReader } from '../../../api/engine/request/request.ts'
import type { Endpoint, ListReturn } from '../../../api/kernel/endpoint.ts'
import { placeOf } from '../../../api/kernel/fields.ts'
import { circleOf } from '../../../api/kernel/params/around.ts'
import { distanceM } from '../../../api/kernel/reads/geo.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { vmsDevices, vmsMessages } from '../../../lake/datasets/road/vms.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { rowsOfDuckdb } from '../engine/table-readers.ts'
import { exampleRow, exampleTableRow, fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 9, 1, 6)
/** Near each other, and not in the order of their ids. 3 and 4 are at one place, 6 is far away and 7 has no position. */
const PLACES: Readonly<Record<string, { lat: number; lon: number } | null>> = {
  1: { lat: 40.6, lon: -3.7 },
  2: { lat: 40.41, lon: -3.7 },
  3: { lat: 40.5, lon: -3.71 },
  4: { lat: 40.5, lon: -3.71 },
  5: { lat: 40.401, lon: -3.702 },
  6: { lat: 43.3, lon: -8.4 },
  7: null,
}
const CENTRE = { lat: 40.4, lon: -3.7 }
const NEAREST = ['5', '2', '3', '4', '1']
const POINT = 'lat=40.4&lon=-3.7&radius=50000'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
  // The sensor of the example's reading.
  const { sensor_id, source } = exampleRow(trafficReadings)
  await service.publish(trafficSensors, [exampleRow(trafficSensors, { sensor_id, source })], { at: T0 })
  const devices = Object.entries(PLACES).map(([panel_id, position]) => exampleRow(vmsDevices, { panel_id, position, observed_at: T0 }))
  await service.publish(vmsDevices, devices, { at: T0 })
  await service.publish(
    vmsMessages,
    Object.keys(PLACES).map((panel_id) => exampleRow(vmsMessages, { panel_id, observed_at: T0 })),
    { at: T0 },
  )
  await service.land(
    roadAccidents,
    Object.entries(PLACES).map(([accident_id, position]) => exampleTableRow(roadAccidents, { accident_id, position })),
    T0,
  )
})
afterAll(() => service?.close())

const searched = endpoints.filter((endpoint) => endpoint.around)
const listOf = (endpoint: Endpoint, reply: Reply): Reply[] => reply[(endpoint.returns as ListReturn).name]

describe('lists around a point', () => {
  test('are all that take a radius and have places', () => {
    const taking = endpoints.filter(
      (endpoint) => allParams(endpoint).has('radius') && endpoint.returns.kind === 'list' && placeOf(endpoint.returns.record.fields),
    )
    expect(searched.length).toBeGreaterThan(20)
    for (const { path, returns } of taking) {
      expect(Object.keys(returns.record.fields), path).toContain('distance_m')
      expect((returns as ListReturn).sorts, path).toContain('distance_m')
    }
    // These have a point in every request, and are sorted by the distance from it.
    const own = taking.filter((endpoint) => !endpoint.around)
    expect(own.map(({ path, returns }) => [path, (returns as ListReturn).order])).toEqual([
      ['/api/geo/pk', 'distance_m'],
      ['/api/search/nearby', 'distance_m'],
    ])
  })

  test('are sorted by distance unless the request or the list says otherwise', () => {
    for (const endpoint of searched) {
      const inPath = { ciudad: 'madrid' }
      const read = requestReader(endpoint)
      const query = requestOf(endpoint, { lat: '40.4', lon: '-3.7', radius: null, bbox: null })
      const values = read(query, inPath)
      expect(circleOf(endpoint.around, values.own), endpoint.path).toMatchObject({ lat: 40.4, lon: -3.7, radius_m: 5000 })
      const isCheapest = endpoint.path === '/api/gas-stations/cheapest'
      expect(values.page.sort, endpoint.path).toBe(isCheapest ? 'price' : 'distance_m')
      const about = allParams(endpoint).get('sort')?.about
      expect(about, endpoint.path).toContain(isCheapest ? 'price by default' : 'distance_m around a point')
      expect(about, endpoint.path).toContain('lat and lon')
      expect(read(`${query}&sort=-distance_m`, inPath).page.sort).toBe('-distance_m')
    }
  })
})

describe.each(searched.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  test('gives the distance of each record from the point, and none without a point', async () => {
    // Some lists need an area.
    const without = { lat: null, lon: null, radius: null, bbox: '-19,27,5,44' }
    const plain = listOf(endpoint, await service.json(requestOf(endpoint, { ...without, limit: '1000', format: 'json' })))
    const isOwn = endpoint.around?.plain === endpoint.returns.record
    for (const one of plain) expect(one.distance_m).toBe(isOwn ? null : undefined)
    const [place] = plain.flatMap((one) =>
      one.geometry
        ? [{ lat: one.geometry.coordinates[0][0][0][1], lon: one.geometry.coordinates[0][0][0][0] }]
        : one.lat === null
          ? []
          : [one],
    )
    // A hundredth of a degree to the north: 1,112 m.
    const centre = { lat: place.lat + 0.01, lon: place.lon }
    const point = { ...without, bbox: null, lat: String(centre.lat), lon: String(centre.lon), radius: '100000', limit: '1000' }
    const near = listOf(endpoint, await service.json(requestOf(endpoint, { ...point, format: 'json' })))
    expect(near.length).toBeGreaterThan(0)
    for (const one of near) {
      expect(Number.isInteger(one.distance_m)).toBe(true)
      if (!one.geometry) expect(one.distance_m).toBe(Math.round(distanceM(centre, one)))
      const { distance_m: _near, ...rest } = one
      const { distance_m: _none, ...same } = plain.find((other) => JSON.stringify(other.id) === JSON.stringify(one.id)) ?? {}
      if (one.id !== undefined && near.length === plain.length) expect(rest).toMatchObject(same)
    }
    if (!near[0].geometry) expect(near.some((one) => Math.abs(one.distance_m - 1112) <= 2)).toBe(true)
    else expect(near[0].distance_m).toBeLessThanOrEqual(1112)
    const features = (await service.json(requestOf(endpoint, { ...point, format: 'geojson' }))).features
    expect(features.map((one: Reply) => one.properties.distance_m)).toEqual(near.map((one) => one.distance_m))
    const chosen = listOf(endpoint, await service.json(requestOf(endpoint, { ...point, fields: 'distance_m', format: 'json' })))
    expect(chosen).toEqual(near.map(({ distance_m }) => ({ distance_m })))
    const refused = await service.get(requestOf(endpoint, { ...without, sort: 'distance_m' }))
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'sort'])
  })
})

describe.each([
  ['/api/panels', 'panels', 'id', ''],
  ['/api/accidentes/microdata', 'accidents', 'accident_id', '&casualty=all'],
])('%s', (path, name, id, more) => {
  const around = `${path}?${POINT}${more}`
  const idsOf = (reply: Reply): string[] => reply[name].map((one: Reply) => one[id])

  test('lists the nearest first, or last', async () => {
    const reply = await service.json(around)
    expect(idsOf(reply)).toEqual(NEAREST)
    for (const one of reply[name]) {
      const { lat, lon } = PLACES[one[id]] as typeof CENTRE
      expect(one.distance_m).toBe(Math.round(distanceM(CENTRE, { lat, lon })))
    }
    expect(idsOf(await service.json(`${around}&sort=distance_m`))).toEqual(NEAREST)
    expect(idsOf(await service.json(`${around}&sort=-distance_m`))).toEqual(NEAREST.toReversed())
  })

  test.each(['', '&sort=-distance_m'])('pages by distance, also where two are equally far: %s', async (sort) => {
    const all = (await service.json(`${around}${sort}`))[name]
    for (const limit of [1, 2, 3]) {
      const found: Reply[] = []
      let cursor = ''
      do {
        const reply = await service.json(`${around}${sort}&limit=${limit}${cursor}`)
        found.push(...reply[name])
        cursor = reply.next_cursor ? `&cursor=${encodeURIComponent(reply.next_cursor)}` : ''
      } while (cursor !== '')
      expect(found).toEqual(all)
    }
    const { next_cursor } = await service.json(`${around}${sort}&limit=2`)
    const elsewhere = await service.get(`${around.replace('40.4', '40.5')}${sort}&limit=2&cursor=${encodeURIComponent(next_cursor)}`)
    expect(((await elsewhere.json()) as Reply).code).toBe('invalid-cursor')
  })

  test('has the distance as a column of tables, where there is a point', async () => {
    const header = async (query: string): Promise<string[]> => {
      const text = await (await service.get(`${query}&format=csv`)).text()
      return (text.split('\r\n')[0] as string).split(',')
    }
    expect((await header(around)).at(-1)).toBe('distance_m')
    expect(await header(`${path}?limit=1${more}`)).not.toContain('distance_m')
    const lines = (await (await service.get(`${around}&format=ndjson`)).text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual((await service.json(around))[name])
    const parquet = Buffer.from(await (await service.get(`${around}&format=parquet`)).arrayBuffer())
    const { fields } = (endpoints.find((one) => one.path === path) as Endpoint).returns.record
    const { rows } = await rowsOfDuckdb(fields, parquet)
    expect(rows.map((one: Reply) => [one[id], one.distance_m])).toEqual(
      (await service.json(around))[name].map((one: Reply) => [one[id], one.distance_m]),
    )
  })

  test('refuses to show or sort by distance without a point', async () => {
    for (const query of ['sort=distance_m', 'fields=distance_m', `sort=-distance_m&bbox=-4,40,-3,41`]) {
      const response = await service.get(`${path}?${query}${more}`)
      const problem = (await response.json()) as Reply
      expect([response.status, problem.code], query).toEqual([400, 'invalid-parameter'])
      expect(problem.detail).toContain('lat and lon')
      expect((await service.ask(`${path}?${query}${more}`, { method: 'HEAD' })).status, `HEAD ${query}`).toBe(400)
    }
    const shown = await service.json(`${path}?fields=${id},distance_m&limit=1${more}`)
    expect(Object.keys(shown[name][0])).toEqual([id])
  })
})
