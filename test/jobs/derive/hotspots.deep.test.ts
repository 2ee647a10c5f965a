import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { hotspotsDerived } from '../../../jobs/derive/safety/hotspots.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { accidentHotspots } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
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
  await prepareTables(context, [roadAccidents, accidentHotspots])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/** A year of Madrid: scattered accidents, and a black spot with its middle at `x` (m). */
function yearOf(year: number, x: number): AnyRow[] {
  const dice = seeded('year')
  const around = Array.from({ length: 30 }, () => [440_000 + 3000 * dice(), 4_474_000 + 3000 * dice()] as const)
  const spot = Array.from({ length: 25 }, () => [x + 40 * (dice() - 0.5), 4_475_500 + 40 * (dice() - 0.5)] as const)
  return [...around, ...spot].map(([easting, northing], at) =>
    exampleTableRow(roadAccidents, {
      ...{ source: 'madrid', edition: `madrid-${year}`, accident_id: String(at), year },
      ...{
        position: utmToPoint(easting, northing, 30),
        period_start: Date.UTC(year, 3),
        period_end: Date.UTC(year, 3, 2),
        province_code: '28',
      },
    }),
  )
}

const run = (): Promise<DeriveResult> => derive(context, hotspotsDerived, { feeds, signal: never })
const spots = async (): Promise<AnyRow[]> =>
  (await tableRows(context, accidentHotspots)).filter((row) => row['hotspot_set'] === 'madrid.epanechnikov.250.none')

test('every set of parameters is a partition, built once, and again when a year is added; ids stay where the peak does', {
  timeout: 120_000,
}, async () => {
  expect((await run()).made).toEqual([])
  await landRows(context.lake, roadAccidents, yearOf(2024, 441_500))
  const first = await run()
  expect([first.made.length, first.waits, first.rows > 0]).toEqual([12, false, true])
  const [before] = await spots()
  expect(before).toMatchObject({ rank: 1, years: [2024], source: 'madrid', coverage: 1 })
  // The polygon is around the peak.
  const [ring] = before?.['area'] as [readonly (readonly [number, number])[]]
  const { lat, lon } = before?.['peak'] as { lat: number; lon: number }
  expect([Math.min(...ring.map(([x]) => x)) < lon, Math.max(...ring.map(([, y]) => y)) > lat, ring[0]]).toEqual([true, true, ring.at(-1)])
  expect((await run()).made).toEqual([])

  await landRows(context.lake, roadAccidents, yearOf(2025, 441_520))
  expect((await run()).made).toHaveLength(12)
  const [after] = await spots()
  expect(after).toMatchObject({
    years: [2024, 2025],
    hotspot_id: before?.['hotspot_id'],
    accidents: expect.toSatisfy((count: number) => count >= 50),
  })
})
