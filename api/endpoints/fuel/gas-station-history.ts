import { fuelArchivePrices } from '../../../lake/datasets/fuel/archive-prices.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { optional } from '../../define/fields.ts'
import { heldMean, last, max, min, parameter, same, shareHeld } from '../../define/figures.ts'
import { listOf } from '../../define/params.ts'
import { series, steps } from '../../define/series.ts'
import { seriesOf } from '../../define/series-of.ts'
import { coverageField } from '../tail.ts'
import { stationId } from './gas-station-detail.ts'
import { heldPrices, priceChanges } from './held-prices.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelPrices

const points = series({
  name: 'FuelPricePoint',
  about: 'One step of the series of a price.',
  example: ['2025-09-26T22:00:00.000Z', '1d'],
  periodStart: 'Begin of the step; with interval=raw the publication that changed the price.',
  fields: {
    fuel: columns.product,
    price: optional(
      columns.price,
      'Mean price of the step, each price weighted by the time it held; with interval=raw the new price, null where it is no longer sold.',
    ),
    price_min: optional(columns.price, 'Lowest price of the step.'),
    price_max: optional(columns.price, 'Highest price of the step.'),
    price_last: optional(columns.price, 'Price at the end of the step.'),
    price_unit: columns.price_unit,
    coverage: coverageField('Share of the whole step in which a price is known'),
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
  about:
    'With interval=raw a point per change of a price. Otherwise a point per day, week, month or year with a known price: the mean is weighted by the time each price held, and a price holds until the publication that changes it, as long as there are publications: ' +
    'where more than a day passes without one, and before the first, prices are those of the archive by day of the ministry as far as it was taken in, each from the begin of its day to its end; ' +
    'with interval=raw its changes are told at the begin of the day, of days without a publication. ' +
    'Where neither tells a price that time counts against `coverage`, and a step that lies in it is absent. ' +
    'What is known ends at `meta.covered_until`: a price that appears then is shown in its step at once, with a `coverage` that is 0 at first and grows with the publications.',
  figure: {
    grain: 'One fuel at one station, in one step; with interval=raw one change of its price.',
    method:
      'Prices as the ministry publishes them, each weighted by the time that it held within the step; days without publications have those of its archive by day.',
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
