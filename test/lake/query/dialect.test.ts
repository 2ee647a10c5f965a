import { afterAll, beforeAll, expect, test } from 'vitest'
import { derivations } from '../../../jobs/derive/catalog.ts'
import { isForSpark } from '../../../jobs/derive/define.ts'
import { monthSpan } from '../../../jobs/derive/lineage.ts'
import { fuelDays } from '../../../lake/datasets/fuel/prices.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { Lake } from '../../../lake/open.ts'
import { DUCKDB, SPARK, sparkText } from '../../../lake/query/dialect.ts'
import { scan } from '../../../lake/query/scan.ts'
import { bind, instant, sql } from '../../../lake/query/sql.ts'
import { exampleTableRow } from '../../api/service.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows, openTestLake } from './fixtures.ts'

let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

const one = async (query: ReturnType<typeof sql>): Promise<unknown> =>
  Object.values((await lake.query(sql`SELECT ${query} AS value`))[0] ?? {})[0]

test('a query for Spark reads tables at snapshots, and has values as literals of their types', async () => {
  const state = await (async () => {
    await landRows(lake, trafficReadings, [exampleTableRow(trafficReadings)])
    return lake.table(trafficReadings).load()
  })()
  const at = Date.UTC(2026, 2, 29, 1)
  const rows = scan(trafficReadings, { observed_at: { gte: at }, source: { eq: "d'gt" } })
  const query = sql`SELECT ${bind('date', fuelDays.columns.date, '2026-03-29')}, ${null}, ${7}, ${true} FROM ${rows} WHERE observed_at < ${instant(at)}`
  const text = sparkText(query, 'lake', new Map([[trafficReadings.id, state]]))
  expect(text).toContain(`FROM "lake"."road"."traffic_readings" VERSION AS OF ${state?.snapshotId} WHERE `)
  expect(text).toContain(`"observed_at" >= timestamp_micros(${at}000) AND "source" = 'd''gt')`)
  expect(text).toMatch(/^SELECT DATE '2026-03-29', NULL, 7, true FROM \(SELECT "source", /)
  expect(sparkText(sql`SELECT 1 FROM ${rows}`, 'lake', new Map())).toContain('"traffic_readings" WHERE false)')
  const price = bind('price', fuelDays.columns.price_mean, 1.4)
  expect(() => sparkText(sql`SELECT ${price}`, 'lake', new Map())).toThrow('has no literal')
})

test('every derivation that is shared has a query for Spark without anything that only DuckDB has', () => {
  const shared = derivations.filter(isForSpark)
  expect(shared.map(({ into }) => into.id).sort()).toEqual(['fuel_days', 'mobility_flow_days', 'traffic_hours'])
  for (const derived of shared) {
    if (derived.by !== 'months') continue
    const query = derived.rows(
      monthSpan('2026-03'),
      derived.from.map((dataset) => scan(dataset)),
      SPARK,
    )
    const text = sparkText(query, 'lake', new Map())
    expect(text).not.toMatch(
      /\b(BY NAME|QUALIFY|REPLACE \(|VARCHAR|arg_max|time_bucket|timezone\(|unnest|generate_series|quantile_disc|MATERIALIZED|strip_accents|to_seconds|regexp_full_match)/,
    )
  }
})

test('the functions of DuckDB’s dialect: clock changes, whole quotients, patterns and accents', async () => {
  const at = instant(Date.UTC(2026, 2, 29, 1, 30))
  expect(await one(sql`CAST(${DUCKDB.localTime(at)} AS VARCHAR)`)).toBe('2026-03-29 03:30:00')
  expect(await one(sql`epoch_ms(${DUCKDB.startOfDate(sql`DATE '2026-10-26'`)})`)).toBe(Date.UTC(2026, 9, 25, 23))
  expect(await one(sql`epoch_ms(${DUCKDB.startOfHour(DUCKDB.minusSeconds(at, sql`1801`))})`)).toBe(Date.UTC(2026, 2, 29, 0))
  expect(await one(sql`CAST(${DUCKDB.wholeQuotient(sql`19`, sql`10`)} AS INTEGER)`)).toBe(1)
  expect(await one(DUCKDB.matches('28079', '\\d{5}'))).toBe(true)
  expect(await one(DUCKDB.matches('280799', '\\d{5}'))).toBe(false)
  const names = ['ESTACIÓN Ñ', 'Àrbre', 'ÜBER']
  for (const name of names) expect(await one(DUCKDB.plainText(name))).toBe(name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, ''))
})
