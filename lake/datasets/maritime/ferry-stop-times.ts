import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TRANSIT_STOP_USES } from '../transit/codes.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** Every call of every sailing. */
export const ferryStopTimes = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_stop_times',
  title: 'Ferry calls',
  about: 'When each sailing arrives at and leaves each of its terminals.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    trip_id: col.string(4, 'Sailing.', { example: 'DEN-IBZ-0800' }),
    stop_sequence: col.integer(5, 'Place of the call in the sailing, rising; it may begin anywhere.', {
      unit: '1',
      example: 1,
      min: 0,
      max: 10_000,
    }),
    stop_id: col.string(6, 'Terminal, in ferry_stops.', { example: 'DEN' }),
    arrival: col.service_time(7, "Arrival on the operator's clock, since the service day began; 24 h and more are after midnight.", {
      nullable: true,
      example: '08:00:00',
    }),
    departure: col.service_time(8, 'Departure, likewise.', { nullable: true, example: '08:00:00' }),
    pickup_type: col.code(9, 'Whether travellers get on; null where nothing is said, which means regularly.', TRANSIT_STOP_USES, {
      nullable: true,
      example: null,
    }),
    drop_off_type: col.code(10, 'Whether travellers get off, likewise.', TRANSIT_STOP_USES, { nullable: true, example: null }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
  order: ['timetable_version', 'trip_id', 'stop_sequence'],
})
