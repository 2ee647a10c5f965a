import { afterEach, beforeEach, expect, test } from 'vitest'
import { Posts } from '../../../api/endpoints/road/posts.ts'
import { distanceM } from '../../../api/kernel/reads/geo.ts'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { accidentPositionsDerived, animalPositionsDerived } from '../../../jobs/derive/safety/positions.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { roadAxes, roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { accidentPositions, animalAccidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import type { AxisRow } from '../../../lake/places/axes.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { seeded } from '../../../models/hotspots/chance.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [roadAccidents, animalAccidents, roadPoints, roadAxes, accidentPositions, animalAccidentPositions])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const run = (): Promise<DeriveResult> => derive(context, accidentPositionsDerived, { feeds: [], signal: never })
const point = (road: string, km: number, lat: number, rest: AnyRow = {}): AnyRow =>
  exampleTableRow(roadPoints, { month: '2026-01', road, km, province_code: '18', position: { lat, lon: -3.6 }, error_m: 100, ...rest })
const accident = (id: string, road: string | null, km: number | null, rest: AnyRow = {}): AnyRow =>
  exampleTableRow(roadAccidents, { edition: 'dgt-2024', accident_id: id, road, km, province_code: '18', position: null, ...rest })
/** Metres of a degree of latitude. */
const DEGREE_M = 111_195
const north = (km: number): number => 37 + (1000 * km) / DEGREE_M
/** A measured line due north, at a longitude. */
const axis = (road: string, direction: string, from: number, to: number, lon = -3.6): AnyRow => {
  const kilometres = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return exampleTableRow(roadAxes, {
    ...{ province: '18', road, direction, chain: 1, km_from: from, km_to: to, kilometres, posts: kilometres },
    ...{ geometry: kilometres.map((km) => [lon, north(km)] as const), errors_m: kilometres.slice(1).map(() => 35) },
  })
}

test('a kilometre of a road is where its points are, not beyond 5 km, nor where points contradict each other', async () => {
  await landRows(context.lake, roadPoints, [
    ...[100, 104, 110, 111].map((km) => point('A-44', km, north(km))),
    // Ten kilometres away by the straight line, where the posts say one.
    point('N-II', 10, north(10)),
    point('N-II', 11, north(20)),
    point('A-44', 102, north(150), { province_code: '23' }),
    point('A-44', 200, north(200), { month: '2025-12' }),
  ])
  const ROWS = [
    ['at a point', 'A-44', 104.05],
    ['between two, by another spelling', 'a44', 101],
    ['in a gap of 6 km', 'A-44', 106],
    ['behind the last', 'A-44', 112],
    ['of an older month alone', 'A-44', 200],
    ['contradiction', 'N-2', 10.5],
    ['at a point of those', 'N-2', 11],
    ['no road', null, 101],
    ['no kilometre', 'A-44', null],
  ] as const
  await landRows(context.lake, roadAccidents, [
    ...ROWS.map(([id, road, km]) => accident(id, road, km)),
    accident('published', 'A-44', 101, { position: { lat: 37.1, lon: -3.6 } }),
  ])
  expect(await run()).toMatchObject({ made: ['dgt-2024'], rows: 3 })
  const rows = new Map((await tableRows(context, accidentPositions)).map((row) => [row['accident_id'], row]))
  expect([...rows.keys()].sort()).toEqual(['at a point', 'at a point of those', 'between two, by another spelling'])
  expect(rows.get('at a point')).toMatchObject({ position: { lat: Number(north(104).toFixed(6)), lon: -3.6 }, error_m: 100 })
  const { position, error_m } = rows.get('between two, by another spelling') as { position: { lat: number }; error_m: number }
  expect(position.lat).toBeCloseTo(north(101), 6)
  // A straight road as long as its posts state: the kilometres and the line differ by a metre or so.
  expect(error_m).toBeGreaterThanOrEqual(100)
  expect(error_m).toBeLessThan(140)
})

