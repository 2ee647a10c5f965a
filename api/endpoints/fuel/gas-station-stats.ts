import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { optional, record } from '../../kernel/fields.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { listOf, oneOf } from '../../kernel/params/params.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { figureFields, figuresOf, OF_STATIONS, soldBy } from './price-figures.ts'
import { fuelParam, STATION_DATASETS, type Station, sellsFilter, stationsOf } from './station.ts'

const { columns } = fuelStations

/** Dimensions to group prices by, besides the fuel. */
const GROUPS = ['province', 'municipality'] as const

const stats = record('FuelStats', 'The current prices of one fuel at the stations of an area; dimensions not grouped by are null.', {
  fuel: fuelDays.columns.product,
  province: provinceField(columns.province_code),
  province_code: optional(columns.province_code, 'INE code of the province; null unless grouped by it.'),
  municipality: optional(columns.municipality, 'Municipality as published; null unless grouped by it.'),
  municipality_code: optional(columns.municipality_code, 'INE code of the municipality; null unless grouped by it.'),
  ...figureFields,
})

/** Place of a group of stations. */
interface Area {
  readonly province: string | null
  readonly province_code: string | null
  readonly municipality: string | null
  readonly municipality_code: string | null
}

/** Statistics of current prices. */
export const gasStationStats = defineEndpoint({
  path: '/api/gas-stations/stats',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Current prices by fuel and area: mean, minimum, maximum and quartiles',
  summary_es: 'Precios por carburante y zona: media, mínimo, máximo y cuartiles',
  about: `For all of Spain or an area, whole or by its parts. ${OF_STATIONS} A station with an unknown municipality is in no group of municipalities.`,
  statistic: { grain: 'One fuel, at the stations of one area, now.', method: OF_STATIONS },
  params: {
    group_by: oneOf('Dimension to group by; by default all stations together.', GROUPS, { example: 'province' }),
  },
  filters: [sellsFilter(listOf(fuelParam)), placeFilter],
  returns: {
    kind: 'list',
    name: 'stats',
    record: stats,
    key: ['fuel', 'province_code', 'municipality_code'],
    sorts: ['stations', 'price_mean', 'price_min', 'price_median', 'price_max'],
    order: '-stations',
    limit: { default: 100, max: 20_000 },
  },
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
