import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { areaFilter } from '../../filters/area.ts'
import { MARINE_DATASETS, marineFilters, marinePrice, marinePricesOf } from './marine-price.ts'

/** The specification's list of marine fuel prices. */
export const marinePriceList = defineEndpoint({
  path: '/api/maritimo',
  domain: 'maritime',
  plan: 'FREE',
  summary: 'Marine fuel prices in Spanish ports',
  about:
    'One record per fuel that a station sells to leisure craft or fishing vessels. Diesel B and marine gasoil are published per 1000 litres; `price_eur_l` compares all fuels. ' +
    'No source publishes prices of marine fuel oil: its record has no station, and `price_absence` says so.',
  params: {},
  filters: [...marineFilters, areaFilter],
  returns: listReturn('prices', marinePrice, { sorts: ['id', 'price_eur_l', 'updated_at'] }),
  read: { kind: 'memory', from: MARINE_DATASETS, records: marinePricesOf },
  example: { fuel: 'DIESEL_A', province: 'Las Palmas' },
})
