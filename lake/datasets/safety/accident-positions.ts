import { col, orNull } from '../../schema/columns.ts'
import { type Dataset, defineDataset } from '../../schema/dataset.ts'
import { roadAxes } from '../road/road-axes.ts'
import { roadPoints } from '../road/road-points.ts'
import { animalAccidents } from './animal-accidents.ts'
import { ROAD_KM_METHODS } from './codes.ts'
import { roadAccidents } from './road-accidents.ts'

const columns = (edition: string) => ({
  source: col.string(1, 'Source of the accident.', { example: 'dgt_accidents' }),
  edition: col.string(2, 'Edition of the accident.', { example: edition }),
  accident_id: col.string(3, 'Id of the accident in its edition.', { example: '202400001234' }),
  period_start: col.instant(4, 'Begin of the span in which it happened.', { example: '2024-02-29T23:00:00.000Z' }),
  position: col.point([5, 6], 'Position of its kilometre on the road.', {
    example: { lat: 37.203214, lon: -3.617702 },
  }),
  error_m: col.decimal(
    7,
    'Position error: of the axis and, without a direction, of the carriageway; or of the points and the bends between them.',
    {
      scale: 1,
      unit: 'm',
      example: 312,
      min: 0,
    },
  ),
  method: col.code(8, 'How its kilometre was located; null if derived before this was recorded.', ROAD_KM_METHODS, orNull('POINTS')),
})

/** Common settings of both datasets. */
const BY_EDITION = {
  domain: 'safety',
  entity: ['edition', 'accident_id'],
  time: 'period_start',
  version: 'edition',
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

const ABOUT =
  'with a road and kilometre, on the measured axis of the road in its province, else by the newest points of roads; without an axis, accidents more than 5 km from known points, or between contradictory points, have no position'
const sourcesOf = ({ sources }: Dataset) => [...new Set([...sources, ...roadAxes.sources, ...roadPoints.sources])]

/**
 * Positions of accidents whose source publishes none, derived by edition from their road and kilometre, `road_axes` and the
 * newest month of `road_points`. Rebuilt when any of them changes. No feed fills it.
 */
export const accidentPositions = defineDataset({
  id: 'accident_positions',
  title: 'Positions of accidents by road and kilometre',
  about: `Positions of the road accidents published without one, ${ABOUT}.`,
  sources: sourcesOf(roadAccidents),
  columns: columns('dgt-2024'),
  ...BY_EDITION,
})

/** The same for accidents with animals. */
export const animalAccidentPositions = defineDataset({
  id: 'animal_accident_positions',
  title: 'Positions of accidents with animals by road and kilometre',
  about: `Positions of the accidents with animals, ${ABOUT}.`,
  sources: sourcesOf(animalAccidents),
  columns: columns('animals-2024'),
  ...BY_EDITION,
})
