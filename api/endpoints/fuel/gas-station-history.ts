import { fuelArchivePrices } from '../../../lake/datasets/fuel/archive-prices.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { optional } from '../../kernel/fields.ts'
import { listOf } from '../../kernel/params/params.ts'
import { heldMean, last, max, min, parameter, same, shareHeld } from '../../kernel/reads/figures.ts'
import { series, steps } from '../../kernel/reads/series.ts'
import { seriesOf } from '../../kernel/reads/series-of.ts'
import { coverageField } from '../common-fields.ts'
import { stationId } from './gas-stations.ts'
import { heldPrices, priceChanges } from './held-prices.ts'
import { PRICES_PAGE } from './price-figures.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelPrices

const points = series({
  name: 'FuelPricePoint',
  about: 'One step of a price series.',
  example: ['2025-09-26T22:00:00.000Z', '1d'],
  periodStart: 'Begin of the step; with interval=raw the publication that changed the price.',
  fields: {
    fuel: columns.product,
    price: optional(
      columns.price,
      'Mean price of the step, each price weighted by the time that it was valid. With interval=raw the new price, null if it is no longer sold.',
    ),
    price_min: optional(columns.price, 'Lowest price of the step.'),
    price_max: optional(columns.price, 'Highest price of the step.'),
    price_last: optional(columns.price, 'Price at the end of the step.'),
    price_unit: columns.price_unit,
    coverage: coverageField('Share of the whole step with a known price'),
  },
  key: ['fuel'],
})

const params = {
  id: stationId,
  fuel: listOf(fuelParam),
  time: steps({ raw: 31, '1d': 31, '1w': 366, '1mo': 'all', '1y': 'all' }, { initial: '1d' }),
}

/** The price series of one station. */
export const gasStationHistory = defineEndpoint({
  path: '/api/gas-stations/{id}/history',
  domain: 'fuel',
  plan: 'PRO',
  summary: 'Price series of one filling station',
  summary_es: 'Serie de precios de una gasolinera',
  about:
    'With interval=raw one point per price change, otherwise one per step with a known price: the mean weighted by the time that each was valid. Gaps between publications use the daily archive of the ministry. An implausible price counts as unknown; interval=raw shows it as published. Data ends at `meta.covered_until`.',
  explained: PRICES_PAGE,
  statistic: {
    grain: 'One fuel at one station, in one step; with interval=raw one change of its price.',
    method:
      'Prices as the ministry publishes them, each weighted by the time that it was valid within the step. Days without publications use the daily archive.',
  },
  params,
  returns: points,
  read: seriesOf({
    params,
    returns: points,
    of: fuelPrices,
    at: 'held',
    where: { station_id: parameter('id'), product: parameter('fuel') },
    from: [fuelPrices, fuelArchivePrices],
    begins: [fuelPrices, fuelArchivePrices],
    rows: heldPrices,
    points: { query: priceChanges },
    fields: {
      fuel: same('product'),
      price: heldMean('price'),
      price_min: min('price'),
      price_max: max('price'),
      price_last: last('price'),
      price_unit: last('price_unit'),
      coverage: shareHeld(),
    },
    subject: { of: fuelStations, where: { station_id: parameter('id') } },
  }),
  example: { id: '4375', fuel: 'DIESEL_A', from: dayFromToday(-30, '2025-09-01'), to: dayFromToday(1, '2025-10-01') },
})
