import { hasLines, RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_OPERATORS, RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { operatorOf } from '../../../lake/datasets/rail/networks.ts'
import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { railRoutes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { municipalityByCode, placeAt } from '../../../lake/places/municipalities.ts'
import { nested, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { provinceField, provinceName, withExample } from '../common-fields.ts'
import { timetableUntil } from './codes.ts'
import type { NetworkStation, RailNetwork } from './network.ts'
import type { RegisteredStation } from './station-register.ts'

const { columns } = railStations
const { columns: registered } = railStationRegister

const PROVINCE_CODE = maybe.text(
  'INE code of the province, by the position, else by the register; null abroad, and if unknown to both.',
  '28',
)

/** A line, as stations list it. */
const lineFields = {
  line: withExample(railRoutes.columns.short_name, 'C1'),
  nucleo_code: railRoutes.columns.nucleo_code,
  route_type: railRoutes.columns.route_type,
} as const

/** Fields of a station. */
export const stationFields = {
  id: columns.stop_id,
  name: columns.name,
  position: columns.position,
  province: provinceField(PROVINCE_CODE),
  province_code: PROVINCE_CODE,
  municipality: optional(registered.municipality, 'Municipality by the register, else by the position; null if unknown to both.'),
  municipality_code: optional(
    registered.municipality_code,
    'INE code of the municipality; by the position for stations outside the register.',
  ),
  address: registered.address,
  postal_code: registered.postal_code,
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
export const railStation = record('RailStation', 'A station, with the lines and products that stop there.', stationFields)

/** A station, ready for replies. */
export type Station = ValueOf<typeof stationFields>

/** Register fields of a station outside the register. */
const UNREGISTERED = { address: null, postal_code: null, municipality: null, municipality_code: null, country: null, is_metre_gauge: null }

type Register = ReadonlyMap<string, RegisteredStation>

/** The stations of a network with register data, in reply form; cached per input. */
export const stationsOf = memo((network: RailNetwork, register: Register): readonly Station[] =>
  [...network.stations.values()].map((station) => stationOf(station, register.get(station.stop_id))),
)

function stationOf(station: NetworkStation, listed: RegisteredStation | undefined): Station {
  const { address, postal_code, municipality, is_metre_gauge } = listed ?? UNREGISTERED
  const place = station.position && placeAt(station.position)
  const province_code = place?.province_code ?? listed?.province_code ?? null
  const municipality_code = listed?.municipality_code ?? place?.municipality_code ?? null
  const [lines, other] = [
    station.lines.filter(({ network }) => hasLines(network)),
    station.lines.filter(({ network }) => !hasLines(network)),
  ]
  return {
    id: station.stop_id,
    name: station.name,
    position: station.position,
    province: provinceName(province_code),
    province_code,
    municipality: (municipality_code && municipalityByCode(municipality_code)?.name) ?? municipality,
    municipality_code,
    address,
    postal_code,
    country: listed?.country ?? (province_code === null ? null : 'ES'),
    networks: station.networks,
    operator: operatorOf(station.networks[0] as string, station.lines[0]?.short_name ?? null),
    in_service: station.in_service,
    lines: lines.map(({ short_name, nucleo_code, route_type }) => ({ line: short_name, nucleo_code, route_type })),
    products: [...new Set(other.map(({ short_name }) => short_name))],
    has_wheelchair_boarding: station.has_wheelchair_boarding,
    is_metre_gauge,
    timezone: station.timezone,
    timetable_until: station.timetable_until,
  }
}

/** The parameters `network`, `operator` and `nucleo` of stations and routes. */
export const networkParam = codeParam('Network.', RAIL_NETWORKS, { example: 'CERCANIAS' })
export const operatorParam = codeParam('Company that operates the trains.', RAIL_OPERATORS, { example: 'RENFE' })
export const nucleoParam = listOf(codeParam('Commuter network (núcleo).', RAIL_NUCLEOS, { example: '10' }))
