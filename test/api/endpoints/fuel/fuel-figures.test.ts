import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import { fuelDaysDerived } from '../../../../jobs/derive/fuel/days.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { advance, emptyState } from '../../../../jobs/ingest/fold.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { fuelDays, fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Over the end of a leap year's February and the clock change of March; nothing is published from March 9th to 12th. */
const FROM = Date.UTC(2028, 1, 24, 5)
const UNTIL = Date.UTC(2028, 3, 6, 9)
const GAP = [Date.UTC(2028, 2, 9, 3), Date.UTC(2028, 2, 12, 20)] as const

let service: TestService
let redis: TestRedis
let context: TestContext

const BRANDS = ['REPSOL', 'Repsol', 'CEPSA', 'Ce-psa', 'Estación Ñ', null, '***']

/** Publications as the fold lands them: prices and stations that come, change and go. */
function story(seed: number): { prices: AnyRow[]; stations: AnyRow[] } {
  const next = figures(seed)
  const states = { prices: emptyState(), stations: emptyState() }
  const rows = { prices: [] as AnyRow[], stations: [] as AnyRow[] }
  const ids = Array.from({ length: 24 }, (_, at) => `s${at}`)
  const price = new Map<string, number>()
  const brand = new Map(ids.map((id, at) => [id, BRANDS[at % BRANDS.length] as string | null]))
  let count = 0
  for (let at = FROM; at <= UNTIL; at += HOUR * (1 + Math.floor(next() * 9))) {
    if (at > GAP[0] && at < GAP[1]) continue
    count++
    const open = ids.filter((id) => id === 's0' || next() > 0.04)
    const given = open.flatMap((station_id, nth) =>
      [
        ['DIESEL_A', 'EUR/L'],
        ['GASOLINE_95_E5', 'EUR/L'],
        ['CNG', 'EUR/kg'],
      ].flatMap(([product, price_unit], which) => {
        if (which === 2 && nth % 4 > 0) return []
        const key = `${station_id} ${product}`
        if (!price.has(key) || next() < 0.2 || station_id === 's0') price.set(key, Math.round(1000 * (1.1 + 0.5 * next())) / 1000)
        // A slip of the pen now and then, in no figure.
        const isSlip = station_id === 's7' && count % 3 === 0
        const stated = isSlip ? { price: 18.99, price_issue: 'TOO_HIGH' } : { price: price.get(key), price_issue: null }
        return [{ station_id, product, ...stated, price_unit, province_code: Number(station_id.slice(1)) % 3 ? '28' : '08' }]
      }),
    )
    if (next() < 0.1) brand.set(`s${Math.floor(next() * 24)}`, BRANDS[Math.floor(next() * BRANDS.length)] ?? null)
    const listed = open.map((station_id) => {
      const { status: _s, updated_at: _u, is_stale: _i, observed_at: _o, ...blank } = exampleRow(fuelStations)
      const sale_type = station_id === 's5' ? 'RESTRICTED' : station_id === 's6' ? null : 'PUBLIC'
      return { ...blank, station_id, brand: brand.get(station_id), sale_type }
    })
    const facts = { fetch_id: `fuel_stations.${count}`, data_time: at, blocks: { counts: {}, said: [] }, rule: null }
    rows.prices.push(...advance(fuelPrices, states.prices, { rows: given, facts, key: Buffer.alloc(32) }).rows)
    rows.stations.push(...advance(fuelStations, states.stations, { rows: listed, facts, key: Buffer.alloc(32) }).rows)
  }
  return rows
}

const land = async (dataset: Dataset, rows: readonly AnyRow[]): Promise<void> => {
  const plain = rows.map((row) => ({ last_seen_at: null, ...row }))
  const parts = Math.ceil(plain.length / 3)
  for (let at = 0; at < plain.length; at += parts) await service.land(dataset, plain.slice(at, at + parts), UNTIL)
}

beforeAll(async () => {
  service = await startService()
  const { prices, stations } = story(7)
  await land(fuelPrices, prices)
  await land(fuelStations, stations)
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [fuelDays])
  const done = await derive(context, fuelDaysDerived, { feeds, signal: new AbortController().signal })
  expect(done).toMatchObject({ made: ['2028-02', '2028-03', '2028-04'], waits: false })
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

const ask = (query: string): Promise<GoldenRow[]> => golden(service.lake, [fuelPrices, fuelStations], query)
const at = (ms: number): string => `TIMESTAMPTZ '${isoInstant(ms)}'`

/** The known prices at an instant, of stations open to the public. */
const known = (ms: number): string => `
  SELECT prices.product, price, prices.province_code, brand
  FROM (SELECT * FROM fuel_prices WHERE observed_at < ${at(ms)} QUALIFY row_number() OVER (PARTITION BY station_id, product ORDER BY observed_at DESC) = 1) AS prices
  LEFT JOIN (SELECT * FROM fuel_stations WHERE observed_at < ${at(ms)} QUALIFY row_number() OVER (PARTITION BY station_id ORDER BY observed_at DESC) = 1) AS stations
    USING (station_id)
  WHERE prices.status <> 'ENDED' AND price_issue IS NULL AND coalesce(sale_type, '') <> 'RESTRICTED'`

/** The days of Madrid with a publication. */
async function publishedDays(): Promise<string[]> {
  const rows = await ask(`SELECT DISTINCT strftime(timezone('Europe/Madrid', observed_at), '%Y-%m-%d') AS date FROM fuel_prices ORDER BY 1`)
  return rows.map(({ date }) => date as string)
}

async function prices(query: string): Promise<Reply> {
  const reply = await service.json(`/api/combustible/historico?series=STATION_MEAN&limit=1000&${query}`)
  expect(reply.prices, JSON.stringify(reply)).toBeInstanceOf(Array)
  return reply
}

/** The mean of each day with a price, and its stations, computed day by day from the prices themselves. */
async function daily(product: string, where = 'true'): Promise<Map<string, { mean: number; stations: number }>> {
  const days = (await publishedDays()).map(
    (date) => `
      SELECT '${date}' AS date, CAST(CAST(avg(price) AS DECIMAL(9, 4)) AS DOUBLE) AS mean, count(*) AS stations
      FROM (${known(dayBounds(date).end)}) WHERE product = '${product}' AND ${where}`,
  )
  const rows = await ask(`SELECT * FROM (${days.join(' UNION ALL ')}) WHERE stations > 0 ORDER BY date`)
  return new Map(rows.map((row) => [row['date'] as string, { mean: Number(row['mean']), stations: Number(row['stations']) }]))
}

const rounded = (value: number, digits = 4): number => Number(value.toFixed(digits))
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('the average prices of days', () => {
  test.each([
    ['DIESEL_A', '', 'true'],
    ['GASOLINE_95_E5', '&province=Madrid', `province_code = '28'`],
  ])('of %s%s are those of the last prices known when the day ends', async (product, more, where) => {
    const { prices: points, meta } = await prices(`fuel=${product}&interval=1d${more}`)
    const expected = await daily(product, where)
    expect(points.map((one: Reply) => [madridDate(Date.parse(one.period_start)), one.price_eur_l, one.stations, one.coverage])).toEqual(
      [...expected].map(([date, one]) => [date, one.mean, one.stations, 1]),
    )
    // The clock is put forward on the 26th: the day after begins an hour earlier in UTC. The leap day is there.
    const starts = points.map((one: Reply) => one.period_start)
    expect(starts).toEqual(expect.arrayContaining(['2028-02-28T23:00:00.000Z', '2028-03-25T23:00:00.000Z', '2028-03-26T22:00:00.000Z']))
    expect(meta).toMatchObject({ covered_until: isoInstant(UNTIL), grain: expect.any(String), method: expect.any(String) })
    expect(meta.sources.map(({ licence }: Reply) => licence)).toEqual(['CC BY 4.0'])
  })

  test('of weeks, months and years are the means of their days, with the share of the days', async () => {
    const days = await daily('DIESEL_A')
    for (const [interval, keyOf] of [
      ['1mo', (date: string) => date.slice(0, 7)],
      ['1y', (date: string) => date.slice(0, 4)],
      ['1w', (date: string) => madridDate(dayBounds(date).start + DAY / 2, -((new Date(date).getUTCDay() + 6) % 7))],
    ] as const) {
      const groups = Map.groupBy([...days], ([date]) => keyOf(date))
      const { prices: points } = await prices(`fuel=DIESEL_A&interval=${interval}`)
      expect(points.map((one: Reply) => [one.price_eur_l, one.stations])).toEqual(
        [...groups.values()].map((all) => [
          // In ten-thousandths, which are whole, so that halves are.
          Math.round(mean(all.map(([, one]) => Math.round(10_000 * one.mean)))) / 10_000,
          Math.round(mean(all.map(([, one]) => one.stations))),
        ]),
      )
      const widths = { '1w': [7, 7], '1mo': [29, 31, 30], '1y': [366] }[interval]
      expect(points.slice(0, widths.length).map((one: Reply) => one.coverage)).toEqual(
        [...groups.values()].slice(0, widths.length).map((all, nth) => rounded(all.length / (widths[nth] as number), 6)),
      )
    }
  })

  test('of gases are by the tonne', async () => {
    const { prices: points } = await prices('fuel=CNG&interval=1d')
    const expected = [...(await daily('CNG')).values()].map((one) => rounded(1000 * one.mean, 1))
    expect(points.map((one: Reply) => [one.price_eur_l, one.price_eur_t])).toEqual(expected.map((value) => [null, value]))
  })

  test('say which periods have no price, first and last day of the range included or not', async () => {
    const whole = await prices('fuel=DIESEL_A&interval=1d&from=2028-02-22&to=2028-03-15')
    expect(whole.missing_periods).toEqual([
      { from: '2028-02-21T23:00:00.000Z', to: '2028-02-23T23:00:00.000Z' },
      { from: '2028-03-09T23:00:00.000Z', to: '2028-03-12T23:00:00.000Z' },
    ])
    expect(whole.meta.period).toEqual({ from: '2028-02-21T23:00:00.000Z', to: '2028-03-14T23:00:00.000Z' })
    expect(whole.prices).toHaveLength(22 - 5)
    expect((await prices('fuel=DIESEL_A&interval=1d&from=2028-03-10&to=2028-03-12')).prices).toEqual([])
    const one = await prices('fuel=DIESEL_A&interval=1d&from=2028-02-29&to=2028-03-01')
    expect(one.prices.map((point: Reply) => point.period_start)).toEqual(['2028-02-28T23:00:00.000Z'])
    expect(one.missing_periods).toEqual([])
    // Time after the newest publication is not missing; time before the first one is.
    expect((await prices('fuel=DIESEL_A&interval=1d&from=2028-04-06&to=2028-05-01')).missing_periods).toEqual([])
    expect((await prices('fuel=DIESEL_A')).missing_periods).toEqual([{ from: '2018-12-30T23:00:00.000Z', to: '2028-02-20T23:00:00.000Z' }])
  })

  test('are of one series, and provinces of the stations only', async () => {
    for (const path of ['/api/combustible/historico?fuel=DIESEL_A', '/api/combustible/tendencia?series=MINISTRY_DAILY']) {
      const response = await service.get(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'no-data-yet' })
    }
    const refused = await service.get('/api/combustible/historico?province=Madrid')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ errors: [{ parameter: 'province' }] })
  })
})

