import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runUpkeep } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { apiUsage } from '../../../lake/datasets/service/api-usage.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { QUALITY_DAYS, type QualityDay, qualityDates, readQualityDay } from '../../../lake/quality/days.ts'
import { readTableQuality, type TableQuality, tableQualitySeqs } from '../../../lake/quality/tables.ts'
import { type AcceptedFetch, acceptedAfter, keepRejected, withdrawAccepted } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { exampleTableRow } from '../../api/service.ts'
import { golden } from '../../helpers/golden.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { landRows } from '../../lake/query/fixtures.ts'
import { type Episode, never, startTeller, type Teller } from '../ingest/story.ts'

const DAY_S = 86_400
const HOUR_MS = 3_600_000
/** Two publications before midnight in Madrid, then three, with a hole of 20 minutes. */
const EPISODES: readonly Episode[] = [
  [-70, { a: 1 }, { s1: 10, s2: 20 }],
  [-60, { a: 1, b: 2 }, { s1: 11 }],
  [0, { a: 1 }, { s1: 12, s2: 22 }],
  [1, { a: 3 }, { s1: 13, s2: 23 }],
  [21, { a: 3 }, { s1: 14, s2: 24 }],
]

let redis: TestRedis
let teller: Teller
/** The time of commits, ms. */
let lakeNow: number
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())
beforeEach(async () => {
  lakeNow = Date.parse('2026-02-01T00:30:00Z')
  teller = await startTeller({ folder: tempFolder(), redisUrl: redis.url, lakeClock: () => lakeNow })
  for (const episode of EPISODES) {
    expect(await teller.publish(episode)).toMatchObject({ outcome: 'accepted' })
    await teller.land()
  }
})
afterEach(() => teller.close())

/** Runs the task at an instant by the store's clock. */
async function gather(now: string): Promise<string[]> {
  const { context, feed } = teller
  const moved = { ...context, store: { ...context.store, now: async () => Date.parse(now) } }
  await runUpkeep(moved, 'quality', { datasets: [...feed.into, apiUsage], feeds: [feed], signal: never })
  return qualityDates(context.store)
}
const dayOf = async (date: string): Promise<QualityDay> => (await readQualityDay(teller.context.store, date)) as QualityDay
const tableOf = async (dataset: Dataset): Promise<TableQuality> => {
  const { store } = teller.context
  const seq = (await tableQualitySeqs(store)).get(dataset.id) ?? 0
  return (await readTableQuality(store, dataset.id, seq)) as TableQuality
}
const fetches = (): Promise<AcceptedFetch[]> => acceptedAfter(teller.context.store, teller.feed.id, 0)

deepTest('a day is reported some hours after its end, once, and no day before the first data', async () => {
  expect(await gather('2026-01-31T23:30:00Z')).toEqual([])
  expect(await gather('2026-02-01T04:59:00Z')).toEqual([])
  expect(await gather('2026-02-01T05:01:00Z')).toEqual(['2026-01-31'])
  const before = await dayOf('2026-01-31')
  expect(await gather('2026-02-02T12:00:00Z')).toEqual(['2026-01-31', '2026-02-01'])
  expect(await dayOf('2026-01-31')).toEqual(before)
  expect((await dayOf('2026-02-01')).as_of).toBe(Date.UTC(2026, 1, 2, 12))
  // The service's own tables are not among them.
  expect([...(await tableQualitySeqs(teller.context.store)).keys()].sort()).toEqual(['traffic_readings', 'v16_beacons'])
})

test('for a feed it reports the number of publications, their lateness, and their gaps', async () => {
  await gather('2026-02-02T12:00:00Z')
  const { every_s, id } = teller.feed
  const [first, second] = [(await dayOf('2026-01-31')).feeds[id], (await dayOf('2026-02-01')).feeds[id]]
  // From midnight in Madrid to 23:40 there was none, nor between the two, nor until midnight.
  expect(first).toMatchObject({ publications: 2, expected: DAY_S / every_s, longest_gap_s: 85_200 })
  expect(second).toMatchObject({ publications: 3, longest_gap_s: DAY_S - 71 * 60 })
  // Each is fetched five seconds after its time.
  expect([second?.lateness_median_s, second?.lateness_max_s]).toEqual([5, 5])
  const waits = [50, 1, 20, 24 * 60 - 71].map((minutes) => minutes * 60)
  expect(second?.gaps).toBe(waits.filter((wait_s) => wait_s > 3 * every_s).length)
  // Each has a direction that no list of codes has.
  expect([second?.quarantined, second?.unknown_codes, second?.rejected]).toEqual([0, 3, 0])
})

deepTest('a withdrawn fetch counts no more, a refused one counts by the time of its fetch', async () => {
  const [, , third] = (await fetches()) as [AcceptedFetch, AcceptedFetch, AcceptedFetch]
  await withdrawAccepted(teller.context.store, third, 'wrong')
  await keepRejected(teller.context.store, { ...third, fetch_id: `${teller.feed.id}.20260201T101112345Z`, rejected: 'too few rows' })
  await gather('2026-02-02T12:00:00Z')
  // The withdrawn one waits among the refused ones.
  expect((await dayOf('2026-02-01')).feeds[teller.feed.id]).toMatchObject({ publications: 2, rejected: 2 })
})

