import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/** Tracks of lines. They are a dataset of their own since trips name them, not routes: a route has several, and one serves several routes. */
export const railShapes = defineDataset({
  ...TIMETABLE,
  id: 'rail_shapes',
  title: 'Rail line shapes',
  about:
    'Tracks of lines on the map, whole as published; only commuter rail has them. Trips run on them either way, on the whole or a part, and a few beyond their ends.',
  columns: {
    ...VERSION_COLUMNS,
    shape_id: col.string(4, "The publisher's id.", { example: '10_C5_INV' }),
    nucleo_code: col.code(5, 'Commuter network; the first two characters of the id.', RAIL_NUCLEOS, { nullable: true, example: '10' }),
    line: col.string(6, 'Line that the id names.', { nullable: true, example: 'C5' }),
    is_inverse: col.boolean(7, 'True for the same track the other way round, by the id.', { example: true }),
    points: col.integer(8, 'Points of the geometry.', { unit: '1', example: 1021, min: 2 }),
    geometry: col.line(
      9,
      'The whole line as published, which is not the direction of travel: about half of the trips run against the track that they name.',
      {
        example: {
          type: 'LineString',
          coordinates: [
            [-3.8669, 40.3244],
            [-3.8612, 40.3231],
          ],
        },
      },
    ),
  },
  entity: ['timetable_version', 'shape_id'],
  order: ['timetable_version', 'shape_id'],
})
