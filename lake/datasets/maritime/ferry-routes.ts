import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FERRY_KINDS } from './ferry-codes.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** Routes of a ferry timetable. Trips of a route can go in both directions. */
export const ferryRoutes = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_routes',
  title: 'Ferry routes',
  about: 'Routes of a ferry timetable with their operator, and time zone.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    route_id: col.string(4, "The publisher's id of the route.", { example: 'DEN-IBZ' }),
    agency_name: col.string(5, 'Operator as the timetable names it.', { nullable: true, example: 'Baleària' }),
    agency_url: col.string(6, "The operator's page.", { nullable: true, example: 'https://www.balearia.com' }),
    short_name: col.string(7, 'Short name of the route.', { nullable: true, example: null }),
    long_name: col.string(8, 'Long name of the route.', { nullable: true, example: 'Dénia - Ibiza' }),
    route_type: col.integer(9, 'Route type of GTFS: 4, 1000 to 1099 or 1200.', { unit: '1', example: 4, min: 0, max: 1999 }),
    kind: col.code(10, 'Kind of service, by the route type.', FERRY_KINDS, { example: 'FERRY' }),
    timezone: col.string(11, 'Time zone of the operator; all times of the timetable are in it.', { example: 'Europe/Madrid' }),
  },
  entity: ['timetable_version', 'route_id'],
  order: ['timetable_version', 'route_id'],
})
