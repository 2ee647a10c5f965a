import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import { weatherDaysDerived } from '../../../../jobs/derive/weather/days.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { weatherDays } from '../../../../lake/datasets/weather/weather-days.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { openTestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis } from '../../../helpers/redis.ts'
import type { Reply, TestService } from '../../service.ts'
import { startWeatherService } from './weather-service.ts'

let service: TestService
let landed: readonly AnyRow[]
beforeAll(async () => {
  ;({ service, landed } = await startWeatherService())
})
afterAll(() => service?.close())

describe('series', () => {
  const FROM = '2026-10-24'
  const TO = '2026-10-27'

  /** The same figures by one plain query over the Parquet files, in a DuckDB of its own. */
  async function golden(text: string, table = 'weather_observations'): Promise<Record<string, unknown>[]> {
    const db = await DuckDBInstance.create(':memory:')
    const connection = await db.connect()
    await connection.run("SET TimeZone = 'UTC'")
    const folder = `${new URL(service.shared.storeFolder, 'file:///').pathname}/lake/weather/${table}/data`
    const reader = await connection.runAndReadAll(text.replaceAll('OBSERVATIONS', `read_parquet('${folder}/**/*.parquet')`))
    const rows = reader.getRowObjectsJson() as Record<string, unknown>[]
    connection.closeSync()
    return rows
  }
  const numbers = (rows: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) && name !== 'station_id' ? Number(value) : value,
        ]),
      ),
    )

  test('days that are over are of the roll-up, the day that goes on is of the hours since, and the figures are those of the hours', async () => {
    const paths = ['historico?station=3195', 'historico?road=M-999', 'estaciones/3195/historico?series=OBSERVATIONS'].map(
      (path) => `/api/clima/${path}&interval=1d&from=2026-10-23&to=${TO}&limit=1000`,
    )
    const ask = (): Promise<Reply[]> => Promise.all(paths.map((path) => service.json(path)))
    const before = await ask()
    const redis = await startTestRedis()
    const context = await openTestContext({
      folder: service.shared.storeFolder.replace(/\/store$/, ''),
      redisUrl: redis.url,
      publisher: '',
    })
    await prepareTables(context, [weatherDays])
    const { made, waits } = await derive(context, weatherDaysDerived, { feeds, signal: new AbortController().signal })
    await context.close()
    await redis.stop()
    expect({ made, waits }).toEqual({ made: ['2026-10'], waits: false })
    const [{ last } = { last: null }] = await golden(
      `SELECT strftime(max(local_date), '%Y-%m-%d') AS last FROM OBSERVATIONS`,
      'weather_days',
    )
    expect(last).toBe('2026-10-25')
    const after = await ask()
    for (const [at, { history, meta }] of after.entries()) {
      expect(history.length).toBeGreaterThanOrEqual(4)
      expect(history).toEqual(before[at]?.history)
      expect(meta.covered_until).toBe(before[at]?.meta.covered_until)
      expect([before[at]?.meta.snapshot, meta.snapshot].map((name) => String(name).includes('weather_days.'))).toEqual([false, true])
    }
  })

  test('several stations at once stay separate; an unknown one is refused; variables choose members', async () => {
    const ids = [...new Set(landed.map((row) => row['station_id'] as string))].slice(0, 3)
    const { history } = await service.json(`/api/clima/historico?station=${ids.join(',')}&interval=1d&from=${FROM}&to=${TO}&limit=1000`)
    expect(history.map((one: Reply) => one.station_id).sort()).toEqual(ids.flatMap((id) => [id, id, id]).sort())
    const only = (await service.json(`/api/clima/historico?station=3195&variables=wind&from=${FROM}&to=${TO}`)).history[0]
    expect(Object.keys(only)).toEqual([
      'station_id',
      'road',
      'km',
      'distance_m',
      'period_start',
      'interval',
      'date',
      'day_definition',
      'wind_mean_m_s',
      'gust_m_s',
      'gust_dir_deg',
      'coverage',
    ])
    const refused = await service.get('/api/clima/historico?station=319&interval=1d')
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'station'])
    expect((await service.get('/api/clima/historico?interval=1d')).status).toBe(400)
    expect((await service.get('/api/clima/estaciones/NONE/historico')).status).toBe(404)
    expect((await service.get(`/api/clima/historico?station=3195&interval=1w`)).status).toBe(400)
  })

  test('validated days of AEMET: in UTC, with traces, never mixed with days of observations', async () => {
    const read = async (query: string): Promise<Reply[]> =>
      (await service.json(`/api/clima/historico?station=3195&interval=1d&from=${FROM}&to=${TO}&${query}`)).history
    const history = await read('series=CLIMATOLOGY')
    const expected = numbers(
      await golden(
        `SELECT
          strftime(day_starts_at, '%Y-%m-%dT%H:%M:%S.000Z') AS period_start, CAST(day AS VARCHAR) AS date, precipitation_mm, precipitation_flag, temp_mean_c, temp_min_c,
          temp_max_c, wind_mean_m_s, gust_m_s, gust_dir_deg
        FROM OBSERVATIONS
        WHERE station_id = '3195' AND day BETWEEN '2026-10-24' AND '2026-10-26'
        ORDER BY day`,
        'weather_daily',
      ),
    )
    expect(expected).toHaveLength(3)
    expect(history).toEqual(
      expected.map(({ precipitation_flag, ...row }) => ({
        ...{
          station_id: '3195',
          interval: '1d',
          day_definition: 'AEMET_DAY',
          ...{ road: null, km: null, distance_m: null },
          coverage: 1,
          precipitation_trace: precipitation_flag === 'TRACE',
        },
        ...{ humidity_pct: null, pressure_hpa: null, visibility_m: null, snow_cm: null },
        ...row,
      })),
    )
    expect(history[0].precipitation_trace).toBe(true)
    expect((await read('')).map((one) => one.day_definition)).toEqual(['MADRID_DAY', 'MADRID_DAY', 'MADRID_DAY'])
    const [begin] = await golden(`SELECT strftime(min(day_starts_at), '%Y-%m-%dT%H:%M:%S.000Z') AS at FROM OBSERVATIONS`, 'weather_daily')
    for (const path of ['/api/clima/historico?station=3195&', '/api/clima/estaciones/3195/historico?'])
      expect((await service.json(`${path}series=CLIMATOLOGY&interval=1d`)).meta.covered_from, path).toBe(begin?.['at'])
    const refused = await service.get('/api/clima/estaciones/3195/historico?series=CLIMATOLOGY')
    expect([refused.status, ((await refused.json()) as Reply).errors[0].parameter]).toEqual([400, 'interval'])
  })

  test('days of AEMET are those of UTC: each once, for dates and for instants', async () => {
    const asked = async (from: string, to: string): Promise<unknown[]> => {
      const { history, meta } = await service.json(`/api/clima/historico?station=3195&series=CLIMATOLOGY&interval=1d&from=${from}&to=${to}`)
      return [meta.period.from, meta.period.to, history.map((one: Reply) => one.period_start.slice(0, 10))]
    }
    const midnight = (day: number): string => `2026-10-${day}T00:00:00.000Z`
    for (const [from, to] of [
      ['2026-10-24', '2026-10-25'],
      ['2026-10-24T00:00:00Z', '2026-10-25T00:00:00Z'],
      ['2026-10-24T23:30:00Z', '2026-10-24T23:45:00Z'],
    ])
      expect(await asked(from as string, to as string)).toEqual([midnight(24), midnight(25), ['2026-10-24']])
    expect(await asked('2026-10-22T00:00:00Z', '2026-10-23T00:00:00Z')).toEqual([midnight(22), midnight(23), []])
    expect(await asked('2026-10-24', '2026-10-26')).toEqual([midnight(24), midnight(26), ['2026-10-24', '2026-10-25']])
    expect(await asked('2026-10-24T12:00:00Z', '2026-10-25T00:00:01Z')).toEqual([midnight(24), midnight(26), ['2026-10-24', '2026-10-25']])
  })

  test('a table names the licences of the sources that it was made of, and no others', async () => {
    for (const [of, sources] of [
      ['station=3195', 1],
      ['road=M-999', 4],
    ] as const) {
      const path = `/api/clima/historico?${of}&interval=1d&from=${FROM}&to=${TO}`
      const { meta } = await service.json(path)
      const links = (await service.get(`${path}&format=csv`)).headers.get('link') ?? ''
      expect([meta.sources.length, links.match(/rel="license"/g)?.length], of).toEqual([sources, sources])
    }
  })

  test('an hour that lacks a measure is no zero: a day of such hours has no sum', async () => {
    const still = landed.find((row) => row['wind_mean_m_s'] === null)?.['station_id'] as string
    const { history } = await service.json(`/api/clima/historico?station=${still}&interval=1d&from=${FROM}&to=${TO}`)
    expect(history.map((one: Reply) => [one.wind_mean_m_s, one.gust_m_s, one.gust_dir_deg, one.visibility_m])).toEqual(
      history.map(() => [null, null, null, null]),
    )
    expect(history.length).toBe(3)
  })
})
