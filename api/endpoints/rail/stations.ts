import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { defineEndpoint, listReturn, type MemoryAsk } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { provinceFilter } from '../../kernel/filters/place.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { appliedByRead, columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { ALERT_STATES, currentAlerts } from './alert-trains.ts'
import { alertsField, alertsOf, inLanguages } from './alerts-of.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { networkParam, nucleoParam, operatorParam, railStation, type Station, stationFields, stationsOf } from './station.ts'
import { stationRegister } from './station-register.ts'
import { feedsOfId, sourcesBeside, sourcesBesideId, stationFeeds } from './timetable-versions.ts'

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

const CODE_DIGITS = 5

/** The station id as a path parameter. */
export const stationId = required(
  textParam('Station code: of Renfe five digits with leading zeros, of others network and code, such as FGC:PC.', {
    max: 60,
    example: '17000',
  }),
)

/** A suggestion for a code: the same number with leading zeros, which many leave out, else a similar code. */
export async function nearestStation(
  { cached: slice }: Pick<MemoryAsk<readonly []>, 'cached'>,
  { id }: { readonly id: string },
): Promise<string | null> {
  const { stations } = await slice(railNetwork, '')
  const padded = id.padStart(CODE_DIGITS, '0')
  return stations.has(padded) ? padded : nearest(id, stations.keys())
}

const detail = record(
  'RailStationDetail',
  'A station with its lines and current alerts.',
  { ...stationFields, alerts: alertsField },
  inLanguages,
)

/** One station. */
export const stationById = defineEndpoint({
  path: '/api/trenes/estaciones/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One railway station, with accessibility and current alerts',
  summary_es: 'Una estación de tren, con accesibilidad y alertas actuales',
  params: { id: stationId },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: ALERT_STATES,
    lake: [...NETWORK_TABLES, railStationRegister],
    needs: NETWORK_TABLES,
    otherSources: ({ id }) => sourcesBesideId(id),
    parts: ({ id }) => feedsOfId(id),
    feedsOfId: ({ id }) => feedsOfId(id),
    suggestion: nearestStation,
    answer: async ({ cached: slice, optional: extra, states }, { id }) => {
      const network = await slice(railNetwork, '')
      const found = stationsOf(network, await slice(stationRegister, '')).find((one) => one.id === id)
      return found
        ? { ...found, alerts: alertsOf((await currentAlerts(states, extra)).listed, { stop_id: id, lines: found.lines }, network) }
        : null
    },
  },
  example: { id: '17000' },
})
