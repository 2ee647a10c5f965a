import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { mobilityFlowDaysDerived } from '../../../jobs/derive/mobility/flow-days.ts'
import { mitmaTrips, mitmaV1Trips } from '../../../jobs/feeds/mobility/mitma-trips.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { mobilityFlowDays, mobilityTrips, mobilityV1Trips, zoneProvince } from '../../../lake/datasets/mobility/trips.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { golden } from '../../helpers/golden.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const never = new AbortController().signal
/** The province of each, by its id. */
const ZONES: Readonly<Record<string, string>> = {
  '01001': '01',
  '01047_AM': '01',
  '28079': '28',
  '34070953018': '09',
  FR101: 'FR',
  PT16D: 'PT',
  externo: 'EXTERNAL',
}

let redis: TestRedis
let context: TestContext
beforeAll(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
})

/** The cells of a day: trips between some zones in hours and bands, and those of another level, which cover the same trips. */
function cellsOf(day: string, seed: number): AnyRow[] {
  const next = figures(seed)
  const ids = Object.keys(ZONES)
  const rows: AnyRow[] = []
  for (const origin_zone of ids)
    for (const destination_zone of ids)
      for (const hour of [2, 8, 23]) {
        if (next() < 0.4) continue
        const values = { trips: Math.round(9e5 * next()) / 1000, trip_km: Math.round(9e6 * next()) / 1000 }
        for (const zone_level of ['MUNICIPALITY', 'DISTRICT'])
          rows.push(
            exampleTableRow(mobilityTrips, {
              ...{ study_day: `V2-${day}`, local_date: day, day_starts_at: dayBounds(day).start, zone_level },
              ...{ origin_zone, destination_zone, hour, starts_at: null, is_clock_change: true, ...values },
            }),
          )
      }
  return rows
}

const run = (on: TestContext) => derive(on, mobilityFlowDaysDerived, { feeds: [mitmaTrips, mitmaV1Trips], signal: never })
const land = async (to: TestContext, rows: readonly AnyRow[]): Promise<void> => {
  await landRows(to.lake, mobilityTrips, rows, { properties: { 'landed-until.mitma_trips': '2026-01-01T00:00:00.000Z' } })
}

const tableOf = async (on: TestContext): Promise<unknown[]> =>
  (await tableRows(on, mobilityFlowDays)).map(({ fetch_id, ...row }) => JSON.stringify(row)).sort()

