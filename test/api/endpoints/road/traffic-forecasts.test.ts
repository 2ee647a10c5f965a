import { afterAll, beforeAll, expect, test } from 'vitest'
import { corridorHours } from '../../../../lake/datasets/mobility/corridors.ts'
import { trafficCountStations, trafficCountsHourly } from '../../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts } from '../../../../lake/datasets/road/traffic-forecasts.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficHours, trafficTypicalWeeks } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate, offsetAt } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { golden } from '../../../helpers/golden.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The newest complete hour. */
const LAST = Math.floor(Date.now() / HOUR) * HOUR - HOUR
const MADE = Date.UTC(2023, 7, 31, 22)
const UNTIL = Date.UTC(2023, 8, 4)

let service: TestService
beforeAll(async () => {
  service = await startService()
  const next = figures(3)
  const forecast = (series_id: string, direction: string | null, hours: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(trafficForecasts, {
      ...{ series_id, direction, series: `${series_id}/${direction}`, horizon: `PT${hours}H`, made_at: MADE },
      ...{
        starts_at: MADE + (hours - 1) * HOUR,
        hour_local: hours - 1,
        intensity_veh_h: 100 * hours,
        interval_low: 90,
        interval_high: 410,
        ...values,
      },
    })
  const none = { intensity_veh_h: null, interval_low: null, interval_high: null, baseline: null, forecast_kind: null, recent_error: null }
  await service.land(
    trafficForecasts,
    [1, 2, 3, 4].flatMap((hours) => [
      forecast('ES01', '1', hours),
      forecast('ES01', '2', hours),
      forecast('ES02', '1', hours, { ...none, reason: 'SILENT' }),
      forecast('m-30', null, hours, { series_kind: 'CORRIDOR', model: 'traffic' }),
      forecast('3840', null, hours, { series_kind: 'SENSOR', model: 'traffic', made_at: LAST + HOUR, starts_at: LAST + hours * HOUR }),
    ]),
    UNTIL,
    ['madrid_counts'],
  )
  const counts: AnyRow[] = []
  for (let at = Date.UTC(2023, 3, 30, 22); at < MADE; at += HOUR)
    for (const direction of ['1', '2']) {
      const local_date = madridDate(at)
      const quality = next() < 0.03 ? 'OUTAGE' : 'OK'
      counts.push(
        exampleTableRow(trafficCountsHourly, {
          ...{ month: local_date.slice(0, 7), station_id: 'ES01', direction, local_date, day_starts_at: dayBounds(local_date).start },
          ...{
            hour: new Date(at + offsetAt(at)).getUTCHours(),
            starts_at: at,
            is_clock_change: false,
            vehicles: Math.floor(900 * next()),
            quality,
          },
        }),
      )
    }
  await service.land(trafficCountsHourly, counts, UNTIL, ['madrid_counts'])
  const month = madridDate(dayBounds(`${madridDate(LAST).slice(0, 7)}-01`).start - DAY).slice(0, 7)
  const week = (sensor_id: string, values: AnyRow): AnyRow => exampleTableRow(trafficTypicalWeeks, { month, sensor_id, ...values })
  await service.land(
    trafficTypicalWeeks,
    [
      ...[0, 8].map((hour_local) =>
        week('3840', { source: 'madrid', weekday_iso: 2, hour_local, intensity_median_veh_h: 50 + hour_local }),
      ),
      week('3840', { source: 'madrid_archive', weekday_iso: 2, hour_local: 8, period_s: 900 }),
      week('3840', { source: 'madrid', weekday_iso: 2, hour_local: 8, month: '2024-01' }),
      week('3840', { source: 'madrid', weekday_iso: 2, hour_local: 8, month: madridDate(LAST + HOUR).slice(0, 7) }),
    ],
    LAST,
  )
  const usual: AnyRow[] = []
  for (let at = LAST - 70 * DAY; at < dayBounds(madridDate(LAST)).start; at += HOUR)
    usual.push(
      exampleTableRow(trafficHours, {
        ...{ month: madridDate(at).slice(0, 7), sensor_id: '3840', source: 'madrid', period_s: 300, period_start: at },
        ...{ readings: 12, intensity_readings: 12, intensity_sum_veh_h: 12 * 200 },
      }),
    )
  await service.land(trafficHours, usual, LAST)
  await service.land(
    trafficReadings,
    [10, 20, 30, 40, 50, 60].flatMap((minute) =>
      [LAST - HOUR, LAST, LAST + HOUR].map((hour, at) =>
        exampleTableRow(trafficReadings, {
          ...{
            source: 'madrid',
            sensor_id: '3840',
            period_s: 600,
            observed_at: hour + minute * 60_000,
            quality: 'OK',
            intensity_veh_h: 100 + 150 * at,
          },
        }),
      ),
    ),
    LAST + HOUR,
  )
  const corridor: AnyRow[] = []
  for (let at = Date.UTC(2026, 0, 5); at < Date.UTC(2026, 2, 17); at += HOUR)
    corridor.push(
      exampleTableRow(corridorHours, {
        ...{ month: madridDate(at).slice(0, 7), corridor_id: 'm-30', source: 'madrid', period_start: at, local_date: madridDate(at) },
        ...{ hour_local: new Date(at + offsetAt(at)).getUTCHours(), intensity_mean_veh_h: Math.floor(2000 * next()) },
      }),
    )
  await service.land(corridorHours, corridor, LAST)
})
afterAll(() => service?.close())

const ask = async (query: string): Promise<Reply[]> => {
  const reply = await service.json(`/api/trafico/prediccion?limit=1000&${query}`)
  expect(reply.forecasts, JSON.stringify(reply).slice(0, 400)).toBeInstanceOf(Array)
  return reply.forecasts
}

/** The reply to a query, or its problem, with the status. */
const outcome = async (query: string): Promise<Reply> => {
  const reply = await service.get(`/api/trafico/prediccion?${query}`)
  return { status: reply.status, retry: reply.headers.get('retry-after'), ...((await reply.json()) as Reply) }
}

test('forecasts are the rows of the lake, of the requested series, horizon and hour', async () => {
  // A derived table has no cadence of its own, and may change a minute later.
  const [, fresh_s] = /max-age=(\d+),/.exec((await service.get('/api/trafico/prediccion')).headers.get('cache-control') ?? '') ?? []
  expect(Number(fresh_s)).toBeGreaterThan(1)
  expect(Number(fresh_s)).toBeLessThanOrEqual(60)
  // Past hours are listed for a request of one series, or of one of the hours.
  const ahead = await ask('')
  expect(new Set(ahead.map(({ series_id, is_over }) => `${series_id} ${is_over}`))).toEqual(new Set(['3840 false']))
  expect(ahead.map(({ horizon }) => horizon)).toEqual(expect.arrayContaining(['PT2H', 'PT3H', 'PT4H']))
  expect((await ask('station=ES01')).map(({ is_over }) => is_over)).toEqual(Array.from({ length: 8 }, () => true))
  // Where every listed hour is past, the reply as a whole is stale: its data are late, even if no feed is.
  const isStale = async (query: string): Promise<boolean> => (await service.json(`/api/trafico/prediccion?${query}`)).meta.stale
  const queries = ['', 'sensor=3840', 'station=ES01', 'station=ES01&horizon=PT1H', 'at=2023-09-01T00:30:00Z']
  for (const feed of ['madrid_traffic', 'madrid_sensors']) {
    const at = Date.now()
    await service.tell({ feed, last_attempt_at: at, last_success_at: at, fresh_at: at, data_time: at })
  }
  await expect.poll(() => Promise.all(queries.map(isStale)), { timeout: 10_000 }).toEqual([false, false, true, true, true])
  const [one, ...others] = await ask('station=ES01&horizon=PT2H')
  expect([one?.direction, others.map(({ direction }) => direction)]).toEqual(['1', ['2']])
  expect(one).toMatchObject({
    ...{ series_kind: 'COUNT_STATION', series_id: 'ES01', source: 'madrid', period: 'PT1H', unit: 'veh/h', horizon: 'PT2H' },
    ...{ starts_at: '2023-08-31T23:00:00.000Z', made_at: '2023-08-31T22:00:00.000Z', hour_local: 1, intensity_veh_h: 200 },
    ...{ interval: { level: 0.8, low: 90, high: 410 }, baseline: 401.7, forecast_kind: 'MODEL', recent_error: 0.068, reason: null },
    ...{ model: 'traffic_counts', model_version: 'r1-20230831-4be1c0d2' },
  })
  expect((await ask('at=2023-09-01T00:30:00Z')).map(({ horizon }) => horizon)).toEqual(['PT3H', 'PT3H', 'PT3H', 'PT3H'])
  expect(await ask('corridor=m-30&horizon=PT1H')).toMatchObject([{ series_kind: 'CORRIDOR', direction: null }])
  expect(await ask('station=ES02&horizon=PT1H')).toMatchObject([{ intensity_veh_h: null, interval: null, reason: 'SILENT' }])
  expect(await outcome('sensor=none')).toMatchObject({ status: 404, code: 'no-data-yet', detail: expect.stringContaining('none') })
  for (const query of [
    'corridor=a-6',
    'horizon=PT5H',
    'view=heatmap',
    'view=comparison&sensor=1&at=2023-09-01',
    'sensor=1&station=ES01',
    'at=2023-09-01T02:00:00Z',
    'station=ES01&at=2023-08-31T23:30:00Z&horizon=PT1H',
  ])
    expect([query, (await service.get(`/api/trafico/prediccion?${query}`)).status]).toEqual([query, 400])
  expect(await (await service.get('/api/trafico/prediccion?corridor=m-30&at=2023-09-02T00:30:00Z')).json()).toMatchObject({
    errors: [{ parameter: 'at', detail: expect.stringContaining('from 2023-08-31T22:00:00.000Z to before 2023-09-01T02:00:00.000Z') }],
  })
  expect((await service.open('/api/trafico/prediccion')).status).toBe(401)
})

test('where all forecasts are of hours that are over, the list of all says so in place of being empty', async () => {
  const late = await startService({ clock: () => LAST + 30 * HOUR })
  try {
    const row = { series_id: '3840', series_kind: 'SENSOR', starts_at: LAST + HOUR, made_at: LAST + HOUR, horizon: 'PT1H' }
    await late.land(trafficForecasts, [exampleTableRow(trafficForecasts, row)], LAST + HOUR, ['madrid_traffic'])
    const reply = await late.get('/api/trafico/prediccion')
    expect([reply.status, (await reply.json()) as Reply]).toMatchObject([503, { detail: expect.stringContaining(isoInstant(LAST + HOUR)) }])
    expect((await late.get('/api/trafico/prediccion?horizon=PT1H')).status).toBe(503)
    expect((await late.json('/api/trafico/prediccion?sensor=3840')).forecasts).toMatchObject([{ is_over: true }])
  } finally {
    await late.close()
  }
})

test('a heatmap is of the newest month that is over: by sensor of the live readings, by station of its counts', async () => {
  expect(await ask('view=heatmap&sensor=3840')).toMatchObject([
    {
      weekday_iso: 2,
      hour_local: 0,
      intensity_veh_h: 50,
      intensity_p10_veh_h: 88.1,
      intensity_p90_veh_h: 120.4,
      hours: 4,
      source: 'madrid',
    },
    { weekday_iso: 2, hour_local: 8, intensity_veh_h: 58, month: expect.not.stringContaining('2024') },
  ])
  const expected = await golden(
    service.lake,
    [trafficCountsHourly],
    `SELECT direction, isodow(local_date) AS weekday_iso, hour AS hour_local, count(*) AS hours,
       CAST(quantile_disc(vehicles, 0.5) AS DOUBLE) AS intensity_veh_h, CAST(quantile_disc(vehicles, 0.9) AS DOUBLE) AS intensity_p90_veh_h
     FROM traffic_counts_hourly WHERE month = '2023-08' AND quality = 'OK' GROUP BY ALL`,
  )
  const served = await ask('view=heatmap&station=ES01')
  const shape = ({ direction, weekday_iso, hour_local, hours, intensity_veh_h, intensity_p90_veh_h }: Reply) =>
    [direction, weekday_iso, hour_local, hours, intensity_veh_h, intensity_p90_veh_h].map(Number).join()
  expect(served).toHaveLength(2 * 7 * 24)
  expect(served.map(shape).sort()).toEqual(expected.map((row) => shape(row as Reply)).sort())
  const corridor = await ask('view=heatmap&corridor=m-30')
  expect([corridor.length, new Set(corridor.map(({ month }) => month))]).toEqual([7 * 24, new Set(['2026-03'])])
})

test('a comparison is of the newest hour of a sensor, and of the newest day of a station or corridor, against its typical value', async () => {
  const [now] = await ask('view=comparison&sensor=3840')
  expect(now).toMatchObject({
    ...{ starts_at: isoInstant(LAST), intensity_veh_h: 250, baseline: 200, intensity_diff_veh_h: 50, intensity_diff_pct: 25 },
    ...{ absence: null, source: 'madrid' },
  })
  const day = await ask('view=comparison&station=ES01')
  const days = `local_date >= DATE '2023-06-01' AND local_date < DATE '2023-08-31' AND isodow(local_date) < 6 AND local_date <> DATE '2023-08-15'`
  const expected = await golden(
    service.lake,
    [trafficCountsHourly],
    `SELECT direction, hour AS hour_local, CAST(quantile_disc(vehicles, 0.5) FILTER (WHERE ${days}) AS DOUBLE) AS baseline,
       CAST(max(vehicles) FILTER (WHERE local_date = DATE '2023-08-31') AS DOUBLE) AS measured
     FROM traffic_counts_hourly WHERE quality = 'OK' GROUP BY ALL`,
  )
  const there = expected.filter(({ measured }) => measured !== null)
  const shape = (direction: unknown, hour: unknown, baseline: unknown, measured: unknown) =>
    [direction, hour, baseline, measured].map(Number).join()
  expect(day.length).toBeGreaterThan(40)
  expect(day.map((one) => shape(one.direction, one.hour_local, one.baseline, one.intensity_veh_h)).sort()).toEqual(
    there.map((one) => shape(one['direction'], one['hour_local'], one['baseline'], one['measured'])).sort(),
  )
  for (const { intensity_veh_h, baseline, intensity_diff_veh_h } of day)
    expect(intensity_diff_veh_h).toBeCloseTo(intensity_veh_h - baseline, 1)
  const corridor = await ask('view=comparison&corridor=m-30')
  expect(corridor[0]).toMatchObject({ series_kind: 'CORRIDOR', direction: null, absence: null, starts_at: '2026-03-16T23:00:00.000Z' })
})

test('a view without data says so, with the reason, and is no empty list', async () => {
  for (const [query, reason] of [
    ['view=comparison&station=ES77', 'the first hour of it'],
    ['view=comparison&sensor=77', 'last 24 hours'],
    ['view=heatmap&station=ES77', 'month that is over'],
    ['view=heatmap&sensor=77', 'month that is over'],
    ['sensor=77', 'no forecast'],
    ['station=ES77', 'no forecast'],
  ] as const) {
    const { status, retry, code, detail } = await outcome(query)
    expect([query, status, retry, code]).toEqual([query, 404, '3600', 'no-data-yet'])
    expect(detail).toContain(reason)
  }
})

test('unknown ids are refused, with the nearest one', async () => {
  await service.land(
    trafficSensors,
    [...['3840', '3841'].map((sensor_id) => ({ sensor_id })), { sensor_id: 'GUID_DET_1', source: 'dgt' }].map((one) =>
      exampleTableRow(trafficSensors, one),
    ),
    UNTIL,
  )
  await service.land(trafficCountStations, [exampleTableRow(trafficCountStations, { station_id: 'ES01' })], UNTIL)
  await expect.poll(async () => (await outcome('station=es01')).status).toBe(400)
  await expect.poll(async () => (await outcome('sensor=38400')).status).toBe(400)
  for (const view of ['forecast', 'heatmap', 'comparison']) {
    const refused = await outcome(`view=${view}&station=es01`)
    expect([view, refused.status, refused.code]).toEqual([view, 400, 'invalid-parameter'])
    expect(refused.errors).toMatchObject([
      { parameter: 'station', value: 'es01', detail: expect.stringContaining('/api/movilidad/estaciones') },
    ])
    expect(await outcome(`view=${view}&sensor=38400`)).toMatchObject({ status: 400, detail: expect.stringContaining('did you mean 3840?') })
  }
  // The corridor has a forecast, so that the model of live sensors stands: of this sensor alone there is nothing.
  for (const query of ['sensor=3841', 'view=heatmap&sensor=3841', 'view=comparison&sensor=3841'])
    expect(await outcome(query)).toMatchObject({ status: 404, code: 'no-data-yet', detail: expect.stringContaining('3841') })
})

test('forecasts of detectors and access roads are of their source, and wait for their own model', async () => {
  const other = await startService()
  try {
    await other.land(trafficSensors, [exampleTableRow(trafficSensors, { sensor_id: 'GUID_DET_1', source: 'dgt' })], UNTIL)
    const row = { made_at: LAST + HOUR, starts_at: LAST + HOUR, horizon: 'PT1H', model: 'traffic' }
    const madrid = [
      exampleTableRow(trafficForecasts, { ...row, series_id: '3840', series: '3840', series_kind: 'SENSOR', direction: null }),
      exampleTableRow(trafficForecasts, { ...row, series_id: 'm-30', series: 'm-30', series_kind: 'CORRIDOR', direction: null }),
    ]
    await other.land(trafficForecasts, madrid, LAST + HOUR, ['madrid_traffic'])
    await expect.poll(async () => (await other.get('/api/trafico/prediccion?sensor=3840')).status).toBe(200)
    for (const query of ['sensor=GUID_DET_1', 'corridor=acceso-madrid-a-6', 'source=dgt']) {
      const reply = await other.get(`/api/trafico/prediccion?${query}`)
      const problem = (await reply.json()) as Reply
      expect([query, reply.status, problem.code]).toEqual([query, 404, 'no-data-yet'])
      expect(problem.detail).toContain('model=traffic_detectors')
      expect(JSON.stringify(problem)).toContain('28 days')
    }
    const detectors = [
      ['GUID_DET_1', 'SENSOR'],
      ['acceso-madrid-a-6', 'CORRIDOR'],
    ].map(([series_id, series_kind]) =>
      exampleTableRow(trafficForecasts, {
        ...{ ...row, model: 'traffic_detectors', series_id, series: series_id, series_kind, direction: null },
        ...{ forecast_kind: 'BASELINE' },
      }),
    )
    await other.land(trafficForecasts, detectors, LAST + HOUR + 1, ['dgt_detectors'])
    const of = async (query: string): Promise<string[]> =>
      ((await other.json(`/api/trafico/prediccion?${query}`)).forecasts ?? []).map(
        ({ series_id, source, forecast_kind }: Reply) => `${series_id} ${source} ${forecast_kind}`,
      )
    await expect.poll(() => of('sensor=GUID_DET_1')).toEqual(['GUID_DET_1 dgt BASELINE'])
    expect(await of('corridor=acceso-madrid-a-6')).toEqual(['acceso-madrid-a-6 dgt BASELINE'])
    expect((await of('source=dgt')).sort()).toEqual(['GUID_DET_1 dgt BASELINE', 'acceso-madrid-a-6 dgt BASELINE'])
    expect((await of('source=madrid')).sort()).toEqual(['3840 madrid MODEL', 'm-30 madrid MODEL'])
    for (const query of ['source=dgt&sensor=3840', 'source=dgt&view=heatmap&corridor=m-30', 'source=bilbao'])
      expect([query, (await other.get(`/api/trafico/prediccion?${query}`)).status]).toEqual([query, 400])
  } finally {
    await other.close()
  }
})

test('before a model is fitted it has no forecasts, and the reply names what they wait for', async () => {
  const other = await startService()
  try {
    await other.land(trafficForecasts, [], UNTIL, ['madrid_counts'])
    for (const [query, model] of [
      ['', 'modelos)'],
      ['?sensor=3840', 'model=traffic)'],
      ['?corridor=m-30', 'model=traffic)'],
      ['?station=ES01', 'model=traffic_counts)'],
    ] as const) {
      const reply = await other.get(`/api/trafico/prediccion${query}`)
      const { code, detail } = (await reply.json()) as Reply
      expect([query, reply.status, code, reply.headers.get('retry-after')]).toEqual([query, 404, 'no-data-yet', '3600'])
      expect(detail).toContain('95 days')
      expect(detail).toContain(model)
    }
    await other.land(trafficForecasts, [exampleTableRow(trafficForecasts, {})], UNTIL + HOUR, ['madrid_counts'])
    await expect.poll(async () => (await other.json('/api/trafico/prediccion?station=ES01')).total).toBe(1)
    expect((await other.get('/api/trafico/prediccion?corridor=m-30')).status).toBe(404)
  } finally {
    await other.close()
  }
})
