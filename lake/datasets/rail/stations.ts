import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Stations and stops of a timetable, used by its trips or not. */
export const railStations = defineDataset({
  ...TIMETABLE,
  id: 'rail_stations',
  title: 'Rail stations',
  about: 'Stations and stops that a timetable names, one row a version.',
  columns: {
    ...VERSION_COLUMNS,
    stop_id: col.string(4, "Code of the station, five digits, zeros in front kept; the infrastructure manager's.", { example: '17000' }),
    name: col.string(5, 'Name as published.', { example: 'Madrid-Chamartín-Clara Campoamor' }),
    position: col.point([6, 7], 'Where it is; null where none or an impossible one is published.', {
      nullable: true,
      example: { lat: 40.471179, lon: -3.682952 },
    }),
    has_wheelchair_boarding: col.boolean(8, 'Whether some trains can be boarded in a wheelchair; null where nothing is said.', {
      nullable: true,
      example: true,
    }),
    timezone: col.string(9, "Zone of the place; times of the timetable are on Madrid's clock all the same.", {
      nullable: true,
      example: null,
    }),
  },
  entity: ['timetable_version', 'stop_id'],
  order: ['timetable_version', 'stop_id'],
})
