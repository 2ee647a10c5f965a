import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { roadFilter } from '../../kernel/filters.ts'
import { booleanParam, listOf, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { PRICES_PAGE } from './price-figures.ts'
import {
  ABOUT_POSITION,
  ABOUT_ROAD,
  checkTown,
  fuelParam,
  isOpen,
  STATION_DATASETS,
  type Station,
  sellsFilter,
  stationAreaFilter,
  stationFields,
  stationsOf,
  townFilter,
} from './station.ts'

/** Fields of the list that only some replies have. */
const PRICE = ['price', 'price_unit', 'price_issue'] as const

/** The filter `open_now`; its result changes every minute. */
const openNowFilter = defineMemoryFilter({
  name: 'open_now',
  param: booleanParam(
    'Only stations that are open (true) or closed (false) at this minute by their published hours; stations with unreadable hours count as closed.',
    { clockGranularity_s: 60 },
  ),
  matches: (wanted, now) => (one: Station) => isOpen(one, now) === wanted,
})

const operatorFilter = defineMemoryFilter({
  name: 'operator',
  param: listOf(textParam('Brand of the station; case, accents and punctuation are ignored.', { max: 60, example: 'REPSOL' })),
  matches: (operators) => {
    const wanted = new Set(operators.map(foldName))
    return ({ operator }: Station) => operator !== null && wanted.has(foldName(operator))
  },
  present: { operator: ({ operator }) => operator },
})

const listed = record(
  'GasStation',
  'A filling station with its prices.',
  {
    ...stationFields,
    price: optional(
      fuelPrices.columns.price,
      'Price of the requested fuel, the lowest of several; null if not plausible. Only in replies to a request with `fuel`.',
    ),
    price_unit: meaning(fuelPrices.columns.price_unit, 'Unit of that price.'),
    price_issue: meaning(fuelPrices.columns.price_issue, 'Why that price is not plausible; `prices` has it as published.'),
  },
  { sometimes: PRICE },
)

/** The station with the lowest of its plausible prices of some fuels. */
function priced(station: Station, fuels: readonly string[]): ValueOf<typeof listed.fields> {
  const sold = fuels.flatMap((fuel) => station.prices[fuel] ?? []).sort((one, other) => one.price - other.price)
  const price = sold.find(({ price_issue }) => !price_issue) ?? sold[0]
  if (!price) throw new Error(`station ${station.id} sells none of ${fuels.join()}`)
  const { price_unit, price_issue } = price
  return { ...station, price: price_issue ? null : price.price, price_unit, price_issue }
}

/** Filling stations with their prices. */
export const gasStationList = defineEndpoint({
  path: '/api/gas-stations',
  plan: 'FREE',
  summary: 'Filling stations with prices per fuel, operator and coordinates',
  summary_es: 'Gasolineras con precios por carburante, rótulo y coordenadas',
  about: `Every station of the national register. A station that the newest publications no longer list has status MISSING. ${ABOUT_ROAD} ${ABOUT_POSITION}`,
  filters: [townFilter, roadFilter, sellsFilter(listOf(fuelParam)), operatorFilter, stationAreaFilter, openNowFilter],
  returns: listReturn('stations', listed, {
    sorts: ['id', 'operator', 'municipality', 'road', 'km', 'price', 'updated_at'],
    needs: { price: ['fuel'] },
  }),
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    check: checkTown,
    // Without a fuel there is no price to show, so stations are listed unchanged.
    pick: (stations, { fuel }) =>
      fuel ? stations.map((one) => priced(one, fuel)) : (stations as readonly ValueOf<typeof listed.fields>[]),
    omit: { by: 'fuel', fields: ({ fuel }) => (fuel ? [] : PRICE) },
  },
  example: { province: 'Barcelona', fuel: 'DIESEL_A' },
})

/** The station id as a path parameter. */
export const stationId = required(textParam('Official station code (IDEESS).', { max: 20, example: '4375' }))

const rankFields = {
  rank: field.integer(
    'Rank by price among the stations of the municipality that sell it, 1 = cheapest; equal prices share a rank.',
    '1',
    1,
  ),
  stations: field.integer('Number of stations in the municipality that sell it.', '1', 3),
  cheapest: meaning(fuelPrices.columns.price, 'Lowest price in the municipality.'),
} as const

type Rank = ValueOf<typeof rankFields>

const detail = record('GasStationDetail', 'A filling station with its prices and their rank in its municipality.', {
  ...stationFields,
  ranks: nested.map('Rank of its prices in its municipality, by product; implausible prices have none.', FUEL_PRODUCTS, rankFields),
})

/** One station. */
export const gasStationById = defineEndpoint({
  path: '/api/gas-stations/{id}',
  plan: 'FREE',
  summary: 'One filling station, with the rank of its prices in its municipality',
  summary_es: 'Una gasolinera, con el puesto de sus precios en el municipio',
  params: { id: stationId },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    answer: ({ states }, { id }) => {
      const stations = stationsOf(states)
      const found = stations.find((one) => one.id === id)
      return found ? { ...found, ranks: ranksOf(found, stations) } : null
    },
  },
  example: { id: '4375' },
})

/**
 * Ranks of a station's prices among the active stations of its municipality; empty if it has no known municipality or is not
 * active.
 */
function ranksOf(one: Station, stations: readonly Station[]): Record<string, Rank> {
  if (one.municipality_code === null || one.status !== 'ACTIVE') return {}
  const around = stations.filter((other) => other.municipality_code === one.municipality_code && other.status === 'ACTIVE')
  return Object.fromEntries(
    Object.entries(one.prices).flatMap(([product, { price, price_issue }]) => {
      if (price_issue) return []
      const prices = around.flatMap(({ prices: { [product]: other } }) => (other && !other.price_issue ? other.price : []))
      return [
        [product, { rank: 1 + prices.filter((other) => other < price).length, stations: prices.length, cheapest: Math.min(...prices) }],
      ]
    }),
  )
}

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
  plan: 'FREE',
  summary: 'Cheapest stations for a fuel in an area or along a road',
  summary_es: 'Las gasolineras más baratas en una zona o a lo largo de una carretera',
  about: `Active stations open to the public; \`include_restricted\` adds those that sell only to members. Implausible prices are left out. ${ABOUT_ROAD} ${ABOUT_POSITION}`,
  explained: PRICES_PAGE,
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
