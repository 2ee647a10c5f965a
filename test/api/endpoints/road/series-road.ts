import { trafficCityHoursDerived, trafficDaysDerived, trafficHoursDerived, v16HoursDerived } from '../../../../jobs/derive/road/traffic.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { trafficCityHours, trafficDays } from '../../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { exampleRow, exampleTableRow } from '../../service.ts'
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
  pick,
  seconds,
  share,
  some,
  type Unit,
  whole,
  YEAR,
} from '../service/series-golden.ts'

const OK = `FILTER (WHERE quality <> 'ERROR')`
const mean = (name: string): string => `CAST(avg(${name}) ${OK} AS DECIMAL(9, 1)) AS ${name}`
const MEANS = ['intensity_veh_h', 'occupancy_pct', 'load_pct', 'speed_kmh'].map(mean).join()
const level = (name: string, code: string): string =>
  `CAST(100 * count(*) FILTER (WHERE level_of_service = '${code}' AND quality <> 'ERROR') / nullif(count(level_of_service) ${OK}, 0) AS DECIMAL(9, 2)) AS ${name}`

/** The readings by the begin of their periods: Madrid publishes the end. */
const STARTED = '(SELECT * REPLACE (observed_at - to_seconds(period_s) AS observed_at) FROM traffic_readings)'

/** Traffic of sensors and cities. */
export const traffic: Domain = {
  tables: [trafficReadings, trafficDays, trafficCityHours],
  rollups: [trafficHoursDerived, trafficDaysDerived, trafficCityHoursDerived],
  land: async (service, when) => {
    if (when === 'before') {
      await service.publish(trafficSensors, [exampleRow(trafficSensors)])
      readings.push(...readingRows())
    }
    await part(service, trafficReadings, readings, when)
    // A week of a city with as many sensors as Madrid has, with the roll-up alone.
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
          FROM (SELECT *, ${begin(step, 'observed_at')} AS begun FROM ${STARTED}
            WHERE sensor_id = '${id}' ${['15m', '1h'].includes(step) ? `AND observed_at >= '2028-10-27 22:00:00+00'` : ''})
          GROUP BY begun, period_s ORDER BY begun, period_s`,
      })),
    ),
    {
      path: 'trafico/sensores/s1/historico?interval=raw&from=2028-10-30&to=2028-10-31&limit=1000',
      golden: `SELECT ${iso('observed_at')} AS period_start, 'raw' AS interval, period_s, 1 AS readings, NULL AS coverage, intensity_veh_h, speed_kmh,
          intensity_veh_h AS intensity_max_veh_h, occupancy_pct, load_pct,
          CASE level_of_service WHEN 'FLUID' THEN 'FREE' WHEN 'SLOW' THEN 'DENSE' WHEN 'QUEUES' THEN 'VERY_DENSE' WHEN 'CONGESTION' THEN 'CONGESTED' END AS level_of_service,
          quality
        FROM traffic_readings WHERE sensor_id = 's1' AND observed_at >= '2028-10-29 23:00:00+00' ORDER BY observed_at, period_s`,
    },
    ...(['1h', '1d', '1w', '1mo', '1y'] as const).map((step) => ({
      path: `trafico/ciudades/madrid/historico?interval=${step}&${step === '1h' ? AUTUMN : YEAR}`,
      golden: `
        WITH hours AS (
          SELECT *, count(DISTINCT sensor_id) ${OK} OVER (PARTITION BY period_s, time_bucket(INTERVAL 1 HOUR, observed_at)) AS reporting
          FROM ${STARTED} ${step === '1h' ? `WHERE observed_at >= '2028-10-27 22:00:00+00'` : ''}
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
/** V16 beacons. */
export const v16: Domain = {
  tables: [v16Beacons],
  rollups: [v16HoursDerived],
  land: async (service, when) => {
    if (when === 'before')
      for (const at of instants(17 * MINUTE)) {
        const activated_at = at - Math.floor((next() < 0.8 ? HOUR : 48 * HOUR) * next())
        const of = { source_id: `${at}`, beacon_id: `v16_${at}`, first_seen_at: at, activated_at, status: 'ACTIVE', updated_at: at }
        const place = { road: pick(['A-7', 'M-30', null]), km: some(whole(700_000) / 1000), province_code: pick(['30', '28', null]) }
        const seen = exampleTableRow(v16Beacons, { ...of, ...place, observed_at: at })
        // A moved sensor still counts where it was first.
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
