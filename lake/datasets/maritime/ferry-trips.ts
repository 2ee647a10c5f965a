import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** Sailings of a timetable, each on the days of its service. */
export const ferryTrips = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_trips',
  title: 'Ferry sailings',
  about: 'Sailings of a ferry timetable, each on the days of its service in ferry_calendar.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    trip_id: col.string(4, "The publisher's id; with `@` and the time of departure if the timetable states a frequency.", {
      example: 'DEN-IBZ-0800',
    }),
    route_id: col.string(5, 'Route.', { example: 'DEN-IBZ' }),
    service_id: col.string(6, 'Days on which it runs, in ferry_calendar.', { example: 'SUMMER' }),
    short_name: col.string(7, 'Public name of the sailing.', { nullable: true, example: null }),
    headsign: col.string(8, 'Destination as shown to travellers.', { nullable: true, example: 'Ibiza' }),
    direction: col.integer(9, 'Direction of travel, 0 or 1, if published.', {
      unit: '1',
      nullable: true,
      example: 0,
      min: 0,
      max: 1,
    }),
    is_car_allowed: col.boolean(10, 'Whether cars are carried; null if not stated.', { nullable: true, example: true }),
    is_bike_allowed: col.boolean(11, 'Whether bicycles are carried; null if not stated.', { nullable: true, example: true }),
    is_wheelchair_accessible: col.boolean(12, 'Whether a wheelchair can ride; null if not stated.', {
      nullable: true,
      example: true,
    }),
    headway_s: col.integer(13, 'Time between departures if the timetable states a frequency instead of exact times; else null.', {
      unit: 's',
      nullable: true,
      example: null,
      min: 1,
      max: 86_400,
    }),
  },
  entity: ['timetable_version', 'trip_id'],
  order: ['timetable_version', 'route_id', 'trip_id'],
})
