import { FERRY_OPERATORS } from '../../../lake/datasets/maritime/ferry-codes.ts'
import { MARINE_FUELS } from '../../../lake/datasets/maritime/marine-codes.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { optional, pick, type ValueOf } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { PORT_LISTINGS } from './codes.ts'
import type { Port } from './port-catalogue.ts'
import { VESSELS_WITHIN_M } from './port-vessels.ts'

const { columns } = ports

/** Fields of a port. */
export const portFields = {
  id: columns.port_id,
  name: columns.name,
  alternate_name: columns.alternate_name,
  listing: field.code('List with the port.', PORT_LISTINGS, 'WORLD_PORT_INDEX'),
  ...pick(columns, 'locode', 'wpi_number', 'port_authority', 'position'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  municipality: maybe.text('Municipality of the port or next to it; null abroad.', 'Barcelona'),
  municipality_code: columns.municipality_code,
  ...pick(columns, 'harbor_size', 'harbor_type', 'channel_depth_m', 'anchorage_depth_m', 'cargo_pier_depth_m', 'tidal_range_m'),
  ...pick(columns, 'has_ro_ro', 'has_fuel_oil', 'has_diesel_oil'),
  fuel_stations: field.integer('Marine fuel stations within 5 km for which it is the nearest port.', '1', 1),
  fuels: field.list('Marine fuels with a price there.', field.code('Fuel.', MARINE_FUELS), ['DIESEL_A']),
  has_ferries: field.boolean('True if a ferry of the timetables calls.', true),
  ferry_routes: field.integer('Number of ferry routes that call, each direction counted separately.', '1', 14),
  ferry_operators: field.list('Operators of these routes.', field.code('Operator.', FERRY_OPERATORS), ['BALEARIA']),
  vessel_count: maybe.integer(
    `Vessels within ${VESSELS_WITHIN_M / 1000} km now, by AIS positions of the last 30 minutes; a vessel near two ports counts at both. Null without a position, or if no receiver delivers: see \`meta.missing\`.`,
    '1',
    12,
  ),
  observed_at: optional(columns.observed_at, 'Fetch of the list with this state; null for a port that only a ferry timetable has.'),
} as const

/** A port, ready for replies. */
export type PortRecord = ValueOf<typeof portFields>

const LISTINGS: Readonly<Record<string, string>> = { world_port_index: 'WORLD_PORT_INDEX', port_list: 'PORT_LIST' }

/** What is at a port: its marine fuel, and the number of vessels, null if unknown. */
interface AtPort {
  readonly fuel: readonly { readonly station_id: string | null; readonly fuel: string }[]
  readonly vessel_count: number | null
}

/** Converts a port to its reply form. */
export function portRecord(port: Port, { fuel, vessel_count }: AtPort): PortRecord {
  const { id, name, position, province_code, municipality_code, listed, connections } = port
  return {
    id,
    name,
    alternate_name: listed?.alternate_name ?? null,
    listing: listed ? (LISTINGS[listed.source] ?? listed.source) : 'FERRY_TIMETABLE',
    locode: listed?.locode ?? null,
    wpi_number: listed?.wpi_number ?? null,
    port_authority: listed?.port_authority ?? null,
    position,
    province: provinceName(province_code),
    province_code,
    municipality: (municipality_code && municipalityByCode(municipality_code)?.name) || null,
    municipality_code,
    harbor_size: listed?.harbor_size ?? null,
    harbor_type: listed?.harbor_type ?? null,
    channel_depth_m: listed?.channel_depth_m ?? null,
    anchorage_depth_m: listed?.anchorage_depth_m ?? null,
    cargo_pier_depth_m: listed?.cargo_pier_depth_m ?? null,
    tidal_range_m: listed?.tidal_range_m ?? null,
    has_ro_ro: listed?.has_ro_ro ?? null,
    has_fuel_oil: listed?.has_fuel_oil ?? null,
    has_diesel_oil: listed?.has_diesel_oil ?? null,
    fuel_stations: new Set(fuel.map(({ station_id }) => station_id)).size,
    fuels: [...new Set(fuel.map((one) => one.fuel))],
    has_ferries: connections.length > 0,
    ferry_routes: connections.length,
    ferry_operators: [...new Set(connections.map(({ network }) => network))].sort(),
    vessel_count,
    observed_at: listed?.observed_at ?? null,
  }
}
