import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS, TIMETABLE_CHANGES, TIMETABLE_PARTS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/**
 * What each version of a timetable has that the one before it of the same network had not, and the other way round. No feed fills it: it is
 * derived from the timetables.
 *
 * Trips are told by what is stable, for ids are made anew every night: a long-distance train by number and variant, a commuter train by
 * line and number. What is compared is the days on which they run, and only those that both versions cover (in a commuter network, that
 * the network covers in both), so that the days that pass by change nothing. Long-distance trains are published ahead to ends of their own,
 * which move weeks at a time (in August of 2026 half of them to November 3rd, others to December 12th): days after the last that the other
 * version has of a train are told apart.
 */
export const railTimetableChanges = defineDataset({
  ...TIMETABLE,
  id: 'rail_timetable_changes',
  title: 'Changes of rail timetables',
  about: 'Stations, routes, lines and trains that a version of a timetable has and the one before it had not, or the other way round.',
  columns: {
    ...VERSION_COLUMNS,
    previous_version: col.string(4, 'Version before it of the same network, with which it is compared.', {
      example: 'cercanias-2026-08-21',
    }),
    what: col.code(5, 'What has changed.', TIMETABLE_PARTS, { example: 'TRIP' }),
    change: col.code(
      6,
      'ADDED or GONE; of trains EXTENDED where the days lie after the last one that the version before had of the train, SHORTENED where they lie after the last one that is left.',
      TIMETABLE_CHANGES,
      { example: 'ADDED' },
    ),
    subject_id: col.string(
      7,
      'What tells it apart: code of the station, id of the route, network and line, or network, line, train number and variant, as far as it has them.',
      { example: '10/C1/19799' },
    ),
    name: col.string(8, 'Name of the station, route or line, where it has one.', { nullable: true, example: null }),
    nucleo_code: col.code(9, 'Commuter network.', RAIL_NUCLEOS, { nullable: true, example: '10' }),
    line: col.string(10, 'Line of commuter rail; of other trains the code of their product (list rail_product).', {
      nullable: true,
      example: 'C1',
    }),
    train_number: col.string(11, 'Number of the train; of trips only.', { nullable: true, example: '19799' }),
    variant: col.string(12, 'Variant of the train; of long-distance trips only.', { nullable: true, example: null }),
    service_days: col.integer(
      13,
      'Days, among those that both versions cover, on which the train runs in one of them alone; of trips only.',
      {
        unit: '1',
        nullable: true,
        example: 20,
        min: 1,
      },
    ),
    first_day: col.local_date(14, 'First of those days.', { nullable: true, example: '2026-08-24' }),
    last_day: col.local_date(15, 'Last of them.', { nullable: true, example: '2026-09-18' }),
  },
  entity: ['timetable_version', 'what', 'change', 'subject_id'],
  order: ['timetable_version', 'what', 'change', 'subject_id'],
})
