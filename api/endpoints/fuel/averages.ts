import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { optional, record } from '../../kernel/fields.ts'
import { listOf, oneOf, withDefault } from '../../kernel/params/params.ts'
import { provinceName } from '../common-fields.ts'
import { figureFields, figuresOf, OF_STATIONS, soldBy } from './price-figures.ts'
import { fuelParam, STATION_DATASETS, type Station, sellsFilter, stationsOf } from './station.ts'

const { columns } = fuelDays

/** Areas and groups of averages. */
const GROUPS = ['nation', 'province', 'operator'] as const
type Group = (typeof GROUPS)[number]

const average = record('FuelAverage', 'The current average price of one fuel: in Spain, in a province or by brand.', {
  fuel: columns.product,
  area_kind: columns.area_kind,
  area: columns.area,
  name: optional(columns.name, 'Official name of the province, or the brand as most of its stations write it; null for the nation.'),
  price_mean: figureFields.price_mean,
  price_unit: figureFields.price_unit,
  stations: figureFields.stations,
  coverage: figureFields.coverage,
})

/** Current averages. */
export const fuelAverages = defineEndpoint({
  path: '/api/combustible/precios',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Current average price of each fuel: national, by province or by operator',
  summary_es: 'Precio medio de cada carburante: nacional, por provincia o por rótulo',
  about: `${OF_STATIONS} Brands are the same if they differ only in case, accents and punctuation; stations without a brand belong to no operator.`,
  statistic: { grain: 'One fuel, in all of Spain, one province or at the stations of one brand, now.', method: OF_STATIONS },
  params: {
    group_by: withDefault(oneOf('Scope of the averages.', GROUPS, { example: 'province' }), 'nation'),
  },
  filters: [sellsFilter(listOf(fuelParam))],
  returns: {
    kind: 'list',
    name: 'averages',
    record: average,
    key: ['fuel', 'area'],
    sorts: ['stations', 'price_mean'],
    order: '-stations',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    pick: (stations, { fuel, group_by }) => {
      const group = (one: Station): string | null => areaOf(one, group_by)
      const names = group_by === 'operator' ? signsOf(stations) : null
      return [...soldBy(stations, { fuel, group })].flatMap(([product, groups]) =>
        [...groups].map(([area, sold]) => {
          const { price_mean, price_unit, stations: count, coverage } = figuresOf(sold)
          const name = group_by === 'province' ? provinceName(area) : (names?.get(area) ?? null)
          return { fuel: product, area_kind: group_by.toUpperCase(), area, name, price_mean, price_unit, stations: count, coverage }
        }),
      )
    },
  },
  example: { fuel: 'DIESEL_A' },
})

function areaOf(one: Station, group_by: Group): string | null {
  if (group_by === 'nation') return 'ES'
  if (group_by === 'province') return one.province_code
  return one.operator === null ? null : foldName(one.operator) || null
}

/** The spelling of each brand that most of its stations use; of equally frequent ones, the last in the alphabet. */
function signsOf(stations: readonly Station[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { operator } of stations) {
    if (operator === null) continue
    const spellings = counts.get(foldName(operator)) ?? new Map<string, number>()
    counts.set(foldName(operator), spellings.set(operator, (spellings.get(operator) ?? 0) + 1))
  }
  const most = (spellings: Map<string, number>): string =>
    [...spellings].reduce((best, one) => (one[1] > best[1] || (one[1] === best[1] && one[0] > best[0]) ? one : best))[0]
  return new Map([...counts].map(([sign, spellings]) => [sign, most(spellings)]))
}
