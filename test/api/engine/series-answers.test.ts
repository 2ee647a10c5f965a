import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { weatherDaysDerived } from '../../../jobs/derive/weather/days.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { fuelDays, fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { trafficCityHours, trafficDays, trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { v16Hours } from '../../../lake/datasets/road/v16.ts'
import { weatherDaily, weatherDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { golden } from '../../helpers/golden.ts'
import { openTestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { marine } from '../endpoints/maritime/series-marine.ts'
import { traffic, v16 } from '../endpoints/road/series-road.ts'
import {
  AUTUMN,
  begin,
  type Domain,
  END,
  HOUR,
  instants,
  iso,
  MINUTE,
  next,
  part,
  ROLLED,
  seconds,
  share,
  some,
  type Unit,
  whole,
  YEAR,
} from '../endpoints/service/series-golden.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

const observations: AnyRow[] = []
const WEATHER = 'precipitation_mm, temp_min_c, temp_max_c, wind_mean_m_s, gust_m_s, gust_dir_deg'
const noPlace = 'NULL AS road, NULL AS km, NULL AS distance_m'
const weatherHours = (where: string): string => `
  SELECT ${iso('observed_at - INTERVAL 1 HOUR')} AS period_start, '1h' AS interval, 'HOUR' AS day_definition, station_id, ${noPlace}, ${WEATHER},
    temp_c AS temp_mean_c, false AS precipitation_trace, humidity_pct, pressure_hpa, visibility_m, snow_cm, 1 AS coverage
  FROM weather_observations WHERE ${where} ORDER BY observed_at, station_id`
const tenth = (name: string): string => `CAST(avg(${name}) AS DECIMAL(9, 1))`
const weatherDaysOf = (where: string): string => `
  SELECT ${iso('begun')} AS period_start, '1d' AS interval, 'MADRID_DAY' AS day_definition, station_id, ${noPlace},
    CASE WHEN bool_and(precipitation_mm IS NOT NULL) THEN CAST(sum(precipitation_mm) AS DECIMAL(9, 1)) END AS precipitation_mm,
    ${tenth('temp_c')} AS temp_mean_c, min(temp_min_c) AS temp_min_c, max(temp_max_c) AS temp_max_c, ${tenth('humidity_pct')} AS humidity_pct,
    ${tenth('wind_mean_m_s')} AS wind_mean_m_s, max(gust_m_s) AS gust_m_s,
    (list(gust_dir_deg ORDER BY gust_m_s DESC NULLS LAST, observed_at) FILTER (WHERE gust_m_s IS NOT NULL))[1] AS gust_dir_deg,
    ${tenth('pressure_hpa')} AS pressure_hpa, min(visibility_m) AS visibility_m, max(snow_cm) AS snow_cm, false AS precipitation_trace,
    ${share(`count(*) * 3600 / ${seconds('1d')}`)}
  FROM (SELECT *, ${begin('1d', 'observed_at - INTERVAL 1 HOUR')} AS begun FROM weather_observations WHERE ${where})
  GROUP BY begun, station_id ORDER BY begun, station_id`
const weather: Domain = {
  tables: [weatherObservations, weatherDaily],
  rollups: [weatherDaysDerived],
  land: async (service, when) => {
    if (when === 'before') {
      for (const at of instants(HOUR))
        for (const station_id of ['A', 'B'])
          if (next() > 0.05)
            observations.push(
              exampleTableRow(weatherObservations, {
                ...{
                  station_id,
                  observed_at: at + HOUR,
                  period_s: 3600,
                  precipitation_mm: station_id === 'A' ? whole(50) / 10 : some(0.1),
                },
                ...{
                  temp_c: some(whole(300) / 10),
                  temp_min_c: whole(100) / 10,
                  temp_max_c: (100 + whole(200)) / 10,
                  humidity_pct: some(whole(100)),
                },
                ...{ wind_mean_m_s: station_id === 'A' ? whole(90) / 10 : null, gust_m_s: some(whole(20)), gust_dir_deg: whole(360) },
                ...{ pressure_hpa: some((9000 + whole(1000)) / 10), visibility_m: some(whole(9000)), snow_cm: null },
              }),
            )
      const stations = ['A', 'B'].map((station_id) => exampleTableRow(weatherStations, { station_id, listing: 'OBSERVATION' }))
      await service.land(weatherStations, stations, ROLLED)
      await service.publish(
        weatherStations,
        ['A', 'B'].map((station_id) => exampleRow(weatherStations, { station_id })),
        { feed: 'aemet_stations' },
      )
      const days = ['2028-10-28', '2028-10-29', '2028-10-30'].map((day) =>
        exampleTableRow(weatherDaily, {
          ...{ station_id: 'A', day, day_starts_at: Date.parse(`${day}T00:00:00Z`), temp_mean_c: whole(300) / 10 },
          precipitation_flag: day === '2028-10-29' ? 'TRACE' : null,
        }),
      )
      await service.land(weatherDaily, days, END)
    }
    await part(service, weatherObservations, observations, when)
  },
  rows: [
    {
      path: `clima/estaciones/A/historico?interval=1h&${AUTUMN}`,
      golden: weatherHours(`station_id = 'A' AND observed_at > '2028-10-27 22:00:00+00'`),
    },
    { path: `clima/historico?station=A,B&interval=1h&${AUTUMN}`, golden: weatherHours(`observed_at > '2028-10-27 22:00:00+00'`) },
    { path: `clima/estaciones/B/historico?interval=1d&${YEAR}`, golden: weatherDaysOf(`station_id = 'B'`) },
    { path: `clima/historico?station=A,B&interval=1d&${YEAR}`, golden: weatherDaysOf('true') },
    {
      path: `clima/historico?station=A&series=CLIMATOLOGY&interval=1d&${AUTUMN}`,
      golden: `SELECT ${iso('day_starts_at')} AS period_start, '1d' AS interval, 'AEMET_DAY' AS day_definition, station_id, ${noPlace}, ${WEATHER}, temp_mean_c,
          coalesce(precipitation_flag = 'TRACE', false) AS precipitation_trace, humidity_mean_pct AS humidity_pct, NULL AS pressure_hpa, NULL AS visibility_m,
          NULL AS snow_cm, 1 AS coverage
        FROM weather_daily ORDER BY day_starts_at`,
    },
  ],
}

const days = (step: Unit): string => `CAST(${seconds(step)} / 86400 AS INTEGER)`
const meansOf = (step: Unit, where: string): string => `
  SELECT ${iso('begun')} AS period_start, product AS fuel, area, CASE WHEN min(price_unit) = 'EUR/L' THEN CAST(avg(price_mean) AS DECIMAL(9, 4)) END AS price_eur_l,
    CASE WHEN min(price_unit) = 'EUR/kg' THEN CAST(1000 * avg(price_mean) AS DECIMAL(9, 1)) END AS price_eur_t, NULL AS price_without_tax_eur_l,
    CAST(round(avg(stations)) AS INTEGER) AS stations, ${share(`count(*) / CAST(round(${days(step)}) AS DOUBLE)`)}
  FROM (SELECT *, ${begin(step, 'period_start')} AS begun FROM fuel_days WHERE ${where}) GROUP BY begun, product, area ORDER BY begun, product`
const fuel: Domain = {
  tables: [fuelPrices, fuelDays],
  land: async (service, when) => {
    if (when === 'since') return
    const prices = [...instants(HOUR)]
      .filter((at) => at > dayBounds('2028-10-28').start)
      .flatMap((observed_at, nth) => {
        const row = (station_id: string, product: string): AnyRow =>
          exampleTableRow(fuelPrices, {
            station_id,
            product,
            observed_at,
            updated_at: observed_at,
            price: (1000 + whole(900)) / 1000,
            is_baseline: nth === 0,
          })
        // Some price changes in every publication; the station's own change now and then, and one of them goes.
        return [
          row('other', 'DIESEL_A'),
          ...['DIESEL_A', 'LPG'].flatMap((product) => (nth === 0 || next() < 0.1 ? [row('s1', product)] : [])),
        ]
      })
    const gone = {
      ...prices.findLast((row) => row['product'] === 'LPG'),
      observed_at: dayBounds('2028-10-30').start + 90 * MINUTE,
      status: 'ENDED',
    }
    const isAfter = (row: AnyRow): boolean => row['product'] === 'LPG' && Number(row['observed_at']) >= gone.observed_at
    await service.land(fuelPrices, [...prices.filter((row) => !isAfter(row)), gone], END)
    await service.publish(fuelStations, [exampleRow(fuelStations, { station_id: 's1' })])
    const means = [...new Set([...instants(HOUR)].map((at) => madridDate(at)))].flatMap((date) => {
      const period_start = dayBounds(date).start
      return [['NATION', 'ES'] as const, ['PROVINCE', '28'] as const].flatMap(([area_kind, area]) =>
        [['DIESEL_A', 'EUR/L'] as const, ['HYDROGEN', 'EUR/kg'] as const].map(([product, price_unit]) =>
          exampleTableRow(fuelDays, {
            ...{ month: date.slice(0, 7), date, period_start, area_kind, area, product, price_unit },
            ...{ price_mean: (10_000 + whole(9000)) / 10_000, stations: whole(9000) },
          }),
        ),
      )
    })
    await service.land(fuelDays, means, END)
  },
  rows: [
    ...(['1d', '1w'] as const).map((step) => ({
      path: `gas-stations/s1/history?interval=${step}&from=2028-10-23&to=2028-10-31`,
      golden: `
        SELECT ${iso('begun')} AS period_start, product AS fuel, CAST(avg(price) AS DECIMAL(9, 3)) AS price, min(price) AS price_min, max(price) AS price_max,
          arg_max(price, minute) AS price_last, any_value(price_unit) AS price_unit, ${share(`count(*) * 60 / ${seconds(step)}`)}
        FROM (
          SELECT minutes.minute, ${begin(step, 'minutes.minute')} AS begun, prices.*
          FROM (SELECT unnest(generate_series(to_timestamp(${dayBounds('2028-10-28').start / 1000}), to_timestamp(${END / 1000 - 60}), INTERVAL 1 MINUTE)) AS minute) AS minutes
          CROSS JOIN (SELECT DISTINCT product FROM fuel_prices) AS products
          ASOF JOIN (SELECT * FROM fuel_prices WHERE station_id = 's1') AS prices ON products.product = prices.product AND minutes.minute >= prices.observed_at
        )
        WHERE status <> 'ENDED' GROUP BY begun, product ORDER BY begun, product`,
    })),
    {
      path: 'gas-stations/s1/history?interval=raw&from=2028-10-23&to=2028-10-31&limit=1000',
      golden: `SELECT ${iso('observed_at')} AS period_start, 'raw' AS interval, product AS fuel, CASE WHEN status <> 'ENDED' THEN price END AS price, NULL AS coverage
        FROM fuel_prices WHERE station_id = 's1' AND NOT is_baseline ORDER BY observed_at, product`,
    },
    ...(['1d', '1w', '1mo', '1y'] as const).map((step) => ({
      path: `combustible/historico?series=STATION_MEAN&interval=${step}&${YEAR}`,
      golden: meansOf(step, `area = 'ES'`),
    })),
    {
      path: `combustible/historico?series=STATION_MEAN&interval=1w&province=28&fuel=DIESEL_A&${YEAR}`,
      golden: meansOf('1w', `area = '28' AND product = 'DIESEL_A'`),
    },
  ],
}

const DOMAINS = { traffic, v16, weather, fuel, marine }

describe.each(Object.entries(DOMAINS))('%s', (_, domain) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    await domain.land(service, 'before')
    if (domain.rollups) {
      const redis = await startTestRedis()
      const context = await openTestContext({
        folder: service.shared.storeFolder.replace(/\/store$/, ''),
        redisUrl: redis.url,
        publisher: '',
      })
      await prepareTables(context, [trafficHours, trafficDays, trafficCityHours, v16Hours, weatherDays])
      for (const rollup of domain.rollups)
        expect(await derive(context, rollup, { feeds, signal: new AbortController().signal })).toMatchObject({ waits: false })
      await context.close()
      await redis.stop()
    }
    await domain.land(service, 'since')
  })
  afterAll(() => service?.close())

  test.each(domain.rows.map(({ path, ...row }) => [path, row.golden] as const))('%s', async (path, text) => {
    const reply: Reply = await service.json(`/api/${path}`)
    const records: readonly Reply[] = reply.history ?? reply.prices
    const right = await golden(service.lake, domain.tables, text)
    expect(right.length).toBeGreaterThan(0)
    expect(reply.meta).toMatchObject({ grain: expect.any(String), method: expect.any(String), covered_until: isoInstant(END) })
    const names = Object.keys(right[0] ?? {})
    expect(records.map((record) => Object.fromEntries(names.map((name) => [name, record[name]])))).toEqual(right)
  })
})
