import { CHARGING_MODES, CONNECTOR_TYPES, chargingSites } from '../../../lake/datasets/road/charging-sites.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { idOfListed } from '../../kernel/example.ts'
import { field, maybe, nested, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter, roadFilter } from '../../kernel/filters.ts'
import { codeParam, group, listOf, numberParam, required, textParam } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { originFields, placeFields } from '../common-fields.ts'

const { columns } = chargingSites

const ABOUT_CHARGERS =
  'The register of the Ministry for the Ecological Transition, published daily by DGT. A point charges one car at a time, even if it has several plugs: `simultaneous_cars` counts points, `connector_count` plugs. Nobody publishes which points are free.'

const quantity = (about: string, unit: string, example: number) => maybe.float(about, unit, example)

const connectorFields = {
  type: field.code('Type of the connector.', CONNECTOR_TYPES, 'TYPE_2'),
  mode: maybe.code('How a car is charged.', CHARGING_MODES, 'MODE_3_AC_3P'),
  has_cable: maybe.boolean('True for a cable, false for a socket.', false),
  power_kw: maybe.decimal('Maximum power.', 'kW', 3, 22.17),
  voltage_v: quantity('Voltage.', 'V', 400),
  current_a: quantity('Maximum current.', 'A', 32),
} as const

/** A charging site in replies and events. */
export const chargingSite = record('ChargingSite', 'A site with public charging points for electric cars.', {
  id: columns.site_id,
  ...pick(columns, 'name', 'operator', 'address', 'postal_code'),
  ...placeFields(columns),
  position: columns.position,
  ...pick(columns, 'road', 'km', 'site_type', 'opening_hours', 'is_open_24h', 'access'),
  ...pick(columns, 'simultaneous_cars', 'connector_count', 'connector_types', 'max_power_kw'),
  points: nested.objects('Charging points, each for one car at a time.', {
    id: maybe.text('EVSE id of the point.', 'ES*EMA*EXAMPLE1'),
    connectors: nested.objects('Plugs of the point; they may share its power.', connectorFields),
  }),
  site_updated_at: columns.site_updated_at,
  ...originFields(columns, { source_id: columns.site_id }),
})

type Site = ValueOf<typeof chargingSite.fields>

/** The record of a row. */
export const toSite: (row: AnyRow) => Site = projection(chargingSites, chargingSite, {
  points: (row) => row.points as unknown as Site['points'],
})

/** `connector` and `min_power_kw`, which one and the same connector has to meet. */
const connectorFilter = defineMemoryFilter({
  name: 'plug',
  param: group(
    {
      connector: listOf(codeParam('Type of connector.', CONNECTOR_TYPES, { example: 'CCS2' })),
      min_power_kw: numberParam('Least power, of a connector of the requested type if there is one.', {
        ...{ min: 0, max: 5000, unit: 'kW', example: '50' },
      }),
    },
    ({ connector, min_power_kw }) => (connector === null && min_power_kw === null ? null : { connector, min_power_kw }),
  ),
  matches:
    ({ connector, min_power_kw }) =>
    ({ points }: Pick<Site, 'points'>) =>
      points.some(({ connectors }) =>
        connectors.some(
          ({ type, power_kw }) =>
            (connector === null || connector.includes(type)) && (min_power_kw === null || (power_kw !== null && power_kw >= min_power_kw)),
        ),
      ),
  present: { connector: ({ points }) => points.flatMap(({ connectors }) => connectors.map(({ type }) => type)) },
})

/** Sites with charging points. */
export const chargingSiteList = defineEndpoint({
  path: '/api/electrolineras',
  isExtra: true,
  plan: 'FREE',
  summary: 'Charging sites for electric cars with connectors and power',
  summary_es: 'Puntos de recarga con conectores y potencia, por lugar o carretera',
  about: ABOUT_CHARGERS,
  filters: [connectorFilter, roadFilter, placeFilter, areaFilter],
  returns: listReturn('sites', chargingSite, {
    sorts: ['id', 'operator', 'road', 'km', 'max_power_kw', 'simultaneous_cars', 'updated_at'],
  }),
  read: { kind: 'memory', from: [chargingSites], records: ([state]) => state.rows.map(toSite) },
  example: { province: 'Illes Balears', connector: 'TYPE_2', min_power_kw: '11' },
})

/** One charging site. */
export const chargingSiteById = defineEndpoint({
  path: '/api/electrolineras/{id}',
  isExtra: true,
  plan: 'FREE',
  summary: 'One charging site with its points and connectors',
  summary_es: 'Un emplazamiento de recarga con sus puntos y conectores',
  about: ABOUT_CHARGERS,
  params: { id: required(textParam("The publisher's id of the site.", { max: 80, example: '9TOKBPEXAMPLE0001' })) },
  returns: { kind: 'one', record: chargingSite },
  read: {
    kind: 'memory',
    from: [chargingSites],
    answer: ({ states: [state] }, { id }) => {
      const row = state.rows.find(({ site_id }) => site_id === id)
      return row ? toSite(row) : null
    },
  },
  example: { id: idOfListed('9TOKBPEXAMPLE0001') },
})
