import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { meaning, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { field } from '../../kernel/reply-fields.ts'
import { STATION_DATASETS, type Station, stationFields, stationsOf } from './station.ts'

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
  domain: 'fuel',
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