test('for a table it reports rows and null shares as plain SQL over the files does', async () => {
  await gather('2026-02-02T12:00:00Z')
  for (const [dataset, time, column] of [
    [trafficReadings, 'observed_at', 'occupancy_pct'],
    [v16Beacons, 'observed_at', 'last_seen_at'],
  ] as const) {
    const rows = await golden(
      teller.context.lake,
      [dataset],
      `SELECT CAST(${time} AT TIME ZONE 'Europe/Madrid' AS DATE) AS date, count(*) AS rows, 1 - count(${column}) / count(*) AS share
      FROM ${dataset.id} GROUP BY 1 ORDER BY 1`,
    )
    const gathered = await Promise.all(
      rows.map(async ({ date }) => {
        const { feeds, days } = await tableOf(dataset)
        const day = days[String(date)]
        expect(feeds).toEqual([teller.feed.id])
        return { date, rows: day?.rows, share: day?.nulls[column] }
      }),
    )
    expect(gathered).toEqual(rows.map(({ share, ...row }) => ({ ...row, share: Math.round(Number(share) * 1e6) / 1e6 })))
    expect(rows).toHaveLength(2)
  }
})

test('an empty day is reported too, once the service has begun, and old days go', async () => {
  await gather('2026-02-02T12:00:00Z')
  expect((await gather('2026-02-04T12:00:00Z')).slice(-2)).toEqual(['2026-02-02', '2026-02-03'])
  expect((await dayOf('2026-02-03')).feeds[teller.feed.id]).toMatchObject({
    publications: 0,
    gaps: 1,
    longest_gap_s: DAY_S,
    lateness_median_s: null,
  })
  expect(Object.keys((await tableOf(trafficReadings)).days)).toEqual(['2026-01-31', '2026-02-01'])
  const dates = await gather('2026-06-01T12:00:00Z')
  expect([dates.length, dates[0], dates.at(-1)]).toEqual([QUALITY_DAYS, '2026-03-01', '2026-05-31'])
})

test('a day of 25 hours expects an hour more', async () => {
  await gather('2026-02-02T12:00:00Z')
  await gather('2026-10-27T12:00:00Z')
  const expected = async (date: string): Promise<number> => (await dayOf(date)).feeds[teller.feed.id]?.expected as number
  expect((await expected('2026-10-25')) - (await expected('2026-10-24'))).toBe(3600 / teller.feed.every_s)
})

describe('rows of years ago', () => {
  // Tables are created by the machine's clock, so their changes come later: at a future noon (UTC).
  const noon = new Date(Date.now() + 2 * DAY_S * 1000).setUTCHours(12, 0, 0, 0)
  /** The instant some hours after that noon. */
  const after = (hours: number): string => new Date(noon + hours * HOUR_MS).toISOString()
  const rowsFrom = (start: number, count: number): AnyRow[] =>
    Array.from({ length: count }, (_, at) => {
      const row = { fetch_id: 'archive.20260202T150000000Z', sensor_id: `s${at}`, observed_at: start + at * 300_000 }
      return { ...exampleTableRow(trafficReadings, row), intensity_veh_h: at % 4 === 0 ? null : at }
    })
  const landLate = async (): Promise<void> => {
    lakeNow = Date.parse(after(3))
    await landRows(teller.context.lake, trafficReadings, rowsFrom(Date.UTC(2023, 5, 30, 12), 200))
  }

  deepTest('are counted once the table was left alone for an hour, as plain SQL counts them, and no other day is', async () => {
    await gather(after(0))
    const before = await tableOf(trafficReadings)
    await landLate()
    await gather(after(3.9))
    expect(await tableOf(trafficReadings)).toEqual(before)
    await gather(after(4.1))
    const { days } = await tableOf(trafficReadings)
    expect(days).toMatchObject(before.days)
    const counted = await golden(
      teller.context.lake,
      [trafficReadings],
      `SELECT CAST(observed_at AT TIME ZONE 'Europe/Madrid' AS DATE) AS date, count(*) AS rows,
      round(1 - count(intensity_veh_h) / count(*), 6) AS share FROM traffic_readings GROUP BY 1 ORDER BY 1`,
    )
    const gathered = Object.entries(days).map(([date, { rows, nulls }]) => ({ date, rows, share: nulls['intensity_veh_h'] }))
    expect(gathered).toEqual(counted.map((row) => ({ ...row, rows: Number(row['rows']) })))
    expect(gathered.map(({ date, rows }) => [date, rows]).slice(0, 2)).toEqual([
      ['2023-06-30', 120],
      ['2023-07-01', 80],
    ])
    expect(days['2023-06-30']?.as_of).toBe(Date.parse(after(4.1)))
  })

  deepTest('are counted when a day has ended, however busy the table is, and no longer reported once they are gone', async () => {
    await gather(after(0))
    await landLate()
    lakeNow = Date.parse(after(17))
    const [file] = await landRows(teller.context.lake, trafficReadings, rowsFrom(Date.UTC(2024, 1, 29, 12), 2))
    await gather(after(17.1))
    expect(Object.keys((await tableOf(trafficReadings)).days)).toEqual([
      '2023-06-30',
      '2023-07-01',
      '2024-02-29',
      '2026-01-31',
      '2026-02-01',
    ])
    const { table } = (await teller.context.lake.table(trafficReadings).load()) as TableState
    await commit({ table, operation: 'delete', remove: [file?.key as string] })
    await gather(after(19))
    expect(Object.keys((await tableOf(trafficReadings)).days)).toEqual(['2023-06-30', '2023-07-01', '2026-01-31', '2026-02-01'])
  })

  test('one look follows another only where something changed, and old figures go', async () => {
    const { store } = teller.context
    await gather(after(0))
    await gather(after(2))
    expect((await tableQualitySeqs(store)).get('traffic_readings')).toBe(1)
    await landLate()
    await gather(after(5))
    await gather(after(7))
    expect((await tableQualitySeqs(store)).get('traffic_readings')).toBe(2)
    expect(await readTableQuality(store, 'traffic_readings', 1)).toBeNull()
  })
})