describe('trips between provinces by day', () => {
  // The last days of a month, the leap day and the two days on which the clock changes.
  const days = ['2024-02-29', '2024-03-01', '2024-03-30', '2024-03-31', '2024-10-27']

  test('are the sums of the municipal cells, whatever order days come in', async () => {
    await prepareTables(context, [mobilityTrips, mobilityV1Trips, mobilityFlowDays])
    await land(
      context,
      days.slice(0, 3).flatMap((day, at) => cellsOf(day, at)),
    )
    expect(await run(context)).toMatchObject({ made: ['2024-02', '2024-03'], waits: false })
    await land(context, cellsOf('2024-10-27', 4))
    expect(await run(context)).toMatchObject({ made: ['2024-10'] })
    await land(context, cellsOf('2024-03-31', 3))
    expect(await run(context)).toMatchObject({ made: ['2024-03'] })
    expect(await run(context)).toMatchObject({ made: [] })
    const cases = Object.entries(ZONES).map(([zone, province]) => `WHEN '${zone}' THEN '${province}'`)
    const provinceOf = (name: string): string => `CASE ${name} ${cases.join(' ')} END`
    const expected = await golden(
      context.lake,
      [mobilityTrips],
      `SELECT strftime(local_date, '%Y-%m-%d') AS date, ${provinceOf('origin_zone')} AS origin, ${provinceOf('destination_zone')} AS destination,
        CAST(sum(trips) AS DOUBLE) AS trips, CAST(sum(trip_km) AS DOUBLE) AS trip_km
      FROM mobility_trips WHERE zone_level = 'MUNICIPALITY' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    )
    const made = await golden(
      context.lake,
      [mobilityFlowDays],
      `SELECT strftime(local_date, '%Y-%m-%d') AS date, origin_province AS origin, destination_province AS destination,
        CAST(trips AS DOUBLE) AS trips, CAST(trip_km AS DOUBLE) AS trip_km
      FROM mobility_flow_days ORDER BY 1, 2, 3`,
    )
    expect(made.length).toBeGreaterThan(100)
    expect(made).toEqual(expected)
    const months = await golden(
      context.lake,
      [mobilityFlowDays],
      `SELECT count(*) AS wrong FROM mobility_flow_days
      WHERE month <> strftime(local_date, '%Y-%m') OR day_starts_at <> timezone('Europe/Madrid', CAST(local_date AS TIMESTAMP))`,
    )
    expect(months).toEqual([{ wrong: 0 }])
    const other = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
    await prepareTables(other, [mobilityTrips, mobilityV1Trips, mobilityFlowDays])
    await land(
      other,
      days.flatMap((day, at) => cellsOf(day, at)),
    )
    await run(other)
    expect(await tableOf(context)).toEqual(await tableOf(other))
    await other.close()
  })

  test("of the former study are added, and do not extend the table's covered period", async () => {
    const day = '2021-02-01'
    const cell = (origin_zone: string, trips: number): AnyRow =>
      exampleTableRow(mobilityV1Trips, {
        ...{ study_day: `V1-${day}`, local_date: day, day_starts_at: dayBounds(day).start, origin_zone, destination_zone: '28106', trips },
      })
    const until = { 'landed-until.mitma_v1_trips': '2021-02-02T00:00:00.000Z' }
    await landRows(context.lake, mobilityV1Trips, [cell('01001_AM', 1.5), cell('01002', 2)], { properties: until })
    const before = (await context.lake.table(mobilityFlowDays).load())?.properties['derived-until.mitma_trips']
    expect(await run(context)).toMatchObject({ made: ['2021-02'], waits: false })
    const made = (await tableRows(context, mobilityFlowDays)).filter(({ study }) => study === 'V1')
    expect(made).toEqual([expect.objectContaining({ origin_province: '01', destination_province: '28', trips: 3.5 })])
    expect((await context.lake.table(mobilityFlowDays).load())?.properties['derived-until.mitma_trips']).toBe(before)
  })
})

const shared = sharedFolder()

describe.skipIf(shared === null)('the zones of the study', () => {
  test('are in the province of their ids, all of them', async () => {
    const lines = gunzipSync(
      readFileSync(join(shared as string, 'feeds/mitma-movilidad/v2/zonificacion/relacion_ine_zonificacionMitma.csv.gz')),
    )
      .toString()
      .trimEnd()
      .split(/\r?\n/)
      .slice(1)
    const provinces = new Map<string, Set<string>>()
    for (const line of lines) {
      const [, , municipality = '', district = '', zone = ''] = line.split('|')
      for (const id of [district, zone]) {
        const found = provinces.get(id) ?? new Set()
        // For land that several share the study gives the id alone.
        provinces.set(id, found.add(municipality === 'NA' ? id.slice(4, 6) : municipality.slice(0, 2)))
      }
    }
    expect(provinces.size).toBe(4214)
    const ids = [...provinces.keys()]
    const rows = await context.lake.query(
      sql`SELECT id, ${zoneProvince(sql`id`)} AS province FROM (SELECT unnest(string_split(${ids.join()}, ',')) AS id)`,
      {
        maxRows: 10_000,
      },
    )
    expect(rows).toHaveLength(ids.length)
    expect(rows.filter(({ id, province }) => [...(provinces.get(id as string) ?? [])].join() !== province)).toEqual([])
  })
})
