import { afterAll, beforeAll, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import {
  trafficCityHoursDerived,
  trafficDaysDerived,
  trafficHoursDerived,
  trafficTypicalWeeksDerived,
} from '../../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { trafficReadings, trafficReadings15m } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficCityHours, trafficDays, trafficHours, trafficTypicalWeeks } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, offsetAt } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const DERIVED = [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived, trafficTypicalWeeksDerived]
/** A leap day, the days of both clock changes, and one with live readings, too. */
const DAYS = ['2028-02-28', '2028-02-29', '2028-03-26', '2028-10-29', '2028-10-31']
const LIVE = '2028-10-31'
/** When the archive was fetched: long before the live readings end. */
const FETCHED = Date.UTC(2028, 10, 1)
const END = Date.UTC(2028, 10, 5, 12)

let service: TestService
let redis: TestRedis
let context: TestContext

/** Quarters of the days as the archive has them: those of the hour that October repeats twice, none of them with an instant. */
function archived(): AnyRow[] {
  const next = figures(5)
  return DAYS.flatMap((local_date) => {
    const { start, end } = dayBounds(local_date)
    const seen = new Map<number, number>()
    return Array.from({ length: (end - start) / 900_000 }, (_, at) => start + at * 900_000).flatMap((instant) => {
      const minute_of_day = Math.floor(((instant + offsetAt(instant)) % 86_400_000) / 60_000)
      const repetition = (seen.get(minute_of_day) ?? 0) + 1
      seen.set(minute_of_day, repetition)
      const is_clock_change = local_date === '2028-10-29' && minute_of_day >= 120 && minute_of_day < 180
      return ['s1', 's2'].map((sensor_id) =>
        exampleTableRow(trafficReadings15m, {
          ...{ month: local_date.slice(0, 7), sensor_id, local_date, minute_of_day, repetition, day_starts_at: start, is_clock_change },
          starts_at: is_clock_change ? null : instant,
          ...{ sensor_type: 'URBAN', speed_kmh: null, occupancy_pct: Math.floor(100 * next()), load_pct: Math.floor(100 * next()) },
          intensity_veh_h: next() < 0.1 ? null : Math.floor(2000 * next()),
          quality: next() < 0.07 ? 'ERROR' : 'OK',
        }),
      )
    })
  })
}

/** A reading outside every figure: a second reading of a time that is not repeated. */
const repeated = (rows: readonly AnyRow[]): AnyRow => ({ ...(rows[0] as AnyRow), repetition: 2, intensity_veh_h: 99_000 })

function live(): AnyRow[] {
  const { start, end } = dayBounds(LIVE)
  return Array.from({ length: (end - start) / 300_000 }, (_, at) =>
    exampleTableRow(trafficReadings, { sensor_id: 's1', observed_at: start + at * 300_000, intensity_veh_h: 1000 + at, quality: 'OK' }),
  )
}

const roll = async (): Promise<void> => {
  for (const derived of DERIVED)
    expect(await derive(context, derived, { feeds, signal: new AbortController().signal })).toMatchObject({ waits: false })
}
const history = async (path: string): Promise<Reply[]> => {
  const reply = await service.json(`${path}&limit=1000`)
  expect(reply.history, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply.history
}
const sourcesIn = (steps: readonly Reply[]): unknown[] => [...new Set(steps.map((one) => `${one.source} ${one.period_s}`))]
const YEAR = 'from=2028-01-01&to=2029-01-01'

beforeAll(async () => {
  service = await startService()
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficReadings, trafficReadings15m, trafficHours, trafficDays, trafficCityHours, trafficTypicalWeeks])
  await service.publish(
    trafficSensors,
    ['s1', 's2'].map((sensor_id) => exampleRow(trafficSensors, { sensor_id })),
  )
  const rows = archived()
  await service.land(trafficReadings15m, [...rows, repeated(rows)], FETCHED, ['madrid_history'])
  await roll()
  await service.land(trafficReadings, live(), END)
  await roll()
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

test('roll-ups have both sources, each separately, as far as the live readings go, and the archive does not delay them', async () => {
  const sums = `count(*) FILTER (WHERE quality <> 'ERROR') AS readings, sum(intensity_veh_h) FILTER (WHERE quality <> 'ERROR') AS intensity`
  const expected = await golden(
    service.lake,
    [trafficReadings, trafficReadings15m],
    `SELECT 'madrid' AS source, 300 AS period_s, sensor_id, ${sums} FROM traffic_readings GROUP BY ALL
     UNION ALL SELECT 'madrid_archive', 900, sensor_id, ${sums} FROM traffic_readings_15m WHERE starts_at IS NOT NULL AND repetition = 1 GROUP BY ALL
     ORDER BY ALL`,
  )
  expect(expected.map((row) => [row['source'], row['sensor_id']])).toEqual([
    ['madrid', 's1'],
    ['madrid_archive', 's1'],
    ['madrid_archive', 's2'],
  ])
  for (const dataset of [trafficHours, trafficDays])
    expect(
      await golden(
        service.lake,
        [dataset],
        `SELECT source, period_s, sensor_id, sum(readings) AS readings, sum(intensity_sum_veh_h) AS intensity FROM ${dataset.id} GROUP BY ALL ORDER BY ALL`,
      ),
    ).toEqual(expected)
  const city = await golden(
    service.lake,
    [trafficCityHours],
    'SELECT source, period_s, sum(readings) AS readings FROM traffic_city_hours GROUP BY ALL ORDER BY 1',
  )
  const readings = expected.map((row) => Number(row['readings']))
  expect(city.map((row) => [row['source'], Number(row['readings'])])).toEqual([
    ['madrid', readings[0]],
    ['madrid_archive', (readings[1] as number) + (readings[2] as number)],
  ])
  const weeks = await golden(
    service.lake,
    [trafficTypicalWeeks],
    'SELECT source, period_s, count(*) AS n FROM traffic_typical_weeks GROUP BY ALL ORDER BY 1',
  )
  expect(weeks.map((row) => [row['source'], row['period_s']])).toEqual([
    ['madrid', 300],
    ['madrid_archive', 900],
  ])
  const state = await service.lake.table(trafficDays).load()
  expect(Object.entries(state?.properties ?? {}).filter(([name]) => name.startsWith('landed-until.'))).toEqual([
    ['landed-until.madrid_traffic', '2028-11-04T23:00:00.000Z'],
  ])
})

test.each(['raw', '15m', '1h', '1d', '1mo', '1y'])('a series by %s is of the requested source, and else of one', async (interval) => {
  const path = `/api/trafico/sensores/s1/historico?interval=${interval}`
  const span = ['raw', '15m'].includes(interval) ? 'from=2028-10-27&to=2028-11-02' : YEAR
  expect(sourcesIn(await history(`${path}&${span}`))).toEqual(['madrid 300'])
  expect(sourcesIn(await history(`${path}&${span}&source=madrid`))).toEqual(['madrid 300'])
  expect(sourcesIn(await history(`${path}&${span}&source=madrid_archive`))).toEqual(['madrid_archive 900'])
  // Where there are no live readings, those of the archive answer; a whole year is requested.
  const asked = interval === '1y' ? 'from=2027-01-01&to=2028-01-01' : 'from=2028-02-28&to=2028-03-01'
  expect(sourcesIn(await history(`${path}&${asked}`))).toEqual(interval === '1y' ? [] : ['madrid_archive 900'])
  expect(sourcesIn(await history(`/api/trafico/sensores/s2/historico?interval=${interval}&${span}`))).toEqual(['madrid_archive 900'])
  expect(await history(`${path}&from=2027-05-01&to=2027-05-03`)).toEqual([])
})

const MEAN = `CAST(avg(intensity_veh_h) FILTER (WHERE quality <> 'ERROR') AS DECIMAL(9, 1)) AS intensity_veh_h`
const COUNTS = `starts_at IS NOT NULL AND repetition = 1`
const step = (unit: string): string =>
  `strftime(timezone('UTC', timezone('Europe/Madrid', date_trunc('${unit}', timezone('Europe/Madrid', starts_at)))), '%Y-%m-%dT%H:%M:%S.000Z')`

test.each([
  ['15m', `strftime(timezone('UTC', starts_at), '%Y-%m-%dT%H:%M:%S.000Z')`, 'from=2028-02-29&to=2028-03-01'],
  ['1h', `strftime(timezone('UTC', date_trunc('hour', starts_at)), '%Y-%m-%dT%H:%M:%S.000Z')`, 'from=2028-10-28&to=2028-11-01'],
  ['1d', step('day'), YEAR],
  ['1mo', step('month'), YEAR],
  ['1y', step('year'), YEAR],
])(
  'the archive by %s is that of plain SQL over its readings: leap day, clock changes, first and last hour',
  async (interval, start, span) => {
    const [from, to] = span.match(/\d{4}-\d\d-\d\d/g) as [string, string]
    const expected = await golden(
      service.lake,
      [trafficReadings15m],
      `SELECT ${start} AS period_start, count(*) FILTER (WHERE quality <> 'ERROR') AS readings, ${MEAN}
     FROM traffic_readings_15m WHERE sensor_id = 's1' AND ${COUNTS} AND local_date >= '${from}' AND local_date < '${to}' GROUP BY ALL ORDER BY 1`,
    )
    expect(expected.length).toBeGreaterThan(0)
    const found = await history(`/api/trafico/sensores/s1/historico?source=madrid_archive&interval=${interval}&${span}`)
    expect(found.map(({ period_start, readings, intensity_veh_h }) => ({ period_start, readings, intensity_veh_h }))).toEqual(expected)
    if (interval !== '1d') return
    // The repeated hour cannot be assigned to either hour: 23 of 25 hours are there; of March's day 23 of 23.
    const readings = (day: string): number => expected.find((row) => row['period_start'] === day)?.['readings'] as number
    const coverage = (day: string): number => found.find((one) => one.period_start === day)?.coverage
    expect(coverage('2028-10-28T22:00:00.000Z')).toBe(Number((readings('2028-10-28T22:00:00.000Z') / 100).toFixed(6)))
    expect(coverage('2028-03-25T23:00:00.000Z')).toBe(Number((readings('2028-03-25T23:00:00.000Z') / 92).toFixed(6)))
  },
)

test('the archive counts for since when there is anything, and series of all years begin then', async () => {
  const begin = new Date(dayBounds(DAYS[0] as string).start).toISOString()
  const year = new Date(dayBounds('2028-01-01').start).toISOString()
  for (const path of ['/api/trafico/sensores/s1/historico', '/api/trafico/ciudades/madrid/historico']) {
    const { meta } = await service.json(`${path}?interval=1y&source=madrid_archive`)
    expect([meta.covered_from, meta.period.from], path).toEqual([begin, year])
  }
})

test("an open period of the archive ends where the archive does, and its latest row is the archive's own", async () => {
  const last = dayBounds(DAYS.at(-1) as string)
  for (const path of ['/api/trafico/sensores/s1/historico', '/api/trafico/ciudades/madrid/historico']) {
    const { history: found, meta } = await service.json(`${path}?interval=1h&source=madrid_archive&limit=1000`)
    expect([meta.latest_row_at, meta.period.to], path).toEqual([last.start, last.end].map((at) => new Date(at).toISOString()))
    expect(found.at(-1)?.period_start, path).toBe(new Date(last.end - 3_600_000).toISOString())
    const live = (await service.json(`${path}?interval=1h`)).meta
    expect(Date.parse(live.latest_row_at), path).toBeGreaterThan(last.start)
  }
})

test("a city's series is of one source, too", async () => {
  const path = `/api/trafico/ciudades/madrid/historico?interval=1d&${YEAR}`
  expect(sourcesIn(await history(path))).toEqual(['madrid 300'])
  expect(sourcesIn(await history(path.replace(YEAR, 'from=2028-02-01&to=2028-04-01')))).toEqual(['madrid_archive 900'])
  const found = await history(`${path}&source=madrid_archive`)
  const expected = await golden(
    service.lake,
    [trafficReadings15m],
    `SELECT ${step('day')} AS period_start, count(*) FILTER (WHERE quality <> 'ERROR') AS readings, ${MEAN}
     FROM traffic_readings_15m WHERE ${COUNTS} GROUP BY ALL ORDER BY 1`,
  )
  expect(found.map(({ period_start, readings, intensity_veh_h }) => ({ period_start, readings, intensity_veh_h }))).toEqual(expected)
  expect(await history(`/api/trafico/ciudades/madrid/historico?interval=1d&from=2028-06-01&to=2028-06-05`)).toEqual([])
})

test('the current state is of the live readings alone, and another source is refused', async () => {
  const refused = await service.get('/api/trafico/sensores/s1/historico?source=other')
  expect(refused.status).toBe(400)
  expect(feeds.filter(({ into }) => into.includes(trafficReadings)).map(({ id }) => id)).toEqual(['dgt_detectors', 'madrid_traffic'])
  expect(trafficReadings15m.live).toBe(false)
})
