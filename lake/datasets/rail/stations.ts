import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

const STATION_ID_ABOUT =
  "Renfe's stations: five digits, assigned by the infrastructure manager. Others: the network, a colon and the publisher's id, such as FGC:PC."

/** Stations and stops of a timetable, used by its trips or not. */
export const railStations = defineDataset({
  ...TIMETABLE,
  id: 'rail_stations',
  title: 'Rail stations',
  about: 'Stations and stops that a timetable names, one row per version.',
  columns: {
    ...VERSION_COLUMNS,
    stop_id: col.string(4, STATION_ID_ABOUT, {
      example: '17000',
    }),
    name: col.string(5, 'Name as published.', { example: 'Madrid-Chamartín-Clara Campoamor' }),
    position: col.point([6, 7], 'Position; null if none or an impossible one is published.', {
      nullable: true,
      example: { lat: 40.471179, lon: -3.682952 },
    }),
    has_wheelchair_boarding: col.boolean(8, 'Whether some trains can be boarded in a wheelchair; null if not stated.', {
      nullable: true,
      example: true,
    }),
    timezone: col.string(9, "Time zone of the place; timetable times still use Madrid's.", {
      nullable: true,
      example: null,
    }),
  },
  entity: ['timetable_version', 'stop_id'],
  order: ['timetable_version', 'stop_id'],
})
