import { afterAll, beforeAll, expect, test } from 'vitest'
import { trafficReadings, trafficReadings15m } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficDays } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensorEditions, trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleRow, exampleTableRow, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 7, 12)
let service: TestService

/** A reading of the archive at nine in the morning. */
function archived(sensor_id: string, local_date: string): AnyRow {
  const day_starts_at = dayBounds(local_date).start
  const when = { month: local_date.slice(0, 7), local_date, minute_of_day: 540, day_starts_at, starts_at: day_starts_at + 9 * 3_600_000 }
  return exampleTableRow(trafficReadings15m, { sensor_id, ...when })
}

const edition = (month: string, sensor_id: string, lat: number): AnyRow =>
  exampleTableRow(trafficSensorEditions, {
    edition: month,
    sensor_id,
    valid_from: dayBounds(`${month}-01`).start,
    position: { lat, lon: -3.7 },
  })

beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.publish(trafficSensors, [exampleRow(trafficSensors, { sensor_id: 'now' })])
  await service.land(trafficReadings, [exampleTableRow(trafficReadings, { sensor_id: 'now', observed_at: NOW })], NOW)
  await service.land(
    trafficReadings15m,
    ['2018-12-31', '2019-02-28', '2019-03-01', '2019-06-15'].map((day) => archived('former', day)),
    NOW,
  )
  const { start } = dayBounds('2017-05-01')
  await service.land(trafficDays, [exampleTableRow(trafficDays, { sensor_id: 'rolled', period_start: start, date: '2017-05-01' })], NOW)
  // Those of April and May are missing, and in July the sensor is gone.
  await service.land(
    trafficSensorEditions,
    [
      edition('2019-01', 'former', 40.1),
      edition('2019-03', 'former', 40.3),
      edition('2019-06', 'former', 40.6),
      edition('2019-03', 'now', 41),
      edition('2019-07', 'now', 41),
    ],
    NOW,
  )
})
afterAll(() => service?.close())

test.each(['raw', '15m', '1h', '1d', '1mo'])('a sensor of the archive alone has a series by %s, even if it is empty', async (interval) => {
  const series = (id: string, period: string): Promise<Response> =>
    service.get(`/api/trafico/sensores/${id}/historico?interval=${interval}&${period}`)
  for (const [id, status] of [
    ['former', 200],
    ['rolled', 200],
    ['now', 200],
    ['never', 404],
  ] as const) {
    const reply = await series(id, 'from=2020-01-01&to=2020-01-02')
    expect([id, reply.status]).toEqual([id, status])
    if (status === 200) expect(await reply.json()).toMatchObject({ history: [] })
  }
  // Its data is served as ever, except by days, which are not rolled up yet.
  const there = (await (await series('former', 'from=2019-02-28&to=2019-03-01')).json()) as { history: unknown[] }
  expect(there.history).toHaveLength(['1d', '1mo'].includes(interval) ? 0 : 1)
})

test('readings are joined to the place that their sensor had then, as the dataset says', async () => {
  const [, join = ''] = /`(traffic_readings_15m AS r .*?)`/.exec(trafficSensorEditions.about) ?? []
  const found = await golden(
    service.lake,
    [trafficReadings15m, trafficSensorEditions],
    `SELECT r.local_date, e.edition, e.position_lat AS lat FROM ${join} ORDER BY ALL`,
  )
  expect(found).toEqual([
    { local_date: '2018-12-31', edition: null, lat: null },
    { local_date: '2019-02-28', edition: '2019-01', lat: 40.1 },
    { local_date: '2019-03-01', edition: '2019-03', lat: 40.3 },
    { local_date: '2019-06-15', edition: '2019-06', lat: 40.6 },
  ])
})
