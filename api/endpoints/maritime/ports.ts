import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { vesselPositions } from '../../../lake/datasets/maritime/vessel-positions.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { meaning, nested, pick, record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { provinceFilter } from '../../kernel/filters/place.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { booleanParam, required, textParam } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { field } from '../../kernel/reply-fields.ts'
import { PORT_ROLES } from './codes.ts'
import { CLOCK_S } from './ferries.ts'
import { ferryNetwork } from './ferry-network.ts'
import { ferryRouteFields, ferryRouteOf } from './ferry-route.ts'
import { ferryTimetables } from './ferry-timetables.ts'
import { MARINE_DATASETS, marineFuelParam, marinePricesOf } from './marine-price.ts'
import { type PortRecord, portFields, portRecord } from './port.ts'
import { type Port, type PortCatalogue, portCatalogue } from './port-catalogue.ts'
import { fuelByPort, portFuelField } from './port-fuel.ts'
import { vesselsByPort } from './port-vessels.ts'

/** The timetables in force change with the date in Madrid, on a full hour of UTC. */
const DATE_CLOCK_S = 3600

/** Reads of both endpoints. Vessels need a higher plan; ports show only how many there are. */
const STATES = [ports, vesselPositions, ...MARINE_DATASETS] as const
const EXCERPTS = [{ of: vesselPositions, columns: ['mmsi'] }] as const
const VESSELS =
  'Vessels are counted from the AIS receivers of this service; while none delivers, `vessel_count` is null and `meta.missing` says why.'

/** Ports. */
export const portList = defineEndpoint({
  path: '/api/maritimo/puertos',
  domain: 'maritime',
  plan: 'FREE',
  summary: 'Ports with position, size, depths, fuel and ferries',
  summary_es: 'Puertos con posición, tamaño, calados, combustible y ferris',
  about:
    'Spanish ports of the World Port Index and of a list of this service, and ports that only a ferry timetable has, some of them abroad. Depths of 0 and unknown facilities are null. ' +
    VESSELS,
  excerpts: EXCERPTS,
  params: {},
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
    answer: async ({ cached: slice, states: [listed, positions, ...marine] }, _values, now) => {
      const { connections } = await slice(ferryNetwork, madridDate(now))
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
  domain: 'maritime',
  plan: 'FREE',
  summary: 'One port with marine fuel prices, ferry routes and vessels nearby',
  summary_es: 'Un puerto con precios de carburante, rutas de ferri y buques cercanos',
  about: VESSELS,
  excerpts: EXCERPTS,
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
    answer: async ({ cached: slice, states: [listed, positions, ...marine] }, { id }, now) => {
      const { connections } = await slice(ferryNetwork, madridDate(now))
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
