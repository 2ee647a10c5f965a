import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import {
  trafficCityHoursDerived,
  trafficDaysDerived,
  trafficHoursDerived,
  trafficTypicalWeeksDerived,
} from '../../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficCityHours, trafficDays, trafficHours, trafficTypicalWeeks } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const DERIVED = [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived, trafficTypicalWeeksDerived]
/** Over the clock changes of spring and autumn, the end of a month, and a leap day. */
const SPANS = [
  [Date.UTC(2028, 1, 28, 20), Date.UTC(2028, 2, 1, 4)],
  [Date.UTC(2028, 2, 25, 20), Date.UTC(2028, 2, 27, 3)],
  [Date.UTC(2028, 2, 31, 18), Date.UTC(2028, 3, 1, 3)],
  [Date.UTC(2028, 9, 28, 20), Date.UTC(2028, 9, 30, 9)],
] as const
const END = Date.UTC(2028, 9, 30, 9)
/** The landed rows when roll-ups are made: a part of the last day is not over. */
const ROLLED = Date.UTC(2028, 9, 29, 21)

let service: TestService
let redis: TestRedis
let context: TestContext

function readings(): AnyRow[] {
  const next = figures(3)
  const rows: AnyRow[] = []
  const add = (sensor_id: string, observed_at: number, period_s: number): void => {
    const some = <T>(value: T): T | null => (next() < 0.1 ? null : value)
    rows.push(
      exampleTableRow(trafficReadings, {
        ...{ sensor_id, observed_at, period_s, sensor_type: sensor_id === 's3' ? 'M30' : 'URBAN' },
        intensity_veh_h: some(Math.floor(2000 * next())),
        occupancy_pct: some(Math.floor(100 * next())),
        load_pct: some(Math.floor(100 * next())),
        speed_kmh: sensor_id === 's3' ? Math.floor(100 * next()) : null,
        level_of_service: some(['FLUID', 'SLOW', 'QUEUES', 'CONGESTION'][Math.floor(4 * next())] as string),
        quality: next() < 0.07 || sensor_id === 's4' ? 'ERROR' : 'OK',
      }),
    )
  }
  for (const [from, to] of SPANS)
    for (let at = from + 10_000; at < to; at += 300_000) {
      for (const id of ['s1', 's2', 's3', 's4']) if (next() > 0.05) add(id, at, 300)
      // Another period of the same sensor is apart from it.
      if (at % 900_000 === 10_000) add('s1', at, 900)
    }
  return rows
}

async function roll(): Promise<void> {
  for (const derived of DERIVED) {
    const done = await derive(context, derived, { feeds, signal: new AbortController().signal })
    expect(done.waits).toBe(false)
  }
}

/** The readings by the begin of their periods: Madrid publishes the end. */
const STARTED = '(SELECT * REPLACE (observed_at - to_seconds(period_s) AS observed_at) FROM traffic_readings)'
const ask = (query: string): Promise<GoldenRow[]> =>
  golden(service.lake, [trafficReadings], query.replace('FROM traffic_readings', `FROM ${STARTED}`))
const at = (ms: number): string => `TIMESTAMPTZ '${isoInstant(ms)}'`

/** The begin of a step of Madrid's calendar, as ISO 8601. */
const begin = (unit: string): string =>
  `strftime(timezone('UTC', timezone('Europe/Madrid', date_trunc('${unit}', timezone('Europe/Madrid', observed_at)))), '%Y-%m-%dT%H:%M:%S.000Z')`
const mean = (name: string): string => `CAST(avg(${name}) FILTER (WHERE quality <> 'ERROR') AS DECIMAL(9, 1)) AS ${name}`
const MEANS = ['intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh'].map(mean).join()

