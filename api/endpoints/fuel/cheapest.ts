import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { record } from '../../define/fields.ts'
import { distanceM, isInside } from '../../define/geo.ts'
import { booleanParam, required, withDefault } from '../../define/params.ts'
import { geoParams, isAt, isOnRoad, placeParams, roadParams } from '../../define/params-place.ts'
import { openNowParam } from './gas-stations.ts'
import { ABOUT_ROAD, fuelParam, isOpen, STATION_DATASETS, stationFields, stationsOf } from './station.ts'

const { id, prices: _prices, ...others } = stationFields

const offer = record('FuelOffer', 'The price of one fuel at one station.', {
  id,
  fuel: col.code(0, 'Fuel product asked for.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
  price: fuelPrices.columns.price,
  price_unit: fuelPrices.columns.price_unit,
  distance_m: col.integer(0, 'Straight-line distance from the point asked for; null where none was.', {
    unit: 'm',
    nullable: true,
    example: 420,
  }),
  ...others,
})

/** The cheapest stations for a fuel. */
export const cheapestList = defineEndpoint({
  path: '/api/gas-stations/cheapest',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Cheapest stations for a fuel in an area or along a road',
  about: `Of the active stations, but for those that sell to members or co-operatives only (\`sale_type\` RESTRICTED), which \`include_restricted\` adds. ${ABOUT_ROAD}`,
  params: {
    fuel: required(fuelParam),
    place: placeParams,
    stretch: roadParams,
    geo: geoParams,
    open_now: openNowParam,
    include_restricted: withDefault(booleanParam('Also stations that sell to members or co-operatives only.'), false),
  },
  returns: {
    kind: 'list',
    name: 'stations',
    record: offer,
    key: ['id'],
    id: 'id',
    sorts: ['price', 'distance_m'],
    order: 'price',
    needs: { distance_m: ['lat', 'lon'] },
    limit: { default: 20, max: 20_000 },
  },
  read: {
    kind: 'live',
    from: STATION_DATASETS,
    records: stationsOf,
    pick: (stations, p, now) => {
      const { geo } = p
      const centre = geo?.kind === 'circle' ? geo : null
      return stations.flatMap((one) => {
        const sold = one.prices[p.fuel]
        if (!sold || one.status !== 'ACTIVE' || !isAt(p.place, one) || !isOnRoad(p.stretch, one) || (geo && !isInside(geo, one.position)))
          return []
        if (one.sale_type === 'RESTRICTED' && !p.include_restricted) return []
        if (p.open_now !== null && isOpen(one, now) !== p.open_now) return []
        const distance_m = centre && one.position ? Math.round(distanceM(centre, one.position)) : null
        return [{ ...one, fuel: p.fuel, price: sold.price, price_unit: sold.price_unit, distance_m }]
      })
    },
  },
  example: { fuel: 'DIESEL_A', lat: '41.51', lon: '1.90', radius: '5000' },
})
