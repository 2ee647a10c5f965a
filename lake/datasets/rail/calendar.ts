import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** The days of each service: one row a day, with ranges, weekdays and exceptions resolved. */
export const railCalendar = defineDataset({
  ...TIMETABLE,
  id: 'rail_calendar',
  title: 'Rail service days',
  about: 'The days on which each service of a timetable runs, one row a day.',
  columns: {
    ...VERSION_COLUMNS,
    service_id: col.string(4, "The publisher's id of the service.", { example: '1032S' }),
    service_date: col.local_date(5, 'Day on which it runs; trips may go on after midnight.', { example: '2026-08-22' }),
    nucleo_code: col.code(6, 'Commuter network; the first two characters of a commuter service id.', RAIL_NUCLEOS, {
      nullable: true,
      example: '10',
    }),
  },
  entity: ['timetable_version', 'service_id', 'service_date'],
  order: ['timetable_version', 'service_date', 'service_id'],
})
