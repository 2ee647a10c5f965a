import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { detectorsOn, type Met, relationBy, thingsAlong } from '../../../../api/endpoints/road/along/match.ts'
import { type Beside, PathLine } from '../../../../api/endpoints/road/along/path-line.ts'
import { NO_DETAILS, ROAD_ITEMS } from '../../../../api/endpoints/road/along/route-item.ts'
import type { Thing } from '../../../../api/endpoints/road/along/things.ts'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { lengthM, metresAway } from '../../../../lake/places/lines.ts'
import type { Post } from '../../../../lake/places/place-on-road.ts'
import type { Line } from '../../../../lake/schema/columns.ts'
import { exampleService } from '../../example-service.ts'
import type { Reply, TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** Degrees of a metre: of latitude, and of longitude at 40° north. */
const M = 180 / (Math.PI * 6_371_008.8)
const E = M / Math.cos((40 * Math.PI) / 180)
/** A position some metres east and north of 40° north, 3° west. */
const at = (east_m: number, north_m: number): readonly [number, number] => [-3 + east_m * E, 40 + north_m * M]

/** Where a path is nearest to a position. */
const nearest = (path: PathLine, [lon, lat]: Line[0], within_m: number): Beside | undefined =>
  path.passes(lon, lat, within_m).sort((one, other) => one.offset_m - other.offset_m)[0]

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
          const found = nearest(path, [lon, lat], within_m)
          if (least > within_m + 0.01) expect(found).toBeUndefined()
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
    expect(nearest(path, at(-50, 1000), 100)?.turn).toBeGreaterThan(0)
    expect(nearest(path, at(50, 1000), 100)?.turn).toBeLessThan(0)
    expect(path.bearingAt(2000)).toBeCloseTo(0)
    expect(new PathLine([at(0, 0), at(5000, 0)]).bearingAt(0)).toBeCloseTo(90, 1)
  })
})

