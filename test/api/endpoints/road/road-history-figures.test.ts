import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import { v16HoursDerived } from '../../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { advance, emptyState } from '../../../../jobs/ingest/fold.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { v16Beacons, v16Hours } from '../../../../lake/datasets/road/v16.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Over the ends of two months and the clock change of autumn. */
const FROM = Date.UTC(2026, 8, 28, 3)
const END = Date.UTC(2026, 10, 3, 10)
const ROLLED = Date.UTC(2026, 10, 2, 20)

let service: TestService
let redis: TestRedis
let context: TestContext

/** Rows of things that come, change and go, as the fold lands them. */
function story(dataset: Dataset, seed: number, make: (id: string, at: number, next: () => number) => AnyRow): AnyRow[] {
  const next = figures(seed)
  const state = emptyState()
  const rows: AnyRow[] = []
  const there = new Map<string, AnyRow>()
  let count = 0
  for (let at = FROM; at <= END; at += Math.ceil(5 * HOUR * next()) + 60_000) {
    count++
    for (const id of [...there.keys()]) if (next() < 0.25) there.delete(id)
    for (let fresh = 0; fresh < 4 * next(); fresh++) there.set(`${count}-${fresh}`, make(`${count}-${fresh}`, at, next))
    const given = [...there.values()].map((row) => (next() < 0.2 ? { ...row, km: Math.round(1000 * 700 * next()) / 1000 } : row))
    const facts = { fetch_id: `dgt_incidents.${count}`, data_time: at, blocks: { counts: {}, said: [] }, rule: null }
    rows.push(...advance(dataset, state, { rows: given, facts, key: Buffer.alloc(32) }).rows)
  }
  return rows.map((row) => ({ last_seen_at: null, ...row }))
}

function fresh(dataset: Dataset, values: AnyRow): AnyRow {
  const {
    status: _s,
    updated_at: _u,
    is_stale: _i,
    observed_at: _o,
    first_seen_at: _f,
    beacon_id: _b,
    incident_id: _n,
    ...row
  } = exampleRow(dataset)
  return { ...row, ...values }
}

const ROADS = ['A-7', 'M-30', 'N-2', null]
const one = <T>(of: readonly T[], share: number): T => of[Math.floor(share * of.length)] as T

async function landAll(dataset: Dataset, rows: readonly AnyRow[]): Promise<void> {
  const before = (row: AnyRow): boolean => (row['observed_at'] as number) < ROLLED
  await service.land(dataset, rows.filter(before), ROLLED)
  if (dataset === v16Beacons) await roll()
  await service.land(
    dataset,
    rows.filter((row) => !before(row)),
    END,
  )
}

async function roll(): Promise<void> {
  const { waits } = await derive(context, v16HoursDerived, { feeds, signal: new AbortController().signal })
  expect(waits).toBe(false)
}

