import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { readPath } from '../../api/endpoints/road/along/encoded-path.ts'
import { relationOf, thingsAlong } from '../../api/endpoints/road/along/match.ts'
import { PathLine } from '../../api/endpoints/road/along/path-line.ts'
import { NO_DETAILS } from '../../api/endpoints/road/along/route-item.ts'
import { type StretchLine, stretchLine } from '../../api/endpoints/road/along/stretch-line.ts'
import type { Thing } from '../../api/endpoints/road/along/things.ts'
import { Posts } from '../../api/endpoints/road/posts.ts'
import { lengthM, metresAway } from '../../lake/places/lines.ts'
import type { Post } from '../../lake/places/place-on-road.ts'
import type { Line } from '../../lake/schema/columns.ts'
import { exampleService } from './example-service.ts'
import type { Reply, TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** Degrees of a metre: of latitude, and of longitude at 40° north. */
const M = 180 / (Math.PI * 6_371_008.8)
const E = M / Math.cos((40 * Math.PI) / 180)
/** A position some metres east and north of 40° north, 3° west. */
const at = (east_m: number, north_m: number): readonly [number, number] => [-3 + east_m * E, 40 + north_m * M]

describe('a path', () => {
  test('finds the same distance and side as a search of all segments, at any distance and for segments of any length', () => {
    const step = fc.record({ length_m: fc.integer({ min: 1, max: 12_000 }), turn: fc.double({ min: -1.5, max: 1.5, noNaN: true }) })
    const point = fc.record({
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      off_m: fc.integer({ min: -6000, max: 6000 }),
      within_m: fc.integer({ min: 5, max: 9000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.array(point, { minLength: 1, maxLength: 10 }), (steps, points) => {
        let [heading, east, north] = [0.3, 0, 0]
        const line: (readonly [number, number])[] = [at(0, 0)]
        for (const { length_m, turn } of steps) {
          heading += turn
          east += length_m * Math.sin(heading)
          north += length_m * Math.cos(heading)
          line.push(at(east, north))
        }
        const path = new PathLine(line)
        expect(Math.abs(path.length_m - lengthM(line))).toBeLessThan(0.01)
        for (const { x, off_m, within_m } of points) {
          const on = path.at(x * path.length_m)
          const [lon, lat] = [on.lon + off_m * E, on.lat + off_m * M]
          const least = Math.min(...line.slice(1).map((to, one) => metresAway([lon, lat], line[one] as Line[0], to)))
          const found = path.nearest(lon, lat, within_m)
          if (least > within_m + 0.01) expect(found).toBeNull()
          if (least < within_m - 0.01) {
            expect(path.nearness(within_m)(lon, lat)).toBe(true)
            expect(Math.abs((found?.offset_m ?? Number.NaN) - least)).toBeLessThan(0.01)
            // Its place along the path is as far away.
            const place = path.at(found?.along_m ?? 0)
            expect(Math.abs(metresAway([lon, lat], [place.lon, place.lat], [place.lon, place.lat]) - least)).toBeLessThan(1)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  test('left is left', () => {
    const path = new PathLine([at(0, 0), at(0, 5000)])
    expect(path.nearest(...at(-50, 1000), 100)?.turn).toBeGreaterThan(0)
    expect(path.nearest(...at(50, 1000), 100)?.turn).toBeLessThan(0)
    expect(path.bearingAt(2000)).toBeCloseTo(0)
    expect(new PathLine([at(0, 0), at(5000, 0)]).bearingAt(0)).toBeCloseTo(90, 1)
  })
})

describe('the parameter path', () => {
  test('is a polyline of five or six decimals, or a GeoJSON LineString', () => {
    // The example of the algorithm's own documentation.
    const line = [
      [-120.2, 38.5],
      [-120.95, 40.7],
      [-126.453, 43.252],
    ]
    expect(readPath('_p~iF~ps|U_ulLnnqC_mqNvxq`@', 5)).toEqual(line)
    expect(readPath('_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI', 6)).toEqual(line)
    expect(readPath(JSON.stringify({ type: 'LineString', coordinates: line.map(([lon, lat]) => [lon, lat, 12]) }), 5)).toEqual(line)
    expect(readPath(JSON.stringify({ type: 'Feature', properties: null, geometry: { type: 'LineString', coordinates: line } }), 5)).toEqual(
      line,
    )
  })

  test.each([
    ['_p~iF~ps|U_ulLnnqC_mqNvxq', /cut off/],
    ['_p~iF ~ps|U', /invalid character/],
    ['_p~iF~ps|U', /two different/],
    ['_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI', /precision=6/],
    ['{"type":"Point","coordinates":[1,2]}', /LineString/],
    ['{"type":"LineString","coordinates":[[1,"2"],[3,4]]}', /\[lon, lat\]/],
    ['{"type":"LineString","coordinates":[[1,2],[1,2]]}', /two different/],
    ['{"type":', /no valid JSON/],
  ])('%s is refused', (text, message) => {
    expect(() => readPath(text, 5)).toThrow(message)
  })
})

/** To a hundred metres: a degree of longitude is shorter farther north. */
const rounded = (metres: number): number => 100 * Math.round(metres / 100)
const post = (road: string, km: number, [lon, lat]: readonly [number, number]): Post => ({
  ...{ road, km, province_code: '28', position: { lat, lon }, source: 'dgt', records: 1, error_m: 100 },
})
const thing = (id: string, where: readonly [number, number] | null, rest: Partial<Thing> = {}): Thing => ({
  ...{ kind: 'INCIDENT', id, titles: { es: id, en: id }, road: null, km: null, km_to: null, direction: null, line: null, area: null },
  ...{ position: where && { lon: where[0], lat: where[1] }, url: '/', details: NO_DETAILS, prices: null, source: 'dgt', updated_at: 0 },
  ...rest,
})

describe('things along a path', () => {
  const path = new PathLine([at(0, 0), at(0, 20_000), at(20_000, 20_000)])
  const posts = new Posts([
    ...[0, 5, 10, 15, 20].map((km) => post('A-1', km + 0.1, at(0, 1000 * km))),
    ...[0, 2, 4].map((km) => post('M-5', km + 0.1, at(1000 * km - 2000, 10_000))),
  ])
  const along = (
    things: readonly Thing[],
    more: { buffer_m?: number; onlyOwnDirection?: boolean } = {},
  ): [string, number, number | null][] =>
    thingsAlong(path, [things], posts, {
      kinds: new Set(['INCIDENT', 'WEATHER_WARNING']),
      buffer_m: 300,
      onlyOwnDirection: false,
      ...more,
    }).map(({ thing: { id }, along_m, until_m }) => [id, rounded(along_m), until_m === null ? null : rounded(until_m)])

  test('come in order, each once, within the buffer', () => {
    const things = [
      thing('far', at(5000, 20_100)),
      thing('near', at(200, 3000)),
      thing('outside', at(301, 4000)),
      thing('corner', at(-100, 20_100)),
    ]
    expect(along(things)).toEqual([
      ['near', 3000, null],
      ['corner', 20_000, null],
      ['far', 25_000, null],
    ])
  })

  test('of a stretch the path finds its part, also if it begins and ends in the middle', () => {
    const inner = new PathLine([at(0, 8000), at(0, 9000)])
    const stretch = thing('jam', at(0, 2000), { line: [at(0, 2000), at(0, 18_000)] })
    const found = thingsAlong(inner, [[stretch]], posts, { kinds: new Set(['INCIDENT']), buffer_m: 50, onlyOwnDirection: false })
    expect(found[0]?.along_m).toBeLessThanOrEqual(300)
    expect(found[0]?.until_m).toBeGreaterThanOrEqual(700)
    const [, from, until] = along([stretch])[0] as [string, number, number]
    expect([Math.abs(from - 2000) < 1, Math.abs(until - 18_000) < 1]).toEqual([true, true])
  })

  test('of the opposite direction, and on a road that crosses, are told apart and left out on request', () => {
    const on = (id: string, direction: string, road = 'A-1'): Thing => thing(id, at(20, 10_000), { road, km: 10, direction })
    const things = [
      on('with', 'POSITIVE'),
      on('against', 'NEGATIVE'),
      on('both', 'BOTH'),
      on('unknown', 'UNKNOWN'),
      on('crossing', 'POSITIVE', 'M-5'),
      on('elsewhere', 'POSITIVE', 'Z-9'),
    ]
    expect(things.map((one) => relationOf(one, 0, posts))).toEqual([
      'SAME_DIRECTION',
      'OPPOSITE_DIRECTION',
      'BOTH_DIRECTIONS',
      'UNKNOWN',
      'CROSSING_ROAD',
      'UNKNOWN',
    ])
    expect(things.slice(0, 2).map((one) => relationOf(one, 180, posts))).toEqual(['OPPOSITE_DIRECTION', 'SAME_DIRECTION'])
    expect(along(things, { onlyOwnDirection: true }).map(([id]) => id)).toEqual(['both', 'elsewhere', 'unknown', 'with'])
  })

  test('a warning is met where the path enters its area, until it last leaves it', () => {
    const area = [[[at(-1000, 5000), at(1000, 5000), at(1000, 9000), at(-1000, 9000), at(-1000, 5000)]]]
    const warning = { kind: 'WEATHER_WARNING', position: null, area } as const
    expect(along([thing('storm', null, warning)])).toEqual([['storm', 5000, 9000]])
    expect(
      along([thing('elsewhere', null, { ...warning, area: [[area[0]?.[0]?.map(([lon, lat]) => [lon - 1, lat] as const) ?? []]] })]),
    ).toEqual([])
  })

  test('a path that comes back along the same road meets each thing once, where it is nearest first', () => {
    const twice = new PathLine([at(0, 0), at(0, 10_000), at(10, 10_000), at(10, 0)])
    const found = thingsAlong(twice, [[thing('once', at(0, 4000))]], posts, {
      kinds: new Set(['INCIDENT']),
      buffer_m: 100,
      onlyOwnDirection: false,
    })
    expect(found.map(({ along_m }) => Math.round(along_m))).toEqual([4000])
  })
})

describe('/api/trafico/ruta', () => {
  const path = (positions: Line): string => encodeURIComponent(JSON.stringify({ type: 'LineString', coordinates: positions }))
  const around: Line = [
    [1.8703, 41.4982],
    [1.8979, 41.5146],
    [1.9262, 41.5301],
  ]

  test('has the things near the path with the records that their own paths show', async () => {
    const reply: Reply = await service.json(`/api/trafico/ruta?path=${path(around)}&buffer=5000`)
    expect(reply.items.length).toBeGreaterThan(0)
    expect(Math.abs(reply.length_m - lengthM(around))).toBeLessThan(1)
    const places = reply.items.map((one: Reply) => one.distance_from_start_m)
    expect(places).toEqual(places.toSorted((one: number, other: number) => one - other))
    for (const { kind, url, source, road } of reply.items) {
      const own: Reply = await service.json(url)
      if (kind !== 'BEACON') expect([own.source, own.road ?? null], url).toEqual([source, kind === 'WEATHER_WARNING' ? null : road])
    }
  })

  test('the way back has the same things in the other order', async () => {
    const of = (line: Line): Promise<Reply> => service.json(`/api/trafico/ruta?path=${path(line)}&buffer=5000&directions=all`)
    const [there, back] = [await of(around), await of(around.toReversed())]
    const ids = ({ items }: Reply): string[] => items.map(({ kind, id }: Reply) => `${kind} ${id}`).sort()
    expect(ids(back)).toEqual(ids(there))
    for (const { kind, id, until_m, distance_from_start_m } of there.items) {
      const other = back.items.find((one: Reply) => one.kind === kind && one.id === id)
      if (until_m === null) expect(Math.abs(there.length_m - distance_from_start_m - other.distance_from_start_m), id).toBeLessThan(2)
    }
  })

  test('a path in the body of a POST has the same answer, also if it is too long for a URL', async () => {
    const headers = { 'X-API-Key': await service.key('PRO'), 'Content-Type': 'application/geo+json', 'If-None-Match': '*' }
    const post = async (query: string, body: string, more = {}): Promise<Response> =>
      service.ask(`/api/trafico/ruta?${query}`, { method: 'POST', headers: { ...headers, ...more }, body })
    const text = JSON.stringify({ type: 'LineString', coordinates: around })
    const [posted, got] = [await post('buffer=5000', text), await service.get(`/api/trafico/ruta?path=${path(around)}&buffer=5000`)]
    expect([posted.status, await posted.json()]).toEqual([200, await got.json()])
    const [from, to] = [[-3.713396, 40.56056], around[1] as Line[0]] as const
    const long = Array.from({ length: 5000 }, (_, at) => [
      from[0] + ((to[0] - from[0]) * at) / 4999,
      from[1] + ((to[1] - from[1]) * at) / 4999,
    ])
    const all = 'buffer=5000&directions=all&include=INCIDENT,WORKS,BEACON,PANEL,FUEL_STATION,WEATHER_STATION,SENSOR'
    const page = await post(`${all}&limit=1`, JSON.stringify({ type: 'LineString', coordinates: long }))
    const first: Reply = await page.json()
    expect(first.total).toBeGreaterThan(1)
    expect([page.status, first.items.length, page.headers.get('link')?.includes('next') ?? false]).toEqual([200, 1, false])
    const second = await post(`${all}&limit=1&cursor=${first.next_cursor}`, JSON.stringify({ type: 'LineString', coordinates: long }))
    expect([second.status, ((await second.json()) as Reply).items[0].id === first.items[0].id]).toEqual([200, false])
    expect((await post('', '')).status).toBe(400)
    expect((await post('', text, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await post('', ' '.repeat(2_000_001))).status).toBe(413)
    expect((await service.ask('/api/trafico/ruta', { method: 'OPTIONS' })).headers.get('access-control-allow-methods')).toContain('POST')
  })

  test.each([
    ['', 'path'],
    ['road=A-2', 'km_from'],
    ['road=A-2&km_from=5', 'km_to'],
    ['road=A-2&km_from=5&km_to=5', 'km_to'],
    ['road=ZZ-99&km_from=5&km_to=6', 'road'],
    [`path=${path(around)}&road=A-2`, 'road'],
    [`path=${path(around)}&include=TREE`, 'include'],
    [
      `path=${path([
        [0, 0],
        [0, 60],
      ])}`,
      'path',
    ],
  ])('?%s is refused', async (query, parameter) => {
    const response = await service.get(`/api/trafico/ruta?${query}`)
    expect([response.status, ((await response.json()) as Reply).errors[0].parameter]).toEqual([400, parameter])
  })
})

test('areas narrower than a kilometre are met wherever a path crosses them', () => {
  // 600 m wide and high, every 3.7 km along a path of 200 km to the east.
  const [kmEast, kmNorth] = [1 / (111.195 * Math.cos((40 * Math.PI) / 180)), 1 / 111.195]
  const zones = Array.from({ length: 50 }, (_, nth): Thing => {
    const [west, east, south, north] = [nth * 3.7 * kmEast - 4, (nth * 3.7 + 0.6) * kmEast - 4, 40 - 0.3 * kmNorth, 40 + 0.3 * kmNorth]
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ] as const
    return { ...thing('zone', [-4, 40]), kind: 'LOW_EMISSION_ZONE', id: `zone ${nth}`, position: null, area: [[ring]] }
  })
  const met = thingsAlong(
    new PathLine([
      [-4.01, 40],
      [-4 + 190 * kmEast, 40],
    ]),
    [zones],
    null,
    {
      ...{ kinds: new Set(['LOW_EMISSION_ZONE']), buffer_m: 300, onlyOwnDirection: false },
    },
  )
  expect(met.map((one) => one.thing.id)).toEqual(zones.map(({ id }) => id))
  for (const { along_m, until_m } of met) expect(Math.abs((until_m ?? 0) - along_m - 600)).toBeLessThan(25)
})

describe('a journey on a road', () => {
  // A road to the east along the 40th parallel, located from km 0 to 20 and 24 to 40, and from km 55 on.
  const KM_DEG = 1 / (111.195 * Math.cos((40 * Math.PI) / 180))
  const post = (km: number): Post => {
    const position = { lat: 40, lon: -4 + km * KM_DEG }
    return { road: 'CM-9', province_code: '13', km, position, source: 'dgt', records: 1, error_m: 100 }
  }
  const located = Array.from({ length: 71 }, (_, km) => km).filter((km) => km <= 20 || (km >= 26 && km <= 40) || km >= 55)
  const posts = new Posts(located.map(post))
  const on = (km_from: number, km_to: number): StretchLine | null =>
    stretchLine(posts, { road: 'CM9', km_from, km_to, province_code: null })

  test('goes on over a gap of at most 10 km, which it states, in both directions', () => {
    for (const [from, to] of [
      [0.25, 39],
      [39, 0.25],
    ] as const) {
      const { line, gaps } = on(from, to) as StretchLine
      expect(
        line
          .map(([lon]) => Math.round((lon + 4) / KM_DEG))
          .filter((km, at, all) => at > 0 && Math.sign(km - (all[at - 1] as number)) === Math.sign(from - to)),
      ).toEqual([])
      expect([line[0]?.[0], line.at(-1)?.[0]]).toEqual([from, to].map((km) => expect.closeTo(-4 + km * KM_DEG, 5)))
      const [gap] = gaps as [readonly [number, number]]
      expect(gaps.length).toBe(1)
      expect(Math.min(...gap)).toBeGreaterThanOrEqual(19.5)
      expect(Math.max(...gap)).toBeLessThanOrEqual(26.5)
    }
    expect(on(0, 20)?.gaps).toEqual([])
  })

  test('is none over a longer gap, or from a kilometre that is not located', () => {
    expect([on(30, 60), on(30, 50), on(80, 90)]).toEqual([null, null, null])
  })
})
