import { FERRY_OPERATORS } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { MARINE_FUELS } from '../../../lake/datasets/maritime/marine-fuel.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { vesselPositions } from '../../../lake/datasets/maritime/vessels.ts'
import { firstIndex } from '../../../lake/first-index.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn, type State } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, nulls, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, provinceFilter, searchFilter } from '../../kernel/filters.ts'
import { booleanParam, required, textParam } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { PORT_LISTINGS, PORT_ROLES } from './codes.ts'
import { CLOCK_S, ferryRouteFields, ferryRouteOf } from './ferries.ts'
import { ferryNetwork } from './ferry-network.ts'
import { ferryTimetables } from './ferry-timetables.ts'
import { fuelByPort, MARINE_DATASETS, marineFuelParam, marinePricesOf, portFuelField } from './marine-prices.ts'
import { type Port, type PortCatalogue, portCatalogue } from './port-catalogue.ts'
import { newestOf } from './vessels.ts'

/** Radius around a port in which vessels count, m: harbours and their anchorages; the World Port Index rounds to the minute. */
const VESSELS_WITHIN_M = 5_000
/** Degrees of latitude that are farther than that radius; a degree is more than 110 km. */
const LATITUDES = VESSELS_WITHIN_M / 110_000

/** The number of vessels around each port with a position, by port id; empty if no feed delivers vessels. */
const vesselsByPort = memo((vessels: State<typeof vesselPositions>, { ports }: PortCatalogue): ReadonlyMap<string, number> => {
  if (vessels.parts.length === 0) return new Map()
  // Several sources may have the same vessel.
  const positions = [...newestOf(vessels.rows).values()].map(({ position }) => position).sort((one, other) => one.lat - other.lat)
  const latitudeAt = (at: number): number => positions[at]?.lat ?? Number.POSITIVE_INFINITY
  return new Map(
    [...ports.values()].flatMap(({ id, position: at }) => {
      if (at === null) return []
      const first = firstIndex(0, positions.length, (next) => latitudeAt(next) >= at.lat - LATITUDES)
      let count = 0
      for (let next = first; latitudeAt(next) <= at.lat + LATITUDES; next++)
        if (distanceM(at, positions[next] as Point) <= VESSELS_WITHIN_M) count++
      return [[id, count] as const]
    }),
  )
})

const { columns } = ports

