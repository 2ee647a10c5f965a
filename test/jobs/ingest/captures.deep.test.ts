import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import { backfill } from '../../../jobs/ingest/history.ts'
import type { FetchOutcome } from '../../../jobs/ingest/pipeline.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { datasetById } from '../../../lake/catalog.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'

const shared = sharedFolder()
const never = new AbortController().signal

describe.skipIf(!shared)('the real captures, through the real pipeline', () => {
  let redis: TestRedis
  let publishers: Publishers
  let context: TestContext

  beforeAll(async () => {
    redis = await startTestRedis()
    publishers = await startPublishers({ source: { kind: 'captures', dir: `${shared}/feeds` } })
    const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url })
    context = { ...opened, mode: 'replay', origin: originOf(publishers.url) }
  })
  afterAll(async () => {
    await context.close()
    await publishers.close()
    await redis.stop()
  })

  /** Fetches a feed until its captures are through, lands, and returns the outcome of each. */
  async function replay(id: string): Promise<FetchOutcome[]> {
    const runner = makeRunner(context)
    const feed = feedById(id)
    const outcomes: FetchOutcome[] = []
    for (let tries = 0; tries < 30; tries++) {
      const done = await runner.fetch(feed, never)
      if (done.outcome === 'unchanged' && /^(not modified|same bytes)$/.test(done.reason ?? '')) break
      outcomes.push(done)
    }
    await runner.land(feed, never)
    return outcomes
  }

  const count = async (id: string): Promise<number> => {
    const [row] = await context.lake.query(sql`SELECT count(*) AS n FROM ${scan(datasetById(id))}`)
    return Number(row?.n)
  }

  test('files of archives are backfilled in any order: two months of counts, two editions of sensors, and the day of overnight stays', {
    timeout: 120_000,
  }, async () => {
    for (const [id, range, table, expected] of [
      ['madrid_counts', { from: '2022-04-01', to: '2022-05-31' }, 'traffic_counts_hourly', (30 + 31) * 59 * 2 * 24],
      ['madrid_sensor_editions', { from: '2025-01-01', to: '2025-12-31' }, 'traffic_sensor_editions', 4960 + 5024],
      ['mitma_overnight_stays', { from: '2022-01-01', to: '2022-01-31' }, 'mobility_overnight_stays', 515_748],
    ] as const) {
      const runner = makeRunner(context)
      const feed = feedById(id)
      const { files } = await listFiles(context, feed, { range, signal: never })
      const land = (): Promise<unknown> => runner.land(feed, never)
      const done = await backfill(runner, { feed, files: [...files].reverse(), jobs: 3, signal: never, land })
      await land()
      expect(done.map(({ outcome }) => outcome?.outcome)).toEqual(files.map(() => 'accepted'))
      expect(await count(table)).toBe(expected)
    }
  })

  test('DGT: 547 situations are 354 incidents and 193 beacons', async () => {
    const outcomes = await replay('dgt_incidents')
    expect(outcomes).toMatchObject([{ outcome: 'accepted', rows: { incidents: 354, v16_beacons: 193 }, quarantined: 0, unknown_codes: 0 }])
    expect(await count('incidents')).toBe(354)
    expect(await count('v16_beacons')).toBe(193)
  })

  test('SCT: 152 incidents beside DGT’s in one table; neither feed ends those of the other', async () => {
    const outcomes = await replay('sct_incidents')
    expect(outcomes).toMatchObject([{ outcome: 'accepted', rows: { incidents: 152 }, quarantined: 0, unknown_codes: 0 }])
    const [row] = await context.lake.query(
      sql`SELECT count(*) FILTER (WHERE source = 'sct') AS sct, count(*) FILTER (WHERE source = 'dgt') AS dgt, count(*) FILTER (WHERE status <> 'ACTIVE') AS over FROM ${scan(datasetById('incidents'))}`,
    )
    expect([Number(row?.sct), Number(row?.dgt), Number(row?.over)]).toEqual([152, 354, 0])
  })

  test('Madrid: each file its records, the truncated one refused, the ones without M-30 flagged', async () => {
    const outcomes = await replay('madrid_traffic')
    const seen = outcomes.map(({ outcome, rows, missing_blocks, fetched_at, reason }) => ({
      at: new Date(fetched_at).toISOString().slice(0, 16),
      outcome,
      rows: rows.traffic_readings ?? 0,
      flagged: missing_blocks.includes('traffic_readings/M30'),
      truncated: /ends early/.test(reason ?? ''),
    }))
    const file = (at: string, rows: number, more: object = {}) => ({
      at,
      outcome: 'accepted',
      rows,
      flagged: false,
      truncated: false,
      ...more,
    })
    expect(seen).toEqual([
      file('2018-02-24T00:00', 4275),
      file('2023-01-26T12:01', 4267, { flagged: true }),
      file('2023-02-22T18:20', 4563),
      file('2023-02-22T18:30', 4563),
      file('2023-02-22T18:40', 4563),
      file('2023-02-22T19:20', 4563),
      { at: '2023-10-08T15:05', outcome: 'rejected', rows: 0, flagged: false, truncated: true },
      file('2023-10-22T15:20', 4734),
      file('2023-10-22T15:25', 4734),
      file('2024-02-25T11:00', 4764),
    ])
    expect(await count('traffic_readings')).toBe(4275 + 4267 + 4 * 4563 + 2 * 4734 + 4764)
  })

  test('Madrid: both editions of the measuring points', async () => {
    const outcomes = await replay('madrid_sensors')
    expect(outcomes.map(({ outcome, rows }) => [outcome, rows.traffic_sensors])).toEqual([
      ['accepted', 4072],
      ['accepted', 4746],
    ])
  })

  test('fuel: 164 stations of a region, 807 of a province, with their prices', async () => {
    const outcomes = await replay('fuel_stations')
    expect(outcomes.map(({ outcome, rows }) => [outcome, rows.fuel_stations])).toEqual([
      ['accepted', 164],
      ['accepted', 807],
    ])
    // Their values are counted where the feed is tested; here, that all of them have landed.
    const [row] = await context.lake.query(
      sql`SELECT count(*) AS n FROM ${scan(datasetById('fuel_prices'), { province_code: { eq: '08' } })}`,
    )
    expect(Number(row?.n)).toBe(outcomes.at(-1)?.rows.fuel_prices)
    expect(Number(row?.n)).toBeGreaterThan(3000)
  })

  test('Weekly Oil Bulletin: the table of one week, by the link of the page', async () => {
    expect(await replay('fuel_bulletin')).toMatchObject([{ outcome: 'accepted', quarantined: 0, unknown_codes: 0 }])
    const [row] = await context.lake.query(
      sql`SELECT count(*) AS n, count(DISTINCT country_code) AS countries FROM ${scan(datasetById('fuel_bulletin'), { edition: { eq: 'raw-2022-08-22' } })}`,
    )
    expect([Number(row?.n), Number(row?.countries)]).toEqual([120, 27])
  })

  test('Renfe: positions, trip updates and alerts of every capture, and the maps of long distance', async () => {
    const accepted = async (id: string): Promise<unknown> =>
      (await replay(id)).map(({ outcome, rows, quarantined, unknown_codes }) => [outcome, rows, quarantined, unknown_codes])
    const good = (rows: object): unknown => ['accepted', rows, 0, 0]
    expect(await accepted('renfe_positions')).toEqual([134, 152, 177, 211].map((count) => good({ rail_positions: count })))
    expect(await count('rail_positions')).toBe(134 + 152 + 177 + 211)
    expect(await accepted('renfe_trip_updates')).toEqual([good({ rail_trip_updates: 18, rail_alerts: 8 })])
    expect(await accepted('renfe_alerts')).toEqual([good({ rail_alerts: 6 })])
    expect([await count('rail_trip_updates'), await count('rail_alerts')]).toEqual([18, 8 + 6])
    const maps = [161, 160, 188, 92, 2, 1, 19, 161, 129]
    expect(await accepted('renfe_flota_ld')).toEqual(maps.map((count) => good({ rail_fleet: count })))
    expect(await count('rail_fleet')).toBe(maps.reduce((sum, trains) => sum + trains))
  })

  test('Renfe: the list of stations and the list of models', async () => {
    expect(await replay('renfe_estaciones')).toMatchObject([{ outcome: 'accepted', rows: { rail_station_register: 1072 }, quarantined: 0 }])
    expect(await replay('renfe_material')).toMatchObject([{ outcome: 'accepted', rows: { rail_stock: 38 }, quarantined: 0 }])
    expect([await count('rail_station_register'), await count('rail_stock')]).toEqual([1072, 38])
  })

  test('AEMET: 9,510 hours of 832 stations, requested in two steps, and an inventory of 291', async () => {
    expect(await replay('aemet_observation')).toMatchObject([
      { outcome: 'accepted', rows: { weather_observations: 9510, weather_stations: 832 }, quarantined: 0, unknown_codes: 0 },
    ])
    expect(await replay('aemet_stations')).toMatchObject([{ outcome: 'accepted', rows: { weather_stations: 291 }, quarantined: 0 }])
    expect([await count('weather_observations'), await count('weather_stations')]).toEqual([9510, 832 + 291])
  })
})
