import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../jobs/derive/derive.ts'
import { trafficCityHoursDerived, trafficDaysDerived, trafficHoursDerived } from '../../jobs/derive/road/traffic.ts'
import { v16HoursDerived } from '../../jobs/derive/road/v16.ts'
import { weatherDaysDerived } from '../../jobs/derive/weather/days.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import { fuelDays } from '../../lake/datasets/fuel/days.ts'
import { fuelPrices } from '../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../lake/datasets/fuel/stations.ts'
import { trafficCityHours } from '../../lake/datasets/road/traffic-city-hours.ts'
import { trafficDays } from '../../lake/datasets/road/traffic-days.ts'
import { trafficHours } from '../../lake/datasets/road/traffic-hours.ts'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../lake/datasets/road/v16-beacons.ts'
import { v16Hours } from '../../lake/datasets/road/v16-hours.ts'
import { weatherDaily } from '../../lake/datasets/weather/weather-daily.ts'
import { weatherDays } from '../../lake/datasets/weather/weather-days.ts'
import { weatherObservations } from '../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../lake/datasets/weather/weather-stations.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../lake/schema/time.ts'
import { figures } from '../helpers/figures.ts'
import { golden } from '../helpers/golden.ts'
import { openTestContext } from '../helpers/pipeline.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from './service.ts'

/** A series that is asked for, and the SQL over the tables' files that gives the same records: all of them, and of each the members that it names. */
interface Row {
  readonly path: string
  readonly golden: string
}