test('an edition is built again when points of roads grow, or it is corrected, with both in its lineage; a full build gives the same', async () => {
  expect(await run()).toMatchObject({ made: [], removed: [] })
  await landRows(context.lake, roadAccidents, [accident('a', 'A-44', 100), accident('b', 'A-44', 102.5)])
  // Without a month of points there is nothing to locate by.
  expect(await run()).toMatchObject({ made: [] })
  await landRows(context.lake, roadPoints, [point('A-44', 100, 37)])
  expect(await run()).toMatchObject({ made: ['dgt-2024'], rows: 1 })
  expect(await run()).toMatchObject({ made: [], rows: 0 })
  const lineage = async (): Promise<string> =>
    (await context.lake.table(accidentPositions).load())?.properties['derived.dgt-2024'] as string
  const first = await lineage()
  expect(first).toMatch(/^r3 dgt-2024=\d+x1\/\/ 2026-01=\/\d+x1\/$/)
  await landRows(
    context.lake,
    roadPoints,
    [100, 104].map((km) => point('A-44', km, 37 + (1000 * km - 100_000) / DEGREE_M, { month: '2026-02' })),
  )
  expect(await run()).toMatchObject({ made: ['dgt-2024'], rows: 2 })
  expect(await lineage()).toMatch(/ 2026-02=/)
  await landRows(context.lake, roadAxes, [axis('A-44', 'BOTH', 100, 102)])
  expect(await run()).toMatchObject({ made: ['dgt-2024'], rows: 2 })
  expect(await lineage()).toMatch(/ 18=\/\/\d+x1$/)
  await landRows(context.lake, roadAccidents, [accident('c', 'A-44', 104, { edition: 'dgt-2023' })])
  expect(await run()).toMatchObject({ made: ['dgt-2023'], rows: 1 })
  const incremental = await tableRows(context, accidentPositions)
  const snapshot = (await context.lake.table(accidentPositions).load())?.snapshotId
  expect(snapshot).toBeDefined()

  const whole = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  try {
    await prepareTables(whole, [roadAccidents, roadPoints, roadAxes, accidentPositions])
    for (const dataset of [roadAccidents, roadPoints, roadAxes]) await landRows(whole.lake, dataset, await tableRows(context, dataset))
    await derive(whole, accidentPositionsDerived, { feeds: [], signal: never })
    const sortedById = (rows: readonly AnyRow[]) =>
      rows.map(({ edition, accident_id, position, error_m }) => ({ edition, accident_id, position, error_m }))
    const byKey = (rows: readonly AnyRow[]) =>
      sortedById(rows).sort((one, other) => (String(one.accident_id) < String(other.accident_id) ? -1 : 1))
    expect(byKey(await tableRows(whole, accidentPositions))).toEqual(byKey(incremental))
  } finally {
    await whole.close()
  }
})

test('a thousand kilometres of made-up roads, measured or not, have the positions of /api/geo/pk', async () => {
  const dice = seeded('positions')
  const posts: Post[] = []
  for (const road of ['A-1', 'N-VI', 'CM-332'])
    for (const province_code of ['18', '23']) {
      let [km, lat, lon] = [0.1, 37 + dice(), -3 - dice()]
      for (let at = 0; at < 60; at++) {
        const step = Math.round(1 + 60 * dice() ** 2) / 10
        km = Math.round(10 * (km + step)) / 10
        lat += ((dice() - 0.3) * step) / 80
        lon += ((dice() - 0.5) * step) / 80
        const position = { lat: Number(lat.toFixed(6)), lon: Number(lon.toFixed(6)) }
        posts.push({ road, province_code, km, position, source: 'dgt', records: 1, error_m: 100 + Math.floor(500 * dice()) })
      }
    }
  const axes = [axis('A-1', 'POSITIVE', 20, 60), axis('A-1', 'NEGATIVE', 25, 65, -3.599), axis('N-6', 'BOTH', 30, 90)]
  const accidents = Array.from({ length: 1000 }, (_, at) => ({
    accident_id: String(at),
    direction: ['POSITIVE', 'NEGATIVE', 'BOTH', 'UNKNOWN'][Math.floor(4 * dice())] as string,
    road: ['a1', 'N-6', 'CM332'][at % 3] as string,
    province_code: dice() < 0.5 ? '18' : '23',
    km: Math.round(1000 * 180 * dice()) / 1000,
  }))
  await landRows(
    context.lake,
    roadPoints,
    posts.map((post) => exampleTableRow(roadPoints, { month: '2026-01', ...post })),
  )
  await landRows(
    context.lake,
    animalAccidents,
    accidents.map((one) => exampleTableRow(animalAccidents, { ...one, edition: 'animals-2024' })),
  )
  await landRows(context.lake, roadAxes, axes)
  await derive(context, animalPositionsDerived, { feeds: [], signal: never })
  const made = new Map((await tableRows(context, animalAccidentPositions)).map((row) => [row['accident_id'], row]))
  const known = new Posts(posts, axes as unknown as readonly AxisRow[])
  const located = { AXIS: 0, POINTS: 0, apart: 0 }
  for (const { accident_id, road, province_code, km, direction } of accidents) {
    const [expected] = known.at(foldRoad(road), km, province_code, direction)
    const row = made.get(accident_id) as { position: { lat: number; lon: number }; error_m: number; method: 'AXIS' | 'POINTS' } | undefined
    expect(row === undefined, `${road} ${km}`).toBe(expected === undefined)
    if (!row || !expected) continue
    located[row.method] += 1
    expect(row.method === 'AXIS', `${road} ${km}`).toBe(expected.direction !== 'UNKNOWN')
    // Without a direction the middle of both carriageways.
    const [other = expected] = known.at(foldRoad(road), km, province_code, 'NEGATIVE')
    const isEither = direction !== 'POSITIVE' && direction !== 'NEGATIVE' && other.direction === 'NEGATIVE'
    const half_m = isEither ? distanceM(expected.position, other.position) / 2 : 0
    if (half_m > 1) located.apart += 1
    expect(Math.abs(distanceM(row.position, expected.position) - half_m), `${road} ${km}`).toBeLessThan(0.2)
    expect(Math.abs(row.error_m - expected.error_m - half_m), `${road} ${km}`).toBeLessThanOrEqual(1)
  }
  expect([located.AXIS > 80, located.POINTS > 150, located.apart > 10, located.AXIS + located.POINTS < 950]).toEqual([
    true,
    true,
    true,
    true,
  ])
})
