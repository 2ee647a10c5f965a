import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { meaning, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { roadFilter } from '../../kernel/filters/road.ts'
import { booleanParam, listOf, textParam } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import {
  ABOUT_POSITION,
  ABOUT_ROAD,
  fuelParam,
  isOpen,
  STATION_DATASETS,
  type Station,
  sellsFilter,
  stationFields,
  stationsOf,
} from './station.ts'
import { checkTown, stationAreaFilter, townFilter } from './station-place.ts'

/** Fields of the list that only some replies have. */
const PRICE = ['price', 'price_unit', 'price_issue'] as const

/** The filter `open_now`; its result changes every minute. */
export const openNowFilter = defineMemoryFilter({
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
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Filling stations with prices per fuel, operator and coordinates',
  summary_es: 'Gasolineras con precios por carburante, rótulo y coordenadas',
  about: `Every station of the national register. A station that the newest publications no longer list has status MISSING. ${ABOUT_ROAD} ${ABOUT_POSITION}`,
  params: {},
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
