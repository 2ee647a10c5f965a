import { defineDataset } from '../../schema/dataset.ts'
import { TRANSIT_STOP_USES } from '../transit/codes.ts'
import { stopTimeColumns } from '../transit/stop-times.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** Every call of every sailing. */
export const ferryStopTimes = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_stop_times',
  title: 'Ferry calls',
  about: 'When each sailing arrives at and leaves each of its terminals.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    ...stopTimeColumns({
      trip: ['Sailing.', 'DEN-IBZ-0800'],
      sequence: 'Place of the call in the sailing, rising; it may begin anywhere.',
      stop: ['Terminal, in ferry_stops.', 'DEN'],
      arrival: "Arrival on the operator's clock",
      time: '08:00:00',
      uses: TRANSIT_STOP_USES,
    }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
  order: ['timetable_version', 'trip_id', 'stop_sequence'],
})
