import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { provinceFilter } from '../../kernel/filters/place.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { appliedByRead, columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { networkParam, nucleoParam, operatorParam, railStation, type Station, stationsOf } from './station.ts'
import { stationRegister } from './station-register.ts'
import { sourcesBeside, stationFeeds } from './timetable-versions.ts'

/** Stations of the railway. */
export const stationList = defineEndpoint({
  path: '/api/trenes/estaciones',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Railway stations with position, lines and products',
  summary_es: 'Estaciones de tren con posición, líneas y productos',
  about:
    'Every station of the newest timetables of trains, metros and trams; a code in both networks of Renfe is one station. Stations without trips are listed too, with in_service false. The province comes from the position. Address and municipality come from the register of stations, which had 697 of 1,162 commuter stops and all others in 2026.',
  params: {},
  filters: [
    provinceFilter,
    defineMemoryFilter({
      name: 'network',
      param: networkParam,
      matches: (network) => (one: Station) => one.networks.includes(network),
      present: { network: ({ networks }) => networks },
    }),
    columnFilter('operator', operatorParam, 'operator'),
    defineMemoryFilter({
      name: 'nucleo',
      param: nucleoParam,
      matches: (nucleos) => (one: Station) => one.lines.some(({ nucleo_code }) => nucleo_code !== null && nucleos.includes(nucleo_code)),
      present: { nucleo: (one: Station) => one.lines.flatMap(({ nucleo_code }) => nucleo_code ?? []) },
    }),
    // Lines are searched in the requested núcleos.
    appliedByRead('line', lineParam),
    searchFilter('the name, the municipality or the id', ({ name, id, municipality }: Station) => [name, id, municipality]),
    areaFilter,
  ],
  returns: listReturn('stations', railStation, {
    sorts: ['id', 'name', 'province_code'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [...NETWORK_TABLES, railStationRegister],
    needs: NETWORK_TABLES,
    otherSources: ({ network }) => sourcesBeside(network),
    parts: ({ network }) => stationFeeds(network),
    answer: async ({ cached: slice }, { line, nucleo }) => {
      const all = stationsOf(await slice(railNetwork, ''), await slice(stationRegister, ''))
      return line ? all.filter((one) => hasLine(one, { lines: line, nucleos: nucleo })) : all
    },
  },
  example: { province: 'Madrid', q: 'chamartin' },
})

/** True if a line (in one of the requested núcleos, if any) or a product stops there. */
function hasLine(
  { lines, products }: Station,
  wanted: { readonly lines: readonly string[]; readonly nucleos: readonly string[] | null },
): boolean {
  const isOf = (nucleo: string | null): boolean => !wanted.nucleos || (nucleo !== null && wanted.nucleos.includes(nucleo))
  if (lines.some(({ line, nucleo_code }) => line !== null && wanted.lines.includes(line) && isOf(nucleo_code))) return true
  return !wanted.nucleos && products.some((product) => wanted.lines.includes(product))
}