const KINDS = Object.keys(ROAD_ITEMS.codes)
/** To a hundred metres: a degree of longitude is shorter farther north. */
const rounded = (metres: number): number => 100 * Math.round(metres / 100)
const post = (road: string, km: number, [lon, lat]: readonly [number, number]): Post => ({
  ...{ road, km, province_code: '28', position: { lat, lon }, source: 'dgt', records: 1, error_m: 100 },
})
const thing = (id: string, where: readonly [number, number] | null, rest: Partial<Thing> = {}): Thing => ({
  ...{ kind: 'INCIDENT', id, titles: { es: id, en: id }, road: null, km: null, km_to: null, direction: null },
  ...{ to: null, line: null, area: null },
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

  const met = (on: PathLine, things: readonly Thing[]): Met[] =>
    thingsAlong(on, [things], posts, { kinds: new Set(KINDS), buffer_m: 300, onlyOwnDirection: false })

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
    const relations = (on: PathLine): Record<string, string> =>
      Object.fromEntries(met(on, things).map(({ thing: { id }, relation }) => [id, relation]))
    expect(relations(path)).toEqual({
      with: 'SAME_DIRECTION',
      against: 'OPPOSITE_DIRECTION',
      both: 'BOTH_DIRECTIONS',
      unknown: 'UNKNOWN',
      crossing: 'CROSSING_ROAD',
      elsewhere: 'UNKNOWN',
    })
    expect(relations(new PathLine([at(0, 20_000), at(0, 0)]))).toMatchObject({ with: 'OPPOSITE_DIRECTION', against: 'SAME_DIRECTION' })
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

  describe('a path there and back', () => {
    // 60 m apart at its end, as on two carriageways, else on the same line.
    const twice = new PathLine([at(0, 0), at(0, 6000), at(0, 10_000), at(60, 10_000), at(60, 6500), at(0, 6000), at(0, 0)])
    const on = (id: string, direction: string | null, rest: Partial<Thing> = {}): Thing =>
      thing(id, at(5, 4000), { road: 'A-1', km: 4, direction, ...rest })
    const own = (things: readonly Thing[], wanted = {}): [string, number, number | null][] =>
      thingsAlong(twice, [things], posts, { kinds: new Set(KINDS), buffer_m: 300, onlyOwnDirection: true, ...wanted }).map(
        ({ thing: { id }, along_m, until_m }) => [id, rounded(along_m), until_m === null ? null : rounded(until_m)],
      )
    const back = (north_m: number): number => rounded(twice.length_m - north_m)

    test('meets each thing on the pass of its direction, and what has both or none on the first one', () => {
      for (const kind of ['PANEL', 'CAMERA', 'BEACON', 'SPEED_CAMERA'] as const)
        expect(own(['POSITIVE', 'NEGATIVE', 'BOTH', 'UNKNOWN', null].map((direction) => on(`${direction}`, direction, { kind })))).toEqual([
          ...['BOTH', 'POSITIVE', 'UNKNOWN', 'null'].map((id) => [id, 4000, null]),
          ['NEGATIVE', back(4000), null],
        ])
      // Nearer to the way back.
      expect(own([on('both', 'BOTH', { position: thing('', at(40, 8000)).position })])).toEqual([['both', 8000, null]])
    })

    test('meets a stretch as far as it is of the direction', () => {
      const line = [at(0, 2000), at(0, 5000)]
      const stretches = ['POSITIVE', 'NEGATIVE', 'BOTH'].map((direction) => on(direction, direction, { kind: 'WORKS', km_to: 7, line }))
      expect(own(stretches)).toEqual([
        ['BOTH', 2000, 5000],
        ['POSITIVE', 2000, 5000],
        ['NEGATIVE', back(5000), back(2000)],
      ])
    })

    test('passes detectors of both directions, as often as it does, whatever the buffer', () => {
      const sensors = ['POSITIVE', 'NEGATIVE', 'UNKNOWN'].map((direction) => on(direction, direction, { kind: 'SENSOR' }))
      const passed = (path: PathLine): [string, number][] =>
        detectorsOn(path, [sensors], posts).map(({ thing: { id }, along_m }) => [id, rounded(along_m)])
      expect(passed(twice)).toEqual([
        ['POSITIVE', 4000],
        ['NEGATIVE', back(4000)],
      ])
      expect(passed(new PathLine([at(0, 0), at(0, 5000), at(0, 3000), at(0, 6000)]))).toEqual([
        ['POSITIVE', 4000],
        ['POSITIVE', 8000],
        ['NEGATIVE', 6000],
      ])
      expect(passed(new PathLine([at(400, 0), at(400, 5000)]))).toEqual([])
    })
  })

  test('a thing of a road that the path first crosses is met where the path drives on it', () => {
    const loop = new PathLine([at(0, 8000), at(0, 12_000), at(-2000, 12_000), at(-2000, 10_000), at(2000, 10_000)])
    const [one] = met(loop, [thing('jam', at(5, 10_000), { road: 'M-5', km: 2, direction: 'POSITIVE' })])
    expect([rounded(one?.along_m ?? 0), one?.relation]).toEqual([10_000, 'SAME_DIRECTION'])
  })

  test('the direction of a stretch is that of its whole line: around bends, and on a road that is not located', () => {
    const line = [at(0, 18_000), at(0, 20_000), at(6000, 20_000)]
    const works = (direction: string, km: number, km_to: number): Thing =>
      thing(`${direction} ${km}`, line[0] as Line[0], { kind: 'WORKS', road: 'Z-9', km, km_to, direction, line })
    const found = met(path, [works('POSITIVE', 18, 26), works('POSITIVE', 26, 18), works('NEGATIVE', 26, 18), works('BOTH', 18, 26)])
    expect(Object.fromEntries(found.map(({ thing: { id }, relation }) => [id, relation]))).toEqual({
      ...{ 'POSITIVE 18': 'SAME_DIRECTION', 'POSITIVE 26': 'OPPOSITE_DIRECTION', 'NEGATIVE 26': 'SAME_DIRECTION' },
      'BOTH 18': 'BOTH_DIRECTIONS',
    })
    // Without kilometres, growing ones are those of the located road at its begin.
    const located = thing('located', at(0, 6000), { kind: 'WORKS', road: 'A-1', direction: 'NEGATIVE', line: [at(0, 6000), at(0, 4000)] })
    expect(met(path, [located])[0]?.relation).toBe('OPPOSITE_DIRECTION')
  })

  test('a stretch without a known line is met at its ends', () => {
    const ends = { to: { lon: at(0, 9000)[0], lat: at(0, 9000)[1] }, road: 'Z-9', km: 5, km_to: 9, direction: 'POSITIVE' }
    const [one] = met(path, [thing('ends', at(0, 5000), ends)])
    expect([rounded(one?.along_m ?? 0), rounded(one?.until_m ?? 0), one?.relation]).toEqual([5000, 9000, 'SAME_DIRECTION'])
    expect(met(new PathLine([at(0, 6000), at(0, 8000)]), [thing('ends', at(0, 5000), ends)])).toEqual([])
  })

  test('roads cross from 50 degrees on, in both senses', () => {
    const relations = [49, 51, 129, 131].map((degrees) => relationBy('POSITIVE', Math.cos((degrees * Math.PI) / 180)))
    expect(relations).toEqual(['SAME_DIRECTION', 'CROSSING_ROAD', 'CROSSING_ROAD', 'OPPOSITE_DIRECTION'])
  })

  test('a weather station is met up to 10 km away, also with a smaller buffer', () => {
    const stations = [9900, 10_100].map((east_m) => thing(`${east_m}`, at(-east_m, 5000), { kind: 'WEATHER_STATION' }))
    expect(met(path, stations).map(({ thing: { id } }) => id)).toEqual(['9900'])
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
    expect((await post(`lang=${'x'.repeat(17_000)}`, text)).status).toBe(414)
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
