import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { hotspotsDerived } from '../../../jobs/derive/safety/hotspots.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
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
  await prepareTables(context, [roadAccidents, accidentPositions, accidentHotspots])
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

test('the country has sets along roads, from accidents whose position is exact enough, built again when positions change', {
  timeout: 120_000,
}, async () => {
  const dice = seeded('road')
  const kms = [...Array.from({ length: 60 }, () => 60 * dice()), ...Array.from({ length: 20 }, () => 30 + 0.1 * dice())].map(
    (km) => Math.round(1000 * km) / 1000,
  )
  const land = async (edition: string, year: number, error_m: number): Promise<void> => {
    const of = (at: number) => ({ edition, accident_id: String(at) })
    await landRows(
      context.lake,
      roadAccidents,
      kms.map((km, at) => exampleTableRow(roadAccidents, { ...of(at), year, province_code: '18', road: 'A-44', km })),
    )
    // No set without positions.
    expect((await run()).made).toEqual([])
    await landRows(
      context.lake,
      accidentPositions,
      kms.map((km, at) => {
        const position = { lat: Number((37 + km / 111.195).toFixed(6)), lon: -3.6 }
        return exampleTableRow(accidentPositions, { ...of(at), position, error_m: at < 79 ? error_m : 400 })
      }),
    )
    expect((await run()).made).toHaveLength(8)
  }
  const along = async (bandwidth_m: number): Promise<AnyRow[]> =>
    (await tableRows(context, accidentHotspots)).filter((row) => row['hotspot_set'] === `dgt_accidents.epanechnikov.${bandwidth_m}.none`)
  await land('dgt-2024', 2024, 200)
  expect([(await along(250)).length, (await along(500)).length]).toEqual([0, 1])
  await land('dgt-2023', 2023, 100)
  expect(await along(250)).toMatchObject([
    { province_code: '18', streets: ['A-44'], position_error_m: 100, coverage: 0.9875, years: [2023], rank: 1 },
  ])
  expect(await along(500)).toMatchObject([{ position_error_m: 150, years: [2023, 2024] }])
  expect((await run()).made).toEqual([])
})
