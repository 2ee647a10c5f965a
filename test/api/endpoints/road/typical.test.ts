import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEAST_WEEKS, momentOf, typicalAt } from '../../../../api/endpoints/road/typical.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { isoInstant, madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Over the change of the clock in October 2028, and over that of March 2029. */
const SPANS = [
  [Date.UTC(2028, 6, 20), Date.UTC(2028, 10, 12)],
  [Date.UTC(2028, 11, 25), Date.UTC(2029, 3, 3)],
] as const
const HOLIDAYS = ['2028-08-15', '2028-10-12', '2028-11-01', '2028-11-09', '2029-01-01', '2029-01-06', '2029-03-29', '2029-03-30']

/** Last readings of sensors, in UTC: a Tuesday, a Sunday at 02:30, a holiday, Easter Sunday at 02:30, and a wrong one. */
const LAST: Readonly<Record<string, readonly [at: number, quality?: string]>> = {
  tuesday: [Date.UTC(2028, 10, 7, 7, 20)],
  sunday: [Date.UTC(2028, 10, 5, 1, 30)],
  holiday: [Date.UTC(2028, 10, 1, 11, 5)],
  spring: [Date.UTC(2029, 3, 1, 0, 30)],
  wrong: [Date.UTC(2028, 10, 7, 7, 20), 'ERROR'],
  archive: [Date.UTC(2028, 10, 7, 7, 20)],
  new: [Date.UTC(2028, 10, 7, 7, 20)],
}

let service: TestService

/** True in the hour that October repeats, both times. */
const isRepeated = (at: number): boolean => at >= Date.UTC(2028, 9, 29) && at < Date.UTC(2028, 9, 29, 2)

function hours(): AnyRow[] {
  const next = figures(11)
  const rows: AnyRow[] = []
  const add = (sensor_id: string, period_start: number, source: string, period_s: number): void => {
    const readings = next() < 0.1 && !isRepeated(period_start) ? Math.floor((5 * 300) / period_s) : 3600 / period_s
    const of = (most: number): number => (readings === 0 ? 0 : Math.floor(most * readings * next()))
    rows.push(
      exampleTableRow(trafficHours, {
        ...{ month: madridDate(period_start).slice(0, 7), source, sensor_id, period_s, period_start, readings },
        ...{ intensity_readings: readings, intensity_sum_veh_h: of(900) },
        ...{ occupancy_readings: next() < 0.2 ? 0 : readings, occupancy_sum_pct: of(40), load_readings: readings, load_sum_pct: of(90) },
      }),
    )
  }
  for (const [from, to] of SPANS)
    for (let at = from; at < to; at += HOUR)
      for (const [id, [last]] of Object.entries(LAST)) {
        if ((next() < 0.05 && !isRepeated(at)) || (id === 'new' && at < last - 21 * DAY)) continue
        if (id === 'archive') {
          add(id, at, 'madrid_archive', 900)
          if (at > last - 7 * DAY) add(id, at, 'madrid', 300)
        } else add(id, at, 'madrid', 300)
        if (id === 'tuesday') add(id, at, 'madrid_archive', 900)
      }
  return rows
}

beforeAll(async () => {
  service = await startService()
  const known = (id: string): AnyRow => ({ sensor_id: id, updated_at: 0 })
  const newest = Math.max(...Object.values(LAST).map(([at]) => at))
  await service.publish(
    trafficSensors,
    [...Object.keys(LAST), 'silent'].map((id) => exampleRow(trafficSensors, { ...known(id), observed_at: newest })),
    { feed: 'madrid_sensors' },
  )
  await service.publish(
    trafficReadings,
    Object.entries(LAST).map(([id, [observed_at, quality = 'OK']]) =>
      exampleRow(trafficReadings, { ...known(id), observed_at, quality, intensity_veh_h: 500, occupancy_pct: 7, load_pct: 50 }),
    ),
    { at: newest },
  )
  await service.land(trafficHours, hours(), newest)
})
afterAll(() => service?.close())

const ask = (id: string): Promise<Reply> => service.json(`/api/trafico/sensores/${id}`)

/** The typical value of a sensor's last reading, by plain SQL, without the product's code. */
async function expected(id: string, source: string): Promise<GoldenRow | undefined> {
  const at = `timezone('Europe/Madrid', TIMESTAMPTZ '${isoInstant((LAST[id] as readonly [number])[0])}')`
  const isOff = (local: string): string =>
    `(dayname(${local}) = 'Sunday' OR strftime(${local}, '%Y-%m-%d') IN (${HOLIDAYS.map((day) => `'${day}'`).join()}))`
  const kind = (local: string): string =>
    `CASE WHEN ${isOff(local)} THEN 'SUNDAY_HOLIDAY' WHEN dayname(${local}) = 'Saturday' THEN 'SATURDAY' ELSE 'WORKDAY' END`
  const nth = (share: string, of: string): string => {
    const values = `list_sort(list(${of}) FILTER (WHERE ${of} IS NOT NULL))`
    return `${values}[CAST(greatest(1, ceil(${share} * count(${of}))) AS INTEGER)]`
  }
  const [row] = await golden(
    service.lake,
    [trafficHours],
    `WITH local AS (
      SELECT *, timezone('Europe/Madrid', period_start) AS clock FROM traffic_hours
      WHERE sensor_id = '${id}' AND source = '${source}' AND intensity_readings * period_s >= 1800
    ),
    these AS (
      SELECT *, CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS i,
        CASE WHEN occupancy_readings > 0 THEN CAST(occupancy_sum_pct / occupancy_readings AS DECIMAL(9, 1)) END AS o,
        CAST(load_sum_pct / load_readings AS DECIMAL(9, 1)) AS l
      FROM local
      WHERE CAST(clock AS DATE) < CAST(${at} AS DATE) AND CAST(clock AS DATE) >= CAST(${at} AS DATE) - 91
        AND hour(clock) = hour(${at}) AND ${kind('clock')} = ${kind(at)}
    )
    SELECT ${kind(at)} AS day_type, hour(${at}) AS hour_local, count(DISTINCT yearweek(clock)) AS weeks, count(*) AS hours,
      any_value(source) AS source, any_value(period_s) AS period_s,
      ${nth('0.5', 'i')} AS intensity_veh_h, ${nth('0.5', 'o')} AS occupancy_pct, ${nth('0.5', 'l')} AS load_pct, NULL AS absence,
      ${nth('0.1', 'i')} AS intensity_p10_veh_h, ${nth('0.9', 'i')} AS intensity_p90_veh_h
    FROM these`,
  )
  return row
}