/** A domain: what its tables hold, what is rolled up of it, and its rows. To add a history, add a row. */
interface Domain {
  readonly tables: readonly Dataset[]
  readonly rollups?: readonly Parameters<typeof derive>[1][]
  readonly land: (service: TestService, rows: 'before' | 'since') => Promise<void>
  readonly rows: readonly Row[]
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A leap day, and both changes of the clock; rolled up as far as 2028-10-29 ends. */
const SPANS = [
  ['2028-02-29', '2028-03-02'],
  ['2028-03-26', '2028-03-27'],
  ['2028-10-28', '2028-10-31'],
] as const
const ROLLED = dayBounds('2028-10-29').end
const END = dayBounds('2028-10-30').end
const YEAR = 'from=2028-01-01&to=2029-01-01&limit=1000'
const AUTUMN = 'from=2028-10-28&to=2028-10-31&limit=1000'

const next = figures(9)
const whole = (most: number): number => Math.floor(most * next())
const some = <T>(value: T): T | null => (next() < 0.1 ? null : value)
const pick = <T>(of: readonly T[]): T => of[whole(of.length)] as T

/** Instants of the spans, so far apart. */
function* instants(every: number): Generator<number> {
  for (const [from, to] of SPANS) for (let at = dayBounds(from).start; at < Math.min(END, dayBounds(to).start); at += every) yield at
}

/** Lands the rows that the roll-ups see, or those that came since. */
const part = (service: TestService, dataset: Dataset, rows: readonly AnyRow[], when: 'before' | 'since'): Promise<void> => {
  const isBefore = (row: AnyRow): boolean => Number(row[dataset.time]) < ROLLED + HOUR
  return service.land(
    dataset,
    rows.filter((row) => isBefore(row) === (when === 'before')),
    when === 'before' ? ROLLED + HOUR : END,
    [...(dataset === weatherObservations ? ['aemet_observation'] : dataset === v16Beacons ? ['dgt_incidents'] : ['madrid_traffic'])],
  )
}

const madrid = (at: string): string => `timezone('Europe/Madrid', ${at})`
const iso = (at: string): string => `strftime(timezone('UTC', ${at}), '%Y-%m-%dT%H:%M:%S.000Z')`
const UNITS = { '15m': '15 minutes', '1h': '1 hour', '1d': 'day', '1w': 'week', '1mo': 'month', '1y': 'year' } as const
type Unit = keyof typeof UNITS
/** Begin and length (s) of the step of Madrid's calendar that an instant is in. */
const begin = (step: Unit, at: string): string =>
  step === '15m' || step === '1h' ? `time_bucket(INTERVAL ${UNITS[step]}, ${at})` : madrid(`date_trunc('${UNITS[step]}', ${madrid(at)})`)
const seconds = (step: Unit): string =>
  step === '15m' ? '900' : step === '1h' ? '3600' : `(epoch(${madrid(`${madrid('begun')} + INTERVAL 1 ${UNITS[step]}`)}) - epoch(begun))`
const share = (of: string): string => `CAST(least(1, ${of}) AS DECIMAL(9, 6)) AS coverage`

const OK = `FILTER (WHERE quality <> 'ERROR')`
const mean = (name: string): string => `CAST(avg(${name}) ${OK} AS DECIMAL(9, 1)) AS ${name}`
const MEANS = ['intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh'].map(mean).join()
const level = (name: string, code: string): string =>
  `CAST(100 * count(*) FILTER (WHERE level_of_service = '${code}' AND quality <> 'ERROR') / nullif(count(level_of_service) ${OK}, 0) AS DECIMAL(9, 2)) AS ${name}`

const traffic: Domain = {
  tables: [trafficReadings, trafficDays, trafficCityHours],
  rollups: [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived],
  land: async (service, when) => {
    if (when === 'before') {
      await service.publish(trafficSensors, [exampleRow(trafficSensors)])
      readings.push(...readingRows())
    }
    await part(service, trafficReadings, readings, when)
    // A week of a city with as many sensors as Madrid has, of which only the roll-up is there.
    const hours = Array.from({ length: 168 }, (_, nth) =>
      exampleTableRow(trafficCityHours, {
        month: '2027-02',
        period_start: dayBounds('2027-02-01').start + nth * HOUR,
        sensors: 4871,
        readings: 58_452,
      }),
    )
    if (when === 'since') await service.land(trafficCityHours, hours, END)
  },
  rows: [
    ...(['15m', '1h', '1d', '1w', '1mo', '1y'] as const).flatMap((step) =>
      ['s1', 's3', 's4'].map((id) => ({
        path: `trafico/sensores/${id}/historico?interval=${step}&${['15m', '1h'].includes(step) ? AUTUMN : YEAR}`,
        golden: `
          SELECT ${iso('begun')} AS period_start, 'madrid' AS source, '${step}' AS interval, period_s, count(*) ${OK} AS readings, ${MEANS},
            max(intensity_veh_h) ${OK} AS intensity_max_veh_h, ${share(`count(*) ${OK} * period_s / ${seconds(step)}`)}
          FROM (SELECT *, ${begin(step, 'observed_at')} AS begun FROM traffic_readings
            WHERE sensor_id = '${id}' ${['15m', '1h'].includes(step) ? `AND observed_at > '2028-10-01'` : ''})
          GROUP BY begun, period_s ORDER BY begun, period_s`,
      })),
    ),
    {
      path: 'trafico/sensores/s1/historico?interval=raw&from=2028-10-30&to=2028-10-31&limit=1000',
      golden: `SELECT ${iso('observed_at')} AS period_start, 'raw' AS interval, period_s, 1 AS readings, NULL AS coverage, intensity_veh_h, speed_kmh,
          intensity_veh_h AS intensity_max_veh_h, occupancy_pct, load_pct, level_of_service, quality
        FROM traffic_readings WHERE sensor_id = 's1' AND observed_at >= '2028-10-29 23:00:00+00' ORDER BY observed_at, period_s`,
    },
    ...(['1h', '1d', '1w', '1mo', '1y'] as const).map((step) => ({
      path: `trafico/ciudades/madrid/historico?interval=${step}&${step === '1h' ? AUTUMN : YEAR}`,
      golden: `
        WITH hours AS (
          SELECT *, count(DISTINCT sensor_id) ${OK} OVER (PARTITION BY period_s, time_bucket(INTERVAL 1 HOUR, observed_at)) AS reporting
          FROM traffic_readings ${step === '1h' ? `WHERE observed_at > '2028-10-01'` : ''}
        )
        SELECT ${iso('begun')} AS period_start, 'madrid' AS city, period_s, count(*) ${OK} AS readings, max(reporting) AS sensors, ${MEANS},
          ${level('slow_pct', 'SLOW')}, ${level('queues_pct', 'QUEUES')}, ${level('congestion_pct', 'CONGESTION')},
          ${share(`count(*) ${OK} * period_s / (max(reporting) * ${seconds(step)})`)}
        FROM (SELECT *, ${begin(step, 'observed_at')} AS begun FROM hours)
        GROUP BY begun, period_s ORDER BY begun, period_s`,
    })),
    ...(['1w', '1y'] as const).map((step) => ({
      path: `trafico/ciudades/madrid/historico?interval=${step}&from=2027-02-01&to=2027-02-08`,
      golden: `SELECT ${iso('begun')} AS period_start, sum(readings) AS readings, ${share(`sum(readings) * 300 / (4871 * ${seconds(step)})`)}
        FROM (SELECT *, ${begin(step, 'period_start')} AS begun FROM traffic_city_hours WHERE month = '2027-02') GROUP BY begun`,
    })),
  ],
}
const readings: AnyRow[] = []
function readingRows(): AnyRow[] {
  return [...instants(5 * MINUTE)].flatMap((at) =>
    ['s1', 's3', 's4'].flatMap((sensor_id) => {
      const row = (period_s: number): AnyRow =>
        exampleTableRow(trafficReadings, {
          ...{ sensor_id, observed_at: at, period_s, sensor_type: sensor_id === 's3' ? 'M30' : 'URBAN' },
          ...{ intensity_veh_h: some(whole(2000)), occupancy_pct: some(whole(100)), load_pct: some(whole(100)) },
          ...{ speed_kmh: sensor_id === 's3' ? whole(100) : null, level_of_service: some(pick(['FLUID', 'SLOW', 'QUEUES', 'CONGESTION'])) },
          quality: sensor_id === 's4' || next() < 0.07 ? 'ERROR' : 'OK',
        })
      // Another period of the same sensor is apart from it.
      return [...(next() > 0.05 ? [row(300)] : []), ...(sensor_id === 's1' && at % (15 * MINUTE) === 0 ? [row(900)] : [])]
    }),
  )
}

const beacons: AnyRow[] = []
const activations = (step: Unit, where = 'true'): string => `
  SELECT ${iso('begun')} AS period_start, province_code, road, km, km + 10 AS km_to, count(*) AS activations,
    CASE province_code WHEN '30' THEN 'Murcia' WHEN '28' THEN 'Madrid' END AS province,
    CAST(greatest(0, epoch(least(begun + to_seconds(CAST(${seconds(step)} AS BIGINT)), to_timestamp(${END / 1000})))
      - epoch(greatest(begun, (SELECT min(observed_at) FROM v16_beacons)))) / ${seconds(step)} AS DECIMAL(9, 6)) AS coverage
  FROM (
    SELECT *, ${begin(step, 'activated_at')} AS begun
    FROM (SELECT * REPLACE (CASE WHEN road IS NOT NULL THEN CAST(floor(km) AS INTEGER) // 10 * 10 END AS km)
      FROM v16_beacons QUALIFY row_number() OVER (PARTITION BY beacon_id ORDER BY observed_at) = 1)
    WHERE first_seen_at <= activated_at + INTERVAL 24 HOUR AND (${where})
  )
  GROUP BY begun, province_code, road, km ORDER BY begun, concat_ws('/', coalesce(province_code, ''), coalesce(road, ''), CAST(km AS VARCHAR))`
const v16: Domain = {
  tables: [v16Beacons],
  rollups: [v16HoursDerived],
  land: async (service, when) => {
    if (when === 'before')
      for (const at of instants(17 * MINUTE)) {
        const activated_at = at - Math.floor((next() < 0.8 ? HOUR : 48 * HOUR) * next())
        const of = { source_id: `${at}`, beacon_id: `v16_${at}`, first_seen_at: at, activated_at, status: 'ACTIVE', updated_at: at }
        const place = { road: pick(['A-7', 'M-30', null]), km: some(whole(700_000) / 1000), province_code: pick(['30', '28', null]) }
        const seen = exampleTableRow(v16Beacons, { ...of, ...place, observed_at: at })
        // What moves on still counts where it was first.
        beacons.push(seen, ...(next() < 0.3 ? [{ ...seen, observed_at: at + 5 * MINUTE, km: 1, road: 'A-1' }] : []))
      }
    await part(service, v16Beacons, beacons, when)
  },
  rows: [
    ...(['1h', '1d', '1w', '1mo', '1y'] as const).map((step) => ({
      path: `v16/history?interval=${step}&from=2028-10-27&to=2028-11-01&limit=1000`,
      golden: activations(
        step,
        step === '1y'
          ? 'true'
          : `activated_at >= '${step === '1mo' ? '2028-09-30 22:00:00+00' : step === '1w' ? '2028-10-22 22:00:00+00' : '2028-10-26 22:00:00+00'}'`,
      ),
    })),
    {
      path: `v16/history?interval=1mo&${YEAR}&province=Murcia&road=a7&km_from=95&km_to=510`,
      golden: activations('1mo', `province_code = '30' AND road = 'A-7' AND km >= 90 AND km < 520`),
    },
  ],
}

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

const DOMAINS = { traffic, v16, weather, fuel }

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
