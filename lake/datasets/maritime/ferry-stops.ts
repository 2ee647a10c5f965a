import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FERRY_TIMETABLE, FERRY_VERSION_COLUMNS } from './ferry-timetable.ts'

/** Ports and terminals of a ferry timetable. */
export const ferryStops = defineDataset({
  ...FERRY_TIMETABLE,
  id: 'ferry_stops',
  title: 'Ferry terminals',
  about: 'Terminals in a ferry timetable, one row per version.',
  columns: {
    ...FERRY_VERSION_COLUMNS,
    stop_id: col.string(4, "The publisher's id of the terminal.", { example: 'DEN' }),
    name: col.string(5, 'Name as published.', { example: 'Dénia' }),
    position: col.point([6, 7], 'Position; null if none or an impossible one is published.', {
      nullable: true,
      example: { lat: 38.8417, lon: 0.1166 },
    }),
    parent_station: col.string(8, 'Station that the terminal belongs to, if one is published.', { nullable: true, example: null }),
    has_wheelchair_boarding: col.boolean(9, 'Whether some sailings can be boarded in a wheelchair; null if not stated.', {
      nullable: true,
      example: true,
    }),
    timezone: col.string(10, "Time zone of the place; timetable times still use the operator's time zone.", {
      nullable: true,
      example: 'Europe/Madrid',
    }),
  },
  entity: ['timetable_version', 'stop_id'],
  order: ['timetable_version', 'stop_id'],
})
