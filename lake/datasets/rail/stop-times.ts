import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_STOP_USES } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Every stop of every trip. Files are sorted by station, so that the departures of one are found in one place. */
export const railStopTimes = defineDataset({
  ...TIMETABLE,
  id: 'rail_stop_times',
  title: 'Rail stop times',
  about: 'When each trip arrives at and leaves each of its stops.',
  columns: {
    ...VERSION_COLUMNS,
    trip_id: col.string(4, 'Trip.', { example: '1032S19799C1' }),
    stop_sequence: col.integer(5, 'Place of the stop in the trip, rising; it may begin anywhere.', {
      unit: '1',
      example: 1,
      min: 0,
      max: 10_000,
    }),
    stop_id: col.string(6, 'Station, in rail_stations.', { example: '17000' }),
    arrival: col.service_time(7, "Arrival on Madrid's clock, since the service day began; 24 h and more are after midnight.", {
      nullable: true,
      example: '05:30:00',
    }),
    departure: col.service_time(8, 'Departure, likewise.', { nullable: true, example: '05:30:00' }),
    pickup_type: col.code(9, 'Whether travellers get on; null where nothing is said, which means regularly.', RAIL_STOP_USES, {
      nullable: true,
      example: null,
    }),
    drop_off_type: col.code(10, 'Whether travellers get off, likewise.', RAIL_STOP_USES, { nullable: true, example: null }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
  order: ['timetable_version', 'stop_id', 'trip_id'],
})
