import { afterAll, beforeAll, expect, test } from 'vitest'
import { derive } from '../../../../jobs/derive/derive.ts'
import { fuelDaysDerived } from '../../../../jobs/derive/fuel/days.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { fuelArchivePrices, fuelDays, fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import { type GoldenRow, golden } from '../../../helpers/golden.ts'
import { openTestContext, type TestContext } from '../../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../../helpers/redis.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const never = new AbortController().signal
const LIVE = Date.parse('2028-03-28T10:00:00Z')
/** The archive is fetched later than the register. */
const ASKED = LIVE + 3_600_000

let service: TestService
let redis: TestRedis
let context: TestContext

/** Days over the end of a leap year's February and the clock change of March; three are missing. */
function archiveRows(): AnyRow[] {
  const next = figures(5)
  const rows: AnyRow[] = []
  for (let date = '2028-02-25'; date <= '2028-03-28'; date = madridDate(dayBounds(date).end + 1)) {
    if (date >= '2028-03-10' && date <= '2028-03-12') continue
    for (let nth = 0; nth < 20; nth++)
      for (const product of ['DIESEL_A', 'GASOLINE_95_E5'])
        if (next() < 0.9)
          rows.push(
            exampleTableRow(fuelArchivePrices, {
              ...{ day: date, day_starts_at: dayBounds(date).start, station_id: `s${nth}`, product },
              price: Math.round(1000 * (1.2 + 0.4 * next())) / 1000,
              province_code: nth % 3 ? '28' : '08',
              brand: nth < 10 ? 'Repsol' : null,
              sale_type: nth === 5 ? 'RESTRICTED' : 'PUBLIC',
            }),
          )
  }
  return rows
}

const run = () => derive(context, fuelDaysDerived, { feeds, signal: never })
const ask = (query: string): Promise<GoldenRow[]> => golden(service.lake, [fuelArchivePrices, fuelDays], query)
const series = (query: string): Promise<Reply> => service.json(`/api/combustible/historico?series=STATION_MEAN&limit=1000&${query}`)

beforeAll(async () => {
  service = await startService()
  redis = await startTestRedis()
  context = await openTestContext({ folder: service.shared.storeFolder.replace(/\/store$/, ''), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [fuelDays])
  const rows = archiveRows()
  await service.land(fuelArchivePrices, rows.slice(0, 300), ASKED, ['fuel_archive'])
  await service.land(fuelArchivePrices, rows.slice(300), ASKED, ['fuel_archive'])
})
afterAll(async () => {
  await context?.close()
  await redis?.stop()
  await service?.close()
})

test('an archive alone gives days; the first publication replaces its day and sets covered_until', async () => {
  expect(await run()).toMatchObject({ made: ['2028-02', '2028-03'] })
  expect((await series('fuel=DIESEL_A&interval=1d')).meta.covered_until).toBe(isoInstant(ASKED))
  const live = (station_id: string, price: number): AnyRow =>
    exampleTableRow(fuelPrices, { station_id, price, product: 'DIESEL_A', observed_at: LIVE, updated_at: LIVE, province_code: '28' })
  await service.land(fuelPrices, [live('s0', 1.7), live('s1', 1.8)], LIVE)
  // A row that a lake writer added to a day of the archive makes no publication of that day.
  const theirs = { fetch_id: 'study.1', observed_at: LIVE - 8 * 86_400_000, price_issue: 'IMPLAUSIBLE' }
  await service.land(fuelPrices, [{ ...live('s9', 2), ...theirs }], LIVE)
  const stations = ['s0', 's1'].map((station_id) =>
    exampleTableRow(fuelStations, { station_id, observed_at: LIVE, updated_at: LIVE, sale_type: 'PUBLIC' }),
  )
  await service.land(fuelStations, stations, LIVE)
  expect(await run()).toMatchObject({ made: ['2028-03'] })
  expect(await run()).toMatchObject({ made: [], removed: [] })
  const { prices, missing_periods, meta } = await series('fuel=DIESEL_A&interval=1d&from=2028-02-25')
  expect([meta.covered_from, meta.covered_until]).toEqual(['2028-02-24T23:00:00.000Z', isoInstant(LIVE)])
  const days = prices.map((one: Reply) => [madridDate(Date.parse(one.period_start)), one.price_eur_l, one.stations])
  const expected = await ask(`
    SELECT day, CAST(avg(price) AS DECIMAL(9, 4)) AS price, count(*) AS stations
    FROM fuel_archive_prices WHERE product = 'DIESEL_A' AND sale_type = 'PUBLIC' AND day < '2028-03-28' GROUP BY day ORDER BY day`)
  expect(expected).toHaveLength(29)
  expect(days).toEqual([...expected.map(({ day, price, stations }) => [day, price, stations]), ['2028-03-28', 1.75, 2]])
  expect(missing_periods).toEqual([{ from: '2028-03-09T23:00:00.000Z', to: '2028-03-12T23:00:00.000Z' }])
})

test('no day is of both, provinces and signs are of the archive, too', async () => {
  const found = await ask(
    `SELECT date, area_kind, area, product, basis, stations, price_mean FROM fuel_days WHERE date IN ('2028-02-29', '2028-03-28') ORDER BY ALL`,
  )
  const expected = await ask(`
    WITH known AS (SELECT * FROM fuel_archive_prices WHERE day = '2028-02-29' AND sale_type = 'PUBLIC'),
    areas AS (
      SELECT 'NATION' AS area_kind, 'ES' AS area, * FROM known
      UNION ALL SELECT 'PROVINCE', province_code, * FROM known
      UNION ALL SELECT 'OPERATOR', 'repsol', * FROM known WHERE brand = 'Repsol'
    )
    SELECT DATE '2028-02-29' AS date, area_kind, area, product, 'ARCHIVE' AS basis, count(*) AS stations, CAST(avg(price) AS DECIMAL(9, 4)) AS price_mean
    FROM areas GROUP BY ALL ORDER BY ALL`)
  expect(expected).toHaveLength(8)
  expect(found.filter(({ date }) => date === '2028-02-29')).toEqual(expected)
  expect(found.filter(({ date }) => date !== '2028-02-29').map(({ area, basis }) => [area, basis])).toEqual([
    ['ES', 'PUBLICATIONS'],
    ['28', 'PUBLICATIONS'],
  ])
})
