import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { dgt } from './sources.ts'

/** Connectors of charging points (DATEX II v3 `ConnectorTypeEnum`); a code that is not listed is as published. */
export const CONNECTOR_TYPES = defineCodes('connector_type', 'Type of a connector for charging.', {
  TYPE_2: ['Tipo 2 (Mennekes)', 'Type 2 (Mennekes)'],
  CCS2: ['CCS Combo 2', 'CCS Combo 2'],
  CHADEMO: ['CHAdeMO', 'CHAdeMO'],
  TYPE_1: ['Tipo 1 (Yazaki)', 'Type 1 (Yazaki)'],
  CCS1: ['CCS Combo 1', 'CCS Combo 1'],
  TYPE_3A: ['Tipo 3A', 'Type 3A'],
  TYPE_3C: ['Tipo 3C', 'Type 3C'],
  SCHUKO: ['Enchufe doméstico (Schuko)', 'Domestic socket (Schuko)'],
  TESLA: ['Tesla', 'Tesla'],
})

/** How a car is charged (IEC 61851, as DATEX II names the modes). */
export const CHARGING_MODES = defineCodes('charging_mode', 'How a car is charged at a connector.', {
  MODE_2_AC_1P: ['Modo 2, alterna monofásica', 'Mode 2, AC, one phase'],
  MODE_2_AC_3P: ['Modo 2, alterna trifásica', 'Mode 2, AC, three phases'],
  MODE_3_AC_1P: ['Modo 3, alterna monofásica', 'Mode 3, AC, one phase'],
  MODE_3_AC_3P: ['Modo 3, alterna trifásica', 'Mode 3, AC, three phases'],
  MODE_4_DC: ['Modo 4, continua', 'Mode 4, DC'],
})

/** Where a charging site is. */
export const CHARGING_SITE_TYPES = defineCodes('charging_site_type', 'Kind of place of a charging site.', {
  ON_STREET: ['En la calle', 'On a street'],
  OPEN_SPACE: ['Al aire libre, fuera de la calle', 'In the open, off the street'],
  IN_BUILDING: ['En un edificio', 'In a building'],
  OTHER: ['Otro', 'Other'],
})

/** How users pay or identify themselves. */
export const CHARGING_ACCESS = defineCodes('charging_access', 'How users of a charging site pay or identify themselves.', {
  APP: ['Aplicación', 'App'],
  CREDIT_CARD: ['Tarjeta de crédito', 'Credit card'],
  DEBIT_CARD: ['Tarjeta de débito', 'Debit card'],
  RFID: ['Tarjeta RFID', 'RFID card'],
  NFC: ['NFC', 'NFC'],
})

const text = (id: number, about: string, example: string) => col.string(id, about, orNull(example))

/** Sites with charging points for electric cars: the catalogue, without their state. */
export const chargingSites = roadDataset({
  id: 'charging_sites',
  title: 'Charging sites',
  about:
    'Sites with public charging points for electric cars, from the register of the Ministry for the Ecological Transition: operator, address, hours, and points with connectors and power. No source publishes whether a point is free.',
  sources: [dgt],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    site_id: col.string(2, "The publisher's id of the site.", { example: '9TOKBPEXAMPLE0001' }),
    observed_at: col.instant(3, 'Fetch that gave this state.', { example: '2026-11-25T06:00:00.000Z' }),
    name: text(4, 'Name, with blanks for the underscores that are published.', 'Calle del Ejemplo'),
    operator: text(5, 'Operator.', 'RECARGAS DE EJEMPLO, S.A.'),
    address: text(6, 'Street address as published.', 'Calle del Ejemplo, 1'),
    postal_code: text(7, 'Postal code, 5 digits: the leading zero that the publisher drops is added.', '07006'),
    province_code: text(8, 'INE code of the province.', '07'),
    municipality_code: text(9, 'INE code of the municipality.', '07040'),
    municipality: text(10, 'Municipality as published.', 'Palma'),
    position: col.point([11, 12], 'Position.', orNull({ lat: 39.56492, lon: 2.67086 })),
    road: text(13, 'Road in the address; null if it is not certain.', 'A-2'),
    km: col.decimal(14, 'Kilometre post in the address.', { ...ROAD_KM, nullable: true, example: 586.5 }),
    site_type: col.code(15, 'Kind of place.', CHARGING_SITE_TYPES, orNull('ON_STREET')),
    opening_hours: text(16, 'Opening hours as published.', 'Lunes (09:00 - 21:30)'),
    is_open_24h: col.boolean(17, 'True if it is always open; null if no hours are published.', orNull(false)),
    access: col.list([18, 19], 'How users pay or identify themselves.', col.code(0, 'Way.', CHARGING_ACCESS), {
      example: ['APP', 'RFID'],
    }),
    points: col.json(20, 'Charging points: id (EVSE) and connectors (type, mode, has_cable, power_kw, voltage_v, current_a).', {
      lists: [CONNECTOR_TYPES, CHARGING_MODES],
      example: [
        {
          id: 'ES*EMA*EXAMPLE1',
          connectors: [{ type: 'TYPE_2', mode: 'MODE_3_AC_3P', has_cable: false, power_kw: 22.17, voltage_v: 400, current_a: 32 }],
        },
      ],
    }),
    simultaneous_cars: col.integer(21, 'Cars that charge at once: the number of points. A point with several plugs charges one car.', {
      ...{ unit: '1', example: 1, min: 0 },
    }),
    connector_count: col.integer(22, 'Plugs of all points.', { ...COUNT, example: 1 }),
    connector_types: col.list([23, 24], 'Types of its connectors.', col.code(0, 'Type.', CONNECTOR_TYPES), { example: ['TYPE_2'] }),
    max_power_kw: col.decimal(25, 'Power of its strongest connector.', {
      scale: 3,
      unit: 'kW',
      nullable: true,
      example: 22.17,
      min: 0,
      max: 5000,
    }),
    site_updated_at: col.instant(26, 'When the publisher last changed the record.', orNull('2026-07-15T11:48:52.000Z')),
  },
  entity: ['source', 'site_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