/** Fields of a port. */
const portFields = {
  id: columns.port_id,
  ...pick(columns, 'name', 'alternate_name'),
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
type PortRecord = ValueOf<typeof portFields>

/** The list data of a port that only a ferry timetable has. */
const UNLISTED = nulls(portFields)

const LISTINGS: Readonly<Record<string, string>> = { world_port_index: 'WORLD_PORT_INDEX', port_list: 'PORT_LIST' }

/** What is at a port: its marine fuel, and the number of vessels, null if unknown. */
interface AtPort {
  readonly fuel: readonly { readonly station_id: string | null; readonly fuel: string }[]
  readonly vessel_count: number | null
}

/** Converts a port to its reply form. */
function portRecord(port: Port, { fuel, vessel_count }: AtPort): PortRecord {
  const { province_code, municipality_code, listed, connections } = port
  const held = { ...UNLISTED, ...listed }
  return {
    ...pick(port, 'id', 'name', 'position', 'province_code', 'municipality_code'),
    ...pick(held, 'alternate_name', 'locode', 'wpi_number', 'port_authority', 'harbor_size', 'harbor_type', 'channel_depth_m'),
    ...pick(held, 'anchorage_depth_m', 'cargo_pier_depth_m', 'tidal_range_m', 'has_ro_ro', 'has_fuel_oil', 'has_diesel_oil', 'observed_at'),
    listing: listed ? (LISTINGS[listed.source] ?? listed.source) : 'FERRY_TIMETABLE',
    province: provinceName(province_code),
    municipality: (municipality_code && municipalityByCode(municipality_code)?.name) || null,
    fuel_stations: new Set(fuel.map(({ station_id }) => station_id)).size,
    fuels: [...new Set(fuel.map((one) => one.fuel))],
    has_ferries: connections.length > 0,
    ferry_routes: connections.length,
    ferry_operators: [...new Set(connections.map(({ network }) => network))].sort(),
    vessel_count,
  }
}

/** The timetables in force change with the date in Madrid, on a full hour of UTC. */
const DATE_CLOCK_S = 3600

/** Declarations shared by both endpoints. Vessels need a higher plan; ports show only how many there are. */
const OF_PORTS = { domain: 'maritime', plan: 'FREE', excerpts: [{ of: vesselPositions, columns: ['mmsi'] }] } as const
const STATES = [ports, vesselPositions, ...MARINE_DATASETS] as const
const VESSELS =
  'Vessels are counted from the AIS receivers of this service; while none delivers, `vessel_count` is null and `meta.missing` says why.'

/** Ports. */
export const portList = defineEndpoint({
  path: '/api/maritimo/puertos',
  ...OF_PORTS,
  summary: 'Ports with position, size, depths, fuel and ferries',
  summary_es: 'Puertos con posición, tamaño, calados, combustible y ferris',
  about:
    'Spanish ports of the World Port Index and of a list of this service. Ports that only a ferry timetable has are included, some of them abroad. Depths of 0 and unknown facilities are null. ' +
    VESSELS,
  filters: [
    provinceFilter,
    searchFilter(
      'the name, another name, the municipality or the code',
      (port: PortRecord) => [...[port.name, port.alternate_name, port.municipality, port.locode]],
      'mahon',
    ),
    defineMemoryFilter({
      name: 'has_ferries',
      param: booleanParam('Only ports with ferries (true) or without (false).'),
      matches: (wanted) => (port: PortRecord) => port.has_ferries === wanted,
    }),
    defineMemoryFilter({
      name: 'fuel',
      param: marineFuelParam,
      matches: (wanted) => (port: PortRecord) => port.fuels.some((one) => wanted.includes(one)),
      present: { fuel: ({ fuels }) => fuels },
    }),
    areaFilter,
  ],
  returns: listReturn('ports', record('Port', 'A port.', portFields), {
    sorts: ['id', 'name', 'province_code', 'ferry_routes', 'vessel_count'],
  }),
  read: {
    kind: 'memory',
    from: STATES,
    onlyFresh: [vesselPositions],
    lake: ferryTimetables.all,
    clockGranularity_s: DATE_CLOCK_S,
    answer: async ({ cached, states: [listed, positions, ...marine] }, _values, now) => {
      const { connections } = await cached(ferryNetwork, madridDate(now))
      const catalogue = portCatalogue(listed.rows, connections)
      const fuel = fuelByPort(marinePricesOf(marine), catalogue)
      const counts = vesselsByPort(positions, catalogue)
      return [...catalogue.ports.values()].map((port) =>
        portRecord(port, { fuel: fuel.get(port.id) ?? [], vessel_count: counts.get(port.id) ?? null }),
      )
    },
  },
  example: { province: 'Barcelona' },
})

const route = ferryRouteFields
const detail = record('PortDetail', 'A port with its marine fuel and its ferries.', {
  ...portFields,
  fuel: portFuelField,
  ferries: nested.objects('Ferry routes that call, one per direction, next departure first.', {
    ...pick(route, 'id', 'operator', 'operator_name'),
    role: field.code('Role of the port on the route.', PORT_ROLES, 'ORIGIN'),
    ...pick(route, 'origin_id', 'origin', 'destination_id', 'destination', 'duration_s', 'sailings_per_week'),
    next_sailing_at: meaning(route.next_sailing_at, 'Next departure from the origin of the route.'),
    ...pick(route, 'in_service', 'is_car_allowed'),
  }),
})

/** One port. */
export const portById = defineEndpoint({
  path: '/api/maritimo/puertos/{id}',
  ...OF_PORTS,
  summary: 'One port with marine fuel prices, ferry routes and vessels nearby',
  summary_es: 'Un puerto con precios de carburante, rutas de ferri y buques cercanos',
  about: VESSELS,
  params: {
    id: required(textParam('Id of the port, as in /api/maritimo/puertos: its UN/LOCODE, if it has one.', { max: 120, example: 'ESBCN' })),
  },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: STATES,
    onlyFresh: [vesselPositions],
    lake: ferryTimetables.all,
    clockGranularity_s: CLOCK_S,
    suggestion: async ({ states: [listed] }, { id }) =>
      nearest(
        id,
        listed.rows.map(({ port_id }) => port_id),
      ),
    answer: async ({ cached, states: [listed, positions, ...marine] }, { id }, now) => {
      const { connections } = await cached(ferryNetwork, madridDate(now))
      const catalogue = portCatalogue(listed.rows, connections)
      const port = catalogue.ports.get(id)
      if (!port) return null
      const fuel = fuelByPort(marinePricesOf(marine), catalogue).get(id) ?? []
      const vessel_count = vesselsByPort(positions, catalogue).get(id) ?? null
      return { ...portRecord(port, { fuel, vessel_count }), fuel, ferries: ferriesAt(port, catalogue, now) }
    },
  },
  example: { id: 'ESBCN' },
})

const ORDER = Object.keys(PORT_ROLES.codes)

function ferriesAt(port: Port, catalogue: PortCatalogue, now: number) {
  return port.connections
    .map((connection) => ferryRouteOf(connection, catalogue, now))
    .map((one) => ({ ...one, role: one.origin_id === port.id ? 'ORIGIN' : one.destination_id === port.id ? 'DESTINATION' : 'CALL' }))
    .sort((one, other) => ORDER.indexOf(one.role) - ORDER.indexOf(other.role) || (one.id < other.id ? -1 : 1))
}
