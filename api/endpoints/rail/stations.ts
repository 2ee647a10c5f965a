import { hasLines, RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_OPERATORS, RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { operatorOf } from '../../../lake/datasets/rail/networks.ts'
import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { railRoutes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { municipalityByCode, placeAt } from '../../../lake/places/municipalities.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn, type MemoryAsk } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, provinceFilter, searchFilter } from '../../kernel/filters.ts'
import { codeParam, listOf, required, textParam } from '../../kernel/params/params.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { appliedByRead, columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { provinceField, provinceName, withExample } from '../common-fields.ts'
import { ALERT_STATES, alertsField, alertsOf, currentAlerts, inLanguages } from './alert-trains.ts'
import { timetableUntil } from './codes.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, type NetworkStation, type RailNetwork, railNetwork } from './network.ts'
import { feedsOfId, sourcesBeside, sourcesBesideId, stationFeeds } from './timetable-versions.ts'

const { columns } = railStations
const { columns: registered } = railStationRegister

const PROVINCE_CODE = maybe.text(
  'INE code of the province, by the position, else by the register; null abroad, and if unknown to both.',
  '28',
)

/** A line, as stations list it. */
const lineFields = {
  line: withExample(railRoutes.columns.short_name, 'C1'),
  ...pick(railRoutes.columns, 'nucleo_code', 'route_type'),
} as const

/** Fields of a station. */
const stationFields = {
  id: columns.stop_id,
  ...pick(columns, 'name', 'position'),
  province: provinceField(PROVINCE_CODE),
  province_code: PROVINCE_CODE,
  municipality: optional(registered.municipality, 'Municipality by the register, else by the position; null if unknown to both.'),
  municipality_code: optional(
    registered.municipality_code,
    'INE code of the municipality; by the position for stations outside the register.',
  ),
  ...pick(registered, 'address', 'postal_code'),
  country: optional(registered.country, 'Country by the register, else by the position; null if unknown to both.'),
  networks: field.list('Networks whose timetable has it.', field.code('Network.', RAIL_NETWORKS), ['CERCANIAS']),
  operator: field.code('Company that operates trains there; of several, that of its first line.', RAIL_OPERATORS, 'RENFE'),
  in_service: field.boolean('False if no trip of the newest timetables stops there; it then has no lines and no products.', true),
  lines: nested.objects('Lines that stop there, including buses.', lineFields),
  products: field.list('Products of long and medium distance that stop there.', field.code('Product.', RAIL_PRODUCTS), ['AVE']),
  has_wheelchair_boarding: optional(
    columns.has_wheelchair_boarding,
    'Whether trains of at least one network can be boarded in a wheelchair; null if not stated.',
  ),
  is_metre_gauge: registered.is_metre_gauge,
  timezone: columns.timezone,
  timetable_until: timetableUntil('its networks (the first to end)'),
} as const

/** A station with its lines. */
const railStation = record('RailStation', 'A station, with the lines and products that stop there.', stationFields)

/** A station, ready for replies. */
export type Station = ValueOf<typeof stationFields>

/** Register fields of a station outside the register. */
const UNREGISTERED = { address: null, postal_code: null, is_metre_gauge: null }

type Register = ReadonlyMap<string, RegisteredStation>

/** The stations of a network with register data, in reply form; cached per input. */
export const stationsOf = memo((network: RailNetwork, register: Register): readonly Station[] =>
  [...network.stations.values()].map((station) => stationOf(station, register.get(station.stop_id))),
)

function stationOf(station: NetworkStation, listed: RegisteredStation | undefined): Station {
  const place = station.position && placeAt(station.position)
  const province_code = place?.province_code ?? listed?.province_code ?? null
  const municipality_code = listed?.municipality_code ?? place?.municipality_code ?? null
  const [lines, other] = [
    station.lines.filter(({ network }) => hasLines(network)),
    station.lines.filter(({ network }) => !hasLines(network)),
  ]
  return {
    id: station.stop_id,
    ...pick(station, 'name', 'position', 'networks', 'in_service', 'has_wheelchair_boarding', 'timezone', 'timetable_until'),
    ...pick(listed ?? UNREGISTERED, 'address', 'postal_code', 'is_metre_gauge'),
    province: provinceName(province_code),
    province_code,
    municipality: (municipality_code && municipalityByCode(municipality_code)?.name) ?? listed?.municipality ?? null,
    municipality_code,
    country: listed?.country ?? (province_code === null ? null : 'ES'),
    operator: operatorOf(station.networks[0] as string, station.lines[0]?.short_name ?? null),
    lines: lines.map(({ short_name, nucleo_code, route_type }) => ({ line: short_name, nucleo_code, route_type })),
    products: [...new Set(other.map(({ short_name }) => short_name))],
  }
}

/** The parameters `network`, `operator` and `nucleo` of stations and routes. */
export const networkParam = codeParam('Network.', RAIL_NETWORKS, { example: 'CERCANIAS' })
export const operatorParam = codeParam('Company that operates the trains.', RAIL_OPERATORS, { example: 'RENFE' })
export const nucleoParam = listOf(codeParam('Commuter network (núcleo).', RAIL_NUCLEOS, { example: '10' }))

/** Fields of a station in the register. */
type RegisteredStation = Row<typeof railStationRegister>

/** The newest state of each registered station, by code. Its only key is the empty string; without a register it is empty. */
export const stationRegister = defineCachedQuery<ReadonlyMap<string, RegisteredStation>>({
  name: 'station register',
  from: [railStationRegister],
  async read({ all }) {
    const query = sql`
      SELECT * FROM ${scan(railStationRegister)}
      QUALIFY row_number() OVER (PARTITION BY stop_id ORDER BY observed_at DESC, is_baseline) = 1`
    const found = new Map<string, RegisteredStation>()
    for (const row of await all<RegisteredStation & { readonly stop_id: string }>(query, tableColumns(railStationRegister)))
      found.set(row.stop_id, row)
    return found
  },
})

/** Stations of the railway. */
export const stationList = defineEndpoint({
  path: '/api/trenes/estaciones',
  plan: 'FREE',
  summary: 'Railway stations with position, lines and products',
  summary_es: 'Estaciones de tren con posición, líneas y productos',
  about:
    'Every station of the newest timetables of trains, metros and trams; a code in both networks of Renfe is one station. Stations without trips are listed too, with in_service false. The province comes from the position. Address and municipality come from the register of stations, which had 697 of 1,162 commuter stops and all others in 2026.',
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
    answer: async ({ cached }, { line, nucleo }) => {
      const all = stationsOf(await cached(railNetwork, ''), await cached(stationRegister, ''))
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
  { cached }: Pick<MemoryAsk<readonly []>, 'cached'>,
  { id }: { readonly id: string },
): Promise<string | null> {
  const { stations } = await cached(railNetwork, '')
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
    answer: async ({ cached, optional: extra, states }, { id }) => {
      const network = await cached(railNetwork, '')
      const found = stationsOf(network, await cached(stationRegister, '')).find((one) => one.id === id)
      return found
        ? { ...found, alerts: alertsOf((await currentAlerts(states, extra)).listed, { stop_id: id, lines: found.lines }, network) }
        : null
    },
  },
  example: { id: '17000' },
})