async function history(path: string): Promise<Reply> {
  const reply = await service.json(`${path}&limit=1000`)
  expect(reply.history, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

beforeAll(async () => {
  service = await startService()
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficReadings, trafficHours, trafficDays, trafficCityHours, trafficTypicalWeeks])
  await service.publish(trafficSensors, [exampleRow(trafficSensors)])
  const rows = readings()
  const before = (row: AnyRow): boolean => (row['observed_at'] as number) < ROLLED
  await service.land(trafficReadings, rows.filter(before), ROLLED)
  await roll()
  await service.land(
    trafficReadings,
    rows.filter((row) => !before(row)),
    END,
  )
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

describe.each(['as far as days are over', 'once what came since is rolled up too'])('rolled up %s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('once')) await roll()
  })

  test.each([
    ['1d', 'day'],
    ['1w', 'week'],
    ['1mo', 'month'],
    ['1y', 'year'],
  ])("a sensor's series by %s is what plain SQL gives of the readings", async (interval, unit) => {
    for (const id of ['s1', 's3', 's4']) {
      const { history: found } = await history(`/api/trafico/sensores/${id}/historico?interval=${interval}&from=2028-01-01&to=2029-01-01`)
      const expected = await ask(`
        SELECT ${begin(unit)} AS period_start, period_s, count(*) FILTER (WHERE quality <> 'ERROR') AS readings, ${MEANS},
          max(intensity_veh_h) FILTER (WHERE quality <> 'ERROR') AS intensity_max_veh_h
        FROM traffic_readings WHERE sensor_id = '${id}' GROUP BY ALL ORDER BY 1, 2`)
      expect(expected.length).toBeGreaterThan(0)
      expect(
        found.map(
          ({
            interval: _i,
            date: _d,
            source: _s,
            coverage: _c,
            level_of_service: _l,
            quality: _q,
            headway_m: _h,
            long_vehicles_pct: _v,
            ...one
          }: Reply) => one,
        ),
      ).toEqual(expected)
    }
  })

  test('days have 23 and 25 hours where the clock changes', async () => {
    const { history: found } = await history('/api/trafico/sensores/s2/historico?interval=1d&from=2028-01-01&to=2029-01-01')
    const day = (start: string): Reply => found.find((one: Reply) => one.period_start === start)
    for (const [start, hours] of [
      ['2028-03-25T23:00:00.000Z', 23],
      ['2028-10-28T22:00:00.000Z', 25],
      ['2028-02-28T23:00:00.000Z', 24],
    ] as const)
      expect(day(start).coverage).toBe(Number(Math.min(1, day(start).readings / (12 * hours)).toFixed(6)))
    expect(day('2028-10-28T22:00:00.000Z').readings).toBeGreaterThan(24 * 12 * 0.85)
  })

  test.each([
    ['1h', 'hour'],
    ['1d', 'day'],
    ['1mo', 'month'],
  ])('the series of a city by %s is that of plain SQL over the readings', async (interval, unit) => {
    const reply = await history(`/api/trafico/ciudades/madrid/historico?interval=${interval}&from=2028-02-01&to=2028-12-01`)
    const step =
      interval === '1h' ? `strftime(timezone('UTC', time_bucket(INTERVAL 1 HOUR, observed_at)), '%Y-%m-%dT%H:%M:%S.000Z')` : begin(unit)
    const share = (level: string): string => shareOf(`= '${level}'`)
    const shareOf = (condition: string): string =>
      `CAST(100 * count(*) FILTER (WHERE level_of_service ${condition} AND quality <> 'ERROR') / nullif(count(level_of_service) FILTER (WHERE quality <> 'ERROR'), 0) AS DECIMAL(9, 2))`
    const expected = await ask(`
      SELECT ${step} AS period_start, period_s, count(*) FILTER (WHERE quality <> 'ERROR') AS readings, ${MEANS},
        ${share('SLOW')} AS slow_pct, ${share('QUEUES')} AS queues_pct, ${share('CONGESTION')} AS congestion_pct,
        ${shareOf(`IN ('SLOW', 'QUEUES', 'CONGESTION')`)} AS dense_or_worse_pct
      FROM traffic_readings GROUP BY ALL ORDER BY 1, 2`)
    const found = reply.history.map(
      ({ city: _c, interval: _i, date: _d, source: _s, sensors: _n, coverage: _v, closed_pct: _x, ...one }: Reply) => one,
    )
    expect(found).toEqual(expected)
    expect(new Set(reply.history.map((one: Reply) => one.city))).toEqual(new Set(['madrid']))
    expect(reply.meta).toMatchObject({
      grain: expect.any(String),
      period: { from: '2028-01-31T23:00:00.000Z' },
      covered_until: isoInstant(END),
    })
  })

  test('sensors of a city are those of the fullest hour, and coverage is of their readings', async () => {
    const { history: found } = await history('/api/trafico/ciudades/madrid/historico?interval=1d&from=2028-10-29&to=2028-10-30')
    expect(found.map((one: Reply) => [one.period_start, one.period_s, one.sensors, one.coverage])).toEqual([
      ['2028-10-28T22:00:00.000Z', 300, 3, Number((found[0].readings / (3 * 12 * 25)).toFixed(6))],
      ['2028-10-28T22:00:00.000Z', 900, 1, Number((found[1].readings / (4 * 25)).toFixed(6))],
    ])
  })

  test('first and last hour of a range are whole, and a range without readings is empty', async () => {
    const path = '/api/trafico/ciudades/madrid/historico?interval=1h'
    const { history: found } = await history(`${path}&from=2028-10-29T00:30:00Z&to=2028-10-29T02:00:01Z`)
    expect([...new Set(found.map((one: Reply) => one.period_start))]).toEqual([
      '2028-10-29T00:00:00.000Z',
      '2028-10-29T01:00:00.000Z',
      '2028-10-29T02:00:00.000Z',
    ])
    expect((await history(`${path}&from=2028-06-01&to=2028-06-02`)).history).toEqual([])
    expect((await history('/api/trafico/ciudades/madrid/historico?interval=1mo&from=2027-01-01&to=2027-06-01')).history).toEqual([])
  })
})