beforeAll(async () => {
  service = await startService()
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [v16Beacons, v16Hours])
  const beacon = (source_id: string, at: number, next: () => number): AnyRow =>
    fresh(v16Beacons, {
      source_id,
      // Most are published within minutes, some a day or more later.
      activated_at: at - Math.floor((next() < 0.8 ? HOUR : 2 * DAY) * next()),
      road: one(ROADS, next()),
      km: next() < 0.1 ? null : Math.round(1000 * 700 * next()) / 1000,
      province_code: one(['30', '28', null], next()),
    })
  await landAll(v16Beacons, story(v16Beacons, 11, beacon))
  const incident = (source_id: string, _at: number, next: () => number): AnyRow =>
    fresh(incidents, { source_id, type: one(['ACCIDENT', 'ROADWORKS', 'CONGESTION'], next()), province_code: one(['30', '28'], next()) })
  await landAll(incidents, story(incidents, 5, incident))
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

const at = (ms: number): string => `TIMESTAMPTZ '${isoInstant(ms)}'`

/** Activations by plain SQL: each beacon once, as its first row has it. */
const activations = (unit: string, where = 'true'): Promise<GoldenRow[]> =>
  golden(
    service.lake,
    [v16Beacons],
    `SELECT strftime(timezone('UTC', ${unit === 'hour' ? 'time_bucket(INTERVAL 1 HOUR, activated_at)' : `timezone('Europe/Madrid', date_trunc('${unit}', timezone('Europe/Madrid', activated_at)))`}), '%Y-%m-%dT%H:%M:%S.000Z') AS period_start,
      province_code, road, CASE WHEN road IS NOT NULL THEN CAST(km AS INTEGER) // 10 * 10 END AS km, count(*) AS activations
    FROM (
      SELECT * REPLACE (floor(km) AS km) FROM v16_beacons QUALIFY row_number() OVER (PARTITION BY beacon_id ORDER BY observed_at) = 1
    )
    WHERE first_seen_at <= activated_at + INTERVAL 24 HOUR AND (${where})
    GROUP BY ALL ORDER BY ALL`,
  )

const text = (row: Reply): string => [row.period_start, row.province_code, row.road, row.km, row.activations].join(' ')

async function history(query: string): Promise<Reply> {
  const reply = await service.json(`/api/v16/history?limit=1000&${query}`)
  expect(reply.history, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

describe.each(['as far as days are over', 'once what came since is rolled up too'])('V16 activations, rolled up %s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('once')) await roll()
  })

  test.each([
    ['1h', 'hour'],
    ['1d', 'day'],
    ['1w', 'week'],
    ['1mo', 'month'],
  ])('by %s are those of plain SQL over the beacons', async (interval, unit) => {
    const expected = await activations(unit)
    expect(expected.length).toBeGreaterThan(20)
    const { history: found } = await history(`interval=${interval}&from=2026-09-01&to=2026-12-01`)
    expect(found.map(text).sort()).toEqual(expected.map(text).sort())
    expect(new Set(found.map((row: Reply) => `${row.period_start} ${row.section}`)).size).toBe(found.length)
  })

  test('of a province and a stretch of road are those of the sections that it touches', async () => {
    const { history: found, meta } = await history('interval=1mo&from=2026-09-01&province=Murcia&road=a7&km_from=95&km_to=210')
    const expected = await activations('month', `province_code = '30' AND road = 'A-7' AND km >= 90 AND km < 220`)
    expect(found.map(text).sort()).toEqual(expected.map(text).sort())
    expect(found.every((row: Reply) => row.province === 'Murcia' && row.km_to === row.km + 10)).toBe(true)
    expect(meta).toMatchObject({ covered_until: isoInstant(END), grain: expect.any(String), period: expect.anything() })
  })

  test('give the share of a step that was followed, and nothing for a beacon', async () => {
    const { history: found } = await history('interval=1mo&from=2026-09-01')
    const share = (start: string): Set<number> =>
      new Set(found.filter((row: Reply) => row.period_start === start).map((row: Reply) => row.coverage))
    expect(share('2026-09-30T22:00:00.000Z')).toEqual(new Set([1]))
    expect(share('2026-10-31T23:00:00.000Z')).toEqual(new Set([Number(((END - Date.UTC(2026, 9, 31, 23)) / (30 * DAY)).toFixed(6))]))
    expect(Object.keys(found[0]).filter((name) => /beacon|source|position|lat|lon|_at$/.test(name))).toEqual([])
    expect((await history('from=2026-06-01&to=2026-06-02')).history).toEqual([])
  })
})

test('a day is rolled up a day after it is over', async () => {
  const [row] = await golden(
    service.lake,
    [v16Hours],
    `SELECT max(period_start) < ${at(Date.UTC(2026, 10, 1, 23))} AS "before", count(*) AS n FROM v16_hours`,
  )
  expect(row).toMatchObject({ before: true, n: expect.any(Number) })
  const state = await service.lake.table(v16Hours).load()
  expect(state?.properties['landed-until.dgt_incidents']).toBe('2026-11-01T23:00:00.000Z')
})

test.each([
  ['2026-10-05', '2026-11-03'],
  ['2026-09-29', '2026-10-30'],
  ['2026-10-25', '2026-10-26'],
])('incidents counted over a range from %s to %s are those of plain SQL', async (from, to) => {
  const [begin, end] = [
    Date.parse(`${from}T00:00:00+0${from > '2026-10-25' ? 1 : 2}:00`),
    Date.parse(`${to}T00:00:00+0${to > '2026-10-25' ? 1 : 2}:00`),
  ]
  const { stats } = await service.json(`/api/incidents/stats?group_by=type,province&from=${from}&to=${to}&limit=1000`)
  const expected = await golden(
    service.lake,
    [incidents],
    `SELECT type, province_code, count(*) FILTER (WHERE status <> 'ENDED') AS active, count(*) AS active_in_period,
      count(*) FILTER (WHERE first_seen_at >= ${at(begin)}) AS began, count(*) FILTER (WHERE status = 'ENDED') AS ended
    FROM (SELECT * FROM incidents WHERE observed_at < ${at(end)} QUALIFY row_number() OVER (PARTITION BY incident_id ORDER BY observed_at DESC) = 1)
    WHERE status <> 'ENDED' OR observed_at >= ${at(begin)} GROUP BY ALL`,
  )
  const shown = (row: Reply): string => [row.type, row.province_code, row.active, row.active_in_period, row.began, row.ended].join(' ')
  expect(stats.map(shown).sort()).toEqual(expected.map(shown).sort())
  expect(expected.length).toBe(6)
})