test('days of every area are those of plain SQL over the prices', async () => {
  const all = await golden(service.lake, [fuelDays], `SELECT * EXCLUDE (fetch_id, period_start, month, basis) FROM fuel_days ORDER BY ALL`)
  const sign = `trim(regexp_replace(lower(strip_accents(brand)), '[^a-z0-9]+', ' ', 'g'))`
  const days = [...new Set(all.map(({ date }) => date as string))]
  expect(days).toEqual(await publishedDays())
  for (const date of [days[0], '2028-02-29', '2028-03-01', '2028-03-26', days.at(-1)] as string[]) {
    // 1e-9: half a ten-thousandth is rounded up, which floating point does not always do.
    const expected = await ask(`
      WITH known AS (${known(dayBounds(date).end)}),
      areas AS (
        SELECT 'NATION' AS area_kind, 'ES' AS area, * FROM known
        UNION ALL SELECT 'PROVINCE', province_code, * FROM known
        UNION ALL SELECT 'OPERATOR', ${sign}, * FROM known WHERE ${sign} <> ''
      )
      SELECT area_kind, area, product, count(*) AS stations, CAST(avg(price) + 1e-9 AS DECIMAL(9, 4)) AS price_mean, min(price) AS price_min,
        list_sort(list(price))[CAST(ceil(count(*) / 4) AS INTEGER)] AS price_p25, list_sort(list(price))[CAST(ceil(count(*) / 2) AS INTEGER)] AS price_median,
        list_sort(list(price))[CAST(ceil(3 * count(*) / 4) AS INTEGER)] AS price_p75, max(price) AS price_max
      FROM areas GROUP BY ALL HAVING area_kind <> 'OPERATOR' OR stations >= 3 ORDER BY area_kind, area, product`)
    const found = all.filter((row) => row['date'] === date).map(({ date: _date, name: _name, price_unit: _unit, ...row }) => row)
    expect(found.length).toBeGreaterThan(10)
    const order = (row: GoldenRow): string => `${row['area_kind']} ${row['area']} ${row['product']}`
    expect(found.sort((one, other) => (order(one) < order(other) ? -1 : 1))).toEqual(expected)
  }
  const names = new Map(all.filter((row) => row['area_kind'] === 'OPERATOR').map(({ area, name }) => [area, name]))
  expect([...names.keys()].sort()).toEqual(['ce psa', 'cepsa', 'estacion n', 'repsol'])
  expect(['REPSOL', 'Repsol']).toContain(names.get('repsol'))
})

