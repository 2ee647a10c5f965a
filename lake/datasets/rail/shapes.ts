import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { RAIL_NUCLEOS } from './codes.ts'
import { TIMETABLE, VERSION_COLUMNS } from './timetable.ts'

/**
 * Tracks of lines. A dataset of their own, since trips name them: a route has several tracks, and a track serves several routes.
 */
export const railShapes = defineDataset({
  ...TIMETABLE,
  id: 'rail_shapes',
  title: 'Rail line shapes',
  about:
    'Geometry of lines, complete as published; commuter rail only. Trips run on all or part of a track, in either direction; a few run beyond its ends.',
  columns: {
    ...VERSION_COLUMNS,
    shape_id: col.string(4, "The publisher's id.", { example: '10_C5_INV' }),
    nucleo_code: col.code(5, 'Commuter network; the first two characters of the id.', RAIL_NUCLEOS, { nullable: true, example: '10' }),
    line: col.string(6, 'Line in the id.', { nullable: true, example: 'C5' }),
    is_inverse: col.boolean(7, 'True for the same track in reverse, from the id.', { example: true }),
    points: col.integer(8, 'Points of the geometry.', { unit: '1', example: 1021, min: 2 }),
    geometry: col.line(
      9,
      'The complete line as published. Its order is not the direction of travel: about half of the trips run against it.',
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
