import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { ferryNetwork } from './ferry-network.ts'
import { ferryTimetables } from './ferry-timetables.ts'
import { MARINE_DATASETS, marineFilters, marinePrice, marinePricesOf } from './marine-price.ts'
import { portCatalogue } from './port-catalogue.ts'
import { withPorts } from './port-fuel.ts'

/** A fuel in the specification without published prices. */
const FUEL_OIL = 'MARINE_FUEL_OIL'
const NO_FUEL_OIL = `No source publishes prices of marine fuel oil (${FUEL_OIL}).`
/** The ferry ports of the timetables in force change with the date in Madrid. */
const DATE_CLOCK_S = 3600

/** The specification's list of marine fuel prices. */
export const marinePriceList = defineEndpoint({
  path: '/api/maritimo',
  domain: 'maritime',
  plan: 'FREE',
  summary: 'Marine fuel prices in Spanish ports',
  summary_es: 'Precios de carburantes marinos en los puertos españoles',
  about:
    'One record per fuel that a station sells to leisure craft or fishing vessels. Diesel B and marine gasoil are published per 1000 litres; `price_eur_l` compares all fuels. ' +
    'No source publishes prices of marine fuel oil; `meta.note` says so.',
  params: {},
  filters: [...marineFilters, areaFilter],
  returns: listReturn('prices', marinePrice, { sorts: ['id', 'price_eur_l', 'updated_at'] }),
  read: {
    kind: 'memory',
    from: [...MARINE_DATASETS, ports],
    lake: ferryTimetables.all,
    needs: [],
    otherSources: () => ferryTimetables.all.flatMap(({ sources }) => sources),
    clockGranularity_s: DATE_CLOCK_S,
    answer: async ({ states: [prices, stations, listed], optional: extra }, { fuel }, now) => {
      const connections = (await extra(ferryNetwork, madridDate(now)))?.connections ?? []
      const records = withPorts(marinePricesOf([prices, stations]), portCatalogue(listed.rows, connections))
      const lacksFuelOil = (fuel === null || fuel.includes(FUEL_OIL)) && !records.some((one) => one.fuel === FUEL_OIL)
      return { records, counts: {}, ...(lacksFuelOil ? { note: NO_FUEL_OIL } : {}) }
    },
  },
  example: { fuel: 'DIESEL_A', province: 'Las Palmas' },
})
