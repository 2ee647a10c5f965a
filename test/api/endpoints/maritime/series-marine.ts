import { marinePrices, marineStations } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { exampleTableRow } from '../../service.ts'
import { begin, type Domain, END, HOUR, instants, iso, next, seconds, share, type Unit, whole } from '../service/series-golden.ts'

const SINCE = dayBounds('2028-10-28').start
const mean = 'CAST(avg(mean) AS DECIMAL(9, 6)) AS price_eur_l'

/** For each minute the mean of the stations' prices; for a step the mean of its minutes. */
const meansOf = (step: Unit, where: string): string => `
  SELECT ${iso('begun')} AS period_start, '${step}' AS interval, product AS fuel, ${mean}, min(least) AS price_min_eur_l, max(most) AS price_max_eur_l,
    max(stations) AS stations, ${share(`count(*) * 60 / ${seconds(step)}`)}
  FROM (
    SELECT minute, ${begin(step, 'minute')} AS begun, product, avg(price_eur_l) AS mean, min(price_eur_l) AS least, max(price_eur_l) AS most, count(*) AS stations
    FROM (
      SELECT minutes.minute, prices.*
      FROM (SELECT unnest(generate_series(to_timestamp(${SINCE / 1000}), to_timestamp(${END / 1000 - 60}), INTERVAL 1 MINUTE)) AS minute) AS minutes
      CROSS JOIN (SELECT DISTINCT product, station_id FROM marine_prices WHERE ${where}) AS sold
      ASOF JOIN marine_prices AS prices
        ON sold.product = prices.product AND sold.station_id = prices.station_id AND minutes.minute >= prices.observed_at
    )
    WHERE status <> 'ENDED'
    GROUP BY minute, product
  )
  GROUP BY begun, product ORDER BY begun, product`

const PERIOD = 'from=2028-10-23&to=2028-10-31'

/** Marine fuel: three stations whose prices change now and then; one of them stops selling. */
export const marine: Domain = {
  tables: [marinePrices],
  land: async (service, when) => {
    if (when === 'since') return
    const row = (station_id: string, product: string, observed_at: number, status = 'ACTIVE'): AnyRow => {
      const price_eur_l = (1000 + whole(900)) / 1000
      const use = station_id === 'm1' ? 'FISHING' : 'LEISURE'
      return exampleTableRow(marinePrices, {
        ...{ station_id, product, observed_at, updated_at: observed_at, status, use, price: price_eur_l, price_eur_l },
      })
    }
    const times = [...instants(HOUR)].filter((at) => at >= SINCE)
    const sold = [['m1', 'DIESEL_B'] as const, ['m2', 'DIESEL_A'] as const, ['m3', 'DIESEL_A'] as const, ['m4', 'DIESEL_A'] as const]
    const rows = sold.flatMap(([station, product], nth) =>
      // They begin an hour after another, and change in one hour of eight.
      times.slice(nth).flatMap((at, hour) => (hour === 0 || next() < 0.125 ? [row(station, product, at)] : [])),
    )
    const stop = SINCE + 60 * HOUR
    const kept = rows.filter((one) => one['station_id'] !== 'm4' || Number(one['observed_at']) < stop)
    await service.land(marinePrices, [...kept, row('m4', 'DIESEL_A', stop, 'ENDED')], END)
    await service.land(
      marineStations,
      sold.map(([station_id]) => exampleTableRow(marineStations, { station_id, port: `PUERTO ${station_id}` })),
      END,
    )
  },
  rows: [
    { path: `maritimo/historico?interval=1d&${PERIOD}`, golden: meansOf('1d', 'true') },
    { path: `maritimo/historico?interval=1w&fuel=DIESEL_A&${PERIOD}`, golden: meansOf('1w', `product = 'DIESEL_A'`) },
    { path: `maritimo/historico?interval=1mo&use=FISHING&${PERIOD}`, golden: meansOf('1mo', `use = 'FISHING'`) },
    { path: `maritimo/historico?interval=1d&port=puerto+m3&${PERIOD}`, golden: meansOf('1d', `station_id = 'm3'`) },
  ],
}
