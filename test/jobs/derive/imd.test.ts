import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from '../../../jobs/derive/mobility/corridors.ts'
import { imdRoadsDerived } from '../../../jobs/derive/mobility/imd.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { corridorHours, corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { imdRoads, imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { exampleTableRow } from '../../api/service.ts'
import { figures } from '../../helpers/figures.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const TABLES = [imdSections, imdRoads, trafficHours, trafficSensors, corridorHours, corridorSensorMonths]
const options = { feeds: [], signal: new AbortController().signal }
let redis: TestRedis
let context: TestContext

const open = async (): Promise<TestContext> => {
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(opened, TABLES)
  return opened
}
beforeEach(async () => {
  redis = await startTestRedis()
  context = await open()
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

const land = (dataset: Dataset, rows: readonly AnyRow[], at = context): Promise<unknown> =>
  landRows(at.lake, dataset, rows, { properties: { 'landed-until.x': new Date(Date.UTC(2026, 10, 1)).toISOString() } })
const sorted = (rows: readonly AnyRow[]): AnyRow[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)).map(({ fetch_id: _, ...row }) => row)

describe('daily traffic of roads', () => {
  let id = 0
  const section = (year: number, values: AnyRow): AnyRow => {
    const { length_km = 10, imd = 1000 } = values as { length_km?: number; imd?: number | null }
    const veh_km = imd === null ? null : length_km * 365 * imd
    return exampleTableRow(imdSections, {
      ...{ edition: String(year), year, year_starts_at: Date.UTC(year - 1, 11, 31, 23), object_id: ++id, road: 'A-1', province_code: '28' },
      ...{ length_km, imd, veh_km, veh_km_heavy: veh_km === null ? null : veh_km / 10, year_days: 365, veh_km_check: 'OK' },
      ...values,
    })
  }
  const made = async (): Promise<readonly AnyRow[]> => {
    await derive(context, imdRoadsDerived, options)
    return tableRows(context, imdRoads)
  }

  test('are vehicle-km by length and days; the change is of the sections that both years have', async () => {
    await land(imdSections, [
      section(2017, { section_id: 'one', imd: 1000 }),
      section(2017, { section_id: 'gone', imd: 9000 }),
      section(2018, { section_id: 'one', imd: 1100, length_km: 4 }),
      // The same section, in two rows.
      section(2018, { section_id: 'one', imd: 1300, length_km: 4, veh_km_check: 'DIFFERS' }),
      section(2018, { section_id: 'new', imd: 500, length_km: 2, veh_km_heavy: null }),
      section(2018, { section_id: 'unknown', imd: null }),
      section(2018, { section_id: 'elsewhere', province_code: null }),
    ])
    const rows = (await made()).toSorted((one, other) =>
      `${one.edition}${one.province_code}` < `${other.edition}${other.province_code}` ? -1 : 1,
    )
    expect(rows).toMatchObject([
      {
        edition: '2017',
        sections: 2,
        length_km: 20,
        imd: 5000,
        heavy_share_pct: 10,
        matched_sections: 0,
        change_pct: null,
        previous_imd: null,
      },
      { edition: '2018', province_code: '00', sections: 1, imd: 1000 },
      {
        ...{ edition: '2018', year: 2018, province_code: '28', sections: 3, sections_without: 1, sections_differing: 1, length_km: 10 },
        ...{ veh_km: 365 * 10_600, imd: 1060, heavy_share_pct: null, matched_sections: 1, matched_length_km: 8 },
        ...{ matched_imd: 1200, previous_imd: 1000, change_pct: 20 },
      },
    ])
  })

  test('are built again for a corrected year, and for the one after it, as if all had arrived at once', async () => {
    const dice = figures(7)
    const of = (year: number): AnyRow[] =>
      Array.from({ length: 40 }, (_, at) =>
        section(year, { section_id: `s${at % 31}`, road: `A-${at % 5}`, imd: Math.round(5000 * dice()) }),
      )
    const [first, second, third] = [of(2016), of(2017), of(2018)]
    for (const year of [first, third]) {
      await land(imdSections, year)
      await made()
    }
    await land(imdSections, second)
    const late = sorted(await made())
    expect(late.filter(({ edition }) => edition === '2018').some(({ change_pct }) => change_pct !== null)).toBe(true)
    const other = await open()
    await land(imdSections, [...first, ...second, ...third], other)
    await derive(other, imdRoadsDerived, options)
    expect(late).toEqual(sorted(await tableRows(other, imdRoads)))
    await other.close()
  })
})

describe('hours of corridors', () => {
  const HOUR = 3_600_000
  const hour = (at: string, sensor_id: string, mean: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(trafficHours, {
      ...{ month: at.slice(0, 7), sensor_id, period_start: Date.parse(at), sensor_type: 'M30', readings: 12, intensity_readings: 12 },
      ...{ intensity_sum_veh_h: 12 * mean },
      ...values,
    })
  const made = async (at = context): Promise<readonly AnyRow[]> => {
    for (const derived of [corridorHoursDerived, corridorSensorMonthsDerived]) await derive(at, derived, options)
    return (await tableRows(at, corridorHours)).toSorted((one, other) => Number(one.period_start) - Number(other.period_start))
  }

  test('are means over the sensors of the corridor; those of other kinds, sources and without an intensity count for nothing', async () => {
    await land(trafficHours, [
      hour('2025-05-05T10:00:00Z', '1', 1000),
      hour('2025-05-05T10:00:00Z', '2', 2000),
      hour('2025-05-05T10:00:00Z', '3', 9000, { sensor_type: 'URBAN' }),
      hour('2025-05-05T10:00:00Z', '4', 9000, { source: 'valencia' }),
      hour('2025-05-05T10:00:00Z', '5', 9000, { intensity_readings: 0, intensity_sum_veh_h: 0 }),
      // Another period is another row.
      hour('2025-05-05T10:00:00Z', '1', 500, { period_s: 900 }),
    ])
    expect(await made()).toMatchObject([
      { corridor_id: 'm-30', source: 'madrid', period_s: 300, sensors: 2, intensity_mean_veh_h: 1500, hour_local: 12, day_type: 'WORKDAY' },
      { period_s: 900, sensors: 1, intensity_mean_veh_h: 500 },
    ])
    const months = await tableRows(context, corridorSensorMonths)
    expect(months.map(({ sensor_id, period_s, hours, intensity_sum_veh_h }) => [sensor_id, period_s, hours, intensity_sum_veh_h])).toEqual([
      ['1', 300, 1, 1000],
      ['2', 300, 1, 2000],
      ['1', 900, 1, 500],
    ])
  })

  test('of an access road are means over carriageways, each the sum of its lanes if all of them have the hour', async () => {
    const lane = (sensor_id: string, values: AnyRow = {}): AnyRow =>
      exampleTableRow(trafficSensors, {
        ...{ source: 'dgt', sensor_id, road: 'A-6', km: 12, province_code: '28', direction: 'POSITIVE', site_kind: 'MOTORWAY' },
        ...{ status: 'ACTIVE', observed_at: Date.UTC(2026, 8, 1, 4), ...values },
      })
    await land(trafficSensors, [
      ...['a1', 'a2'].map((id) => lane(id)),
      ...['b1', 'b2'].map((id) => lane(id, { km: 20 })),
      lane('c1', { direction: 'NEGATIVE' }),
      // A slip road, a kilometre and a province beyond the corridor, a road of another one, a dead lane beside a live one.
      lane('exit', { site_kind: 'EXIT' }),
      lane('far', { km: 41 }),
      lane('other', { province_code: '40' }),
      lane('z1', { road: 'Z-40', km: 10, province_code: '50' }),
      ...['d1', 'd2'].map((id) => lane(id, { km: 30 })),
    ])
    const of = (at: string, sensor_id: string, mean: number): AnyRow =>
      hour(at, sensor_id, mean, { source: 'dgt', sensor_type: 'INTERURBAN' })
    const [ten, eleven] = ['2026-09-07T10:00:00Z', '2026-09-07T11:00:00Z']
    await land(trafficHours, [
      ...[of(ten, 'a1', 1000), of(ten, 'a2', 500), of(ten, 'b1', 600), of(ten, 'b2', 0), of(ten, 'c1', 300)],
      ...[of(ten, 'exit', 9000), of(ten, 'far', 9000), of(ten, 'other', 9000), of(ten, 'z1', 700), of(ten, 'd1', 9000), of(ten, 'd2', 0)],
      // One lane of the first point is missing; the other lane of the second one was idle before, not dead.
      ...[of(eleven, 'a1', 1000), of(eleven, 'b1', 600), of(eleven, 'b2', 400), of(eleven, 'd1', 9000), of(eleven, 'd2', 0)],
    ])
    const rows = (await made()).map(({ corridor_id, period_start, sensors, intensity_mean_veh_h }) => [
      ...[corridor_id, new Date(period_start as number).getUTCHours(), sensors, intensity_mean_veh_h],
    ])
    expect(rows.sort()).toEqual([
      ['acceso-madrid-a-6', 10, 3, 800],
      ['acceso-madrid-a-6', 11, 1, 1000],
      ['acceso-zaragoza-z-40', 10, 1, 700],
    ])
    const months = await tableRows(context, corridorSensorMonths)
    expect(
      months.map(({ sensor_id, hours, point_id, point_sensors }) => [sensor_id, hours, point_id, point_sensors].join()).sort(),
    ).toEqual([...['a1,2,a1,2', 'a2,1,a1,2', 'b1,2,b1,2', 'b2,2,b1,2', 'c1,1,c1,1', 'd1,2,d1,2', 'z1,1,z1,1']])
  })

  test('are of days and hours of Madrid: holidays, both hours that October repeats, and the first of a month', async () => {
    const times = [
      ...['2025-05-31T21:00:00Z', '2025-05-31T22:00:00Z', '2025-10-26T00:00:00Z', '2025-10-26T01:00:00Z', '2025-03-30T01:00:00Z'],
      ...['2025-05-02T10:00:00Z', '2025-05-03T10:00:00Z', '2025-11-01T10:00:00Z', '2025-04-17T10:00:00Z', '2024-02-29T23:30:00Z'],
    ]
    // Rows of a month are in the partition of that month in Madrid.
    const monthOf = (at: string): string => new Date(Date.parse(at) + 2 * HOUR).toISOString().slice(0, 7)
    await land(
      trafficHours,
      times.map((at) => hour(at, '1', 100, { month: monthOf(at) })),
    )
    const rows = await made()
    const byInstant = new Map(rows.map((row) => [new Date(Number(row.period_start)).toISOString().slice(0, 16), row]))
    const of = (at: string) => {
      const row = byInstant.get(at.slice(0, 16)) as AnyRow
      return [row.month, row.local_date, row.hour_local, row.day_type]
    }
    expect(times.map(of)).toEqual([
      ['2025-05', '2025-05-31', 23, 'SATURDAY'],
      ['2025-06', '2025-06-01', 0, 'SUNDAY_HOLIDAY'],
      ['2025-10', '2025-10-26', 2, 'SUNDAY_HOLIDAY'],
      ['2025-10', '2025-10-26', 2, 'SUNDAY_HOLIDAY'],
      ['2025-03', '2025-03-30', 3, 'SUNDAY_HOLIDAY'],
      ['2025-05', '2025-05-02', 12, 'SUNDAY_HOLIDAY'],
      ['2025-05', '2025-05-03', 12, 'SATURDAY'],
      ['2025-11', '2025-11-01', 11, 'SUNDAY_HOLIDAY'],
      ['2025-04', '2025-04-17', 12, 'SUNDAY_HOLIDAY'],
      ['2024-03', '2024-03-01', 0, 'WORKDAY'],
    ])
  })

  deepTest('are the same made hour by hour as made at once', async () => {
    const dice = figures(11)
    const rows = Array.from({ length: 120 }, (_, at) =>
      hour(new Date(Date.UTC(2025, 0, 31, 18) + (at % 20) * HOUR).toISOString(), `s${Math.floor(at / 20)}`, Math.round(4000 * dice()), {
        month: Date.UTC(2025, 0, 31, 18) + (at % 20) * HOUR < Date.UTC(2025, 0, 31, 23) ? '2025-01' : '2025-02',
      }),
    )
    for (let at = 0; at < rows.length; at += 40) {
      await land(trafficHours, rows.slice(at, at + 40))
      await made()
    }
    const other = await open()
    await land(trafficHours, rows.toReversed(), other)
    expect(sorted(await made())).toEqual(sorted(await made(other)))
    expect(sorted(await tableRows(context, corridorSensorMonths))).toEqual(sorted(await tableRows(other, corridorSensorMonths)))
    await other.close()
  })
})
