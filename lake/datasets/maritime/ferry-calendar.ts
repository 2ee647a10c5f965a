import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** The days of each service: one row a day, with ranges, weekdays and exceptions resolved. */
export const ferryCalendar = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_calendar',
  title: 'Ferry service days',
  about: 'The days on which each service of a ferry timetable runs, one row a day.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    service_id: col.string(4, "The publisher's id of the service.", { example: 'SUMMER' }),
    service_date: col.local_date(5, 'Day on which it runs; sailings may go on after midnight.', { example: '2026-08-22' }),
  },
  entity: ['timetable_version', 'service_id', 'service_date'],
  order: ['timetable_version', 'service_date', 'service_id'],
})
