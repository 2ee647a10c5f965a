import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { roadFilter } from '../../kernel/filters/road.ts'
import { booleanParam, required, withDefault } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { openNowFilter } from './gas-stations.ts'
import { PRICES_PAGE } from './price-figures.ts'
import { ABOUT_POSITION, ABOUT_ROAD, fuelParam, STATION_DATASETS, type Station, sellsFilter, stationFields, stationsOf } from './station.ts'
import { checkTown, stationAreaFilter, townFilter } from './station-place.ts'

const { id, prices: _prices, ...others } = stationFields

const offer = record('FuelOffer', 'The price of one fuel at one station.', {
  id,
  fuel: field.code('Requested fuel product.', FUEL_PRODUCTS, 'DIESEL_A'),
  price: fuelPrices.columns.price,
  price_unit: fuelPrices.columns.price_unit,
  distance_m: maybe.integer('Straight-line distance from the requested point; null without one.', 'm', 420),
  ...others,
})

const restrictedFilter = defineMemoryFilter({
  name: 'include_restricted',
  param: withDefault(booleanParam('Also stations that sell only to members or co-operatives.'), false),
  matches: (included) => (one: Station) => included || one.sale_type !== 'RESTRICTED',
})

/** The cheapest stations for a fuel. */
export const cheapestList = defineEndpoint({
  path: '/api/gas-stations/cheapest',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Cheapest stations for a fuel in an area or along a road',
  summary_es: 'Las gasolineras más baratas en una zona o a lo largo de una carretera',
  about: `Active stations open to the public; \`include_restricted\` adds those that sell only to members. Implausible prices are left out. ${ABOUT_ROAD} ${ABOUT_POSITION}`,
  explained: PRICES_PAGE,
  params: {},
  filters: [sellsFilter(required(fuelParam)), townFilter, roadFilter, stationAreaFilter, openNowFilter, restrictedFilter],
  returns: listReturn('stations', offer, {
    sorts: ['price', 'distance_m'],
    order: 'price',
    orderAround: 'price',
    needs: { distance_m: ['lat', 'lon'] },
    limit: { default: 20, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    check: checkTown,
    pick: (stations, { fuel }) =>
      stations.flatMap((one) => {
        const sold = one.prices[fuel]
        if (!sold || sold.price_issue || one.status !== 'ACTIVE') return []
        return [{ ...one, fuel, price: sold.price, price_unit: sold.price_unit, distance_m: null }]
      }),
  },
  example: { fuel: 'DIESEL_A', lat: '41.51', lon: '1.90', radius: '5000' },
})
