import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Trips of a timetable: a train on the days of its service. */
export const railTrips = defineDataset({
  ...TIMETABLE,
  id: 'rail_trips',
  title: 'Rail trips',
  about: 'Trips of a timetable, each on the days of its service in rail_calendar.',
  columns: {
    ...VERSION_COLUMNS,
    trip_id: col.string(4, "The publisher's id; outside commuter rail, trips get new ids every night.", {
      example: '1032S19799C1',
    }),
    route_id: col.string(5, 'Route.', { example: '10T0001C1' }),
    service_id: col.string(6, 'Days on which it runs, in rail_calendar; an id has different days in another version.', {
      example: '1032S',
    }),
    nucleo_code: col.code(7, 'Commuter network; the first two characters of a commuter trip id.', RAIL_NUCLEOS, {
      nullable: true,
      example: '10',
    }),
    train_number: col.string(8, 'Number of the train, five digits: the commercial number, or the one in a commuter trip id.', {
      nullable: true,
      example: '19799',
    }),
    variant: col.string(9, 'Variant of the train, from the id; commuter trips have none.', { nullable: true, example: null }),
    validity_start: col.local_date(10, 'Date at the end of the id: the first day of validity, not the running day.', {
      nullable: true,
      example: null,
    }),
    headsign: col.string(11, 'Destination as shown to travellers, if published.', { nullable: true, example: null }),
    service_mark: col.string(12, 'Kind of service published instead of a destination: CIVIS, an express.', {
      nullable: true,
      example: null,
    }),
    direction: col.integer(13, 'Direction of travel, 0 or 1, if published.', {
      unit: '1',
      nullable: true,
      example: null,
      min: 0,
      max: 1,
    }),
    block_id: col.string(14, 'Trips with the same block are run by the same train.', { nullable: true, example: '1032S19799' }),
    shape_id: col.string(15, 'Track of the whole line, in rail_shapes; the trip may run on part of it, in either direction.', {
      nullable: true,
      example: '10_C1',
    }),
    is_wheelchair_accessible: col.boolean(16, 'Whether a wheelchair can ride; null if not stated.', {
      nullable: true,
      example: true,
    }),
    headway_s: col.integer(
      17,
      'Interval of a departure that the publisher states as a frequency: its times are approximate; null for exact times.',
      {
        unit: 's',
        nullable: true,
        example: null,
        min: 1,
        max: 86_400,
      },
    ),
  },
  entity: ['timetable_version', 'trip_id'],
  order: ['timetable_version', 'route_id', 'trip_id'],
})
