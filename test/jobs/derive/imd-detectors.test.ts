import { afterEach, beforeEach, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { imdDetectorMonthsDerived } from '../../../jobs/derive/mobility/imd.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { imdDetectorMonths } from '../../../lake/datasets/mobility/imd.ts'
import { trafficDays } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { landRows } from '../../lake/query/fixtures.ts'

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [trafficDays, trafficSensors, imdDetectorMonths])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const land = (dataset: Dataset, rows: readonly AnyRow[]): Promise<unknown> =>
  landRows(context.lake, dataset, rows, { properties: { 'landed-until.x': new Date(Date.UTC(2026, 10, 1)).toISOString() } })
const lane = (sensor_id: string, values: AnyRow = {}): AnyRow =>
  exampleTableRow(trafficSensors, {
    ...{ source: 'dgt', sensor_id, road: 'A-6', km: 9.05, province_code: '28', direction: 'POSITIVE', site_kind: 'MOTORWAY' },
    ...{ status: 'ACTIVE', observed_at: Date.UTC(2026, 9, 1, 4), ...values },
  })
const day = (sensor_id: string, date: string, mean: number, values: AnyRow = {}): AnyRow =>
  exampleTableRow(trafficDays, {
    ...{ month: date.slice(0, 7), source: 'dgt', sensor_id, period_s: 300, date, period_start: dayBounds(date).start, readings: 288 },
    ...{ intensity_readings: 288, intensity_sum_veh_h: 288 * mean, long_vehicles_readings: 0, long_vehicles_sum_pct: 0, ...values },
  })

test('a point counts on days on which each of its lanes was measured whole, by direction', async () => {
  await land(trafficSensors, [
    lane('p1', { km: 5, observed_at: Date.UTC(2026, 8, 30) }),
    // Moved since: both lanes of the first point are at kilometre 9.05.
    lane('p1'),
    lane('p2'),
    ...['p3', 'p4'].map((id) => lane(id, { km: 20 })),
    lane('n1', { direction: 'NEGATIVE' }),
    lane('exit', { site_kind: 'EXIT' }),
    lane('bus', { site_kind: 'BUS_HOV' }),
    lane('gone', { km: 30, status: 'MISSING' }),
    lane('nowhere', { direction: 'UNKNOWN' }),
    lane('city', { source: 'madrid' }),
  ])
  await land(trafficDays, [
    day('p1', '2026-10-02', 1000, { long_vehicles_readings: 100, long_vehicles_sum_pct: 800 }),
    day('p2', '2026-10-02', 500),
    // One lane of the point is not whole, is broken, or is not there.
    day('p1', '2026-10-03', 1000),
    day('p2', '2026-10-03', 500, { intensity_readings: 250, intensity_sum_veh_h: 250 * 500 }),
    day('p3', '2026-10-02', 700),
    day('p4', '2026-10-02', 0),
    day('p1', '2026-10-04', 1000),
    // A day of 25 hours.
    day('n1', '2026-10-25', 400, { intensity_readings: 300, intensity_sum_veh_h: 300 * 400 }),
    ...['exit', 'bus', 'gone', 'nowhere'].map((id) => day(id, '2026-10-02', 9000)),
    day('city', '2026-10-02', 9000, { source: 'madrid' }),
  ])
  await derive(context, imdDetectorMonthsDerived, { feeds: [], signal: new AbortController().signal })
  const rows = await tableRows(context, imdDetectorMonths)
  expect(
    rows.map(({ fetch_id: _, ...row }) => row).sort((one, other) => (String(one['direction']) < String(other['direction']) ? 1 : -1)),
  ).toMatchObject([
    {
      ...{ month: '2026-10', road: 'A-6', province_code: '28', direction: 'POSITIVE', points: 1, lanes: 4, km_from: 9.05, km_to: 9.05 },
      ...{ days: 1, first_date: '2026-10-02', last_date: '2026-10-02', lane_days: 2, point_days: 1, vehicles: 36_000 },
      ...{ long_vehicles_readings: 100, long_vehicles_sum_pct: 800 },
    },
    { direction: 'NEGATIVE', points: 1, lanes: 1, point_days: 1, vehicles: 10_000 },
  ])
})