test.each([
  ['tuesday', 'madrid', 'WORKDAY'],
  ['sunday', 'madrid', 'SUNDAY_HOLIDAY'],
  ['holiday', 'madrid', 'SUNDAY_HOLIDAY'],
  ['spring', 'madrid', 'SUNDAY_HOLIDAY'],
  ['wrong', 'madrid', 'WORKDAY'],
  ['archive', 'madrid_archive', 'WORKDAY'],
])('%s: the typical value is that of plain SQL over the hours', async (id, source, day_type) => {
  const { typical } = await ask(id)
  expect(typical).toEqual(await expected(id, source))
  expect(typical).toMatchObject({ day_type, source, absence: null })
  expect(typical.weeks).toBeGreaterThanOrEqual(LEAST_WEEKS)
})

test('the hour that October repeats counts twice, the missing hour of March does not count', async () => {
  const counted = async (id: string, day: string): Promise<GoldenRow[]> =>
    await golden(
      service.lake,
      [trafficHours],
      `SELECT period_start FROM traffic_hours WHERE sensor_id = '${id}' AND intensity_readings * period_s >= 1800
        AND strftime(timezone('Europe/Madrid', period_start), '%Y-%m-%d %H') = '${day} 02'`,
    )
  expect(await counted('sunday', '2028-10-29')).toHaveLength(2)
  expect(await counted('spring', '2029-03-25')).toHaveLength(0)
  expect((await ask('sunday')).typical.hour_local).toBe(2)
  expect((await ask('spring')).typical.hour_local).toBe(2)
  // By summer time an hour of UTC is the next one of the clock.
  expect(momentOf(Date.UTC(2029, 2, 25, 0, 59))).toMatchObject({ hour_local: 1 })
  expect(momentOf(Date.UTC(2029, 2, 25, 1))).toMatchObject({ hour_local: 3, date: '2029-03-25' })
  expect(momentOf(Date.UTC(2028, 9, 29, 0))).toEqual(momentOf(Date.UTC(2028, 9, 29, 1)))
  expect(momentOf(Date.UTC(2028, 9, 31, 23))).toEqual({ date: '2028-11-01', day_type: 'SUNDAY_HOLIDAY', hour_local: 0 })
})

test('the deviation is the reading less its typical value, with its share', async () => {
  for (const id of ['tuesday', 'sunday', 'archive']) {
    const { typical, deviation } = await ask(id)
    const { intensity_veh_h, occupancy_pct, load_pct } = typical
    expect(deviation.intensity_diff_veh_h).toBeCloseTo(500 - intensity_veh_h, 6)
    expect(deviation.intensity_diff_pct).toBeCloseTo((100 * (500 - intensity_veh_h)) / intensity_veh_h, 1)
    expect(deviation.occupancy_diff_pct).toBeCloseTo(7 - occupancy_pct, 6)
    expect(deviation.load_diff_pct).toBeCloseTo(50 - load_pct, 6)
  }
  expect((await ask('wrong')).deviation).toBeNull()
})

test('too few weeks give no typical value, and the reply says so and how many there are', async () => {
  const { typical, deviation } = await ask('new')
  expect(typical).toMatchObject({ day_type: 'WORKDAY', hour_local: 8, intensity_veh_h: null, load_pct: null, absence: 'FEW_WEEKS' })
  expect(typical.weeks).toBeGreaterThan(0)
  expect(typical.weeks).toBeLessThan(LEAST_WEEKS)
  expect(deviation).toBeNull()
  // A sensor that never gave a reading is held to the newest publication.
  const silent = await ask('silent')
  expect(silent).toMatchObject({
    ...{ last_reading: null, deviation: null },
    typical: { day_type: 'SUNDAY_HOLIDAY', hour_local: 2, weeks: 0, hours: 0, source: null, period_s: null, absence: 'FEW_WEEKS' },
  })
})

test('unreadable data and too little data are distinguished', () => {
  const moment = momentOf(Date.UTC(2028, 10, 7, 7))
  expect(typicalAt(null, moment).absence).toBe('NOT_NOW')
  expect(typicalAt([], moment)).toMatchObject({ absence: 'FEW_WEEKS', weeks: 0, intensity_p90_veh_h: null })
})