test('the trend is that of the same weekday, week by week', async () => {
  const days = await daily('DIESEL_A')
  const asOf = madridDate(UNTIL, -1)
  const points = Array.from({ length: 6 }, (_, week) => madridDate(dayBounds(asOf).start + DAY / 2, -7 * week)).flatMap((date, week) => {
    const one = days.get(date)
    return one ? [{ week: -week, price: one.mean }] : []
  })
  const slopes = points
    .flatMap((one, nth) => points.slice(nth + 1).map((other) => (one.price - other.price) / (one.week - other.week)))
    .sort((one, other) => one - other)
  const [count, n] = [slopes.length, points.length]
  const spread = 1.959964 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const low = slopes[Math.max(Math.round((count - spread) / 2), 1) - 1] as number
  const high = slopes[Math.min(Math.round((count + spread) / 2) + 1, count) - 1] as number
  const median = ((slopes[(count - 1) >> 1] as number) + (slopes[count >> 1] as number)) / 2
  const reply = await service.json('/api/combustible/tendencia?series=STATION_MEAN&fuel=DIESEL_A&weeks=6')
  const [newest, previous] = points as [(typeof points)[0], (typeof points)[0]]
  expect(n).toBeGreaterThanOrEqual(5)
  expect(reply.trends).toEqual([
    {
      fuel: 'DIESEL_A',
      series: 'STATION_MEAN',
      as_of: asOf,
      price_eur_l: newest.price,
      previous_eur_l: previous.price,
      days_between: 7 * (newest.week - previous.week),
      change_eur_l: rounded(newest.price - previous.price),
      change_pct: rounded(100 * (newest.price / previous.price - 1), 2),
      change_52w_pct: null,
      slope_eur_l_week: rounded(median, 5),
      slope_ci95: [rounded(low, 5), rounded(high, 5)],
      direction: low > 0 ? 'RISING' : high < 0 ? 'FALLING' : 'STABLE',
      weeks_used: n,
      method: 'THEIL_SEN_7_DAYS',
    },
  ])
  const others = await service.json('/api/combustible/tendencia?series=STATION_MEAN')
  expect(others.trends.map(({ fuel }: Reply) => fuel).sort()).toEqual(['DIESEL_A', 'GASOLINE_95_E5'])
})

