import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS, TIMETABLE_CHANGES, TIMETABLE_PARTS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/**
 * Differences between each timetable version and the previous one of its network; derived. Trains match by stable keys, since ids
 * change nightly: number and variant, or line and number for commuter trains. Only days that both versions cover are compared.
 * Later days of a long-distance train count separately, as its published end can move by weeks.
 */
export const railTimetableChanges = defineDataset({
  ...TIMETABLE,
  id: 'rail_timetable_changes',
  title: 'Changes of rail timetables',
  about: 'Stations, routes, lines and trains that are in a timetable version but not in the previous one, or the reverse.',
  columns: {
    ...VERSION_COLUMNS,
    previous_version: col.string(4, 'Previous version of the same network, used for the comparison.', {
      example: 'cercanias-2026-08-21',
    }),
    what: col.code(5, 'What has changed.', TIMETABLE_PARTS, { example: 'TRIP' }),
    change: col.code(
      6,
      "ADDED or GONE. For trains also EXTENDED, if the days are after the train's last one in the previous version, and SHORTENED, if they are after its last remaining one.",
      TIMETABLE_CHANGES,
      { example: 'ADDED' },
    ),
    subject_id: col.string(
      7,
      'Its key: station code; route id; network and line; or network, line, train number and variant, where present.',
      { example: '10/C1/19799' },
    ),
    name: col.string(8, 'Name of the station, route or line, if it has one.', orNull(null)),
    nucleo_code: col.code(9, 'Commuter network.', RAIL_NUCLEOS, orNull('10')),
    line: col.string(10, 'Line of commuter rail; for other trains, the code of their product (list rail_product).', orNull('C1')),
    train_number: col.string(11, 'Number of the train; trips only.', orNull('19799')),
    variant: col.string(12, 'Variant of the train; long-distance trips only.', orNull(null)),
    service_days: col.integer(13, 'Days, among those that both versions cover, on which the train runs in only one of them; trips only.', {
      unit: '1',
      nullable: true,
      example: 20,
      min: 1,
    }),
    first_day: col.local_date(14, 'First of those days.', orNull('2026-08-24')),
    last_day: col.local_date(15, 'Last of them.', orNull('2026-09-18')),
  },
  entity: ['timetable_version', 'what', 'change', 'subject_id'],
})
