import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DeriveResult, derive } from '../../../jobs/derive/derive.ts'
import { accidentSectionsDerived } from '../../../jobs/derive/safety/sections.ts'
import { monthSpan } from '../../../jobs/feeds/safety/accident.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { accidentSections } from '../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { seeded } from '../../../models/hotspots/chance.ts'
import { exampleTableRow } from '../../api/service.ts'
import { golden } from '../../helpers/golden.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [roadAccidents, accidentSections])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const run = (): Promise<DeriveResult> => derive(context, accidentSectionsDerived, { feeds: [], signal: new AbortController().signal })
const dice = seeded('sections')
const oneOf = <T>(values: readonly T[]): T => values[Math.floor(dice() * values.length)] as T

/** Accidents of an edition: few sections and hours, so that several share them. */
function edition(source: string, year: number, count: number): AnyRow[] {
  return Array.from({ length: count }, (_, at) => {
    const month = oneOf([1, 3, 10, 12])
    const { isClockChange: _is, ...span } = monthSpan(year, month, 'Europe/Madrid')
    const severity = oneOf(['FATAL', 'SERIOUS', 'SLIGHT', 'NONE'])
    return exampleTableRow(roadAccidents, {
      ...{
        source,
        edition: `${source}-${year}`,
        accident_id: String(at),
        year,
        month,
        ...span,
        severity,
        is_casualty: severity !== 'NONE',
      },
      ...{
        road: oneOf(['A-44', 'a44', 'N-II', 'N-2', null]),
        km: oneOf([null, 0, 4.999, 5, 118.4, 119.9]),
        province_code: oneOf(['18', '23']),
      },
      ...{ hour_local: oneOf([null, 0, 2, 23]), weekday_iso: oneOf([1, 7]), killed_24h: severity === 'FATAL' ? 1 : 0 },
      ...{ killed_30d: source === 'madrid' ? null : 1 },
    })
  })
}

test('an edition equals plain SQL over its accidents; a correction rebuilds it and leaves the others', async () => {
  await landRows(context.lake, roadAccidents, [...edition('dgt_accidents', 2024, 400), ...edition('madrid', 2024, 100)])
  expect(await run()).toMatchObject({ made: ['dgt_accidents-2024', 'madrid-2024'] })
  const expected = await golden(
    context.lake,
    [roadAccidents],
    `SELECT edition, source, province_code, CASE WHEN road IN ('A-44', 'a44') THEN 'A44' ELSE 'N2' END AS key, CAST(km - km % 5 AS INTEGER) AS km, month, weekday_iso, hour_local,
       count(*) AS accidents, sum(CAST(is_casualty AS INTEGER)) AS casualties, sum(CAST(severity = 'FATAL' AS INTEGER)) AS fatal,
       sum(CAST(severity = 'SERIOUS' AS INTEGER)) AS serious, sum(killed_24h) AS killed_24h, sum(killed_30d) AS killed_30d
     FROM road_accidents WHERE road IS NOT NULL AND km IS NOT NULL GROUP BY ALL`,
  )
  const rows = await tableRows(context, accidentSections)
  const textOf = (row: AnyRow): string =>
    [row['edition'], row['section'], row['month'], row['weekday_iso'], row['hour_local'] ?? '', row['accidents'], row['casualty_accidents']]
      .concat([row['fatal_accidents'], row['serious_accidents'], row['killed_24h'], row['killed_30d'] ?? ''])
      .join(' ')
  const same = expected.map((one) =>
    [
      one['edition'],
      `${one['province_code']}/${one['key']}/${one['km']}`,
      one['month'],
      one['weekday_iso'],
      one['hour_local'] ?? '',
      one['accidents'],
    ]
      .concat([one['casualties'], one['fatal'], one['serious'], one['killed_24h'], one['killed_30d'] ?? ''])
      .join(' '),
  )
  expect(rows.map(textOf).sort()).toEqual(same.sort())
  expect(rows.some((row) => (row['accidents'] as number) > 1)).toBe(true)
  const [first] = rows.filter((row) => row['month'] === 10)
  expect(first).toMatchObject({ period_start: Date.parse('2024-09-30T22:00:00Z'), year: 2024 })
  expect(rows.every((row) => (row['km_to'] as number) - (row['km'] as number) === 5)).toBe(true)

  expect(await run()).toMatchObject({ made: [] })
  const others = (of: readonly AnyRow[]) =>
    of
      .filter((row) => row['edition'] === 'dgt_accidents-2024')
      .map(textOf)
      .sort()
  await landRows(
    context.lake,
    roadAccidents,
    edition('madrid', 2024, 30).map((row) => ({ ...row, accident_id: `x${row['accident_id']}` })),
  )
  expect((await run()).made).toEqual(['madrid-2024'])
  expect(others(await tableRows(context, accidentSections))).toEqual(others(rows))
})
