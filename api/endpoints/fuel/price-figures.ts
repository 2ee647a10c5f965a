import { fuelDays, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { foldName } from '../../../lake/places/names.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, meaning, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { placeFilter } from '../../kernel/filters.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { listOf, oneOf, withDefault } from '../../kernel/params/params.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { fuelParam, STATION_DATASETS, type Station, sellsFilter, stationsOf } from './station.ts'

const { columns } = fuelDays

/** Statistics of the prices of one fuel at some stations. */
const figureFields = {
  stations: columns.stations,
  price_mean: meaning(columns.price_mean, 'Mean price; each station has the same weight.'),
  ...pick(columns, 'price_min', 'price_p25', 'price_median', 'price_p75', 'price_max', 'price_unit'),
  coverage: field.decimal(
    'Share of the stations confirmed by the newest publication, 0 to 1; the others count with their last price.',
    '1',
    4,
    1,
  ),
} as const

/** Method of current price statistics, for `figure`. */
const OF_STATIONS =
  'Uses pump prices with taxes from the newest publications. Each station has the same weight, however much it sells. Stations that are no longer listed or sell only to members, and implausible prices, are excluded.'

/** A price at a station. */
interface Sold {
  readonly price: number
  readonly price_unit: string
  readonly is_stale: boolean
}

/**
 * Statistics of prices, at least one. Quartiles are observed prices: the lowest that a quarter, half or three quarters do not
 * exceed.
 */
function figuresOf(sold: readonly Sold[]) {
  const prices = sold.map(({ price }) => price).sort((one, other) => one - other)
  const at = (share: number): number => prices[Math.max(0, Math.ceil(share * prices.length) - 1)] as number
  // Thousandths are integers: a sum of doubles would depend on their order.
  const sum = prices.reduce((total, price) => total + Math.round(price * 1000), 0)
  return {
    stations: prices.length,
    price_mean: Math.round((sum * 10) / prices.length) / 10_000,
    price_min: at(0),
    price_p25: at(0.25),
    price_median: at(0.5),
    price_p75: at(0.75),
    price_max: at(1),
    price_unit: (sold[0] as Sold).price_unit,
    coverage: Math.round((10_000 * sold.filter(({ is_stale }) => !is_stale).length) / sold.length) / 10_000,
  }
}

/** The prices of included stations, by fuel and by a group of each station. Stations without a group are left out. */
function soldBy(
  stations: readonly Station[],
  by: { readonly fuel: readonly string[] | null; readonly group: (station: Station) => string | null },
): Map<string, Map<string, Sold[]>> {
  const found = new Map<string, Map<string, Sold[]>>()
  for (const one of stations) {
    if (one.status !== 'ACTIVE' || one.sale_type === 'RESTRICTED') continue
    const group = by.group(one)
    if (group === null) continue
    for (const [fuel, { price, price_unit, price_issue }] of Object.entries(one.prices)) {
      if (price_issue || (by.fuel && !by.fuel.includes(fuel))) continue
      const groups = found.get(fuel) ?? new Map<string, Sold[]>()
      found.set(fuel, groups)
      const sold = groups.get(group) ?? []
      groups.set(group, sold)
      sold.push({ price, price_unit, is_stale: one.is_stale })
    }
  }
  return found
}

/** The page about prices of fuel. */
export const PRICES_PAGE = defineMethodPage('fuel-prices', new URL('./prices.md', import.meta.url))

/** Areas and groups of averages. */
const AVERAGE_GROUPS = ['nation', 'province', 'operator'] as const
type Group = (typeof AVERAGE_GROUPS)[number]

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
  plan: 'FREE',
  summary: 'Current average price of each fuel: national, by province or by operator',
  summary_es: 'Precio medio de cada carburante: nacional, por provincia o por rótulo',
  about: `${OF_STATIONS} Brands are the same if they differ only in case, accents and punctuation; stations without a brand belong to no operator.`,
  statistic: { grain: 'One fuel, in all of Spain, one province or at the stations of one brand, now.', method: OF_STATIONS },
  params: {
    group_by: withDefault(oneOf('Scope of the averages.', AVERAGE_GROUPS, { example: 'province' }), 'nation'),
  },
  filters: [sellsFilter(listOf(fuelParam))],
  returns: keyedList('averages', average, ['fuel', 'area'], { sorts: ['stations', 'price_mean'], order: '-stations' }),
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    pick: (stations, { fuel, group_by }) => {
      const group = (one: Station): string | null => keyOf(one, group_by)
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

function keyOf(one: Station, group_by: Group): string | null {
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

const { columns: stationColumns } = fuelStations

/** Dimensions to group prices by, besides the fuel. */
const GROUPS = ['province', 'municipality'] as const

const stats = record('FuelStats', 'The current prices of one fuel at the stations of an area; dimensions not grouped by are null.', {
  fuel: fuelDays.columns.product,
  province: provinceField(stationColumns.province_code),
  province_code: optional(stationColumns.province_code, 'INE code of the province; null unless grouped by it.'),
  municipality: optional(stationColumns.municipality, 'Municipality as published; null unless grouped by it.'),
  municipality_code: optional(stationColumns.municipality_code, 'INE code of the municipality; null unless grouped by it.'),
  ...figureFields,
})

/** Place of a group of stations. */
type Area = Pick<ValueOf<typeof stats.fields>, 'province' | 'province_code' | 'municipality' | 'municipality_code'>

/** Statistics of current prices. */
export const gasStationStats = defineEndpoint({
  path: '/api/gas-stations/stats',
  plan: 'FREE',
  summary: 'Current prices by fuel and area: mean, minimum, maximum and quartiles',
  summary_es: 'Precios por carburante y zona: media, mínimo, máximo y cuartiles',
  about: `For all of Spain or an area, whole or by its parts. ${OF_STATIONS} A station with an unknown municipality is in no group of municipalities.`,
  statistic: { grain: 'One fuel, at the stations of one area, now.', method: OF_STATIONS },
  params: {
    group_by: oneOf('Dimension to group by; by default all stations together.', GROUPS, { example: 'province' }),
  },
  filters: [sellsFilter(listOf(fuelParam)), placeFilter],
  returns: keyedList('stats', stats, ['fuel', 'province_code', 'municipality_code'], {
    sorts: ['stations', 'price_mean', 'price_min', 'price_median', 'price_max'],
    order: '-stations',
  }),
  read: {
    kind: 'memory',
    from: STATION_DATASETS,
    records: stationsOf,
    pick: (stations, { fuel, group_by }) => {
      const areas = new Map<string, Area>()
      const group = (one: Station): string | null => {
        const code = group_by === null ? '' : group_by === 'province' ? one.province_code : one.municipality_code
        if (code !== null && !areas.has(code)) areas.set(code, areaOf(one, group_by))
        return code
      }
      return [...soldBy(stations, { fuel, group })].flatMap(([product, groups]) =>
        [...groups].map(([code, sold]) => ({ fuel: product, ...(areas.get(code) as Area), ...figuresOf(sold) })),
      )
    },
  },
  example: { group_by: 'province', province: 'Barcelona' },
})

function areaOf(one: Station, group_by: (typeof GROUPS)[number] | null): Area {
  const isGrouped = group_by !== null
  const ofMunicipality = group_by === 'municipality'
  return {
    province: isGrouped ? provinceName(one.province_code) : null,
    province_code: isGrouped ? one.province_code : null,
    municipality: ofMunicipality ? one.municipality : null,
    municipality_code: ofMunicipality ? one.municipality_code : null,
  }
}
