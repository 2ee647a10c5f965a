import { defineDataset } from '../../schema/dataset.ts'
import { stopTimeColumns } from '../transit/stop-times.ts'
import { RAIL_STOP_USES } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Every stop of every trip. Files are sorted by station, so that a station's departures are close together. */
export const railStopTimes = defineDataset({
  ...TIMETABLE,
  id: 'rail_stop_times',
  title: 'Rail stop times',
  about: 'When each trip arrives at and leaves each of its stops.',
  columns: {
    ...VERSION_COLUMNS,
    ...stopTimeColumns({
      trip: ['Trip.', '1032S19799C1'],
      sequence: 'Rising number of the stop in the trip; the first may be any number.',
      stop: ['Station, in rail_stations.', '17000'],
      arrival: 'Arrival, Madrid time',
      time: '05:30:00',
      uses: RAIL_STOP_USES,
    }),
  },
  entity: ['timetable_version', 'trip_id', 'stop_sequence'],
  order: ['timetable_version', 'stop_id', 'trip_id'],
})