test('typical weeks are those of plain SQL over the hours of the readings', async () => {
  const columns = `source, sensor_id, period_s, weekday_iso, hour_local, hours, intensity_mean_veh_h, intensity_p10_veh_h, intensity_median_veh_h, intensity_p90_veh_h`
  const found = await golden(service.lake, [trafficTypicalWeeks], `SELECT month, ${columns} FROM traffic_typical_weeks ORDER BY ALL`)
  const over = Date.UTC(2028, 9, 29, 23)
  const nth = (share: string): string => `list_sort(list(mean))[CAST(greatest(1, ceil(${share} * count(*))) AS INTEGER)]`
  const expected = await ask(`
    WITH hours AS (
      SELECT source, sensor_id, period_s, timezone('Europe/Madrid', time_bucket(INTERVAL 1 HOUR, observed_at)) AS local, time_bucket(INTERVAL 1 HOUR, observed_at) AS hour,
        CAST(avg(intensity_veh_h) AS DECIMAL(9, 1)) AS mean
      FROM traffic_readings WHERE quality <> 'ERROR' AND intensity_veh_h IS NOT NULL AND observed_at < ${at(over)} GROUP BY ALL
    )
    SELECT strftime(local, '%Y-%m') AS month, source, sensor_id, period_s, isodow(local) AS weekday_iso, hour(local) AS hour_local, count(*) AS hours,
      CAST(avg(mean) AS DECIMAL(9, 1)) AS intensity_mean_veh_h, ${nth('0.1')} AS intensity_p10_veh_h, ${nth('0.5')} AS intensity_median_veh_h,
      ${nth('0.9')} AS intensity_p90_veh_h
    FROM hours GROUP BY ALL ORDER BY ALL`)
  expect(found).toEqual(expected)
  // The hour that October repeats is two, the missing hour of March is none.
  const sunday = found.filter((row) => row['weekday_iso'] === 7 && row['sensor_id'] === 's1' && row['period_s'] === 300)
  const hoursOf = (month: string): unknown[] => sunday.filter((row) => row['month'] === month).map((row) => row['hours'])
  expect(hoursOf('2028-10')).toEqual([1, 1, 2, ...Array.from({ length: 21 }, () => 1)])
  expect(hoursOf('2028-03')).toHaveLength(23)
})

test('an unfinished period is not rolled up, and the reply says so', async () => {
  const [row] = await golden(service.lake, [trafficHours], `SELECT epoch_ms(max(period_start)) AS last FROM traffic_hours`)
  expect(row?.['last']).toBe(Date.UTC(2028, 9, 29, 22))
  const state = await service.lake.table(trafficDays).load()
  expect(state?.properties['landed-until.madrid_traffic']).toBe('2028-10-29T23:00:00.000Z')
})

test('cities whose centres are not read have no data yet, others are not known', async () => {
  const refused = await service.get('/api/trafico/ciudades/valencia/historico')
  expect([refused.status, ((await refused.json()) as Reply).code]).toEqual([404, 'no-data-yet'])
  expect((await service.get('/api/trafico/ciudades/getafe/historico')).status).toBe(404)
})