describe('current figures', () => {
  const stations = Array.from({ length: 40 }, (_, nth) =>
    exampleRow(fuelStations, {
      station_id: `n${nth}`,
      province_code: nth % 3 ? '28' : '08',
      municipality_code: nth % 3 ? (nth % 2 ? '28079' : '28006') : null,
      brand: BRANDS[nth % BRANDS.length],
      sale_type: nth === 4 ? 'RESTRICTED' : 'PUBLIC',
      status: nth === 7 ? 'MISSING' : 'ACTIVE',
      is_stale: nth % 5 === 0,
    }),
  )
  const sold = stations.flatMap(({ station_id, province_code }, nth) =>
    ['DIESEL_A', 'GASOLINE_95_E5'].map((product, which) =>
      exampleRow(fuelPrices, {
        ...{ station_id, province_code, product, observed_at: UNTIL },
        price: Math.round(1000 * (1.2 + ((nth * 37 + which * 11) % 41) / 100)) / 1000,
        status: nth === 9 && which === 1 ? 'ENDED' : 'ACTIVE',
      }),
    ),
  )

  /** The result of plain SQL over the published rows. */
  async function current(group: string, order: string): Promise<GoldenRow[]> {
    const texts = (rows: readonly AnyRow[], names: readonly string[]): string =>
      rows.map((row) => `(${names.map((name) => (row[name] === null ? 'NULL' : `'${row[name]}'`)).join()})`).join()
    const columns = ['station_id', 'province_code', 'municipality_code', 'brand', 'sale_type', 'status', 'is_stale']
    return ask(`SELECT * FROM (
      SELECT product AS fuel, ${group}, count(*) AS stations, CAST(avg(CAST(price AS DECIMAL(9, 3))) AS DECIMAL(9, 4)) AS price_mean,
        min(CAST(price AS DECIMAL(9, 3))) AS price_min, quantile_disc(CAST(price AS DECIMAL(9, 3)), 0.25) AS price_p25,
        quantile_disc(CAST(price AS DECIMAL(9, 3)), 0.5) AS price_median, quantile_disc(CAST(price AS DECIMAL(9, 3)), 0.75) AS price_p75,
        max(CAST(price AS DECIMAL(9, 3))) AS price_max, CAST(avg(CASE WHEN is_stale = 'false' THEN 1 ELSE 0 END) AS DECIMAL(9, 4)) AS coverage
      FROM (VALUES ${texts(sold, ['station_id', 'product', 'price', 'status'])}) AS sold(station_id, product, price, sold_status)
      JOIN (VALUES ${texts(stations, columns)}) AS stations(${columns.join()}) USING (station_id)
      WHERE sold_status = 'ACTIVE' AND status = 'ACTIVE' AND sale_type <> 'RESTRICTED'
      GROUP BY ALL
    ) WHERE ${order} IS NOT NULL ORDER BY fuel, ${order}`)
  }
  const inOrder = (rows: readonly Reply[], by: string): Reply[] =>
    rows.toSorted((one, other) => (`${one.fuel} ${one[by]}` < `${other.fuel} ${other[by]}` ? -1 : 1))

  beforeAll(async () => {
    await service.publish(fuelStations, stations, { at: UNTIL })
    await service.publish(fuelPrices, sold, { at: UNTIL })
  })

  test.each([
    ['province_code', ''],
    ['municipality_code', '&group_by=municipality'],
  ])('are those of plain SQL by %s', async (by, more) => {
    const reply = await service.json(`/api/gas-stations/stats?limit=1000${more || '&group_by=province'}`)
    const found = inOrder(reply.stats, by).map(({ province: _p, municipality: _m, price_unit: _u, ...one }) => one)
    const expected = await current(by, by)
    expect(
      found.map(({ province_code, municipality_code, ...one }) => ({
        [by]: by === 'province_code' ? province_code : municipality_code,
        ...one,
      })),
    ).toEqual(expected)
    expect(reply.meta).toMatchObject({ grain: expect.any(String), method: expect.any(String) })
  })

  test('are of all stations together, or of those of a place, unless grouped', async () => {
    const { stats } = await service.json('/api/gas-stations/stats?fuel=DIESEL_A')
    const [expected] = await current(`'all' AS area`, 'area')
    const { area: _area, ...figures } = expected as GoldenRow
    expect(stats).toEqual([
      { province: null, province_code: null, municipality: null, municipality_code: null, price_unit: 'EUR/L', ...figures },
    ])
    const madrid = await service.json('/api/gas-stations/stats?fuel=DIESEL_A&province=Madrid')
    expect(madrid.stats[0].stations).toBe(
      (await current('province_code', 'province_code')).find((row) => row['province_code'] === '28')?.['stations'],
    )
  })

  test('of signs are one where spellings differ in case and punctuation only', async () => {
    const { averages } = await service.json('/api/combustible/precios?group_by=operator&fuel=DIESEL_A')
    const sign = `nullif(trim(regexp_replace(lower(strip_accents(brand)), '[^a-z0-9]+', ' ', 'g')), '') AS area`
    const expected = (await current(sign, 'area')).filter(({ fuel }) => fuel === 'DIESEL_A')
    expect(inOrder(averages, 'area').map(({ area, stations, price_mean, coverage }) => ({ area, stations, price_mean, coverage }))).toEqual(
      expected.map(({ area, stations, price_mean, coverage }) => ({ area, stations, price_mean, coverage })),
    )
    const national = await service.json('/api/combustible/precios')
    expect(national.averages.map(({ area_kind, area, name }: Reply) => [area_kind, area, name])).toEqual([
      ['NATION', 'ES', null],
      ['NATION', 'ES', null],
    ])
    const provinces = await service.json('/api/combustible/precios?group_by=province&fuel=DIESEL_A')
    expect(inOrder(provinces.averages, 'area').map(({ area, name }) => [area, name])).toEqual([
      ['08', 'Barcelona'],
      ['28', 'Madrid'],
    ])
  })
})
