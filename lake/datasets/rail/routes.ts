import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS, RAIL_ROUTE_TYPES } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Routes of a timetable. A line has many: at least one per pair of termini. Their tracks are in `rail_shapes`, by trip. */
export const railRoutes = defineDataset({
  ...TIMETABLE,
  id: 'rail_routes',
  title: 'Rail routes',
  about: 'Routes of a timetable: line or product, colours, and the termini from names and ids.',
  columns: {
    ...VERSION_COLUMNS,
    route_id: col.string(4, "The publisher's id of the route, after the network and a colon for networks other than Renfe's.", {
      example: '10T0001C1',
    }),
    nucleo_code: col.code(5, 'Commuter network; the first two characters of a commuter route id.', RAIL_NUCLEOS, {
      nullable: true,
      example: '10',
    }),
    short_name: col.string(6, 'Line, case-sensitive; for long and medium distance, the code of the product (list rail_product).', {
      nullable: true,
      example: 'C1',
    }),
    long_name: col.string(7, 'Name as published, without padding.', { nullable: true, example: 'Principe Pio - Aeropuerto-T4' }),
    origin_name: col.string(8, 'First of the two names in the long name of a commuter route.', {
      nullable: true,
      example: 'Principe Pio',
    }),
    destination_name: col.string(9, 'Second of them.', { nullable: true, example: 'Aeropuerto-T4' }),
    route_type: col.code(10, 'Kind of service.', RAIL_ROUTE_TYPES, { example: 'RAIL' }),
    color: col.string(11, 'Colour as six hexadecimal digits in upper case; null if the published text colour is the same.', {
      nullable: true,
      example: '75B6E0',
    }),
    text_color: col.string(12, 'Text colour on it; null if the same colour is published (white on white).', {
      nullable: true,
      example: 'FFFFFF',
    }),
    origin_stop_id: col.string(13, 'Station at the start of a route id of the other network.', { nullable: true, example: null }),
    destination_stop_id: col.string(14, 'Second station in the id.', { nullable: true, example: null }),
  },
  entity: ['timetable_version', 'route_id'],
  order: ['timetable_version', 'route_id'],
})
