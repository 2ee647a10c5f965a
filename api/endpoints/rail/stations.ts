import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { isInside } from '../../define/geo.ts'
import { geoParams, provinceParam } from '../../define/params-place.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { searchBy, searchParam } from './search.ts'
import { networkParam, nucleoParam, operatorParam, railStation, type Station, stationsOf } from './station.ts'
import { stationRegister } from './station-register.ts'

const search = searchBy(({ name, id, municipality }: Station) => [name, id, municipality])

/** Stations of the railway. */
export const stationList = defineEndpoint({
  path: '/api/trenes/estaciones',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Railway stations with position, lines and products',
  about:
    'Every station of the newest timetables; a code that both networks use is one station. Stations where no trip stops are listed too, with in_service false. The province is told from the position; address and municipality come from the register of stations, which had 697 of 1,162 commuter stops and all others in 2026.',
  params: {
    province: provinceParam,
    network: networkParam,
    operator: operatorParam,
    nucleo: nucleoParam,
    line: lineParam,
    q: searchParam('the name, the municipality or the id'),
    geo: geoParams,
  },
  returns: {
    kind: 'list',
    name: 'stations',
    record: railStation,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'name', 'province_code'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'kept',
    from: [],
    lake: [...NETWORK_TABLES, railStationRegister],
    needs: NETWORK_TABLES,
    answer: async ({ slice }, p) => {
      const matches = search(p.q)
      return stationsOf(await slice(railNetwork, ''), await slice(stationRegister, '')).filter(
        (one) =>
          (p.province === null || one.province_code === p.province) &&
          (p.network === null || one.networks.includes(p.network)) &&
          (p.operator === null || one.operator === p.operator) &&
          (!p.nucleo || one.lines.some(({ nucleo_code }) => nucleo_code !== null && p.nucleo?.includes(nucleo_code))) &&
          (!p.line || hasLine(one, { lines: p.line, nucleos: p.nucleo })) &&
          (!p.geo || isInside(p.geo, one.position)) &&
          matches(one),
      )
    },
  },
  example: { province: 'Madrid', q: 'chamartin' },
})

/** True where a line, of one of the núcleos if some are asked for, or a product stops. */
function hasLine(
  { lines, products }: Station,
  wanted: { readonly lines: readonly string[]; readonly nucleos: readonly string[] | null },
): boolean {
  const isOf = (nucleo: string | null): boolean => !wanted.nucleos || (nucleo !== null && wanted.nucleos.includes(nucleo))
  if (lines.some(({ line, nucleo_code }) => line !== null && wanted.lines.includes(line) && isOf(nucleo_code))) return true
  return !wanted.nucleos && products.some((product) => wanted.lines.includes(product))
}
